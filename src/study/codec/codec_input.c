/* Inputs of `parsim codec`: files are read in place; a pipe is kept in a file without a name
 * first, since it is read twice. */
#include "study/codec/codec_study.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_temporary(void)
{
    const char *dir = getenv("TMPDIR");
    char *path = xasprintf("%s/parsim-XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkstemp(path);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            return false;
        p += w;
        n -= (size_t)w;
    }
    return true;
}

/* Pipes cannot be read twice: keep what they say in a file that has no name. */
static bool spool(struct codec_input *in, struct err *err)
{
    enum { CHUNK = 1 << 16 };
    const uint64_t most = UINT64_C(16) << 30;
    char buf[CHUNK];
    int fd = open_temporary();
    if (fd < 0)
        return err_set(err, "%s: cannot make a temporary file: %s", in->name, strerror(errno));
    for (;;) {
        ssize_t n = read(in->fd, buf, sizeof buf);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            break;
        if (n < 0 || !write_all(fd, buf, (size_t)n)) {
            err_set(err, "%s: cannot copy it to a temporary file: %s", in->name, strerror(errno));
            close(fd);
            return false;
        }
        in->bytes += (uint64_t)n;
        if (in->bytes > most) {
            close(fd);
            return err_set(err, "%s: more than %llu GB from a pipe; name a file instead", in->name,
                           (unsigned long long)(most >> 30));
        }
    }
    codec_input_close(in);
    in->fd = fd;
    return true;
}

static bool open_file(struct codec_input *in, const char *path, struct err *err)
{
    bool is_stdin = !strcmp(path, "-");
    *in = (struct codec_input){.name = is_stdin ? "(standard input)" : path};
    in->fd = file_open(path, &in->bytes, err);
    if (in->fd >= 0 && is_stdin)
        in->fd = dup(in->fd);
    if (in->fd < 0)
        return false;
    if (in->bytes != FILE_NO_SIZE)
        return true;
    in->bytes = 0;
    return spool(in, err);
}

bool codec_input_open(struct codec_input *in, const char *path, unsigned block_bytes,
                      struct err *err)
{
    bool ok = open_file(in, path, err);
    if (ok && in->bytes == 0)
        ok = err_set(err, "%s: is empty", in->name);
    else if (ok && in->bytes < block_bytes)
        ok = err_set(err, "%s: its %llu bytes are less than one block of %u", in->name,
                     (unsigned long long)in->bytes, block_bytes);
    if (!ok)
        codec_input_close(in);
    return ok;
}

void codec_input_close(struct codec_input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

bool codec_input_read(const struct codec_input *in, uint64_t at, void *data, size_t bytes,
                      struct err *err)
{
    char *p = data;
    while (bytes) {
        ssize_t n = pread(in->fd, p, bytes, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, "%s: %s", in->name, strerror(errno));
        if (n == 0)
            return err_set(err, "%s: ends before its length", in->name);
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return true;
}
