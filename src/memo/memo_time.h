/* When the unit's parts are free and its answers ready. Cycles are passed in; nothing ticks.
 *
 * Inputs are hashed in program order. One whose value is still on its way from memory holds back
 * those behind it, so when an input starts may be unknown for a while. */
#ifndef MEMO_MEMO_TIME_H
#define MEMO_MEMO_TIME_H

#include "memo/memo.h"

#define MEMO_UNKNOWN UINT64_MAX

struct memo_slot { /* an input */
    cycle_t enters, starts;
    unsigned bytes, lut, tid;
};

struct memo_time {
    const struct memo_cfg *cfg;
    struct memo_stats *stats;
    unsigned l2_lines;        /* of the second table */
    struct memo_slot *slots;  /* the last cfg->queue inputs, as a ring */
    uint64_t pushed, started; /* inputs that have issued; of which the start is known */
    cycle_t next;             /* when the CRC takes another */
    cycle_t port;             /* when the table does */
    cycle_t hashed[MEMO_THREADS][MEMO_LUTS];  /* when all inputs with a known start are */
    uint64_t latest[MEMO_THREADS][MEMO_LUTS]; /* pushed, with the last input of a table */
};

void memo_time_init(struct memo_time *t, struct memo_unit *u);
void memo_time_free(struct memo_time *t);

/* From when on the queue has room for an input, MEMO_UNKNOWN: an input must come in before. */
cycle_t memo_time_room(const struct memo_time *t);
/* An input has issued at `now`; `enters`: when its value is there, or MEMO_UNKNOWN. Returns its
 * number. */
uint64_t memo_time_push(struct memo_time *t, unsigned tid, unsigned lut, unsigned bytes,
                        cycle_t enters, cycle_t now);
/* The value of an input that was unknown comes. */
void memo_time_enter(struct memo_time *t, uint64_t number, cycle_t enters);

/* From when on a lookup that issues at `now` may start, MEMO_UNKNOWN: inputs are on their way. */
cycle_t memo_time_start(const struct memo_time *t, unsigned tid, unsigned lut, cycle_t now);
/* It starts; when its data and flags are ready. */
cycle_t memo_time_lookup(struct memo_time *t, cycle_t start, cycle_t now, enum memo_answer answer);
void memo_time_update(struct memo_time *t, cycle_t now);
/* Cycles that nothing issues in. */
unsigned memo_time_invalidate(const struct memo_time *t);

#endif
