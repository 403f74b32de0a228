/* The vector parts of shfl, match and the meeting of groups, one version a CPU level. */
#ifndef EXEC_GROUP_LANES_H
#define EXEC_GROUP_LANES_H

#include "exec/lanes.h"

/* from[l] = the lane that lane l reads by shfl's operands b and c, itself if that is out of bounds.
 * The result are the lanes whose source is within bounds. */
typedef uint32_t (*shfl_sources_fn)(const uint32_t *b, const uint32_t *c, uint32_t *from);

struct group_lanes {
    shfl_sources_fn shfl_up, shfl_down, shfl_bfly, shfl_idx;
    /* d[l] = a[from[l]], or 0 if lane from[l] is not one of `sources`. */
    void (*pick)(const uint32_t *a, const uint32_t *from, uint32_t sources, uint32_t *d);
    /* The lanes of v that have this value. */
    uint32_t (*equal)(const uint32_t *v, uint32_t value);
    /* to[l] = from[l], or `value`, in the lanes of `mask`. */
    void (*copy)(uint32_t *to, const uint32_t *from, uint32_t mask);
    void (*fill)(uint32_t *to, uint32_t value, uint32_t mask);
};

const struct group_lanes *group_lanes_get(void);

#endif
