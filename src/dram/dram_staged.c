/* Command queues behind the entry queue: one a bank, or one for all. */
#include "dram/dram_int.h"

static struct dram_queue *queue_of(struct dram *d, const struct dram_entry *e)
{
    return &d->queues[d->nqueues > 1 ? e->bank : 0];
}

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

/* When the commands of the banks met in one scan may go: asked once, since gates do not move
 * during it. */
struct openings {
    uint64_t known[DRAM_WR + 1]; /* masks of banks */
    cycle_t at[DRAM_WR + 1][DRAM_BANKS_MAX];
};

static inline cycle_t opening(const struct dram *d, struct openings *o, enum dram_cmd cmd,
                              uint32_t bank)
{
    if (!(o->known[cmd] >> bank & 1)) {
        o->known[cmd] |= 1ull << bank;
        o->at[cmd][bank] = dram_gates_open(&d->gates, cmd, bank);
    }
    return o->at[cmd][bank];
}

/* The first entry in order of age whose command is ready; row hits alone if `hits_only`. */
static bool queue_pick(struct dram *d, struct dram_queue *q, unsigned classes, bool hits_only,
                       cycle_t now, struct dram_pick *p)
{
    uint64_t banks_seen = d->refreshing;
    cycle_t retry = CYCLE_NEVER;
    struct openings known;
    for (int i = 0; i <= DRAM_WR; i++)
        known.known[i] = 0;
    for (uint32_t i = 0; i < q->len; i++) {
        const struct dram_entry *e = &q->at[i];
        uint64_t bit = 1ull << e->bank;
        if (d->refreshing & bit)
            continue;
        enum dram_cmd cmd = entry_command(d, e);
        bool oldest = !(banks_seen & bit);
        banks_seen |= bit;
        if (hits_only && command_class(cmd) != CLASS_COL)
            continue;
        cycle_t open = opening(d, &known, cmd, e->bank);
        if (open >= retry && open > now)
            continue; /* neither ready nor the next to be */
        if ((cmd == DRAM_PRE && !precharge_allowed(d, e, oldest)) ||
            (cmd == DRAM_WR && read_before(d, q, i)))
            continue;
        if (open <= now && (classes & command_class(cmd))) {
            *p = (struct dram_pick){cmd, q, i};
            return true;
        }
        retry = open < retry ? open : retry;
    }
    q->retry = retry > now ? retry : now + 1;
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

/* As queue_pick, for a bank's own queue: entries that need the same command share its gate, so
 * only the oldest of each matters. */
static bool own_queue_pick(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                           struct dram_pick *p)
{
    uint32_t bank = q->at[0].bank, best = UINT32_MAX;
    bool hits_first = d->cfg.scheduler == DRAM_ROW_HIT_FIRST;
    cycle_t retry = CYCLE_NEVER;
    if (d->refreshing >> bank & 1) {
        q->retry = now + 1;
        return false;
    }
    if (q->stale)
        oldest_find(d, q);
    for (int c = 0; c <= DRAM_WR; c++) {
        if (q->oldest[c] < 0)
            continue;
        enum dram_cmd cmd = (enum dram_cmd)c;
        cycle_t open = dram_gates_open(&d->gates, cmd, bank);
        retry = open < retry ? open : retry;
        /* age decides; with hits_first a row hit beats any age */
        uint32_t rank = (uint32_t)q->oldest[c];
        rank += hits_first && command_class(cmd) == CLASS_ROW ? 1u << 16 : 0;
        if (open > now || !(classes & command_class(cmd)) || rank >= best)
            continue;
        best = rank;
        *p = (struct dram_pick){cmd, q, (uint32_t)q->oldest[c]};
    }
    q->retry = retry > now ? retry : now + 1;
    return best != UINT32_MAX;
}

static bool any_queue_pick(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                           struct dram_pick *p)
{
    if (d->nqueues > 1)
        return own_queue_pick(d, q, classes, now, p);
    return (d->cfg.scheduler == DRAM_ROW_HIT_FIRST && (classes & CLASS_COL) &&
            queue_pick(d, q, classes, true, now, p)) ||
           queue_pick(d, q, classes, false, now, p);
}

bool staged_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    /* round robin: from the queue after the last one that sent a command */
    uint64_t after = d->next_queue == 63 ? 0 : d->busy_queues & (~0ull << (d->next_queue + 1));
    uint64_t rounds[2] = {after, d->busy_queues & ~after};
    for (int k = 0; k < 2; k++)
        for (uint64_t left = rounds[k]; left; left &= left - 1) {
            uint32_t qi = (uint32_t)__builtin_ctzll(left);
            struct dram_queue *q = &d->queues[qi];
            if (q->retry <= now && any_queue_pick(d, q, classes, now, p)) {
                d->next_queue = qi;
                return true;
            }
        }
    return false;
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
    struct dram_queue *to = queue_of(d, &e);
    struct dram_bank *b = &d->banks[e.bank];
    int which = from == &d->writes;
    if (d->draining)
        d->draining--;
    b->hits += b->row == e.row;
    queue_push(to, &e);
    d->busy_queues |= 1ull << (to - d->queues);
    if (to->len == to->cap)
        d->full_queues |= d->nqueues > 1 ? 1ull << e.bank : ~0ull;
    d->waiting++;
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
