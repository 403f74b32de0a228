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

static uint32_t no_cycles(void *self, const struct rf_event *e)
{
    (void)self;
    (void)e;
    return 0;
}

const struct rf_policy rf_policy_null = {no_cycles, no_cycles, NULL};

static uint32_t same_initiation(void *self, const struct rf_event *e, uint32_t initiation)
{
    (void)self;
    (void)e;
    return initiation;
}

const struct issue_policy issue_policy_null = {same_initiation, NULL};

const struct sm_seams sm_seams_null = {
#define L1_SEAM(name, type, ...) .l1.name = &type##_null,
#define SM_SEAM(name, type, ...) .name = &type##_null,
#include "parsim/seams.def"
};
