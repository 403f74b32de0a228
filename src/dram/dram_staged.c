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

/* The first entry in order of age whose command is ready; row hits alone if `hits_only`. */
static bool queue_pick(struct dram *d, struct dram_queue *q, unsigned classes, bool hits_only,
                       cycle_t now, struct dram_pick *p)
{
    uint64_t banks_seen = d->refreshing;
    cycle_t retry = CYCLE_NEVER;
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
        if ((cmd == DRAM_PRE && !precharge_allowed(d, e, oldest)) ||
            (cmd == DRAM_WR && read_before(d, q, i)))
            continue;
        cycle_t open = dram_gates_open(&d->gates, cmd, e->bank);
        if (open <= now && (classes & command_class(cmd))) {
            *p = (struct dram_pick){cmd, q, i};
            return true;
        }
        retry = open < retry ? open : retry;
    }
    q->retry = retry > now ? retry : now + 1;
    return false;
}

bool staged_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    uint32_t qi = d->next_queue;
    for (uint32_t i = 0; i < d->nqueues; i++) {
        qi = qi + 1 >= d->nqueues ? 0 : qi + 1;
        struct dram_queue *q = &d->queues[qi];
        if (!q->len || q->retry > now)
            continue;
        if ((d->cfg.scheduler == DRAM_ROW_HIT_FIRST && (classes & CLASS_COL) &&
             queue_pick(d, q, classes, true, now, p)) ||
            queue_pick(d, q, classes, false, now, p)) {
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
        d->stats.drains++;
    }
}

/* One request goes from the entry queue to its command queue, the oldest that finds room. */
void staged_move(struct dram *d, cycle_t now)
{
    drain_start(d);
    struct dram_queue *from = d->draining ? &d->writes : &d->reads;
    if (d->nqueues == 1 && d->queues[0].len == d->queues[0].cap)
        return;
    for (uint32_t i = 0; i < from->len; i++) {
        const struct dram_entry *e = &from->at[i];
        struct dram_queue *to = queue_of(d, e);
        if (to->len == to->cap)
            continue;
        if (e->write && !d->cfg.unified && dram_read_waits(d, e->line)) {
            d->draining = 0; /* the read of the line goes first */
            d->changed = true;
            return;
        }
        if (d->draining)
            d->draining--;
        struct dram_bank *b = &d->banks[e->bank];
        b->hits += b->row == e->row;
        queue_push(to, e);
        to->retry = now;
        d->waiting++;
        queue_remove(from, i);
        d->changed = true;
        return;
    }
}

cycle_t staged_retry(const struct dram *d)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t i = 0; i < d->nqueues; i++)
        if (d->queues[i].len && d->queues[i].retry < next)
            next = d->queues[i].retry;
    return next;
}
