/* Sampling within a launch (--sample). Of many blocks some pass (by_blocks.h). In launches of
 * fewer, longer ones: windows in time, and between them stretches in which time stands still and
 * warps go forward functionally, each at the pace that it had in the last window (sm/sm_forward.h).
 * How long such a stretch would have taken is its instructions times the cycles that one took in
 * the windows before and behind it (stretch.h); stretches become longer while neighbouring windows
 * agree. The L2 is told what the end of a stretch touches, and windows begin when the machine has
 * settled. Depends on nothing but the program and the machine. */
#ifndef GPU_FORWARD_H
#define GPU_FORWARD_H

#include "gpu/gpu.h"

struct forward;

/* Threads of the launch wait for each other in loops, or all its blocks for each other: how often
 * such a loop turns is a matter of time, so all of the launch is to be simulated. */
bool forward_must_not(const struct launch *l);

struct forward *forward_new(struct gpu *g);
void forward_free(struct forward *f);

/* The kernels that begin next are simulated whole. */
void forward_rest(struct forward *f);
/* Around the kernels that run together; at every meeting of theirs. */
void forward_begin(struct forward *f, cycle_t now);
void forward_look(struct forward *f, cycle_t now);
/* Warp-instructions of the kernels that run, by SMs or otherwise. */
uint64_t forward_executed(const struct forward *f);
/* Warp-instructions that were not simulated so far. */
uint64_t forward_gone(const struct forward *f);
/* Behind a fault: what blocks that have not ended have executed is counted for their kernels. */
void forward_count_open(struct forward *f);
/* What was not simulated would have taken so long, by estimate. */
struct forward_result {
    double cycles;
    double variance; /* of that, from the difference between windows */
    uint64_t warp_inst;
    bool is_paced; /* warps went forward, which may have changed how they go on */
};
struct forward_result forward_end(struct forward *f);

#endif
