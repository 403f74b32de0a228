#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *file_read(const char *path, size_t *len, struct err *err)
{
    bool is_stdin = !strcmp(path, "-");
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) < 0 || S_ISDIR(st.st_mode)) {
        err_set(err, "cannot read %s: %s", path, f && !errno ? "is a directory" : strerror(errno));
        if (f && !is_stdin)
            fclose(f);
        return NULL;
    }
    size_t cap = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 65536, n = 0;
    char *buf = xmalloc(cap + 1);
    for (;;) {
        n += fread(buf + n, 1, cap - n, f);
        if (n < cap)
            break;
        cap *= 2;
        buf = xrealloc(buf, cap + 1);
    }
    bool bad = ferror(f) != 0;
    if (!is_stdin)
        fclose(f);
    if (bad) {
        err_set(err, "cannot read %s: %s", path, strerror(errno));
        free(buf);
        return NULL;
    }
    buf[n] = 0;
    *len = n;
    return buf;
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
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    bool ok = fread(to, 1, len, f) == len;
    fclose(f);
    return ok || err_set(err, "cannot read %zu bytes of %s", len, path);
}

bool file_write(const char *path, const void *data, size_t len, struct err *err)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return err_set(err, "cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, len, f) == len;
    if (fclose(f) != 0 || !ok)
        return err_set(err, "cannot write %s: %s", path, strerror(errno));
    return true;
}
