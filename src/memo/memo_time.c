/* The queue in front of the CRC, the CRC's pipeline, the tables' port. */
#include "memo/memo_time.h"

#include <stdlib.h>

static cycle_t later(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

void memo_time_init(struct memo_time *t, struct memo_unit *u)
{
    *t = (struct memo_time){.cfg = &u->cfg, .stats = &u->stats, .l2_lines = u->luts.l2.sets};
    t->slots = xcalloc((size_t)u->cfg.queue, sizeof *t->slots);
}

void memo_time_free(struct memo_time *t)
{
    free(t->slots);
    t->slots = NULL;
}

static struct memo_slot *slot(const struct memo_time *t, uint64_t number)
{
    return &t->slots[number % (uint64_t)t->cfg->queue];
}

cycle_t memo_time_room(const struct memo_time *t)
{
    const uint64_t depth = (uint64_t)t->cfg->queue;
    if (t->pushed < depth)
        return 0;
    const uint64_t oldest = t->pushed - depth;
    return oldest < t->started ? slot(t, oldest)->starts : MEMO_UNKNOWN;
}

/* Inputs whose turn it is and whose value is known get their start. */
static void start_inputs(struct memo_time *t)
{
    const uint64_t rate = (uint64_t)t->cfg->crc_rate;
    for (; t->started < t->pushed; t->started++) {
        struct memo_slot *s = slot(t, t->started);
        if (s->enters == MEMO_UNKNOWN)
            return;
        s->starts = later(s->enters, t->next);
        t->next = s->starts + (rate ? (s->bytes + rate - 1) / rate : 0);
        t->hashed[s->tid][s->lut] = s->starts + (rate ? s->bytes : 0);
    }
}

static uint64_t waiting(const struct memo_time *t, cycle_t now)
{
    const uint64_t depth = (uint64_t)t->cfg->queue;
    uint64_t n = t->pushed - t->started;
    for (uint64_t k = t->started; k && t->pushed - k < depth && slot(t, k - 1)->starts > now; k--)
        n++;
    return n;
}

uint64_t memo_time_push(struct memo_time *t, unsigned tid, unsigned lut, unsigned bytes,
                        cycle_t enters, cycle_t now)
{
    hist_add(&t->stats->queue_depth, waiting(t, now));
    const uint64_t number = t->pushed++;
    *slot(t, number) = (struct memo_slot){.enters = enters, .bytes = bytes, .lut = lut, .tid = tid};
    t->latest[tid][lut] = t->pushed;
    start_inputs(t);
    return number;
}

void memo_time_enter(struct memo_time *t, uint64_t number, cycle_t enters)
{
    slot(t, number)->enters = enters;
    start_inputs(t);
}

cycle_t memo_time_start(const struct memo_time *t, unsigned tid, unsigned lut, cycle_t now)
{
    if (t->latest[tid][lut] > t->started)
        return MEMO_UNKNOWN;
    return later(later(now + 1, t->hashed[tid][lut]), t->port);
}

cycle_t memo_time_lookup(struct memo_time *t, cycle_t start, cycle_t now, enum memo_answer answer)
{
    if (answer == MEMO_OFF)
        return now + 1;
    t->stats->wait_crc_cycles += start - (now + 1);
    const bool asks_l2 = answer != MEMO_L1 && t->cfg->l2_ways;
    return start + (cycle_t)t->cfg->l1_cycles + (asks_l2 ? (cycle_t)t->cfg->l2_cycles : 0);
}

void memo_time_update(struct memo_time *t, cycle_t now)
{
    t->port = later(now + 1, t->port) + (cycle_t)t->cfg->update_cycles;
}

unsigned memo_time_invalidate(const struct memo_time *t)
{
    return memo_ways(t->cfg) + (t->cfg->invalidate ? t->l2_lines : 0);
}
