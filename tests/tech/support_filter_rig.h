/* An SM's part of data criticality on an L1, without a memory node. A request leaves 35 cycles
 * after its access, is answered 100 later, and one access completes in a cycle. */
#ifndef TESTS_TECH_SUPPORT_FILTER_RIG_H
#define TESTS_TECH_SUPPORT_FILTER_RIG_H

#include "mem/support_l1_rig.h"
#include "support_memory.h"

#include "tech/filter/filter_sm.h"

struct filter_rig {
    struct memory *mem;
    struct filter_cfg cfg;
    struct filter_wire wire;
    struct filter_sm sm;
    struct request_policy requests;
    struct packet_policy packets;
    struct l1_rig *l1;
    struct tech_seams seams;
    const struct probe *mark;
};

/* Appends and wakes its own. */
extern const struct filter_cfg filter_rig_default;

/* `sets` as of l1_rig_new(). */
struct filter_rig *filter_rig_new(const struct filter_cfg *cfg, const char *const *sets);
void filter_rig_free(struct filter_rig *g);

#endif
