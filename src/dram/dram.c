/* The controller's cycle: accept, refresh, command, answer. */
#include "dram/dram_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void queue_init(struct dram_queue *q, uint32_t cap)
{
    *q = (struct dram_queue){.at = xcalloc(cap, sizeof *q->at), .cap = cap};
}

void queue_push(struct dram_queue *q, const struct dram_entry *e)
{
    assert(q->len < q->cap);
    q->at[q->len++] = *e;
    q->retry = 0;
    q->stale = true;
}

void queue_remove(struct dram_queue *q, uint32_t index)
{
    memmove(&q->at[index], &q->at[index + 1], (--q->len - index) * sizeof *q->at);
    q->retry = 0;
    q->stale = true;
}

static void answers_init(struct dram_answers *a, uint32_t at_least)
{
    uint32_t cap = 16;
    while (cap < at_least)
        cap *= 2;
    a->ring = xcalloc(cap, sizeof *a->ring);
    a->mask = cap - 1;
}

/* The ring grows: merged reads and delayed answers have no bound of their own. */
static void answers_push(struct dram_answers *a, struct mem_req *req, cycle_t at)
{
    if (a->tail - a->head > a->mask) {
        uint32_t n = a->tail - a->head;
        struct dram_answers big;
        answers_init(&big, n * 2);
        big.head = 0;
        big.tail = n;
        for (uint32_t i = 0; i < n; i++)
            big.ring[i] = a->ring[(a->head + i) & a->mask];
        free(a->ring);
        *a = big;
    }
    a->ring[a->tail++ & a->mask] = (struct dram_answer){req, at};
}

struct dram *dram_new(const struct dram_cfg *cfg, const struct dram_client_ops *ops, void *client)
{
    struct dram *d = xalloc_aligned(64, sizeof *d);
    struct err err;
    d->cfg = *cfg;
    if (!dram_map_init(&d->map, cfg, &err))
        panic("%s", err.msg);
    dram_gates_init(&d->gates, cfg);
    d->client = ops;
    d->client_self = client;
    d->probe = &probe_null;
    d->nbanks = (uint32_t)(cfg->pseudo_channels * cfg->banks);
    for (uint32_t i = 0; i < d->nbanks; i++)
        d->banks[i].row = ROW_NONE;
    for (int i = 0; i < 2; i++)
        d->refresh[i].due =
            cfg->t_refi && i < cfg->pseudo_channels ? (cycle_t)cfg->t_refi : CYCLE_NEVER;
    queue_init(&d->reads, (uint32_t)cfg->read_queue);
    queue_init(&d->writes, (uint32_t)cfg->write_queue);
    if (cfg->queues == DRAM_QUEUES_DIRECT) {
        queue_init(&d->opened, d->nbanks);
    } else {
        const bool slots = cfg->queues == DRAM_QUEUES_SLOTS;
        d->is_shared = cfg->queues == DRAM_QUEUES_SHARED;
        d->nqueues = d->nbanks;
        d->queues = xcalloc(d->nqueues, sizeof *d->queues);
        for (uint32_t i = 0; i < d->nqueues; i++)
            queue_init(&d->queues[i], slots ? 1 : (uint32_t)cfg->command_queue);
    }
    answers_init(&d->bursts, 64);
    answers_init(&d->acks, 64);
    return d;
}

void dram_free(struct dram *d)
{
    if (!d)
        return;
    dram_gates_free(&d->gates);
    for (uint32_t i = 0; i < d->nqueues; i++)
        free(d->queues[i].at);
    free(d->queues);
    free(d->reads.at);
    free(d->writes.at);
    free(d->opened.at);
    free(d->bursts.ring);
    free(d->acks.ring);
    free(d);
}

/* The waiting read of `line`, wherever it is. */
static struct dram_entry *read_find(struct dram *d, addr_t line)
{
    struct dram_queue *const fixed[] = {&d->reads, &d->opened};
    for (uint32_t k = 0; k < d->nqueues + 2; k++) {
        struct dram_queue *q = k < 2 ? fixed[k] : &d->queues[k - 2];
        for (uint32_t i = 0; i < q->len; i++)
            if (q->at[i].line == line && !q->at[i].write)
                return &q->at[i];
    }
    return NULL;
}

bool dram_read_waits(struct dram *d, addr_t line)
{
    return d->read_filter[filter_slot(line)] && read_find(d, line);
}

static bool write_find(const struct dram *d, addr_t line)
{
    const struct dram_queue *const fixed[] = {&d->reads, &d->writes, &d->opened};
    for (uint32_t k = 0; k < d->nqueues + 3; k++) {
        const struct dram_queue *q = k < 3 ? fixed[k] : &d->queues[k - 3];
        for (uint32_t i = 0; i < q->len; i++)
            if (q->at[i].line == line && q->at[i].write)
                return true;
    }
    return false;
}

static bool write_waits(const struct dram *d, addr_t line)
{
    return d->write_filter[filter_slot(line)] && write_find(d, line);
}

static void entry_push(struct dram *d, struct dram_queue *q, const struct dram_entry *e)
{
    int which = q == &d->writes;
    d->entering[which][e->bank]++;
    d->entering_mask[which] |= 1ull << e->bank;
    queue_push(q, e);
}

static void accept_write(struct dram *d, struct dram_entry *e, struct mem_req *req, cycle_t now)
{
    d->stats.writes++;
    answers_push(&d->acks, req, now + 1);
    if (d->cfg.merge && write_waits(d, e->line)) {
        d->stats.merged_writes++;
        return;
    }
    e->write = true;
    d->write_filter[filter_slot(e->line)]++;
    entry_push(d, d->cfg.unified ? &d->reads : &d->writes, e);
}

static void accept_read(struct dram *d, struct dram_entry *e, struct mem_req *req, cycle_t now)
{
    d->stats.reads++;
    req->next = NULL;
    if (write_waits(d, e->line)) {
        d->stats.forwarded_reads++;
        answers_push(&d->acks, req, now + 1);
        return;
    }
    if (d->cfg.merge && d->read_filter[filter_slot(e->line)]) {
        struct dram_entry *other = read_find(d, e->line);
        if (other) {
            d->stats.merged_reads++;
            req->next = other->req->next;
            other->req->next = req;
            return;
        }
    }
    e->req = req;
    d->read_filter[filter_slot(e->line)]++;
    entry_push(d, &d->reads, e);
}

/* Slots merge nothing and answer nothing from waiting writes. */
static void accept_for_slot(struct dram *d, struct dram_entry *e, struct mem_req *req, cycle_t now)
{
    const uint32_t accesses = req->bytes / (uint32_t)d->cfg.access_bytes;
    e->left = (uint8_t)(accesses ? accesses : 1);
    e->write = mem_req_is_write(req);
    ++*(e->write ? &d->stats.writes : &d->stats.reads);
    req->next = NULL;
    if (e->write)
        answers_push(&d->acks, req, now + 1);
    else
        e->req = req;
    ++(e->write ? d->write_filter : d->read_filter)[filter_slot(e->line)];
    entry_push(d, &d->reads, e);
}

static void accept(struct dram *d, cycle_t now)
{
    struct mem_req *req;
    while ((req = d->client->peek(d->client_self, now))) {
        bool write = mem_req_is_write(req);
        const struct dram_queue *q = write && !d->cfg.unified ? &d->writes : &d->reads;
        if (q->len == q->cap) {
            if (!d->is_full)
                d->full_since = now;
            d->is_full = true;
            return;
        }
        if (d->is_full) /* not tick by tick: who is ticked how often must not show */
            d->stats.full += now - d->full_since;
        d->is_full = false;
        d->client->pop(d->client_self, now);
        d->changed = true;
        d->move_blocked = false;
        mem_req_stamp(req, MEM_AT_DRAM_IN, now);
        struct dram_addr at = dram_map_locate(&d->map, req->addr);
        struct dram_entry e = {.line = req->addr & ~(addr_t)(d->cfg.access_bytes - 1),
                               .arrive = now,
                               .row = at.row,
                               .bank = (uint8_t)at.index,
                               .left = 1};
        if (d->cfg.queues == DRAM_QUEUES_SLOTS) {
            accept_for_slot(d, &e, req, now);
            return; /* one a cycle */
        }
        if (write)
            accept_write(d, &e, req, now);
        else
            accept_read(d, &e, req, now);
    }
}

static void bank_open(struct dram *d, struct dram_bank *b, const struct dram_entry *e)
{
    b->row = e->row;
    b->accesses = 0;
    b->hits = 0;
    const struct dram_queue *q = d->nqueues ? &d->queues[e->bank] : NULL;
    for (uint32_t i = 0; q && i < q->len; i++)
        b->hits += q->at[i].row == e->row;
}

static void bank_close(struct dram_bank *b)
{
    b->row = ROW_NONE;
    b->hits = b->accesses = 0;
}

/* The last access of `e` is on its way: the answer. */
static void column_answer(struct dram *d, const struct dram_entry *e, cycle_t at)
{
    --(e->write ? d->write_filter : d->read_filter)[filter_slot(e->line)];
    for (struct mem_req *r = e->write ? NULL : e->req; r; r = r->next)
        answers_push(&d->bursts, r, at);
}

/* A column command of `e` goes out and moves `n` accesses: statistics, the bank. */
static void column_issue(struct dram *d, struct dram_entry *e, uint32_t n, cycle_t now)
{
    struct dram_stats *st = &d->stats;
    struct dram_bank *b = &d->banks[e->bank];
    const uint32_t busy = n * (uint32_t)d->cfg.burst_cycles, hits = b->accesses ? n : n - 1;
    st->bus_busy += busy;
    if (d->cfg.queues == DRAM_QUEUES_SLOTS)
        slots_column(d, e, busy, now);
    *(e->write ? &st->wr : &st->rd) += n;
    *(e->write ? &st->wr_row_hits : &st->rd_row_hits) += hits;
    b->accesses += n;
    e->left = (uint8_t)(e->left - n);
    if (e->left)
        return;
    column_answer(d, e, now + (cycle_t)d->cfg.t_cl + busy);
    b->hits -= b->hits > 0;
}

/* Entry `index` of `q` has had its last command. */
static void entry_end(struct dram *d, struct dram_queue *q, uint32_t index, uint32_t bank)
{
    queue_remove(q, index);
    if (d->cfg.queues == DRAM_QUEUES_DIRECT)
        return;
    d->waiting--;
    d->busy_queues &= ~((uint64_t)!q->len << (q - d->queues));
    d->full_queues &= d->is_shared ? 0 : ~(1ull << bank);
}

void dram_issue(struct dram *d, const struct dram_pick *p, cycle_t now)
{
    struct dram_entry *e = &p->queue->at[p->index];
    const uint32_t bank = e->bank, row = e->row, whole = d->gates.accesses;
    const uint32_t moves = e->left < whole ? e->left : whole;
    struct dram_bank *b = &d->banks[bank];
    enum dram_cmd cmd = p->cmd;
    bool direct = d->cfg.queues == DRAM_QUEUES_DIRECT;
    d->changed = true;
    d->move_blocked = false;
    p->queue->retry = 0;
    p->queue->stale = true;
    if (command_class(cmd) == CLASS_COL) {
        column_issue(d, e, moves, now);
        if (d->cfg.page == DRAM_PAGE_CLOSED) {
            cmd = e->write ? DRAM_WRA : DRAM_RDA;
            bank_close(b);
        }
        if (!e->left)
            entry_end(d, p->queue, p->index, bank);
    } else if (cmd == DRAM_ACT) {
        d->stats.act++;
        bank_open(d, b, e);
        if (direct)
            direct_opened(d, p);
    } else {
        d->stats.pre++;
        bank_close(b);
    }
    if (direct) /* what one queue did may open what another waits for */
        d->reads.retry = d->writes.retry = d->opened.retry = 0;
    dram_gates_issue_part(&d->gates, cmd, moves, bank, now);
    probe_fire(d->probe, now, cmd, bank, row);
}

static uint64_t pc_mask(const struct dram *d, uint32_t pc)
{
    uint64_t banks = d->cfg.banks == 64 ? UINT64_MAX : (1ull << d->cfg.banks) - 1;
    return banks << (pc * (uint32_t)d->cfg.banks);
}

static void queues_wake(struct dram *d)
{
    d->reads.retry = d->writes.retry = d->opened.retry = 0;
    for (uint32_t i = 0; i < d->nqueues; i++) {
        d->queues[i].retry = 0;
        d->queues[i].stale = true;
    }
}

/* A due refresh closes its banks and goes as soon as it may; true when it used the command bus. */
static bool refresh_step(struct dram *d, uint32_t pc, cycle_t now)
{
    struct dram_refresh *r = &d->refresh[pc];
    if (now >= r->due) {
        r->due += (cycle_t)d->cfg.t_refi;
        r->waiting = true;
        d->refreshing |= pc_mask(d, pc);
    }
    if (!r->waiting)
        return false;
    uint32_t first = pc * (uint32_t)d->cfg.banks, last = first + (uint32_t)d->cfg.banks;
    bool closed = true;
    for (uint32_t i = first; i < last; i++) {
        if (d->banks[i].row == ROW_NONE)
            continue;
        closed = false;
        if (dram_gates_open(&d->gates, DRAM_PRE, i) > now)
            continue;
        probe_fire(d->probe, now, DRAM_PRE, i, d->banks[i].row);
        bank_close(&d->banks[i]);
        dram_gates_issue(&d->gates, DRAM_PRE, i, now);
        d->stats.pre++;
        return true;
    }
    if (!closed || dram_gates_open(&d->gates, DRAM_REF, first) > now)
        return false;
    dram_gates_issue(&d->gates, DRAM_REF, first, now);
    probe_fire(d->probe, now, DRAM_REF, first, 0);
    d->stats.ref++;
    r->waiting = false;
    d->refreshing &= ~pc_mask(d, pc);
    queues_wake(d);
    return true;
}

static bool pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p)
{
    switch ((enum dram_queues)d->cfg.queues) {
    case DRAM_QUEUES_DIRECT:
        return direct_pick(d, classes, now, p);
    case DRAM_QUEUES_SLOTS:
        return slots_pick(d, classes, now, p);
    default:
        return staged_pick(d, classes, now, p);
    }
}

/* One command, or with two buses one of each class. */
static void command_step(struct dram *d, cycle_t now)
{
    unsigned classes = CLASS_ANY;
    for (uint32_t pc = 0; pc < (uint32_t)d->cfg.pseudo_channels; pc++)
        if ((classes & CLASS_ROW) && refresh_step(d, pc, now)) {
            d->changed = true;
            classes = d->cfg.command_buses > 1 ? CLASS_COL : 0;
        }
    struct dram_pick p;
    for (int bus = 0; classes && bus < d->cfg.command_buses; bus++) {
        if (!pick(d, classes, now, &p))
            return;
        dram_issue(d, &p, now);
        classes &= ~(unsigned)command_class(p.cmd);
        if (d->cfg.command_buses == 1)
            return;
    }
}

static void answer_ring(struct dram *d, struct dram_answers *a, cycle_t now)
{
    while (a->head != a->tail && a->ring[a->head & a->mask].at <= now) {
        struct mem_req *req = a->ring[a->head & a->mask].req;
        if (d->client->ready && !d->client->ready(d->client_self, now))
            return;
        a->head++;
        d->changed = true;
        if (!mem_req_is_write(req)) {
            d->stats.reads_done++;
            hist_add(&d->stats.read_latency, now - req->at[MEM_AT_DRAM_IN]);
        }
        d->client->done(d->client_self, req, now);
    }
}

static cycle_t answers_next(const struct dram_answers *a)
{
    return a->head != a->tail ? a->ring[a->head & a->mask].at : CYCLE_NEVER;
}

static cycle_t earlier(cycle_t a, cycle_t b)
{
    return a < b ? a : b;
}

static cycle_t next_interest(const struct dram *d, cycle_t now)
{
    if (d->changed || d->refresh[0].waiting || d->refresh[1].waiting)
        return now + 1;
    cycle_t next = d->cfg.queues == DRAM_QUEUES_DIRECT  ? direct_retry(d)
                   : d->cfg.queues == DRAM_QUEUES_SLOTS ? d->slots_retry
                                                        : staged_retry(d);
    next = earlier(next, earlier(answers_next(&d->bursts), answers_next(&d->acks)));
    next = earlier(next, earlier(d->refresh[0].due, d->refresh[1].due));
    return next > now ? next : now + 1;
}

cycle_t dram_tick(struct dram *d, cycle_t now)
{
    bool staged = d->cfg.queues == DRAM_QUEUES_PER_BANK || d->cfg.queues == DRAM_QUEUES_SHARED;
    if (!d->started)
        d->first = now;
    d->started = true;
    d->changed = false;
    if (staged) {
        accept(d, now);
        command_step(d, now);
        staged_move(d);
    }
    answer_ring(d, &d->acks, now);
    answer_ring(d, &d->bursts, now);
    if (!staged) {
        if (d->cfg.queues == DRAM_QUEUES_DIRECT)
            direct_mode_update(d);
        else
            slots_fill(d);
        command_step(d, now);
        accept(d, now);
    }
    d->stats.cycles = now + 1 - d->first;
    return next_interest(d, now);
}

const struct dram_stats *dram_stats(const struct dram *d)
{
    return &d->stats;
}

void dram_add_probe(struct dram *d, struct probe *probe)
{
    probe_add(&d->probe, probe);
}

void dram_drop_probe(struct dram *d, struct probe *probe)
{
    probe_drop(&d->probe, probe);
}

void dram_dump(const struct dram *d, FILE *out)
{
    fprintf(out, "  entry queues: %u reads, %u writes; %u in command queues; %u answers wait\n",
            d->reads.len, d->writes.len, d->waiting + d->opened.len,
            d->bursts.tail - d->bursts.head + d->acks.tail - d->acks.head);
    for (uint32_t i = 0; i < d->nbanks; i++)
        if (d->banks[i].row != ROW_NONE)
            fprintf(out, "  bank %u: row %u open, %u accesses\n", i, d->banks[i].row,
                    d->banks[i].accesses);
}
