/* What was executed between two windows, and how long it would have taken: its instructions times
 * the cycles that one took in the windows before and behind it. */
#ifndef GPU_STRETCH_H
#define GPU_STRETCH_H

#include "gpu/forward.h"

struct stretches {
    uint64_t open; /* instructions of the last one, whose second window is to come */
    double open_cpi;
    double open_cycles; /* that its warps were given */
    struct forward_result sum;
};

/* `cpi`: of the window before; `cycles`: what its warps were given, each at its pace. */
void stretch_open(struct stretches *s, uint64_t warp_inst, double cycles, double cpi);
/* The window behind it; 0: there is none. */
void stretch_close(struct stretches *s, double cpi);

#endif
