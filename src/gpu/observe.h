/* Observers of a timed machine (gpu.observe): what they see becomes groups of its statistics. They
 * change nothing, cost nothing when they are off, and give the same for every number of host
 * threads.
 *
 *   l1-usage   group `l1_usage`: how much of a block of the L1 data cache is read until it leaves,
 *              and whether later reads stay within what the first one asked for; `l1_evicted`: the
 *              same of blocks that left before the end of their kernel
 *   ports      groups `noc_sms` and `noc_slices`: flits where they enter and leave the interconnect
 *   scalar     group `scalar`: kinds of instructions, branches that part a warp, instructions whose
 *              sources are the same in all lanes that execute */
#ifndef GPU_OBSERVE_H
#define GPU_OBSERVE_H

#include "gpu/gpu.h"

struct observe;

/* Whether `names` is a list of the names above, separated by commas. */
bool observe_check(const char *names, struct err *err);
/* Observes `g` from now on. The statistics of `g` refer to it. */
struct observe *observe_new(struct gpu *g, const char *names);
void observe_free(struct observe *o);

#endif
