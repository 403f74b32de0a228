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
    bool is_closed; /* nothing more is translated */
};

/* Numbers the runs of a function that has been lowered. */
void runs_find(struct xfunc *fn, const struct ptx_cfg *cfg);
void runs_free(struct xfunc *fn);
/* Translates the run, which has been executed often, and its like. */
void runs_translate(const struct xfunc *fn, uint32_t run);
/* The lanes of `mask` that a translated run has left. */
void runs_finish(struct warp *w, const struct xfunc *fn, struct xrun *r, uint32_t mask);

/* Executes the run that begins at `pc` for `lanes` lanes; returns its length, 0 if it is to be
 * executed one by one. */
static inline uint32_t runs_execute(struct warp *w, const struct xfunc *fn, uint32_t pc,
                                    uint32_t mask, unsigned lanes)
{
    struct xrun *r = &fn->runs->run[fn->code[pc].run];
    if (UNLIKELY(!r->fn)) {
        if (r->countdown && --r->countdown)
            return 0;
        runs_translate(fn, fn->code[pc].run);
        if (!fn->code[pc].run)
            return 0;
        r = &fn->runs->run[fn->code[pc].run];
        if (!r->fn)
            return 0;
    }
    const uint64_t out = r->fn(w->base, mask);
    w->ninst += r->n;
    w->nthread_inst += (uint64_t)r->nunguarded * lanes + (uint32_t)out;
    if (UNLIKELY(out >> 32)) {
        uint32_t left = 0;
        for (unsigned s = 0; s < RUN_STRIPS; s++)
            left |= out >> (32 + s) & 1 ? UINT32_C(0xff) << (RUN_STRIP_LANES * s) : 0;
        runs_finish(w, fn, r, mask & left);
    }
    return r->n;
}

#endif
