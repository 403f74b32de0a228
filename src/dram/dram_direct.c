/* Scheduling straight from the entry queues. A request whose activate went out moves to `opened`,
 * which goes first, so that an activate is not wasted. */
#include "dram/dram_int.h"

/* Reads, or writes once enough of them wait or nothing else does. */
void direct_mode_update(struct dram *d)
{
    bool was = d->write_mode;
    uint32_t n = d->writes.len;
    if (!d->write_mode)
        d->write_mode = n > (uint32_t)d->cfg.write_high || !d->reads.len;
    else
        d->write_mode = !(n < (uint32_t)d->cfg.write_low && d->reads.len);
    if (d->write_mode && !was && n)
        d->stats.drains++;
    if (d->write_mode != was)
        d->reads.retry = d->writes.retry = 0;
}

/* Banks whose open row some entry of `q` wants. */
static uint64_t hit_banks(const struct dram *d, const struct dram_queue *q)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < q->len; i++)
        if (d->banks[q->at[i].bank].row == q->at[i].row)
            mask |= 1ull << q->at[i].bank;
    return mask;
}

/* The oldest ready command; row hits beyond the cap only if they are the oldest of all. */
static bool first_ready(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                        struct dram_pick *p)
{
    cycle_t retry = CYCLE_NEVER;
    struct dram_pick capped = {0};
    for (uint32_t i = 0; i < q->len; i++) {
        const struct dram_entry *e = &q->at[i];
        if (d->refreshing >> e->bank & 1)
            continue;
        enum dram_cmd cmd = entry_command(d, e);
        cycle_t open = dram_gates_open(&d->gates, cmd, e->bank);
        retry = open < retry ? open : retry;
        if (open > now || !(classes & command_class(cmd)))
            continue;
        bool over =
            command_class(cmd) == CLASS_COL && d->banks[e->bank].accesses > d->cfg.row_hit_cap;
        if (!over) {
            *p = (struct dram_pick){cmd, q, i};
            return true;
        }
        if (i == 0)
            capped = (struct dram_pick){cmd, q, i};
    }
    q->retry = retry > now ? retry : now + 1;
    *p = capped;
    return capped.queue;
}

static bool row_hit_first(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                          struct dram_pick *p)
{
    cycle_t retry = CYCLE_NEVER;
    uint64_t hits = hit_banks(d, q);
    struct dram_pick other = {0};
    for (uint32_t i = 0; i < q->len; i++) {
        const struct dram_entry *e = &q->at[i];
        enum dram_cmd cmd = entry_command(d, e);
        if ((d->refreshing | (cmd == DRAM_PRE ? hits : 0)) >> e->bank & 1)
            continue;
        cycle_t open = dram_gates_open(&d->gates, cmd, e->bank);
        retry = open < retry ? open : retry;
        if (open > now || !(classes & command_class(cmd)))
            continue;
        struct dram_pick found = {cmd, q, i};
        if (command_class(cmd) == CLASS_COL) {
            *p = found;
            return true;
        }
        if (!other.queue)
            other = found;
    }
    q->retry = retry > now ? retry : now + 1;
    *p = other;
    return other.queue;
}

static bool queue_pick(struct dram *d, struct dram_queue *q, unsigned classes, cycle_t now,
                       struct dram_pick *p)
{
    if (!q->len || q->retry > now)
        return false;
    return d->cfg.scheduler == DRAM_FIRST_READY ? first_ready(d, q, classes, now, p)
                                                : row_hit_first(d, q, classes, now, p);
}

bool direct_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    return queue_pick(d, &d->opened, classes, now, p) ||
           queue_pick(d, d->write_mode && !d->cfg.unified ? &d->writes : &d->reads, classes, now,
                      p);
}

/* The activate of `p` went out: its request waits in `opened`, in order of age. */
void direct_opened(struct dram *d, const struct dram_pick *p)
{
    if (p->queue == &d->opened)
        return;
    struct dram_entry e = p->queue->at[p->index];
    queue_remove(p->queue, p->index);
    queue_push(&d->opened, &e);
    for (uint32_t i = d->opened.len - 1; i > 0 && d->opened.at[i - 1].arrive > e.arrive; i--) {
        d->opened.at[i] = d->opened.at[i - 1];
        d->opened.at[i - 1] = e;
    }
}

cycle_t direct_retry(const struct dram *d)
{
    const struct dram_queue *q = d->write_mode && !d->cfg.unified ? &d->writes : &d->reads;
    cycle_t next = d->opened.len ? d->opened.retry : CYCLE_NEVER;
    return q->len && q->retry < next ? q->retry : next;
}
