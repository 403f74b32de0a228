#include "gpu/stretch.h"

#include <math.h>

/* Windows that differ by more are of other phases, or one is of the launch's end. */
#define ALIKE 0.3
/* By how much windows are slower than what the stretches stand for, since caches and the order of
 * warps are not what they would have been: measured (DEVIATIONS.md). */
#define SLOWER 0.025

void stretch_open(struct stretches *s, uint64_t warp_inst, double cycles, double cpi)
{
    s->open = warp_inst;
    s->open_cpi = cpi;
    s->open_cycles = cycles;
    s->sum.warp_inst += warp_inst;
}

void stretch_close(struct stretches *s, double cpi)
{
    if (!s->open)
        return;
    const bool is_alike = cpi > 0 && fabs(cpi / s->open_cpi - 1) < ALIKE;
    const double n = (double)s->open, behind = cpi > 0 ? cpi : s->open_cpi;
    const double least = fmin(behind, s->open_cpi) * (cpi > 0 ? 1 : 1 - ALIKE),
                 most = fmax(behind, s->open_cpi) * (cpi > 0 ? 1 : 1 + ALIKE);
    const double half = n * fmin(fabs(cpi - s->open_cpi), ALIKE * s->open_cpi) / 2;
    const double cycles =
        is_alike /* the mean of speeds, not of cycles: stretches are of equal time */
            ? n * 2 / (1 / behind + 1 / s->open_cpi)
            : fmin(fmax(s->open_cycles, n * least), n * most); /* two phases */
    s->sum.cycles += cycles * (1 - SLOWER);
    s->sum.variance += half * half;
    s->open = 0;
}
