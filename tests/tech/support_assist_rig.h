/* One SM with the routine of a file of assist/ and its controller (sm/support_sm_rig.h). */
#ifndef TESTS_TECH_SUPPORT_ASSIST_RIG_H
#define TESTS_TECH_SUPPORT_ASSIST_RIG_H

#include "sm/support_sm_rig.h"

#include "tech/assist/assist.h"
#include "tech/assist/awc_int.h"

struct assist_rig {
    struct sm_rig *r;
    struct aws aws;
    struct assist_cfg cfg; /* may be changed before the run */
    struct awc *c;         /* of the last run */
    struct warp_source source;
};

void assist_rig_open(struct assist_rig *b, const char *kernel, const char *module);
void assist_rig_close(struct assist_rig *b);

#endif
