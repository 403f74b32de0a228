/* Command queues behind the entry queue: one a bank, or one for all, which is kept as one a bank of
 * which all share the places. */
#include "dram/dram_int.h"

/* May the row that `e` finds open be closed for it? */
static bool precharge_allowed(const struct dram *d, const struct dram_entry *e, bool oldest)
{
    const struct dram_bank *b = &d->banks[e->bank];
    if (!b->hits)
        return oldest || d->cfg.scheduler == DRAM_ROW_HIT_FIRST;
    return oldest && d->cfg.scheduler == DRAM_FIRST_READY && b->accesses >= d->cfg.row_hit_cap;
}

/* A write must not overtake an older read of its line. */
static bool read_before(const struct dram *d, const struct dram_queue *q, uint32_t index)
{
    addr_t line = q->at[index].line;
    if (!d->read_filter[filter_slot(line)])
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (q->at[i].line == line && !q->at[i].write)
            return true;
    return false;
}

/* For each command the oldest entry of a bank's own queue that needs it and may have it. */
static void oldest_find(struct dram *d, struct dram_queue *q)
{
    for (int c = 0; c <= DRAM_WR; c++)
        q->oldest[c] = -1;
    for (uint32_t i = 0; i < q->len; i++) {
        enum dram_cmd cmd = entry_command(d, &q->at[i]);
        if (q->oldest[cmd] >= 0 || (cmd == DRAM_PRE && !precharge_allowed(d, &q->at[i], i == 0)) ||
            (cmd == DRAM_WR && read_before(d, q, i)))
            continue;
        q->oldest[cmd] = (int16_t)i;
    }
    q->stale = false;
}

enum { RANK_ROW = 63 }; /* the bit that lets row hits go before any age */
#define RANK_NONE UINT64_MAX

/* The best of a bank's commands that are ready, by age; RANK_NONE: none is. Entries that need the
 * same command share its gate, so only the oldest of each matters. */
static uint64_t bank_pick(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                          struct dram_pick *p)
{
    const uint32_t bank = q->at[0].bank;
    const bool hits_first = d->cfg.scheduler == DRAM_ROW_HIT_FIRST;
    uint64_t best = RANK_NONE;
    cycle_t retry = CYCLE_NEVER;
    if (q->stale)
        oldest_find(d, q);
    for (int c = 0; c <= DRAM_WR; c++) {
        if (q->oldest[c] < 0)
            continue;
        const enum dram_cmd cmd = (enum dram_cmd)c;
        const cycle_t open = dram_gates_open(&d->gates, cmd, bank);
        const uint64_t row = hits_first && command_class(cmd) == CLASS_ROW;
        const uint64_t rank = q->at[q->oldest[c]].age | row << RANK_ROW;
        retry = open < retry ? open : retry;
        if (open > now || !(classes & command_class(cmd)) || rank >= best)
            continue;
        best = rank;
        *p = (struct dram_pick){cmd, q, (uint32_t)q->oldest[c]};
    }
    q->retry = retry;
    return best;
}

/* A queue a bank: in turn, from the one after the last that sent a command. */
static bool turn_pick(struct dram *d, uint64_t queues, unsigned classes, cycle_t now,
                      struct dram_pick *p)
{
    const uint64_t after = d->next_queue == 63 ? 0 : queues & (~0ull << (d->next_queue + 1));
    const uint64_t rounds[2] = {after, queues & ~after};
    for (int k = 0; k < 2; k++)
        for (uint64_t left = rounds[k]; left; left &= left - 1) {
            const uint32_t qi = (uint32_t)__builtin_ctzll(left);
            struct dram_queue *q = &d->queues[qi];
            if (q->retry <= now && bank_pick(d, q, classes, now, p) != RANK_NONE) {
                d->next_queue = qi;
                return true;
            }
        }
    return false;
}

/* One queue, kept by bank: the best of all. */
static bool shared_pick(struct dram *d, uint64_t queues, unsigned classes, cycle_t now,
                        struct dram_pick *p)
{
    uint64_t best = RANK_NONE;
    for (uint64_t left = queues; left; left &= left - 1) {
        struct dram_queue *q = &d->queues[__builtin_ctzll(left)];
        struct dram_pick found;
        if (q->retry > now)
            continue;
        const uint64_t rank = bank_pick(d, q, classes, now, &found);
        if (rank >= best)
            continue;
        best = rank;
        *p = found;
    }
    return best != RANK_NONE;
}

bool staged_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    const uint64_t queues = d->busy_queues & ~d->refreshing;
    return d->is_shared ? shared_pick(d, queues, classes, now, p)
                        : turn_pick(d, queues, classes, now, p);
}

static void drain_start(struct dram *d)
{
    if (d->draining || d->cfg.unified)
        return;
    uint32_t n = d->writes.len;
    if (n >= (uint32_t)d->cfg.write_high || (n > (uint32_t)d->cfg.write_low && !d->waiting)) {
        d->draining = n;
        d->move_blocked = false;
        d->stats.drains++;
    }
}

void staged_enter(struct dram *d, struct dram_queue *from, uint32_t i)
{
    struct dram_entry e = from->at[i];
    struct dram_queue *to = &d->queues[e.bank];
    struct dram_bank *b = &d->banks[e.bank];
    int which = from == &d->writes;
    if (d->draining)
        d->draining--;
    b->hits += b->row == e.row;
    e.age = d->entered++;
    queue_push(to, &e);
    d->busy_queues |= 1ull << e.bank;
    d->waiting++;
    if (d->is_shared)
        d->full_queues = d->waiting == to->cap ? ~0ull : 0;
    else if (to->len == to->cap)
        d->full_queues |= 1ull << e.bank;
    if (!--d->entering[which][e.bank])
        d->entering_mask[which] &= ~(1ull << e.bank);
    queue_remove(from, i);
    d->changed = true;
}

/* One request goes from the entry queue to its command queue, the oldest that finds room. */
void staged_move(struct dram *d)
{
    drain_start(d);
    struct dram_queue *from = d->draining ? &d->writes : &d->reads;
    if (d->move_blocked || !(d->entering_mask[from == &d->writes] & ~d->full_queues))
        return;
    for (uint32_t i = 0; i < from->len; i++) {
        const struct dram_entry *e = &from->at[i];
        if (d->full_queues >> e->bank & 1)
            continue;
        if (e->write && !d->cfg.unified && dram_read_waits(d, e->line)) {
            d->draining = 0; /* the read of the line goes first */
            d->changed = true;
        } else {
            staged_enter(d, from, i);
        }
        return;
    }
    d->move_blocked = true;
}

cycle_t staged_retry(const struct dram *d)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t i = 0; i < d->nqueues; i++)
        if (d->queues[i].len && d->queues[i].retry < next)
            next = d->queues[i].retry;
    return next;
}
