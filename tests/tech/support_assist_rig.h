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
    /* A line that is given to the controller as the L1 does, in `submit_at`; `done` is when it was
     * decoded or encoded. 0: none. */
    const struct line_codecs *codec;
    const struct awc_form *last; /* the form that won last, or NULL */
    struct codec_engine engine;
    struct codec_job job;
    unsigned more, given; /* lines behind it that follow, each when the one before is done */
    cycle_t submit_at, done;
    bool is_submitted;
};

void assist_rig_open(struct assist_rig *b, const char *kernel, const char *module);
/* The line's job for every run of the rig, from now on. */
void assist_rig_give_line(struct assist_rig *b, const struct line_codecs *codec,
                          const struct codec_job *job, cycle_t at);
void assist_rig_close(struct assist_rig *b);

#endif
