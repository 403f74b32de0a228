/* What held a machine back, window by window (gpu.look_cycles): the basis of the report's
 * bottleneck. Only observes. */
#ifndef GPU_LIMITS_H
#define GPU_LIMITS_H

#include "base/common.h"
#include "stats/stats.h"

enum limit {
#define LIMIT(id, ...) LIMIT_##id,
#include "gpu/limits.def"
#undef LIMIT
    LIMITS
};
extern const char *const limit_names[LIMITS], *const limit_keys[LIMITS];

/* The group `limits` of the statistics, in core cycles: how long each held the machine back, and
 * what of it twice the resource would have saved. */
struct limit_stats {
    uint64_t cycles[LIMITS], saved[LIMITS];
    uint64_t used[LIMITS]; /* cycles that resources were in use, their fullest instance */
};
extern const struct stat_row limit_stat_rows[];
extern const size_t limit_nstat_rows;

struct gpu;
struct limits;

struct limits *limits_new(const struct gpu *g);
void limits_free(struct limits *l);
const struct limit_stats *limits_stats(const struct limits *l);
/* A kernel begins. */
void limits_begin(struct limits *l, const struct gpu *g, cycle_t now);
/* The window from the last call up to `now`; the SMs' counts are settled (sm_settle()). */
void limits_look(struct limits *l, const struct gpu *g, cycle_t now);

#endif
