/* One SM with a design of G-Scalar, without a machine around it. */
#ifndef TESTS_TECH_SUPPORT_GSCALAR_H
#define TESTS_TECH_SUPPORT_GSCALAR_H

#include "sm/support_sm_rig.h"
#include "tech/gscalar/gscalar_int.h"

struct gs_rig {
    struct sm_rig *r;
    struct gscalar_cfg cfg;
    struct gscalar g;
    struct gs_sm m;
    struct rf_policy registers;
    struct issue_policy issue;
    /* What a test does to it: a function that is called behind each cost() and may change what
     * metadata say, and moves that are left out. */
    void (*plant)(struct gs_rig *b, const struct rf_event *e);
    bool drops_moves;
    struct gs_around {
        struct rf_policy inner;
        struct gs_rig *b;
    } around;
};

/* `design` as --with names it. */
void gs_rig_open(struct gs_rig *b, const char *ptx, const char *const *sets, const char *design);
void gs_rig_close(struct gs_rig *b);
/* One block of so many threads; the statistics of the second of the rig's two runs. */
const struct gscalar_stats *gs_rig_run(struct gs_rig *b, uint32_t threads);

#endif
