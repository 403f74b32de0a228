/* Loads and stores on their way: the queue in front of the data cache, misses, the store buffer,
 * the prefetcher. */
#include "a64/core_int.h"

bool core_lsu_has_room(const struct a64_core *c)
{
    return c->lsu.nmisses < (unsigned)c->cfg.misses && c->lsu.len + 2 <= CORE_QUEUE &&
           c->lsu.nloads < CORE_LOADS;
}

static void queue_access(struct core_lsu *u, uint64_t line, unsigned load, bool is_whole)
{
    u->queue[(u->head + u->len++) % CORE_QUEUE] =
        (struct core_access){.line = line, .load = (uint8_t)load, .is_whole = is_whole};
}

/* --- the prefetcher --- */

static void look_ahead(struct a64_core *c, const struct core_record *r)
{
    struct core_lsu *u = &c->lsu;
    uint64_t lines[CORE_PREFETCH];
    const unsigned n = stride_load(&u->stride, r->pc, r->lines[0], lines);
    for (unsigned k = 0; k < n && u->nahead < (unsigned)c->cfg.prefetch_queue; k++)
        if ((lines[k] ^ r->lines[0]) < IMAGE_PAGE) /* physical: not beyond the page */
            u->ahead[u->nahead++] = lines[k] & -(uint64_t)c->line_bytes;
}

/* --- issue --- */

void core_lsu_issue(struct a64_core *c, const struct core_record *r)
{
    struct core_lsu *u = &c->lsu;
    const struct a64_op *op = r->op;
    if (op->uses.is_store) {
        u->nstores += r->nlines;
        for (unsigned k = 0; k < r->nlines; k++)
            queue_access(u, r->lines[k], CORE_LOADS, op->uses.mode == A64_LINE);
        return;
    }
    const unsigned load =
        (unsigned)__builtin_ctzll(~u->used); /* there is one: nloads < CORE_LOADS */
    u->nloads++;
    u->used |= UINT64_C(1) << load;
    u->loads[load] = (struct core_load){.op = op, .left = r->nlines};
    for (unsigned k = 0; k < r->nlines; k++)
        queue_access(u, r->lines[k], load, false);
    for (unsigned k = 0; k < op->results; k++)
        c->issue.values[op->uses.writes[k]] = (struct core_value){
            .ready = CORE_UNKNOWN, .maker = A64_BY_LOAD, .owner = (uint8_t)(load + 1)};
    if (op->special == A64_INPUT && !r->is_off)
        u->loads[load].input =
            1 + memo_time_push(&c->memo_time, 0, op->lut, op->uses.bytes, MEMO_UNKNOWN, c->now);
    if (c->cfg.prefetch_degree)
        look_ahead(c, r);
}

/* --- the cache's side --- */

static void load_done(struct a64_core *c, unsigned load, cycle_t now)
{
    struct core_lsu *u = &c->lsu;
    struct core_load *l = &u->loads[load];
    if (--l->left)
        return;
    u->nmisses -= l->is_miss;
    u->nloads--;
    u->used &= ~(UINT64_C(1) << load);
    core_loaded(c, load, now + (cycle_t)(l->is_miss ? c->timing.load_fill : c->timing.load_hit));
}

/* Loads that were looked up and are not done have missed. */
static void note_misses(struct a64_core *c, cycle_t now)
{
    struct core_lsu *u = &c->lsu;
    for (uint64_t rest = u->used; rest; rest &= rest - 1) {
        struct core_load *l = &u->loads[__builtin_ctzll(rest)];
        if (!l->is_miss && l->due && l->due <= now) {
            l->is_miss = true;
            u->nmisses++;
        }
    }
}

void core_lsu_collect(struct a64_core *c, cycle_t now)
{
    struct core_lsu *u = &c->lsu;
    uint32_t token;
    u->is_stirred |= now >= u->due;
    if (u->is_stirred) {
        l1_tick(u->l1d, now);
        while (l1_pop_done(u->l1d, now, &token))
            load_done(c, token, now);
        while (l1_pop_ack(u->l1d, now, &token))
            u->nstores--;
    }
    if (u->nloads > u->nmisses)
        note_misses(c, now);
}

static bool submit(struct a64_core *c, cycle_t now, uint64_t line, const struct core_access *a)
{
    struct l1 *l1 = c->lsu.l1d;
    if (!l1_can_accept(l1, now, line))
        return false;
    const bool is_store = a && a->load == CORE_LOADS;
    l1_submit(l1, now,
              &(struct l1_access){.addr = line,
                                  .bytes = c->line_bytes,
                                  .sectors = 1,
                                  .full = a && a->is_whole,
                                  .kind = is_store ? MEM_WRITE : MEM_READ,
                                  .space = MEM_GLOBAL,
                                  .is_prefetch = !a,
                                  .token = a ? a->load : 0});
    c->lsu.is_stirred = true;
    return true;
}

void core_lsu_submit(struct a64_core *c, cycle_t now)
{
    struct core_lsu *u = &c->lsu;
    if (u->len) {
        const struct core_access *a = &u->queue[u->head];
        if (!submit(c, now, a->line, a))
            return;
        if (a->load < CORE_LOADS)
            u->loads[a->load].due = now + c->l1d_latency;
        u->head = (u->head + 1) % CORE_QUEUE;
        u->len--;
    } else if (u->nahead && submit(c, now, u->ahead[0], NULL)) {
        c->stats.prefetches++;
        for (unsigned k = 1; k < u->nahead; k++)
            u->ahead[k - 1] = u->ahead[k];
        u->nahead--;
    }
}

cycle_t core_lsu_next(struct a64_core *c, cycle_t now)
{
    struct core_lsu *u = &c->lsu;
    if (u->is_stirred) {
        u->due = l1_next(u->l1d, now);
        u->is_stirred = false;
    }
    return u->due;
}
