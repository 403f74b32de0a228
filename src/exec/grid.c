/* Blocks of a launch in turns: which are resident, what is counted, how far it is. */
#include "exec/grid.h"

#include "base/interrupt.h"
#include "base/vec.h"
#include "exec/children.h"
#include "exec/devmem_pages.h"
#include "exec/limits.h"
#include "exec/memory_lanes.h"
#include "exec/oob.h"
#include "exec/pages_ahead.h"
#include "exec/runs.h"
#include "exec/turns.h"
#include "exec/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block that has not ended after this many instructions makes room for others for a while; one
 * that waits for others does so at once (turns.h). */
#define CTA_QUANTUM  (UINT64_C(1) << 20)
#define COOP_QUANTUM (UINT64_C(1) << 14)
/* Blocks that have begun and not ended, in a launch that is not cooperative. */
#define MAX_RESIDENT 4096u
/* Blocks kept from launch to launch of a kernel: one, and more while they have less than this. Only
 * launches whose blocks wait for each other leave more. */
#define KEPT_BYTES (UINT64_C(256) << 20)

enum {
    MAX_BLOCK_THREADS = 1024,
    INVALID_VALUE = 1,
    INVALID_CONFIGURATION = 9,
    OUT_OF_RESOURCES = 701
};

/* --- grids --- */

struct run {
    struct grid *g;
    VEC(struct cta *) resident; /* begun, not ended, in the order of their turns */
    VEC(struct cta *) spare;
    uint64_t next, done, total, reported;
    uint64_t resident_bytes;
};

static void report_progress(struct run *r)
{
    const struct launch *l = r->g->launch;
    if (!l->progress || r->g->clock - r->reported < (UINT64_C(1) << 22))
        return;
    r->reported = r->g->clock;
    struct grid_progress p = {.kernel = l->kernel->src->name,
                              .ctas_done = r->done,
                              .ctas = r->total,
                              .warp_inst = r->g->clock,
                              .thread_inst = r->g->thread_inst};
    l->progress(&p, l->progress_arg);
}

static void count_instructions(struct grid *g, const struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++) {
        g->warp_inst += c->warps[i].ninst;
        g->thread_inst += c->warps[i].nthread_inst;
    }
}

/* A block to use again: of this launch, or left by an earlier one of the same shape. Most of a
 * small launch's cost is making blocks. */
static struct cta *take_spare(struct run *r)
{
    if (r->spare.len)
        return vec_pop(&r->spare);
    struct kernel *k = r->g->kernel;
    struct cta *c = k->spare;
    if (!c)
        return NULL;
    k->spare = c->next_spare;
    cta_set_launch(c, r->g);
    return c;
}

static struct cta *begin_cta(struct run *r)
{
    struct cta *c = take_spare(r);
    c = c ? c : cta_new(r->g);
    cta_start(c, r->g, r->next++);
    runs_begin_block(r->g->kernel->entry->runs, r->total - r->next);
    return c;
}

static uint64_t cta_bytes(const struct cta *c)
{
    uint64_t n = c->shared_bytes;
    for (uint32_t i = 0; i < c->nwarps; i++)
        n += c->warps[i].regs_bytes + (uint64_t)c->warps[i].local_words * WARP_LANES * 4;
    return n;
}

/* The block that has waited longest. */
static struct cta *take_resident(struct run *r)
{
    struct cta *c = r->resident.data[0];
    memmove(r->resident.data, r->resident.data + 1, (--r->resident.len) * sizeof c);
    r->resident_bytes -= cta_bytes(c);
    return c;
}

static void keep_resident(struct run *r, struct cta *c)
{
    r->resident_bytes += cta_bytes(c);
    vec_push(&r->resident, c);
}

/* While blocks wait for others, new ones begin first, as far as there is room. */
static bool begins_next(const struct run *r)
{
    if (r->next == r->total)
        return false;
    if (r->g->launch->is_cooperative || !r->resident.len)
        return true;
    return r->resident.len < MAX_RESIDENT && r->resident_bytes < EXEC_MAX_RESIDENT;
}

static bool over_limit(struct run *r, struct cta *c)
{
    struct grid *g = r->g;
    if (!g->launch->max_inst || g->clock < g->launch->max_inst)
        return false;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        if (w->state == WARP_DONE || !w->depth)
            continue;
        struct split *s = warp_top(w);
        warp_fault(w, &s->frame->fn->code[s->pc], (unsigned)__builtin_ctz(s->mask),
                   FAULT_LAUNCH_TIMEOUT, "stopped after %llu warp instructions (the limit is %llu)",
                   (unsigned long long)g->clock, (unsigned long long)g->launch->max_inst);
        return true;
    }
    return false;
}

static bool stop_interrupted(struct grid *g)
{
    g->fault.code = FAULT_INTERRUPTED;
    snprintf(g->fault.msg, sizeof g->fault.msg, "kernel %s: interrupted by %s",
             g->kernel->src->name, interrupt_name(interrupt_signal()));
    return false;
}

/* One turn: the block that has waited longest, or a new one. False = stop. */
static bool run_turn(struct run *r)
{
    struct grid *g = r->g;
    bool coop = g->launch->is_cooperative;
    if (UNLIKELY(interrupt_signal()))
        return stop_interrupted(g);
    struct cta *c = begins_next(r) ? begin_cta(r) : take_resident(r);
    uint64_t quantum = coop ? COOP_QUANTUM : CTA_QUANTUM;
    /* A block that ended may have gone beyond the limit: then nothing is left for this one. */
    uint64_t limit = g->launch->max_inst, left = limit > g->clock ? limit - g->clock : 0;
    if (limit && left < quantum)
        quantum = left;
    if (UNLIKELY(g->dev->watch && g->dev->watch->turned))
        g->dev->watch->turned(g->dev->watch->self);
    enum cta_stop stop = cta_run(c, quantum);
    bool ok = stop != CTA_FAULT && !(stop == CTA_PAUSED && over_limit(r, c));
    if (stop == CTA_PAUSED && ok) {
        keep_resident(r, c);
    } else {
        count_instructions(g, c);
        vec_push(&r->spare, c);
        r->done += stop == CTA_DONE;
    }
    report_progress(r);
    return ok;
}

void kernel_drop_spares(struct kernel *k)
{
    for (struct cta *next; k->spare; k->spare = next) {
        next = k->spare->next_spare;
        cta_free(k->spare);
    }
}

/* Blocks of another shape are of no use to this launch. */
static void drop_misfits(struct run *r)
{
    const struct cta *c = r->g->kernel->spare;
    if (c && (memcmp(c->block, r->g->launch->block, sizeof c->block) ||
              c->shared_bytes != r->g->shared_bytes))
        kernel_drop_spares(r->g->kernel);
}

/* The next launch may have them, as far as they are not large. */
static void keep_spares(struct run *r)
{
    struct kernel *k = r->g->kernel;
    uint64_t bytes = 0;
    for (const struct cta *c = k->spare; c; c = c->next_spare)
        bytes += cta_bytes(c);
    while (r->spare.len && (!k->spare || bytes < KEPT_BYTES)) {
        struct cta *c = vec_pop(&r->spare);
        bytes += cta_bytes(c);
        c->next_spare = k->spare;
        k->spare = c;
    }
}

static void run_free(struct run *r)
{
    keep_spares(r);
    for (size_t i = 0; i < r->resident.len; i++) {
        count_instructions(r->g, r->resident.data[i]);
        cta_free(r->resident.data[i]);
    }
    for (size_t i = 0; i < r->spare.len; i++)
        cta_free(r->spare.data[i]);
    vec_free(&r->resident);
    vec_free(&r->spare);
}

/* Dynamic shared memory begins at its own alignment. */
static uint64_t grid_shared_bytes(const struct launch *l)
{
    const uint64_t fixed =
        align_up(l->kernel->shared_bytes, l->dynamic_shared_bytes ? l->kernel->dynamic_align : 1);
    return fixed + l->dynamic_shared_bytes;
}

bool launch_check(const struct device *d, const struct launch *l, struct err *err)
{
    const struct ptx_func *f = l->kernel->src;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    for (unsigned i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i])
            return err_set_code(err, INVALID_CONFIGURATION,
                                "kernel %s: grid and block sizes must be at least 1", f->name);
    if (threads > MAX_BLOCK_THREADS || l->block[2] > 64)
        return err_set_code(
            err, INVALID_CONFIGURATION,
            "kernel %s: a block of %u x %u x %u = %llu threads; a block has at most "
            "1024 threads, 64 of them in z",
            f->name, l->block[0], l->block[1], l->block[2], (unsigned long long)threads);
    if (l->grid[0] > INT32_MAX || l->grid[1] > 65535 || l->grid[2] > 65535)
        return err_set_code(err, INVALID_CONFIGURATION,
                            "kernel %s: a grid of %u x %u x %u blocks; the limits are 2147483647, "
                            "65535 and 65535",
                            f->name, l->grid[0], l->grid[1], l->grid[2]);
    uint64_t limit = ptx_threads_declared(f->maxntid);
    if (limit && threads > limit)
        return err_set_code(err, OUT_OF_RESOURCES,
                            "kernel %s: %llu threads a block, but it was compiled for at most %llu "
                            "(.maxntid)",
                            f->name, (unsigned long long)threads, (unsigned long long)limit);
    limit = ptx_threads_declared(f->reqntid);
    if (limit && threads != limit)
        return err_set_code(err, INVALID_VALUE,
                            "kernel %s: %llu threads a block, but it was compiled for exactly %llu "
                            "(.reqntid)",
                            f->name, (unsigned long long)threads, (unsigned long long)limit);
    uint64_t shared = grid_shared_bytes(l);
    if (shared > d->block_shared_bytes)
        return err_set_code(err, INVALID_VALUE,
                            "kernel %s needs %llu bytes of shared memory, %s gives a block %u",
                            f->name, (unsigned long long)shared, d->name, d->block_shared_bytes);
    return true;
}

void grid_init(struct grid *g, struct device *d, const struct launch *l)
{
    *g = (struct grid){.dev = d, .launch = l, .kernel = l->kernel, .params = l->params};
    g->nthreads = l->block[0] * l->block[1] * l->block[2];
    g->nwarps = (g->nthreads + WARP_LANES - 1) / WARP_LANES;
    g->shared_bytes = (uint32_t)grid_shared_bytes(l);
    g->lanes = memory_lanes_get();
    g->mem_epoch = devmem_epoch_at(d->mem);
    g->tlb_epoch = device_is_watched(d) ? UINT64_MAX : devmem_epoch(d->mem);
    g->root = g;
}

uint64_t grid_sync_alloc(struct device *d, const struct launch *l)
{
    if (!l->is_cooperative)
        return 0;
    const struct mem_alloc *m = devmem_alloc(d->mem, 256, 256, MEM_DEVICE, "the grid barrier");
    if (!m)
        return 0;
    memset(devmem_ptr(m->base), 0, 256);
    return m->base;
}

bool grid_run(struct device *d, const struct launch *l, struct launch_result *result,
              struct err *err)
{
    memset(result, 0, sizeof *result);
    if (!launch_check(d, l, err))
        return false;
    devmem_prepare(d->mem);
    struct grid *g = xcalloc(1, sizeof *g);
    grid_init(g, d, l);
    d->grid_count++;
    g->sync_addr = grid_sync_alloc(d, l);
    struct run r = {.g = g, .total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]};
    bool ok = true;
    drop_misfits(&r);
    turns_begin(g);
    struct pages_ahead ahead;
    pages_ahead_begin(&ahead, d->mem, r.total, &d->pages_seen);
    while (ok && r.done < r.total) {
        ok = run_turn(&r);
        pages_ahead_note(&ahead, r.done);
    }
    run_free(&r);
    turns_end(g);
    if (g->sync_addr)
        devmem_release(d->mem, g->sync_addr);
    oob_report(g);
    result->warp_inst = g->warp_inst;
    result->thread_inst = g->thread_inst;
    result->ctas = r.done;
    result->fault = g->fault;
    if (g->fault.code)
        err_set_code(err, g->fault.code, "%s", g->fault.msg);
    ok = ok && children_run(g, result, err);
    children_free(g);
    fflush(d->out);
    free(g);
    return ok;
}
