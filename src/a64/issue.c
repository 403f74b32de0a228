/* Issue: an instruction goes at the first cycle at which it is next, has arrived, a slot and its
 * unit are free and its operands are ready, as far as their credit lets it. Cycles without an
 * instruction are counted by what held the next one. */
#include "a64/core_int.h"

/* Why an instruction issues no earlier. */
struct held {
    cycle_t until;
    uint64_t *why;
    bool is_unknown;
};

static void hold(struct held *h, cycle_t until, uint64_t *why)
{
    if (until == CORE_UNKNOWN) {
        h->is_unknown = true;
    } else if (until > h->until) {
        h->until = until;
        h->why = why;
    }
}

/* --- operands --- */

static uint64_t *wait_for(struct a64_core *c, unsigned reg)
{
    switch ((enum a64_maker)c->issue.maker[reg]) {
    case A64_BY_LOAD:
        return &c->stats.stall_operand_load;
    case A64_BY_FP:
        return &c->stats.stall_operand_fp;
    case A64_BY_LOOKUP:
        return &c->stats.stall_memo_wait;
    default:
        return &c->stats.stall_operand_int;
    }
}

static void hold_operands(struct a64_core *c, const struct a64_op *op, struct held *h)
{
    const struct core_issue *s = &c->issue;
    for (unsigned k = 0; k < op->uses.nreads; k++) {
        const unsigned reg = op->uses.reads[k];
        const cycle_t ready = s->ready[reg];
        if (ready <= h->until)
            continue;
        if (ready == CORE_UNKNOWN) {
            h->is_unknown = true;
            return;
        }
        const bool is_strict = op->strict >> s->maker[reg] & 1 || s->maker[reg] == A64_BY_LOOKUP;
        const cycle_t credit = is_strict ? 0 : op->credit[k];
        hold(h, ready > credit ? ready - credit : 0, wait_for(c, reg));
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
static struct held held_until(struct a64_core *c, const struct core_record *r)
{
    struct core_issue *s = &c->issue;
    struct held h = {0};
    if (s->has_issued)
        h.until = s->slots < (unsigned)c->cfg.issue ? s->last : s->last + 1;
    h.why = &c->stats.stall_unit;
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
    if (h->is_unknown)
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

static void write_register(struct core_issue *s, unsigned reg, cycle_t ready, unsigned maker)
{
    s->ready[reg] = ready;
    s->maker[reg] = (uint8_t)maker;
    s->owner[reg] = 0;
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
        const unsigned reg = l->op->uses.writes[k];
        if (s->owner[reg] == load + 1) {
            s->ready[reg] = ready;
            s->owner[reg] = 0;
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
static void write_results(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    const struct a64_op *op = r->op;
    for (unsigned k = 0; k < op->uses.nwrites; k++) {
        const bool is_base = op->alu_writes >> k & 1;
        if (!op->uses.mode || is_base || op->uses.is_store)
            write_register(&c->issue, op->uses.writes[k], at + op->latency + r->steps,
                           is_base ? A64_BY_ALU : op->maker);
    }
}

static void count_slot(struct a64_core *c, cycle_t at, uint64_t *why)
{
    struct core_issue *s = &c->issue;
    if (s->has_issued && at == s->last) {
        s->slots++;
        return;
    }
    const cycle_t next = s->has_issued ? s->last + 1 : 0;
    *why += at - next;
    c->stats.issue_cycles++;
    s->last = at;
    s->slots = 1;
    s->has_issued = true;
    c->stats.cycles = at + 1;
}

static void count_class(struct a64_core *c, const struct core_record *r)
{
#define AT(name) offsetof(struct a64_core_stats, inst_##name) / sizeof(uint64_t)
    static const uint8_t by_class[A64_CLASSES] = {
        [A64_ALU] = AT(alu),       [A64_MUL] = AT(mul),     [A64_DIV] = AT(div),
        [A64_LOAD] = AT(load),     [A64_STORE] = AT(store), [A64_BRANCH] = AT(branch),
        [A64_SYSTEM] = AT(system), [A64_FP] = AT(fp),       [A64_FP_MUL] = AT(fp_mul),
        [A64_FP_DIV] = AT(fp_div), [A64_SIMD] = AT(simd),   [A64_MEMO] = AT(memo)};
#undef AT
    c->stats.inst++;
    ((uint64_t *)&c->stats)[by_class[r->op->class]]++;
    c->stats.memo_branches += r->is_memo_branch;
    c->stats.memo_loads += r->op->special == A64_INPUT && r->op->uses.mode;
}

static void do_special(struct a64_core *c, const struct core_record *r, cycle_t at)
{
    if (r->op->special >= A64_INPUT)
        do_memo(c, r, at);
    else if (c->watch && (r->op->special == A64_BEGIN || r->op->special == A64_END))
        c->watch(c->watch_ctx, r->op->special == A64_BEGIN);
}

bool core_issue_one(struct a64_core *c)
{
    struct core_front *f = &c->front;
    if (f->issued == f->fetched)
        return false;
    const struct core_record *r = &f->window[f->issued % CORE_WINDOW];
    if (c->issue.is_late == f->issued + 1 && c->issue.late_until > c->now) {
        c->wake = c->issue.late_until; /* nothing else can hold it: it was all known */
        return false;
    }
    struct held h = held_until(c, r);
    if (r->op->uses.mode ? !goes_now(c, r, &h) : h.is_unknown)
        return false;
    if (h.until > c->now + CORE_AHEAD) {
        c->wake = h.until;
        return false;
    }
    count_slot(c, h.until, h.why);
    count_class(c, r);
    c->issue.unit[r->op->unit] = h.until + (r->op->unit == A64_UNIT_ALU ? 0 : r->op->busy);
    write_results(c, r, h.until);
    if (r->op->uses.mode)
        core_lsu_issue(c, r);
    if (r->op->special)
        do_special(c, r, h.until);
    if (r->is_redirect)
        core_redirect(c, r, h.until);
    if (c->observe)
        c->observe(c->observe_ctx, r->pc, h.until, r->op);
    f->issues[f->issued++ % CORE_WINDOW] = h.until;
    return true;
}
