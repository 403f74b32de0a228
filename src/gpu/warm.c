/* Lines that are touched, each once in a row. */
#include "gpu/warm.h"

#include "gpu/machine.h"

#include <stdlib.h>

struct warm {
    struct gpu *gpu;
    addr_t bytes; /* of the L2's lines */
    struct mem_watch watch;
    addr_t last; /* the line of the last access */
    bool last_written;
};

static void touched(void *self, addr_t addr, uint64_t bytes, bool is_write)
{
    struct warm *w = self;
    for (addr_t line = addr - addr % w->bytes; line < addr + bytes; line += w->bytes) {
        if (line == w->last && (w->last_written || !is_write))
            continue;
        if (is_write)
            gpu_rewritten(w->gpu, line, w->bytes);
        if (gpu_technique(w->gpu, 0)) /* says by itself what a line that was copied is */
            gpu_touched(w->gpu, line, w->bytes);
        else
            gpu_accessed(w->gpu, line, w->bytes, is_write);
        w->last_written = is_write || (line == w->last && w->last_written);
        w->last = line;
    }
}

struct warm *warm_new(struct gpu *g)
{
    struct warm *w = xcalloc(1, sizeof *w);
    w->gpu = g;
    w->bytes = (addr_t)gpu_machine(g)->l2.line_bytes;
    w->watch = (struct mem_watch){touched, w};
    w->last = UINT64_MAX;
    return w;
}

void warm_free(struct warm *w)
{
    free(w);
}

struct mem_watch *warm_watch(struct warm *w)
{
    return &w->watch;
}
