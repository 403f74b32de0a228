/* Lock and Load's inside. Private to src/tech/lnl.
 *
 * A kernel's plan says once what each instruction is to a region; an SM keeps of every resident
 * warp its history table and the region that it is in. What an instruction does is decided before
 * it executes (lnl_issue.c: lanes, predicates, data of stores) and settled behind it (lnl_cost.c:
 * registers as they were, cycles, counts). */
#ifndef TECH_LNL_INT_H
#define TECH_LNL_INT_H

#include "base/arena.h"
#include "exec/warp.h"
#include "sm/decode.h"
#include "sm/sm.h"
#include "sm/sm_policy.h"
#include "tech/kernel_plans.h"
#include "tech/lnl/lnl_compare.h"
#include "tech/lnl/lnl_control.h"
#include "tech/lnl/lnl_groups.h"
#include "tech/lnl/lnl_history.h"
#include "tech/lnl/lnl_regions.h"
#include "tech/lnl/lnl_watch.h"
#include "tech/tech.h"

struct lnl_cfg {
#define ROWS_FILE "tech/lnl/lnl_cfg.def"
#include "parsim/rows_members.h"
};

struct lnl_stats {
#define ROWS_FILE "tech/lnl/lnl_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row lnl_stat_rows[];
extern const size_t lnl_nstat_rows;

/* --- a kernel --- */

enum lnl_inst_flag {
    LNL_BEGIN = 1,         /* a region begins with it */
    LNL_INSIDE = 2,        /* it is in one; the rest: in an approximated one */
    LNL_PRECISE = 4,       /* executed by all its lanes */
    LNL_STORE = 8,         /* its data is interpolated */
    LNL_BRANCH = 16,       /* groups go where their anchors go */
    LNL_ALL = 32,          /* not by lanes: unconditional branches, barriers */
    LNL_ANCHOR_GUARD = 64, /* its guard is valid in anchors only */
    LNL_CHECKED = 128,     /* a load whose values are compared */
};

struct lnl_inst {
    uint8_t flags;  /* enum lnl_inst_flag */
    uint8_t format; /* LNL_STORE: enum lnl_format */
    uint16_t area;  /* LNL_BEGIN */
    uint16_t load;  /* LNL_CHECKED: the first of the loads' marks that are about it */
};

struct lnl_area;

/* An instruction that is put before the program's: START_APPROX, or an interpolation. */
struct lnl_put {
    struct dinst d;
    struct lnl_area *area;
    const struct lnl_out *out; /* NULL: START_APPROX */
};

/* A region. */
struct lnl_area {
    uint32_t begin, end; /* pcs: [begin, end) */
    uint32_t loads;      /* entries of the history table */
    uint32_t number;     /* in the plan */
    uint32_t line;       /* of its begin, in the text */
    uint32_t nouts;
    struct lnl_put start, *outs;
    const struct lnl_func *func;
};

struct lnl_func {
    const struct dfunc *fn;
    struct lnl_inst *code; /* NULL: it has no marks */
    struct lnl_marks marks;
    struct lnl_area *areas;
};

struct lnl_plan {
    struct kernel_plan of;
    struct lnl_func *funcs;
    uint32_t nfuncs, nareas;
    uint32_t marked_kernels; /* of its program, itself included */
    bool waits;              /* for what other threads write */
    struct lnl_order order;  /* lnl-adaptive: of the blocks of the launch that runs */
    /* By the number of a load among the kernel's: it is in a region. */
    bool *is_inside;
    uint32_t nloads;
    struct arena arena;
};

/* NULL and an error that names file and line: marks that cannot be. `by`: whose instructions are
 * put in. */
struct lnl_plan *lnl_plan_new(const struct kernel *k, const struct decoded *code,
                              const struct sm_cfg *cfg, const void *by, struct err *err);
void lnl_plan_free(struct lnl_plan *p);
const struct lnl_func *lnl_plan_func(const struct lnl_plan *p, const struct dfunc *fn);

/* --- an SM --- */

enum lnl_use {
    LNL_USE_REPLICATE = 1, /* stores take the anchor's value */
    LNL_USE_WARP = 2,      /* each instruction by itself, by its operands (lnl_prior.c) */
    LNL_USE_FUSE = 4,      /* two approximated warps issue as one (lnl_fuse.c) */
    LNL_USE_ADAPT = 8,     /* threshold and size of groups by sampled regions (lnl_adapt.c) */
    LNL_USE_PERTURB = 16,  /* nothing is approximated: loads are off, stores are kept */
};

struct lnl_design {
    enum lnl_test test;
    unsigned uses; /* enum lnl_use */
};
extern const struct lnl_design lnl_variants[];

/* What an instruction was executed as. */
enum lnl_role {
    LNL_AS_EVER,
    LNL_BY_ANCHORS, /* approximated */
    LNL_BY_ALL,     /* in an approximated region, but precise */
    LNL_BY_FIRST,   /* one lane for all (LNL_USE_WARP) */
};

/* A register that one instruction found changed. */
struct lnl_saved {
    struct lane_ref ref;
    uint32_t lanes[WARP_LANES]; /* of a predicate the first: its mask */
};

enum {
    LNL_SLOTS = 64,
    LNL_MAX_SAVED = 8,
    LNL_NO_SLOT = -1,
    LNL_JOINT = 2 * 2 * WARP_LANES + 1, /* each part of the pair's lanes has two at most */
};

/* Two neighbouring warps of a block that are fused: where they are, as one warp of both their lanes
 * would be. Each keeps a stack of its own; one that is elsewhere sits out. */
struct lnl_pair {
    unsigned slot[2];
    unsigned leader; /* which of them is fetched and issued */
    bool is_held;    /* the other one is, until it follows */
    bool is_used;
    struct {
        uint32_t pc, rpc;
    } at[LNL_JOINT];
    unsigned depth;
};

struct lnl_slot {
    const struct lnl_plan *plan; /* NULL: the kernel has no marks */
    const struct lnl_func *func; /* that the last instruction was of */
    struct lnl_history history;
    /* the approximated region that it is in; NULL: none */
    const struct lnl_area *area;
    uint32_t mask;  /* lanes that are in it */
    uint32_t nouts; /* of its registers that are read behind it: interpolated */
    /* START_APPROX was issued here, its region's first instruction was not */
    uint32_t begun_pc, begun_mask;
    cycle_t next_since;       /* START_APPROX is next since; CYCLE_NEVER: it is not */
    struct lnl_groups groups; /* of the region that it is in, or of the next */
    /* the instruction between before() and cost() */
    const struct lnl_inst *inst;
    enum lnl_role role;
    uint32_t would;      /* lanes that it would have without approximation */
    uint32_t took, fell; /* of a branch of a pair: lanes that go to its target, and on */
    /* fusion */
    const struct warp *w;
    int sibling;           /* slot of the warp that it may be fused with, or LNL_NO_SLOT */
    struct lnl_pair *pair; /* NULL: it is not fused */
    bool waits;            /* at START_APPROX, for its sibling */
    cycle_t waits_since;
    uint32_t *visits; /* by region: START_APPROX executed so often */
    uint32_t visits_cap;
    /* lnl-adaptive: of checked loads; of the last region that began; whose it is, or NULL */
    struct lnl_levels levels[LNL_ENTRIES], sample_levels;
    struct lnl_varied varied[LNL_ENTRIES];
    uint32_t nvisits; /* of regions */
    struct lnl_control *control;
    const struct lnl_area *control_of;
    bool is_sample;
    unsigned size; /* of the last region's groups; LNL_SIZES: it is precise */
    double loaded[LNL_ENTRIES], loaded_error; /* lnl.errors: of checked loads; of a region's */
    uint32_t *stale; /* --verify: by register, lanes that did not take part in its last write */
    uint32_t stale_cap;
    /* lnl.watch: which launch of its kernel it is of; by instruction: stores so far */
    uint32_t launch, *stored, stored_cap;
};

/* What an SM has learnt of a region. */
struct lnl_learnt {
    char name[128]; /* of its function */
    uint32_t line;
    struct lnl_control control;
};
enum { LNL_CONTROLS = 16 };

/* What a lane of a region has stored where, and when (lnl.where). */
struct lnl_place {
    uint64_t addr;
    cycle_t at;
    uint32_t bytes;
    bool is_interpolated;
};

struct lnl_sm {
    struct rf_policy inner; /* parsim/wrap.h wants it first */
    const struct lnl *g;
    struct sm *sm;
    cycle_t filter_free; /* when the texture filter has done what it has */
    struct lnl_saved saved[LNL_MAX_SAVED];
    unsigned nsaved;
    uint32_t filtered; /* registers of the instruction that go through the filter */
    struct lnl_pair pairs[LNL_SLOTS / 2];
    struct lnl_learnt controls[LNL_CONTROLS];
    unsigned ncontrols;
    struct lnl_watched watched;   /* lnl.watch */
    VEC(struct lnl_place) places; /* lnl.where */
    struct lnl_stats stats;
    struct lnl_slot slots[LNL_SLOTS];
};

/* How often a kernel was launched. */
struct lnl_launches {
    uint64_t name; /* its hash */
    uint32_t n;
};

/* lnl.sectors: beside an L1. */
struct lnl_requests {
    struct request_policy inner; /* parsim/wrap.h wants it first */
    struct lnl_sm *m;
};

struct lnl {
    const struct lnl_cfg *cfg;
    const struct sm_cfg *sm_cfg;
    struct lnl_design design;
    struct lnl_unit unit, levels[LNL_LEVELS];
    const char *name;
    struct lnl_sm *sms;
    struct lnl_requests *requests;
    uint32_t nsms;
    struct kernel_plan *plans;         /* struct lnl_plan */
    VEC(struct lnl_launches) launches; /* lnl.watch, lnl-adaptive: of marked kernels */
    /* lnl-adaptive: what all SMs know of regions; launches; marked kernels that have not run; the
     * error in what kernels so far have stored, as a share of its magnitude */
    struct lnl_learnt pool[LNL_CONTROLS];
    unsigned npool;
    uint32_t nlaunches, to_launch;
    double inherited;
    bool verify, is_watched, has_places; /* lnl.watch, lnl.where */
};

static inline uint32_t lnl_pc(const struct dinst *d)
{
    return (uint32_t)(d - d->fn->code);
}

/* The plan's word on the instruction; NULL: the kernel, or its function, has no marks. */
static inline const struct lnl_inst *lnl_look(struct lnl_slot *s, const struct dinst *d)
{
    if (!s->plan)
        return NULL;
    if (UNLIKELY(!s->func || s->func->fn != d->fn))
        s->func = lnl_plan_func(s->plan, d->fn);
    return s->func->code ? &s->func->code[lnl_pc(d)] : NULL;
}

/* lnl_states.c: START_APPROX, and the region that a warp is in. */
void lnl_slot_start(struct lnl_sm *m, unsigned slot, const struct warp *w);
void lnl_slot_end(struct lnl_sm *m, unsigned slot);
/* START_APPROX of the region is executed by the lanes at its begin. */
void lnl_begin(struct lnl_sm *m, unsigned slot, struct warp *w, const struct lnl_area *a);
/* The warp's top split is at `pc`: its lanes are in their region or leave it. */
void lnl_note_place(struct lnl_slot *s, uint32_t split, uint32_t pc);
/* Whether START_APPROX, here and for these lanes, is done. */
bool lnl_has_begun(const struct lnl_slot *s, uint32_t pc, uint32_t split);

/* lnl_fuse.c: two approximated warps as one. */
bool lnl_fuses(const struct lnl *g);
void lnl_fuse_start(struct lnl_sm *m, unsigned slot, const struct warp *w);
void lnl_fuse_end(struct lnl_sm *m, unsigned slot);
/* START_APPROX was executed: it meets its sibling, waits for it, or goes on. */
void lnl_fuse_arrive(struct lnl_sm *m, unsigned slot, const struct lnl_area *a, bool is_approx);
/* An instruction is about to be executed by the warp; was executed. */
void lnl_fuse_before(struct lnl_sm *m, unsigned slot, const struct warp *w, const struct dinst *d);
void lnl_fuse_after(struct lnl_sm *m, const struct rf_event *e);
int lnl_partner(void *self, struct sm *sm, unsigned slot);
uint32_t lnl_initiation(void *self, const struct rf_event *e, uint32_t initiation);

/* lnl_check.c: the values of a checked load. Returns the cycles that it takes. */
uint32_t lnl_check_load(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e);

/* lnl_values.c: registers that one instruction finds changed, and gets back. */
void lnl_save(struct lnl_sm *m, const struct lane_ref *r, char *const *base);
void lnl_put_back(struct lnl_sm *m, char *const *base);
/* The store's data between the anchors of `mask`. */
void lnl_fill_store(struct lnl_sm *m, const struct lnl_slot *s, struct warp *w,
                    const struct xinst *x, enum lnl_format format, uint32_t mask);
/* A register that is read behind the region. */
void lnl_fill_register(struct lnl_sm *m, const struct lnl_slot *s, struct warp *w,
                       const struct lane_ref *r, enum lnl_format format, uint32_t mask);
/* Where the lanes of `mask` go, their anchors decide. */
void lnl_spread_branch(struct lnl_sm *m, const struct lnl_slot *s, const struct warp *w,
                       const struct xinst *x, uint32_t mask);

/* lnl_stale.c: --verify. Before it executes, by `lanes`; behind it. */
void lnl_stale_read(struct lnl_sm *m, struct lnl_slot *s, const struct dinst *d, uint32_t lanes);
void lnl_stale_written(struct lnl_slot *s, const struct dinst *d, uint32_t lanes);
void lnl_stale_reset(struct lnl_slot *s);

/* lnl_errors.c: Figure 3.2. */
void lnl_errors_load(struct lnl_slot *s, const struct lnl_load *load, const uint32_t *words,
                     uint32_t mask);
void lnl_errors_begin(struct lnl_slot *s, uint32_t loads);
void lnl_errors_store(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e);

/* lnl_adapt.c: quality control. A checked load's register; whether the region is approximated,
 * whose START_APPROX is executed; a store of a region. */
void lnl_adapt_load(const struct lnl_sm *m, struct lnl_slot *s, const struct lnl_load *load,
                    enum lnl_value what, const uint32_t *words, uint32_t mask);
bool lnl_adapt_begin(struct lnl_sm *m, struct lnl_slot *s, const struct warp *w,
                     const struct lnl_area *a);
void lnl_adapt_store(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e);
/* Now and then, when nothing runs: SMs learn from each other. */
void lnl_adapt_look(struct lnl *g);
/* block_policy.block: scouts first. */
uint64_t lnl_adapt_block(void *self, const struct block_grid *b, uint64_t i);
/* Its kernel is about to run. */
void lnl_adapt_launch(struct lnl *g, const struct lnl_plan *p);

/* lnl_perturb.c: a load was executed; a store was; a kernel is launched; after the last one. */
void lnl_perturb_load(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e);
void lnl_watch_store(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e);
void lnl_watch_launch(struct lnl *g, const struct kernel *k);
/* Of the kernel's launches the number of the one that runs. */
uint32_t lnl_watch_number(const struct lnl *g, const struct kernel *k);
bool lnl_watch_finish(struct lnl *g, struct err *err);

/* lnl_requests.c: around q->inner. */
struct request_policy lnl_request_policy(struct lnl_requests *q);

/* lnl_where.c: a store of a region was executed; after the last kernel. */
void lnl_where_store(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e);
bool lnl_where_finish(struct lnl *g, struct err *err);

/* lnl_prior.c: warp-approx. Whether one lane can execute it for all of `mask`; the others get its
 * results. */
bool lnl_prior_can(const struct lnl_sm *m, const struct warp *w, const struct xinst *x,
                   uint32_t mask);
void lnl_prior_share(struct lnl_sm *m, const struct rf_event *e, uint32_t mask);

/* lnl_issue.c, lnl_cost.c: the functions of the seams. */
const struct dinst *lnl_precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                const struct dinst *d);
void lnl_before(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d);
void lnl_cost(void *self, const struct rf_event *e, struct rf_cost *cost);

/* lnl.c */
void lnl_sm_init(struct lnl_sm *m, const struct lnl *g);
void lnl_sm_free(struct lnl_sm *m);
bool lnl_launch(struct lnl *g, const struct kernel *k, const struct decoded *code, struct err *err);
void lnl_plans_free(struct lnl *g);
struct lnl_unit lnl_unit_of(const struct lnl_cfg *cfg, const struct lnl_design *d);
void lnl_levels_of(const struct lnl_unit *unit, struct lnl_unit *levels);
struct rf_policy lnl_registers(struct lnl_sm *m);
struct issue_policy lnl_issue(struct lnl_sm *m);

#endif
