#include "sm/sm_seams.h"

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

const struct warp_source warp_source_null = {
    .issue_first = issue_none,
    .issue_idle = issue_none,
    .is_pending = pending_none,
    .extra_registers = no_registers,
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
