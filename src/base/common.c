/* Allocation that ends the process rather than return NULL, and how a bug is told. */
#include "base/common.h"
#include "base/exact.h"

#include "base/tempfile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void panic_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fflush(stdout);
    fprintf(stderr, "parsim: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    tempfile_remove_all();
    abort();
}

void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        panic("out of memory (%zu bytes)", bytes);
    return p;
}

void *xcalloc(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!p)
        panic("out of memory (%zu x %zu bytes)", n, bytes);
    return p;
}

void *xrealloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        panic("out of memory (%zu bytes)", bytes);
    return p;
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

char *xasprintf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = xmalloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

void *xalloc_aligned(size_t align, size_t bytes)
{
    const size_t room = align_up(bytes ? bytes : 1, align);
    void *p = aligned_alloc(align, room);
    if (!p)
        panic("out of memory (%zu bytes)", bytes);
    memset(p, 0, room);
    EXACT_FORBID((char *)p + bytes, room - bytes);
    return p;
}
