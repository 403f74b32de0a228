/* Private to memo_sm: the unit of an SM. */
#ifndef TECH_MEMO_SM_INT_H
#define TECH_MEMO_SM_INT_H

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/step.h"
#include "exec/warp.h"
#include "memo/lut.h"
#include "parsim/tech.h"
#include "sm/sm_extra.h"
#include "stats/stats.h"
#include "tech/assist/memo_regions.h"

enum { MEMO_SM_SLOTS = 64, MEMO_SM_SET_BYTES = 64, MEMO_SM_WAYS = 8 };

struct memo_sm_cfg {
#define ROWS_FILE "tech/memo_sm/memo_sm_cfg.def"
#include "parsim/rows_members.h"
};
struct memo_sm_stats {
#define ROWS_FILE "tech/memo_sm/memo_sm_stats.def"
#include "parsim/rows_members.h"
};

/* The inputs of a warp's lanes, cut, as one key each: another key for other inputs, always. */
struct memo_sm_keys {
    uint64_t at[WARP_LANES];
};

/* A warp at a region: waiting for its lookup, or on its way through. */
struct memo_sm_visit {
    const struct memo_region *region; /* NULL: it is at none */
    const struct xfunc *fn;
    uint32_t id, mask;
    cycle_t since, done;
    bool is_waiting, is_started, is_hit;
    struct memo_sm_keys keys;
    uint32_t found[WARP_LANES];
};

struct memo_sm_func {
    struct memo_region *regions;
    uint32_t nregions, first;
};

struct memo_sm {
    const struct memo_sm_cfg *cfg;
    struct lut table;
    struct u64map by_fn;
    VEC(struct memo_sm_func) funcs;
    struct memo_sm_visit visits[MEMO_SM_SLOTS];
    uint64_t waiting; /* slots, a bit each */
    cycle_t port;     /* when the table is free */
    struct memo_sm_stats stats;
};

void memo_sm_init(struct memo_sm *m, const struct memo_sm_cfg *cfg);
void memo_sm_free(struct memo_sm *m);
/* A kernel begins: functions and results of the one before are forgotten. */
void memo_sm_launch(struct memo_sm *m);

/* For struct warp_source. */
void memo_sm_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now);
void memo_sm_deploy(void *self, struct sm *sm, cycle_t now);
bool memo_sm_is_pending(const void *self);

#endif
