/* System calls about open files. */
#define _GNU_SOURCE
#include "a64/sys_names.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SYS(name) int64_t sys_##name(struct a64_process *p, const uint64_t *a)

enum { SPANS_MAX = 1024, PAGES_MAX = 64 };

/* Flags of open() that differ from those of x86. */
enum { GUEST_DIRECTORY = 040000, GUEST_NOFOLLOW = 0100000 };

int sys_file(const struct a64_process *p, uint64_t fd)
{
    return fd < A64_FILES ? p->files[fd].host : -1;
}

/* --- open and close --- */

static int64_t take_slot(struct a64_process *p, int host, const char *path, unsigned from)
{
    if (host < 0)
        return -errno;
    for (unsigned i = from; i < A64_FILES; i++)
        if (p->files[i].host < 0) {
            p->files[i] = (struct a64_file){.host = host, .path = path ? xstrdup(path) : NULL};
            return i;
        }
    close(host);
    return -EMFILE;
}

static bool is_writing(uint64_t flags)
{
    return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

/* Devices that take everything and keep nothing. */
static bool is_sink(const char *name)
{
    return !strcmp(name, "/dev/null") || !strcmp(name, "/dev/zero") || !strcmp(name, "/dev/full");
}

static int open_in(int folder, const char *last, uint64_t flags, uint64_t mode, bool has_root)
{
    const int kept = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK;
    const int host = ((int)flags & kept) | O_CLOEXEC | O_NOCTTY |
                     (flags & GUEST_DIRECTORY ? O_DIRECTORY : 0) |
                     (flags & GUEST_NOFOLLOW || has_root ? O_NOFOLLOW : 0);
    const int fd = openat(folder, last, host, (mode_t)(mode & 0777));
    if (fd >= 0 && sys_is_process_fs(fd)) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    return fd;
}

SYS(openat)
{
    char name[SYS_NAME_BYTES];
    const char *last;
    const int64_t r = sys_full_name(p, a[0], a[1], name);
    if (r)
        return r;
    if (p->root < 0 && is_writing(a[2]) && !is_sink(name))
        return -EROFS;
    const int folder = sys_open_folder(p, name, &last);
    if (folder < 0)
        return -errno;
    const int fd = open_in(folder, last, a[2], a[3], p->root >= 0);
    const int64_t slot = take_slot(p, fd, name, 0);
    close(folder);
    return slot;
}

SYS(close)
{
    if (sys_file(p, a[0]) < 0)
        return -EBADF;
    close(p->files[a[0]].host);
    free(p->files[a[0]].path);
    p->files[a[0]] = (struct a64_file){.host = -1};
    return 0;
}

SYS(dup)
{
    const int host = sys_file(p, a[0]);
    return host < 0 ? -EBADF
                    : take_slot(p, fcntl(host, F_DUPFD_CLOEXEC, 0), p->files[a[0]].path, 0);
}

SYS(dup3)
{
    const int host = sys_file(p, a[0]);
    if (host < 0 || a[1] >= A64_FILES)
        return -EBADF;
    if (a[0] == a[1])
        return -EINVAL;
    const uint64_t old = a[1];
    sys_close(p, &old);
    return take_slot(p, fcntl(host, F_DUPFD_CLOEXEC, 0), p->files[a[0]].path, (unsigned)old);
}

SYS(fcntl)
{
    const int host = sys_file(p, a[0]);
    if (host < 0)
        return -EBADF;
    switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return a[2] >= A64_FILES ? -EINVAL
                                 : take_slot(p, fcntl(host, F_DUPFD_CLOEXEC, 0),
                                             p->files[a[0]].path, (unsigned)a[2]);
    case F_GETFD:
    case F_SETFD:
        return 0;
    case F_GETFL:
        return fcntl(host, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK);
    default:
        return -EINVAL;
    }
}

/* --- bytes --- */

/* Where a transfer goes: `len` bytes at `addr` of the guest each. */
struct span {
    uint64_t addr, len;
};

/* The pages of the spans behind `done` bytes, as far as there is room and they may be accessed. */
static int pages_of(struct a64_process *p, const struct span *s, size_t n, uint64_t done,
                    unsigned wanted, struct iovec *io)
{
    int pages = 0;
    for (size_t i = 0; i < n; i++) {
        for (uint64_t at = done, len; at < s[i].len; at += len) {
            len = s[i].len - at;
            uint8_t *host =
                pages < PAGES_MAX ? image_span(p->image, s[i].addr + at, &len, wanted) : NULL;
            if (!host)
                return pages;
            io[pages++] = (struct iovec){host, len};
        }
        done -= done < s[i].len ? done : s[i].len;
    }
    return pages;
}

static ssize_t transfer_pages(int host, const struct iovec *io, int n, bool is_read, off_t offset)
{
    ssize_t got;
    do
        got = offset >= 0 ? (is_read ? preadv(host, io, n, offset) : pwritev(host, io, n, offset))
                          : (is_read ? readv(host, io, n) : writev(host, io, n));
    while (got < 0 && errno == EINTR && !interrupt_signal());
    return got;
}

static bool is_plain(int host)
{
    struct stat st;
    return !fstat(host, &st) && S_ISREG(st.st_mode);
}

/* Reads or writes in place. A read takes what one call of the host brings, for a pipe may have no
 * more; of a plain file, and to any, it goes on. */
static int64_t transfer(struct a64_process *p, int host, const struct span *s, size_t n,
                        bool is_read, int64_t offset)
{
    uint64_t done = 0, len = 0;
    const bool goes_on = !is_read || is_plain(host);
    for (size_t i = 0; i < n; i++)
        len += s[i].len;
    while (done < len) {
        struct iovec io[PAGES_MAX];
        uint64_t asked = 0;
        const int pages = pages_of(p, s, n, done, is_read ? IMAGE_W : IMAGE_R, io);
        for (int i = 0; i < pages; i++)
            asked += io[i].iov_len;
        if (!pages)
            return done ? (int64_t)done : -EFAULT;
        const ssize_t got =
            transfer_pages(host, io, pages, is_read, offset < 0 ? -1 : offset + (off_t)done);
        if (got < 0)
            return done ? (int64_t)done : -errno;
        done += (uint64_t)got;
        if ((uint64_t)got < asked || !goes_on)
            break;
    }
    return (int64_t)done;
}

static int64_t transfer_file(struct a64_process *p, const uint64_t *a, bool is_read, int64_t offset)
{
    const int host = sys_file(p, a[0]);
    const struct span s = {a[1], a[2]};
    return host < 0 ? -EBADF : transfer(p, host, &s, 1, is_read, offset);
}

SYS(read)
{
    return transfer_file(p, a, true, -1);
}

SYS(write)
{
    return transfer_file(p, a, false, -1);
}

SYS(pread64)
{
    return (int64_t)a[3] < 0 ? -EINVAL : transfer_file(p, a, true, (int64_t)a[3]);
}

SYS(pwrite64)
{
    return (int64_t)a[3] < 0 ? -EINVAL : transfer_file(p, a, false, (int64_t)a[3]);
}

static int64_t transfer_all(struct a64_process *p, const uint64_t *a, bool is_read)
{
    const int host = sys_file(p, a[0]);
    struct span s[SPANS_MAX];
    uint64_t len = 0;
    if (host < 0 || a[2] > SPANS_MAX)
        return host < 0 ? -EBADF : -EINVAL;
    if (!image_read(p->image, a[1], s, a[2] * sizeof *s))
        return -EFAULT;
    for (uint64_t i = 0; i < a[2]; i++)
        if (s[i].len > (uint64_t)INT64_MAX || (len += s[i].len) > (uint64_t)INT64_MAX)
            return -EINVAL;
    return transfer(p, host, s, a[2], is_read, -1);
}

SYS(readv)
{
    return transfer_all(p, a, true);
}

SYS(writev)
{
    return transfer_all(p, a, false);
}

SYS(lseek)
{
    const int host = sys_file(p, a[0]);
    const off_t at = host < 0 ? -1 : lseek(host, (off_t)a[1], (int)a[2]);
    return host < 0 ? -EBADF : at < 0 ? -errno : (int64_t)at;
}

SYS(ioctl)
{
    return sys_file(p, a[0]) < 0 ? -EBADF : -ENOTTY;
}

SYS(ftruncate)
{
    const int host = sys_file(p, a[0]);
    return host < 0 ? -EBADF : ftruncate(host, (off_t)a[1]) ? -errno : 0;
}

SYS(getdents64)
{
    char entries[4096];
    const int host = sys_file(p, a[0]);
    const size_t room = a[2] < sizeof entries ? a[2] : sizeof entries;
    if (host < 0)
        return -EBADF;
    const long n = syscall(SYS_getdents64, host, entries, room);
    if (n < 0)
        return -errno;
    const int64_t r = sys_give(p, a[1], entries, (size_t)n);
    return r ? r : n;
}

SYS(pipe2)
{
    int host[2];
    if (pipe2(host, O_CLOEXEC))
        return -errno;
    const int64_t in = take_slot(p, host[0], NULL, 0), out = take_slot(p, host[1], NULL, 0);
    const uint64_t slots[] = {(uint64_t)in, (uint64_t)out};
    const int32_t pair[] = {(int32_t)in, (int32_t)out};
    const int64_t r = in < 0 || out < 0 ? -EMFILE : sys_give(p, a[0], pair, sizeof pair);
    for (unsigned i = 0; i < 2 && r; i++)
        sys_close(p, &slots[i]);
    return r;
}

static int64_t flush(const struct a64_process *p, uint64_t fd)
{
    const int host = sys_file(p, fd);
    return host < 0 ? -EBADF : fsync(host) ? -errno : 0;
}

SYS(fsync)
{
    return flush(p, a[0]);
}

SYS(fdatasync)
{
    return flush(p, a[0]);
}
