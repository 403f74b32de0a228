/* Runs of lane operations that are executed as one, by host code made for them.
 *
 * A run lies within a basic block, so no lane enters or leaves it in the middle. Each is counted;
 * one that is executed often is translated (translate.h), and those of its function that are warm
 * with it. What cannot be translated, or where there is no translator, is executed as ever;
 * registers and counts are the same. Only functional execution knows runs: in time, every
 * instruction is stepped by itself.
 *
 * PARSIM_JIT=off: never; always: from the first execution on (for tests). */
#ifndef EXEC_RUNS_H
#define EXEC_RUNS_H

#include "exec/translate.h"
#include "exec/warp.h"

struct ptx_cfg;

struct xrun {
    run_fn fn;         /* NULL: not translated */
    uint32_t first, n; /* pc, instructions */
    uint32_t nunguarded;
    uint32_t countdown; /* executions until it is translated */
    uint32_t nleft;     /* executions that left lanes to the operations' own functions */
};

struct xruns {
    struct xrun *run; /* xinst.run is the number of one; number 0 is none */
    uint32_t n, cap;
    void **code; /* what translating has made */
    uint32_t ncode;
};

/* Numbers the runs of a function that has been lowered. */
void runs_find(struct xfunc *fn, const struct ptx_cfg *cfg);
void runs_free(struct xfunc *fn);
/* The operation as a translator sees it. False: it is none that one can know. */
bool runs_describe(const struct xinst *x, struct run_op *op);
/* Translates the run that begins at `pc`, which has been executed often, and its like. NULL: what
 * begins there is to be executed one by one. */
struct xrun *runs_translate(const struct xfunc *fn, uint32_t pc);
/* The lanes of `mask` that a translated run has left. */
void runs_finish(struct warp *w, const struct xfunc *fn, struct xrun *r, uint32_t mask);

/* The lanes of the strips that a run_fn says it has left. */
static inline uint32_t runs_left(uint64_t out)
{
    uint32_t left = 0;
    for (unsigned s = 0; s < RUN_STRIPS; s++)
        left |= out >> (32 + s) & 1 ? UINT32_C(0xff) << (RUN_STRIP_LANES * s) : 0;
    return left;
}

/* Executes the run that begins at `pc` for `lanes` lanes; returns its length, 0 if it is to be
 * executed one by one. */
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
    const uint64_t out = r->fn(w->base, mask);
    w->ninst += n;
    w->nthread_inst += (uint64_t)r->nunguarded * lanes + (uint32_t)out;
    if (UNLIKELY(out >> 32))
        runs_finish(w, fn, r, mask & runs_left(out));
    return n;
}

#endif
