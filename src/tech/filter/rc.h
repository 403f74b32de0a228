/* The request controller: whether a miss asks for a part of its line or for the line, by what
 * lines were used for in the past. */
#ifndef TECH_FILTER_RC_H
#define TECH_FILTER_RC_H

#include "tech/filter/filter.h"

enum { RC_SUB_BLOCKS = 4 }; /* of a line, at most */

/* FIFOs of one-bit entries, all 0 at first: the newest is bit 0. By the number of sub-blocks that
 * were read, from 2 on, or that the first read needed: whether those reads were inconsistent. */
struct rc_windows {
    uint64_t ica[RC_SUB_BLOCKS + 1];
    uint64_t fdr;                    /* whether a line was used as a whole */
    uint16_t run[RC_SUB_BLOCKS + 1]; /* entries of ica since the last that was inconsistent */
};

/* What is asked for, and why. */
enum rc_answer {
    RC_PART,
    RC_ALL_NEEDED,
    RC_PREDICTED,
    RC_OFTEN_WHOLE,
    RC_SUBSEQUENT,
    RC_INCONSISTENT,
    RC_ALWAYS
};

/* The line as it is before the miss: `all` its sub-blocks, those needed, those that are there and
 * those on their way; what lines of its kind were read for, 0: not known. */
struct rc_line {
    uint16_t all, need, valid, pending, predicted;
};

/* Changes nothing, so that a miss may ask again. */
enum rc_answer rc_decide(const struct filter_cfg *c, const struct rc_windows *w,
                         const struct rc_line *l);
/* Whether lines whose first read needs that many sub-blocks are known to be consistent: the last
 * c->sure_run of them were. */
bool rc_is_sure(const struct filter_cfg *c, const struct rc_windows *w, uint32_t sub_blocks);
bool rc_is_locked(const struct filter_cfg *c, const struct rc_windows *w);
/* Into a window of c->window entries; the oldest one goes. */
void rc_push(const struct filter_cfg *c, uint64_t *window, bool entry);
void rc_push_ica(const struct filter_cfg *c, struct rc_windows *w, uint32_t sub_blocks, bool entry);

#endif
