/* System calls about files. A guest sees the host's files and cannot change them, or with a root
 * folder those below it, which are its own; symbolic links are not followed there. The process file
 * system, which leads into the simulator, is not there. */
#define _GNU_SOURCE
#include "a64/syscall.h"

#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SYS(name) int64_t sys_##name(struct a64_process *p, const uint64_t *a)

enum { PATH_BYTES = 4096, SPANS_MAX = 1024, GUEST_AT_CWD = -100 };

/* Flags of open() that differ from those of x86. */
enum { GUEST_DIRECTORY = 040000, GUEST_NOFOLLOW = 0100000 };

int sys_file(const struct a64_process *p, uint64_t fd)
{
    return fd < A64_FILES ? p->files[fd].host : -1;
}

/* --- names --- */

/* Without "." and "..", from "/" on: `to` has room for both and a slash. */
static void clean(char *to, const char *folder, const char *name)
{
    char whole[2 * PATH_BYTES + 2], *save, *end = to;
    snprintf(whole, sizeof whole, "%s/%s", name[0] == '/' ? "" : folder, name);
    *to = 0;
    for (char *part = strtok_r(whole, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        if (!strcmp(part, "."))
            continue;
        if (!strcmp(part, "..")) {
            while (end > to && *--end != '/')
                ;
            *end = 0;
            continue;
        }
        end = stpcpy(stpcpy(end, "/"), part);
    }
    if (end == to)
        strcpy(to, "/");
}

/* The guest's name of a file in a folder of the guest: from "/" on with a root, else the host's. */
static int64_t full_name(struct a64_process *p, uint64_t folder, uint64_t addr, char *to)
{
    char name[PATH_BYTES], here[PATH_BYTES] = "";
    const int64_t r = sys_text(p, addr, name, sizeof name);
    if (r)
        return r;
    if (!*name)
        return -ENOENT;
    if ((int)folder != GUEST_AT_CWD && name[0] != '/') {
        if (sys_file(p, folder) < 0)
            return -EBADF;
        if (!p->files[folder].path)
            return -ENOTDIR;
        snprintf(here, sizeof here, "%s", p->files[folder].path);
    } else if (p->root < 0 && !getcwd(here, sizeof here)) {
        return -errno;
    }
    clean(to, here, name);
    return 0;
}

/* The folder that has the last part of a name; with a root no step follows a link. */
static int open_folder(const struct a64_process *p, const char *name, const char **last)
{
    const char *slash = strrchr(name, '/');
    *last = slash[1] ? slash + 1 : ".";
    if (p->root < 0) {
        char folder[PATH_BYTES * 2];
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - name), name);
        return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    int at = fcntl(p->root, F_DUPFD_CLOEXEC, 0);
    for (const char *part = name + 1; at >= 0 && part < slash;) {
        char step[PATH_BYTES];
        const size_t len = strcspn(part, "/");
        snprintf(step, sizeof step, "%.*s", (int)len, part);
        const int next = openat(at, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
        part += len + 1;
    }
    return at;
}

static bool is_process_fs(int host)
{
    struct statfs s;
    return fstatfs(host, &s) || s.f_type == PROC_SUPER_MAGIC;
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
    if (fd >= 0 && is_process_fs(fd)) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    return fd;
}

SYS(openat)
{
    char name[2 * PATH_BYTES + 2];
    const char *last;
    const int64_t r = full_name(p, a[0], a[1], name);
    if (r)
        return r;
    if (p->root < 0 && is_writing(a[2]) && !is_sink(name))
        return -EROFS;
    const int folder = open_folder(p, name, &last);
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

/* Reads or writes in place, a page at a time, until something comes up short. */
static int64_t transfer(struct a64_process *p, int host, uint64_t addr, uint64_t len, bool is_read,
                        int64_t offset)
{
    uint64_t done = 0;
    while (done < len) {
        uint64_t n = len - done;
        uint8_t *at = image_span(p->image, addr + done, &n, is_read ? IMAGE_W : IMAGE_R);
        if (!at)
            return done ? (int64_t)done : -EFAULT;
        const off_t to = (off_t)(offset + (int64_t)done);
        const ssize_t got = offset >= 0
                                ? (is_read ? pread(host, at, n, to) : pwrite(host, at, n, to))
                            : is_read ? read(host, at, n)
                                      : write(host, at, n);
        if (got < 0 && errno == EINTR && !interrupt_signal())
            continue;
        if (got < 0)
            return done ? (int64_t)done : -errno;
        done += (uint64_t)got;
        if ((uint64_t)got < n)
            break;
    }
    return (int64_t)done;
}

static int64_t transfer_file(struct a64_process *p, const uint64_t *a, bool is_read, int64_t offset)
{
    const int host = sys_file(p, a[0]);
    return host < 0 ? -EBADF : transfer(p, host, a[1], a[2], is_read, offset);
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
    int64_t done = 0;
    if (host < 0 || a[2] > SPANS_MAX)
        return host < 0 ? -EBADF : -EINVAL;
    for (uint64_t i = 0; i < a[2]; i++) {
        uint64_t span[2];
        if (!image_read(p->image, a[1] + i * sizeof span, span, sizeof span))
            return done ? done : -EFAULT;
        const int64_t n = transfer(p, host, span[0], span[1], is_read, -1);
        if (n < 0)
            return done ? done : n;
        done += n;
        if ((uint64_t)n < span[1])
            break;
    }
    return done;
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

/* --- what files are --- */

struct guest_stat {
    uint64_t dev, ino;
    uint32_t mode, nlink, uid, gid;
    uint64_t rdev, pad;
    int64_t size;
    int32_t blksize, pad2;
    int64_t blocks;
    int64_t times[6];
    uint32_t unused[2];
};

static int64_t give_stat(struct a64_process *p, uint64_t addr, const struct stat *s)
{
    const struct guest_stat g = {.dev = s->st_dev,
                                 .ino = s->st_ino,
                                 .mode = s->st_mode,
                                 .nlink = (uint32_t)s->st_nlink,
                                 .uid = s->st_uid,
                                 .gid = s->st_gid,
                                 .rdev = s->st_rdev,
                                 .size = s->st_size,
                                 .blksize = (int32_t)s->st_blksize,
                                 .blocks = s->st_blocks,
                                 .times = {s->st_atim.tv_sec, s->st_atim.tv_nsec, s->st_mtim.tv_sec,
                                           s->st_mtim.tv_nsec, s->st_ctim.tv_sec,
                                           s->st_ctim.tv_nsec}};
    return sys_give(p, addr, &g, sizeof g);
}

SYS(fstat)
{
    struct stat s;
    const int host = sys_file(p, a[0]);
    return host < 0 ? -EBADF : fstat(host, &s) ? -errno : give_stat(p, a[1], &s);
}

/* Calls fn with the folder and the last part of a guest's name. */
static int64_t with_name(struct a64_process *p, const uint64_t *a,
                         int (*fn)(int folder, const char *last, const uint64_t *a, void *arg),
                         void *arg)
{
    char name[2 * PATH_BYTES + 2];
    const char *last;
    const int64_t r = full_name(p, a[0], a[1], name);
    if (r)
        return r;
    const int folder = open_folder(p, name, &last);
    if (folder < 0)
        return -errno;
    const int64_t result = fn(folder, last, a, arg) < 0 ? -errno : 0;
    close(folder);
    return result;
}

static int stat_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    return fstatat(folder, last, arg, a[3] & AT_SYMLINK_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0);
}

/* Links are not followed below a root. */
static int lstat_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)a;
    return fstatat(folder, last, arg, AT_SYMLINK_NOFOLLOW);
}

SYS(newfstatat)
{
    struct stat s;
    char first;
    const bool is_of_fd = a[3] & AT_EMPTY_PATH && image_read(p->image, a[1], &first, 1) && !first;
    if (is_of_fd && (int)a[0] != GUEST_AT_CWD) {
        const uint64_t args[] = {a[0], a[2]};
        return sys_fstat(p, args);
    }
    const int64_t r = with_name(p, a, p->root < 0 ? stat_it : lstat_it, &s);
    return r ? r : give_stat(p, a[2], &s);
}

static int access_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return faccessat(folder, last, (int)a[2] & 7, 0);
}

SYS(faccessat)
{
    struct stat s;
    if (p->root < 0 && a[2] & W_OK)
        return -EROFS;
    const int64_t r = p->root < 0 ? 0 : with_name(p, a, lstat_it, &s);
    if (!r && p->root >= 0 && S_ISLNK(s.st_mode))
        return -ELOOP;
    return r ? r : with_name(p, a, access_it, NULL);
}

static int make_folder(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return mkdirat(folder, last, (mode_t)(a[2] & 0777));
}

SYS(mkdirat)
{
    return p->root < 0 ? -EROFS : with_name(p, a, make_folder, NULL);
}

static int unlink_it(int folder, const char *last, const uint64_t *a, void *arg)
{
    (void)arg;
    return unlinkat(folder, last, a[2] & AT_REMOVEDIR ? AT_REMOVEDIR : 0);
}

SYS(unlinkat)
{
    return p->root < 0 ? -EROFS : with_name(p, a, unlink_it, NULL);
}

SYS(readlinkat)
{
    char name[PATH_BYTES], host[PATH_BYTES];
    const int64_t r = sys_text(p, a[1], name, sizeof name);
    if (r)
        return r;
    if (strcmp(name, "/proc/self/exe"))
        return -EINVAL;
    if (!realpath(p->o.path, host))
        return -errno;
    const size_t len = strlen(host), n = len < a[3] ? len : a[3];
    const int64_t given = sys_give(p, a[2], host, n);
    return given ? given : (int64_t)n;
}

SYS(getcwd)
{
    char here[PATH_BYTES] = "/";
    if (p->root < 0 && !getcwd(here, sizeof here))
        return -errno;
    const size_t n = strlen(here) + 1;
    if (n > a[1])
        return -ERANGE;
    const int64_t r = sys_give(p, a[0], here, n);
    return r ? r : (int64_t)n;
}
