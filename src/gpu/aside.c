/* A grid of its own, which borrows the kernel's numbers of blocks and counts what it has run. */
#include "gpu/aside.h"

#include "base/vec.h"
#include "exec/oob.h"
#include "exec/turns.h"
#include "gpu/warm.h"

#include <stdlib.h>
#include <string.h>

/* Instructions of a block until others have their turn. */
#define QUANTUM (UINT64_C(1) << 20)
/* Lines that the L2 is told of, in its capacities. */
#define FILLS 1.5

struct aside {
    struct gpu *g;
    struct warm *warm;
    struct run *run; /* NULL: none */
    struct grid grid;
    bool is_begun; /* the grid is the run's */
    VEC(struct cta *) waiting, spare;
    uint64_t executed;
    uint64_t told, brought; /* blocks that the L2 was told of, and lines that it got by them */
};

struct aside *aside_new(struct gpu *g)
{
    struct aside *a = xcalloc(1, sizeof *a);
    a->g = g;
    a->warm = warm_new(g);
    return a;
}

static void free_blocks(struct aside *a)
{
    for (size_t i = 0; i < a->waiting.len; i++)
        cta_free(a->waiting.data[i]);
    for (size_t i = 0; i < a->spare.len; i++)
        cta_free(a->spare.data[i]);
    a->waiting.len = a->spare.len = 0;
}

void aside_free(struct aside *a)
{
    if (!a)
        return;
    free_blocks(a);
    vec_free(&a->waiting);
    vec_free(&a->spare);
    warm_free(a->warm);
    free(a);
}

void aside_begin(struct aside *a, struct run *r)
{
    a->run = r;
    a->is_begun = false;
    a->executed = a->told = a->brought = 0;
}

void aside_end(struct aside *a)
{
    if (a->is_begun) {
        turns_end(&a->grid);
        oob_report(&a->grid);
    }
    free_blocks(a);
    a->is_begun = false;
    a->run = NULL;
}

static void begin_grid(struct aside *a)
{
    if (a->is_begun)
        return;
    a->is_begun = true;
    grid_init(&a->grid, a->g->dev, a->run->root.launch);
    a->grid.root = &a->run->root;
    turns_begin(&a->grid);
}

static void count(struct aside *a, const struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++) {
        a->executed += c->warps[i].ninst;
        a->run->warp_inst += c->warps[i].ninst;
        a->run->thread_inst += c->warps[i].nthread_inst;
    }
}

static void give_turn(struct aside *a, struct cta *c)
{
    const enum cta_stop stop = cta_run(c, QUANTUM);
    if (stop == CTA_PAUSED) {
        vec_push(&a->waiting, c);
        return;
    }
    count(a, c);
    vec_push(&a->spare, c);
    if (stop == CTA_DONE)
        a->run->done++;
    else
        gpu_fail(a->g, a->run, &a->grid.fault);
}

/* What was found before is not asked for again, and nobody would be told. */
static void set_watch(struct aside *a, bool is_on)
{
    a->g->dev->watch = is_on ? warm_watch(a->warm) : NULL;
    if (is_on)
        a->grid.tlb_epoch = UINT64_MAX;
}

/* Blocks that fill the L2, by those that it was told of before: at first, all. */
static uint64_t blocks_to_tell(const struct aside *a, uint64_t n)
{
    if (!a->told || !a->brought)
        return n;
    const double blocks = FILLS * (double)warm_lines(a->g) * (double)a->told / (double)a->brought;
    return blocks < (double)n ? (uint64_t)blocks : n;
}

/* As many blocks run side by side as the machine holds. */
static void keep_block(struct aside *a)
{
    if (warm_kept_blocks(a->warm) >= (uint64_t)a->run->capacity * a->g->nsms)
        warm_tell_kept(a->warm);
    warm_keep_block(a->warm);
}

void aside_run(struct aside *a, uint64_t n)
{
    struct run *r = a->run;
    const uint64_t warm = blocks_to_tell(a, n), before = warm_brought(a->warm);
    begin_grid(a);
    const bool is_told = gpu_technique(a->g, 0); /* of every write */
    set_watch(a, is_told);
    for (uint64_t i = 0; i < n && !a->g->batch->failed; i++) {
        struct cta *c = a->spare.len ? vec_pop(&a->spare) : cta_new(&a->grid);
        if (i + warm == n && !is_told)
            set_watch(a, true);
        if (i + warm >= n && !is_told)
            keep_block(a);
        cta_start(c, &a->grid, blocks_take(&r->blocks));
        give_turn(a, c);
    }
    warm_tell_kept(a->warm);
    set_watch(a, false);
    a->told += warm;
    a->brought += warm_brought(a->warm) - before;
}

static void turn_all(struct aside *a)
{
    const size_t n = a->waiting.len;
    size_t i = 0;
    while (i < n && !a->g->batch->failed)
        give_turn(a, a->waiting.data[i++]);
    a->waiting.len -= i;
    memmove(a->waiting.data, a->waiting.data + i, a->waiting.len * sizeof *a->waiting.data);
}

void aside_go_on(struct aside *a, cycle_t now)
{
    const struct run *r = a->run;
    if (!r || !a->waiting.len || a->g->batch->failed)
        return;
    do {
        turn_all(a);
        a->g->batch->next_look = 0; /* what has been executed counts for limits, at once */
        gpu_look_at_instructions(a->g, now);
    } while (a->waiting.len && r->done + a->waiting.len == r->total && !a->g->batch->failed);
}

uint64_t aside_executed(const struct aside *a)
{
    return a->executed;
}
