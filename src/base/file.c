/* Whole files into memory, after a look at what kind of file it is. */
#include "base/file.h"

#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 16, FIFO_WAIT_MS = 1000 };

static bool cannot(const char *path, const char *why, struct err *err)
{
    return err_set(err, "cannot read %s: %s", path, why);
}

/* Somebody writes into a pipe, or has done so; a pipe with a name may have nobody. */
static bool has_writer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, FIFO_WAIT_MS) > 0;
}

/* Refuses what has no end: folders, devices, pipes that nobody writes into. */
static bool check_kind(const char *path, int fd, const struct stat *st, struct err *err)
{
    if (S_ISDIR(st->st_mode))
        return cannot(path, "is a directory", err);
    if (S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && !isatty(fd)))
        return cannot(path, "is a device, not a file", err);
    if (S_ISFIFO(st->st_mode) && fd != STDIN_FILENO && !has_writer(fd))
        return cannot(path, "is a pipe into which nobody writes", err);
    return true;
}

int file_open(const char *path, uint64_t *bytes, struct err *err)
{
    struct stat st;
    bool is_stdin = !strcmp(path, "-");
    /* not blocking: a named pipe would wait for its writer for ever */
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st)) {
        cannot(path, strerror(errno), err);
    } else if (check_kind(path, fd, &st, err)) {
        if (!is_stdin)
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
        *bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : FILE_NO_SIZE;
        return fd;
    }
    if (fd >= 0 && !is_stdin)
        close(fd);
    return -1;
}

static bool too_large(const char *path, uint64_t most, struct err *err)
{
    return err_set(err, "%s is too large: more than %llu MB, the limit for such a file", path,
                   (unsigned long long)(most >> 20));
}

/* Reads to the end, into a buffer that grows. */
static char *read_all(const char *path, int fd, size_t cap, uint64_t most, size_t *len,
                      struct err *err)
{
    char *buf = xmalloc(cap + 1);
    *len = 0;
    for (;;) {
        ssize_t n = read(fd, buf + *len, cap - *len);
        if (n < 0 && errno == EINTR)
            continue;
        *len += n > 0 ? (size_t)n : 0;
        if (n > 0 && *len <= most) {
            if (*len == cap)
                buf = xrealloc(buf, (cap *= 2) + 1);
            continue;
        }
        if (n == 0)
            return buf;
        if (n < 0)
            cannot(path, strerror(errno), err);
        else
            too_large(path, most, err);
        free(buf);
        return NULL;
    }
}

char *file_read_max(const char *path, uint64_t most, size_t *len, struct err *err)
{
    uint64_t bytes;
    int fd = file_open(path, &bytes, err);
    char *buf = NULL;
    if (fd < 0)
        return NULL;
    if (bytes != FILE_NO_SIZE && bytes > most)
        too_large(path, most, err);
    else
        buf = read_all(path, fd, bytes && bytes != FILE_NO_SIZE ? bytes + 1 : FIRST_BYTES, most,
                       len, err);
    if (fd != STDIN_FILENO)
        close(fd);
    if (buf)
        buf[*len] = 0;
    return buf;
}

char *file_read(const char *path, size_t *len, struct err *err)
{
    return file_read_max(path, FILE_READ_MAX, len, err);
}

bool file_size(const char *path, uint64_t *bytes)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

bool file_read_into(const char *path, void *to, size_t len, struct err *err)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return cannot(path, strerror(errno), err);
    bool ok = fread(to, 1, len, f) == len;
    fclose(f);
    return ok || err_set(err, "cannot read %zu bytes of %s", len, path);
}

bool file_write(const char *path, const void *data, size_t len, struct err *err)
{
    struct outfile *o = outfile_open(path, err);
    if (!o)
        return false;
    fwrite(data, 1, len, outfile_stream(o)); /* an error stays with the stream */
    return outfile_close(o, err);
}
