/* zlib behind the functions of a stream. The same bytes always: no time and no name is in them. */
#define _GNU_SOURCE /* fopencookie() */
#include "out/gzip_stream.h"

#include "base/common.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, LEVEL = 6 };

struct gzip {
    z_stream z;
    FILE *to;
    unsigned char out[65536];
};

/* Everything that zlib has to give; false: it could not be written. */
static bool deflate_all(struct gzip *g, int flush)
{
    int status;
    do {
        g->z.next_out = g->out;
        g->z.avail_out = sizeof g->out;
        status = deflate(&g->z, flush);
        const size_t n = sizeof g->out - g->z.avail_out;
        if (n && fwrite(g->out, 1, n, g->to) != n)
            return false;
    } while (!g->z.avail_out || (flush == Z_FINISH && status == Z_OK));
    return true;
}

static ssize_t gzip_write(void *cookie, const char *data, size_t n)
{
    struct gzip *g = cookie;
    g->z.next_in = (unsigned char *)(uintptr_t)data;
    g->z.avail_in = (unsigned)n;
    return deflate_all(g, Z_NO_FLUSH) ? (ssize_t)n : 0;
}

static int gzip_close(void *cookie)
{
    struct gzip *g = cookie;
    g->z.avail_in = 0;
    const bool ok = deflate_all(g, Z_FINISH);
    deflateEnd(&g->z);
    free(g);
    return ok ? 0 : EOF;
}

FILE *gzip_stream(FILE *to)
{
    struct gzip *g = xcalloc(1, sizeof *g);
    FILE *f = NULL;
    g->to = to;
    if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
        Z_OK) {
        f = fopencookie(g, "w", (cookie_io_functions_t){.write = gzip_write, .close = gzip_close});
        if (f)
            return f;
        deflateEnd(&g->z);
    }
    free(g);
    return NULL;
}
