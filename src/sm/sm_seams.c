/* The null objects of an SM's pipeline. */
#include "mem/bound.h"

static bool issue_none(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    (void)self;
    (void)sm;
    (void)sched;
    (void)now;
    return false;
}

static bool pending_none(const void *self)
{
    (void)self;
    return false;
}

static uint32_t no_registers(const void *self, const struct kernel *k)
{
    (void)self;
    (void)k;
    return 0;
}

static void deploy_none(void *self, struct sm *sm, cycle_t now)
{
    (void)self;
    (void)sm;
    (void)now;
}

static void retired_none(void *self, struct sm *sm, struct extra_warp *x, cycle_t now)
{
    (void)self;
    (void)sm;
    (void)x;
    (void)now;
}

static void event_none(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    (void)self;
    (void)sm;
    (void)t;
    (void)now;
}

static const char *no_name(const void *self, uint32_t number)
{
    (void)self;
    (void)number;
    return "";
}

const struct warp_source warp_source_null = {
    .issue_first = issue_none,
    .issue_idle = issue_none,
    .is_pending = pending_none,
    .extra_registers = no_registers,
    .deploy = deploy_none,
    .retired = retired_none,
    .event = event_none,
    .name = no_name,
};

/* --- null objects that want nothing: their functions are there for who wraps them --- */

static void no_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    (void)self;
    (void)e;
    (void)cost;
}

static uint32_t same_bank(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    (void)self;
    (void)e;
    (void)k;
    return bank;
}

static void started(void *self, unsigned slot, const struct warp *w, uint32_t registers)
{
    (void)self;
    (void)slot;
    (void)w;
    (void)registers;
}

static void ended(void *self, unsigned slot)
{
    (void)self;
    (void)slot;
}

static void waited(void *self, unsigned bank, uint32_t operands)
{
    (void)self;
    (void)bank;
    (void)operands;
}

static void folded(void *self, const struct rf_event *e)
{
    (void)self;
    (void)e;
}

const struct rf_policy rf_policy_null = {.cost = no_cost,
                                         .bank = same_bank,
                                         .start = started,
                                         .end = ended,
                                         .waited = waited,
                                         .folded = folded};

static uint32_t same_initiation(void *self, const struct rf_event *e, uint32_t initiation)
{
    (void)self;
    (void)e;
    return initiation;
}

static const struct dinst *nothing_first(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                         const struct dinst *d)
{
    (void)self;
    (void)sm;
    (void)slot;
    (void)w;
    (void)d;
    return NULL;
}

static void goes_on(void *self, struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d)
{
    (void)self;
    (void)sm;
    (void)slot;
    (void)w;
    (void)d;
}

static int alone(void *self, struct sm *sm, unsigned slot)
{
    (void)self;
    (void)sm;
    (void)slot;
    return -1;
}

static void held(void *self, struct sm *sm, unsigned sched, uint64_t cycles)
{
    (void)self;
    (void)sm;
    (void)sched;
    (void)cycles;
}

const struct issue_policy issue_policy_null = {.initiation = same_initiation,
                                               .precede = nothing_first,
                                               .before = goes_on,
                                               .partner = alone,
                                               .held = held};

static void as_loaded(void *self, struct sm *sm, unsigned slot, struct warp *w,
                      const struct dinst *d, uint32_t mask)
{
    (void)mask;
    goes_on(self, sm, slot, w, d);
}

const struct value_policy value_policy_null = {.loaded = as_loaded, .resumed = as_loaded};

static uint64_t all_of(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self;
    (void)sm;
    (void)sched;
    return can;
}

static int as_configured(void *self, struct sm *sm, unsigned sched, uint64_t can)
{
    (void)self;
    (void)sm;
    (void)sched;
    (void)can;
    return -1;
}

const struct sched_policy sched_policy_null = {.narrow = all_of, .pick = as_configured};

const struct sm_seams sm_seams_null = {
#define L1_SEAM(name, type, ...) .l1.name = &type##_null,
#define SM_SEAM(name, type, ...) .name = &type##_null,
#include "parsim/seams.def"
};
