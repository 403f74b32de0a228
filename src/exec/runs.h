/* Runs of lane operations, moves and loads that are executed as one, by host code made for them.
 *
 * A run lies within a basic block, so no lane enters or leaves it in the middle. It writes
 * registers only, so that lanes which it has left can be done afterwards, one instruction after the
 * other, and nobody can tell. Each is counted; one that is executed often, or will be by the blocks
 * that are to come, is translated (translate.h), and those of its function that are warm with it.
 * What cannot be translated, or where there is no translator, is executed as ever; registers and
 * counts are the same. Only functional execution knows runs: in time, every instruction is stepped
 * by itself.
 *
 * PARSIM_JIT=auto: as above; off: never; always: from the first execution on (for tests). */
#ifndef EXEC_RUNS_H
#define EXEC_RUNS_H

#include "exec/grid.h"
#include "exec/translate.h"

struct ptx_cfg;

struct xrun {
    run_fn fn;         /* NULL: not translated */
    uint32_t first, n; /* pc, instructions */
    uint32_t nunguarded;
    uint32_t hot;              /* executions that save what translating it costs */
    uint32_t countdown, asked; /* until it is next looked at; what that was set to */
    uint64_t executed;         /* until it was last looked at */
    uint64_t counted;          /* of these translator_is_worth() knows */
    bool has_loads, uses_tlb;
    bool ends_turn;       /* has a load that is TURN_REREAD (turns.h); none is TURN_SHARED */
    uint64_t nrun, nleft; /* executions; those that left lanes to the operations' own functions */
};

enum run_mark {
    RUN_APART = 1,    /* in no run: executed by itself */
    RUN_SCATTERS = 2, /* a load whose lanes mostly are each at a place of its own */
};

struct xruns {
    struct xrun *run; /* xinst.run is the number of one; number 0 is none */
    uint32_t n, cap;
    void **code; /* what translating has made */
    uint32_t ncode;
    uint8_t *marks;   /* by pc: enum run_mark */
    uint64_t nblocks; /* of the kernel, that have begun */
    uint64_t to_come; /* of its running grid, that have not */
};

/* A block of the kernel begins, and so many will. */
static inline void runs_begin_block(struct xruns *rs, uint64_t to_come)
{
    if (!rs)
        return;
    rs->nblocks++;
    rs->to_come = to_come;
}

/* Numbers the runs of a function that has been lowered. */
void runs_find(struct xfunc *fn, const struct ptx_cfg *cfg);
void runs_free(struct xfunc *fn);
/* The operation as a translator sees it. False: it is none that one can know. */
bool runs_describe(const struct xinst *x, struct run_op *op);
/* What it asks of those that are no lane operations; the guard is not their business. */
bool ldst_describe(const struct xinst *x, struct run_op *op);
bool move_describe(const struct xinst *x, struct run_op *op);
/* Translates the run that begins at `pc`, which has been executed often, and its like. NULL: what
 * begins there is to be executed one by one. */
struct xrun *runs_translate(const struct xfunc *fn, uint32_t pc);
/* Does what a translated run has left, for the lanes `left` of `mask`. False: a fault. */
bool runs_finish(struct warp *w, const struct xfunc *fn, struct xrun *r, uint32_t mask,
                 uint32_t left);
/* Looks how the loads of a translated run have fared in the last RUN_REVIEW executions. */
enum { RUN_REVIEW = 1 << 12 };
void runs_review(const struct xfunc *fn, struct xrun *r);

/* The lanes of the strips that a run_fn says it has left. */
static inline uint32_t runs_left(uint64_t out)
{
    uint32_t left = 0;
    for (unsigned s = 0; s < RUN_STRIPS; s++)
        left |= out >> (32 + s) & 1 ? UINT32_C(0xff) << (RUN_STRIP_LANES * s) : 0;
    return left;
}

enum { RUN_LANES_WITH_LOADS = 1 };
/* Whether the loads of the run may go the short way, and it is one: a strip is read as a whole, so
 * that a few lanes are faster one by one. */
static inline bool runs_may_load(const struct grid *g, const struct xrun *r, unsigned lanes)
{
    return lanes >= RUN_LANES_WITH_LOADS && (!r->uses_tlb || g->tlb_epoch == *g->mem_epoch) &&
           (!r->ends_turn || !g->watched_blocks);
}

enum { RUN_FAULT = UINT32_MAX };

/* Executes the run that begins at `pc` for `lanes` lanes; returns its length, 0 if it is to be
 * executed one by one, RUN_FAULT if the kernel was stopped. */
static inline uint32_t runs_execute(struct warp *w, const struct xfunc *fn, uint32_t pc,
                                    uint32_t mask, unsigned lanes)
{
    struct xrun *r = &fn->runs->run[fn->code[pc].run];
    if (UNLIKELY(!r->fn)) {
        if (--r->countdown)
            return 0;
        r = runs_translate(fn, pc);
        if (!r)
            return 0;
    }
    const uint32_t n = r->n;
    r->nrun++;
    struct run_view view;
    if (r->has_loads) {
        if (UNLIKELY(!runs_may_load(w->grid, r, lanes)))
            return 0;
        view =
            (struct run_view){w->grid->tlb, w->cta->shared, w->cta->shared_limit, w->grid->params};
    }
    const uint64_t out = r->fn(w->base, mask, &view);
    w->ninst += n;
    w->nthread_inst += (uint64_t)r->nunguarded * lanes + (uint32_t)out;
    if (UNLIKELY(out >> 32))
        return runs_finish(w, fn, r, mask, mask & runs_left(out)) ? n : RUN_FAULT;
    if (UNLIKELY(r->has_loads && !(r->nrun % RUN_REVIEW)))
        runs_review(fn, r);
    return n;
}

#endif
