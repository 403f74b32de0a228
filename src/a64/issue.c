/* Issue: an instruction goes at the first cycle at which it is next, has arrived, a slot and its
 * unit are free and its operands are ready, as far as their credit lets it. Cycles without an
 * instruction are counted by what held the next one. */
#include "a64/core_int.h"

/* When an instruction issues (CORE_UNKNOWN: not known), and the statistic that says why no earlier.
 */
struct held {
    cycle_t until;
    uint64_t *why;
};

static inline void hold(struct held *h, cycle_t until, uint64_t *why)
{
    if (until > h->until)
        *h = (struct held){until, why};
}

/* --- operands --- */

/* Statistics by number, so that tables can say which. */
#define STAT(name) offsetof(struct a64_core_stats, name) / sizeof(uint64_t)

static inline uint64_t *stat_at(struct a64_core *c, unsigned number)
{
    return (uint64_t *)&c->stats + number;
}

static inline uint64_t *wait_for(struct a64_core *c, unsigned maker)
{
    static const uint8_t by_maker[] = {[A64_BY_ALU] = STAT(stall_operand_int),
                                       [A64_BY_MUL] = STAT(stall_operand_int),
                                       [A64_BY_LOAD] = STAT(stall_operand_load),
                                       [A64_BY_FP] = STAT(stall_operand_fp),
                                       [A64_BY_LOOKUP] = STAT(stall_memo_wait)};
    return stat_at(c, by_maker[maker]);
}

static inline void hold_operands(struct a64_core *c, const struct a64_op *op, struct held *h)
{
    const struct core_issue *s = &c->issue;
    const unsigned n = op->uses.nreads;
    for (unsigned k = 0; k < n; k++) {
        const struct core_value *v = &s->values[op->uses.reads[k]];
        if (LIKELY(v->ready <= h->until))
            continue;
        const bool has_credit = !(op->strict >> v->maker & 1) && v->ready != CORE_UNKNOWN;
        const cycle_t credit = has_credit ? op->credit[k] : 0;
        if (v->ready > h->until + credit)
            hold(h, v->ready - credit, wait_for(c, v->maker));
    }
}

/* --- special conditions --- */

static bool has_room(const struct a64_core *c, const struct a64_op *op)
{
    return core_lsu_has_room(c) &&
           !(op->uses.is_store && c->lsu.nstores >= (unsigned)c->cfg.store_buffer);
}

static void hold_special(struct a64_core *c, const struct core_record *r, struct held *h)
{
    const struct a64_op *op = r->op;
    if (op->special == A64_BARRIER && (c->lsu.nloads || c->lsu.nstores))
        hold(h, CORE_UNKNOWN, NULL);
    if (op->special < A64_INPUT || r->is_off)
        return;
    if (c->issue.lookup.is_used)
        hold(h, CORE_UNKNOWN, NULL);
    if (op->special == A64_INPUT)
        hold(h, memo_time_room(&c->memo_time), &c->stats.stall_memo_queue);
}

/* When the instruction can go, by all that is known. */
static inline struct held held_until(struct a64_core *c, const struct core_record *r)
{
    const struct core_issue *s = &c->issue;
    const bool is_full = s->slots >= (unsigned)c->cfg.issue;
    struct held h = {s->behind ? s->behind - !is_full : 0, &c->stats.stall_unit};
    if (r->arrives > h.until)
        hold(&h, r->arrives, r->was_wrong ? &c->stats.stall_mispredict : &c->stats.stall_front);
    hold(&h, s->held, &c->stats.stall_memo_queue);
    hold_operands(c, r->op, &h);
    hold(&h, s->unit[r->op->unit], &c->stats.stall_unit);
    if (r->op->special >= A64_BARRIER)
        hold_special(c, r, &h);
    return h;
}

/* A load or store goes with the clock, when all that came before is known: what it finds full
 * holds it. */
static bool goes_now(struct a64_core *c, const struct core_record *r, struct held *h)
{
    if (h->until == CORE_UNKNOWN)
        return false;
    if (h->until > c->now) {
        c->issue.is_late = c->front.issued + 1;
        c->wake = c->issue.late_until = h->until;
        return false;
    }
    if (!has_room(c, r->op)) {
        c->lsu.was_full = true;
        return false;
    }
    if (h->until < c->now) {
        h->until = c->now;
        h->why = !c->lsu.was_full       ? &c->stats.stall_front
                 : r->op->uses.is_store ? &c->stats.stall_store_buffer
                                        : &c->stats.stall_memory_queue;
    }
    c->lsu.was_full = false;
    return true;
}

/* --- results --- */

static inline void write_register(struct core_issue *s, unsigned reg, cycle_t ready, unsigned maker)
{
    s->values[reg] = (struct core_value){.ready = ready, .maker = (uint8_t)maker};
}

static void finish_lookup(struct a64_core *c, const struct a64_op *op, cycle_t issue,
                          enum memo_answer answer)
{
    const cycle_t start = memo_time_start(&c->memo_time, 0, op->lut, issue);
    struct core_lookup *l = &c->issue.lookup;
    *l = (struct core_lookup){.op = op,
                              .issue = issue,
                              .answer = (uint8_t)answer,
                              .is_used = start == MEMO_UNKNOWN && answer != MEMO_OFF};
    const cycle_t ready =
        l->is_used ? CORE_UNKNOWN : memo_time_lookup(&c->memo_time, start, issue, answer);
    for (unsigned k = 0; k < op->uses.nwrites; k++)
        write_register(&c->issue, op->uses.writes[k], ready, A64_BY_LOOKUP);
}

void core_loaded(struct a64_core *c, unsigned load, cycle_t ready)
{
    struct core_issue *s = &c->issue;
    const struct core_load *l = &c->lsu.loads[load];
    for (unsigned k = 0; k < l->op->uses.nwrites; k++) {
        struct core_value *v = &s->values[l->op->uses.writes[k]];
        if (v->owner == load + 1) {
            v->ready = ready;
            v->owner = 0;
        }
    }
    if (!l->input)
        return;
    memo_time_enter(&c->memo_time, l->input - 1, ready);
    if (s->lookup.is_used)
        finish_lookup(c, s->lookup.op, s->lookup.issue, (enum memo_answer)s->lookup.answer);
}

static void do_memo(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    const struct a64_op *op = r->op;
    if (op->special == A64_LOOKUP)
        finish_lookup(c, op, at, (enum memo_answer)r->answer);
    else if (r->is_off)
        return;
    else if (op->special == A64_INPUT && !op->uses.mode)
        memo_time_push(&c->memo_time, 0, op->lut, op->uses.bytes, at + 1, at);
    else if (op->special == A64_UPDATE)
        memo_time_update(&c->memo_time, at);
    else if (op->special == A64_INVALIDATE)
        c->issue.held = at + memo_time_invalidate(&c->memo_time);
}

/* Registers that are written when the instruction's latency is over. */
static inline void write_results(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    const struct a64_op *op = r->op;
    const unsigned n = op->uses.nwrites;
    const cycle_t ready = at + op->latency + r->steps;
    for (unsigned k = op->results; k < n; k++)
        write_register(&c->issue, op->uses.writes[k], ready,
                       op->alu_writes >> k & 1 ? A64_BY_ALU : op->maker);
}

static inline void count_slot(struct a64_core *c, cycle_t at, uint64_t *why)
{
    struct core_issue *s = &c->issue;
    if (at + 1 == s->behind) {
        s->slots++;
        return;
    }
    *why += at - s->behind;
    c->stats.issue_cycles++;
    c->stats.cycles = s->behind = at + 1;
    s->slots = 1;
}

static inline void count_class(struct a64_core *c, const struct a64_op *op)
{
    static const uint8_t by_class[A64_CLASSES] = {
        [A64_ALU] = STAT(inst_alu),       [A64_MUL] = STAT(inst_mul),
        [A64_DIV] = STAT(inst_div),       [A64_LOAD] = STAT(inst_load),
        [A64_STORE] = STAT(inst_store),   [A64_BRANCH] = STAT(inst_branch),
        [A64_SYSTEM] = STAT(inst_system), [A64_FP] = STAT(inst_fp),
        [A64_FP_MUL] = STAT(inst_fp_mul), [A64_FP_DIV] = STAT(inst_fp_div),
        [A64_SIMD] = STAT(inst_simd),     [A64_MEMO] = STAT(inst_memo)};
    c->stats.inst++;
    ++*stat_at(c, by_class[op->class]);
}

static void do_special(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    c->stats.memo_loads += r->op->special == A64_INPUT && r->op->uses.mode;
    if (r->op->special >= A64_INPUT)
        do_memo(c, r, at);
    else if (c->watch && (r->op->special == A64_BEGIN || r->op->special == A64_END))
        c->watch(c->watch_ctx, r->op->special == A64_BEGIN);
}

static void do_event(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    c->stats.memo_branches += r->is_memo_branch;
    if (r->op->special)
        do_special(c, r, at);
    if (r->is_redirect)
        core_redirect(c, r, at);
}

/* The next instruction; false: it waits. */
static inline bool issue(struct a64_core *c)
{
    struct core_front *f = &c->front;
    const struct core_record *r = &f->window[f->issued % CORE_WINDOW];
    const struct a64_op *op = r->op;
    if (UNLIKELY(c->issue.is_late == f->issued + 1) && c->issue.late_until > c->now) {
        c->wake = c->issue.late_until; /* nothing else can hold it: it was all known */
        return false;
    }
    struct held h = held_until(c, r);
    if (op->uses.mode ? !goes_now(c, r, &h) : h.until == CORE_UNKNOWN)
        return false;
    if (UNLIKELY(h.until > c->now + CORE_AHEAD)) {
        c->wake = h.until;
        return false;
    }
    count_slot(c, h.until, h.why);
    count_class(c, op);
    c->issue.unit[op->unit] = h.until + op->busy;
    write_results(c, r, h.until);
    if (op->uses.mode)
        core_lsu_issue(c, r);
    if (op->is_eventful)
        do_event(c, r, h.until);
    if (UNLIKELY(c->observe != NULL))
        c->observe(c->observe_ctx, r->pc, h.until, op);
    f->issues[f->issued++ % CORE_WINDOW] = h.until;
    return true;
}

bool core_issue(struct a64_core *c)
{
    const uint64_t before = c->front.issued;
    while (c->front.issued != c->front.fetched && issue(c))
        ;
    return c->front.issued != before;
}
