/* A program's trace for src/dddg: executed without time, recorded from a function's or the region
 * of interest's begin on. */
#ifndef A64_TRACER_H
#define A64_TRACER_H

#include "a64/ops.h"
#include "a64/process.h"
#include "dddg/trace.h"

struct a64_window {
    char *const *functions; /* what is recorded, with all that they call; none: the region of
                               interest, or main, or all */
    size_t nfunctions;
    uint64_t skip, most; /* instructions: left out at first, and recorded */
    uint64_t max_inst;   /* executed in all; 0: no limit */
    /* Told each instruction that is recorded, before it is executed; may be NULL. */
    void (*observe)(void *ctx, const struct a64_cpu *c, const struct a64_inst *i);
    void *ctx;
};

/* Runs the program until the window is full or it ends. An error: a function is not there. */
bool a64_trace(struct a64_process *p, const struct a64_window *w,
               const struct a64_timing_cfg *timing, struct dddg_trace *t, struct err *err);

#endif
