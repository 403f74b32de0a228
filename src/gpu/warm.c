/* Lines that are touched, each once in a row: told to the L2 at once, or kept by block and told as
 * if the blocks had run side by side. */
#include "gpu/warm.h"

#include "base/vec.h"
#include "gpu/gpu_int.h"
#include "gpu/machine.h"
#include "mem/l2.h"

#include <stdlib.h>

/* A line that is not in the L2 costs as much as so many that are, about. */
enum { MISS = 8 };
/* Touches that are kept, at most. */
enum { MOST_KEPT = 1 << 22 };

struct touch {
    addr_t line;
    bool is_write;
};

struct warm {
    struct gpu *gpu;
    addr_t bytes; /* of the L2's lines */
    struct mem_watch watch;
    addr_t last; /* the line of the last access */
    bool last_written;
    bool is_kept;              /* touches, in the order of time; where blocks begin */
    uint64_t touches, brought; /* of lines; lines that were not in the L2 */
    uint64_t side;             /* blocks that run side by side; 0: told at once */
    VEC(struct touch) kept;
    VEC(size_t) blocks;
};

static void tell(struct warm *w, addr_t line, bool is_write)
{
    if (is_write)
        gpu_rewritten(w->gpu, line, w->bytes);
    if (gpu_technique(w->gpu, 0)) /* says by itself what a line that was copied is */
        gpu_touched(w->gpu, line, w->bytes);
    else
        w->brought += gpu_accessed(w->gpu, line, w->bytes, is_write);
}

static void touched(void *self, addr_t addr, uint64_t bytes, bool is_write)
{
    struct warm *w = self;
    for (addr_t line = addr - addr % w->bytes; line < addr + bytes; line += w->bytes) {
        if (line == w->last && (w->last_written || !is_write))
            continue;
        if (w->is_kept)
            vec_push(&w->kept, ((struct touch){line, is_write}));
        else
            tell(w, line, is_write);
        w->touches++;
        w->last_written = is_write || (line == w->last && w->last_written);
        w->last = line;
    }
}

static void turned(void *self)
{
    struct warm *w = self;
    if (!w->side)
        return;
    if (w->blocks.len >= w->side || w->kept.len >= MOST_KEPT)
        warm_tell_kept(w);
    warm_keep_block(w);
}

struct warm *warm_new(struct gpu *g)
{
    struct warm *w = xcalloc(1, sizeof *w);
    w->gpu = g;
    w->bytes = (addr_t)gpu_machine(g)->l2.line_bytes;
    w->watch = (struct mem_watch){.touched = touched, .turned = turned, .self = w};
    w->last = UINT64_MAX;
    return w;
}

void warm_free(struct warm *w)
{
    if (!w)
        return;
    vec_free(&w->kept);
    vec_free(&w->blocks);
    free(w);
}

struct mem_watch *warm_watch(struct warm *w)
{
    return &w->watch;
}

void warm_begin_launch(struct warm *w, uint64_t blocks)
{
    w->side = gpu_technique(w->gpu, 0) ? 0 : blocks; /* techniques see what is written at once */
}

void warm_end_launch(struct warm *w)
{
    if (w->side)
        warm_tell_kept(w);
    w->side = 0;
}

void warm_keep_block(struct warm *w)
{
    w->is_kept = true;
    w->last = UINT64_MAX;
    vec_push(&w->blocks, w->kept.len);
}

size_t warm_kept_blocks(const struct warm *w)
{
    return w->blocks.len;
}

/* In turns, one line each. */
void warm_tell_kept(struct warm *w)
{
    bool any = true;
    vec_push(&w->blocks, w->kept.len);
    for (size_t k = 0; any; k++) {
        any = false;
        for (size_t i = 0; i + 1 < w->blocks.len; i++) {
            if (w->blocks.data[i] + k >= w->blocks.data[i + 1])
                continue;
            const struct touch *t = &w->kept.data[w->blocks.data[i] + k];
            tell(w, t->line, t->is_write);
            any = true;
        }
    }
    w->is_kept = false;
    w->kept.len = w->blocks.len = 0;
}

uint64_t warm_traffic(const struct warm *w)
{
    return w->touches + MISS * w->brought;
}

uint64_t warm_brought(const struct warm *w)
{
    return w->brought;
}

uint64_t warm_lines(const struct gpu *g)
{
    const struct machine *m = gpu_machine(g);
    return (uint64_t)m->l2.size * g->nslices / (uint64_t)m->l2.line_bytes;
}

uint64_t warm_missed(const struct gpu *g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->nslices; i++) {
        const struct l2_stats *s = l2_stats(g->l2[i]);
        n += s->read_misses + s->write_misses + s->atomic_misses;
    }
    return n;
}
