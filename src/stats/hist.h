/* What can be asked of a histogram (parsim/rows.h). */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include "base/common.h"
#include "parsim/rows.h"

/* The smallest value that falls into `bin`. */
uint64_t hist_bin_low(uint32_t bin);

void hist_merge(struct hist *into, const struct hist *from);
double hist_mean(const struct hist *h);
/* The smallest value below or at which a share `p` (0 to 1) of the samples lies. */
uint64_t hist_percentile(const struct hist *h, double p);

#endif
