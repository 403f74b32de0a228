/* An instruction that was executed: how many lanes had to, and what its results' metadata become.
 */
#include "exec/grid.h"
#include "exec/warp.h"
#include "tech/gscalar/gscalar_int.h"

/* --- results --- */

/* Returns the bytes that the register takes. */
static unsigned write_words(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    uint32_t room[WARP_LANES];
    unsigned bytes = 0;
    for (unsigned k = 0; k < op->words; k++) {
        const uint32_t at = op->at + k, *lane = gs_words(&s->f->refs[op->reg], s->e->base, k, room);
        if (s->is_one && !s->is_divergent) {
            gs_slot_write_scalar(s->slot, at, lane, s->mask);
            bytes += sizeof *lane;
        } else {
            bytes += gs_slot_write(m, s->slot, at, lane, s->mask, s->e->all);
        }
    }
    return bytes;
}

/* A result that will be there later: of an atomic, when a call returns, or other lanes come. */
static unsigned write_unknown(const struct gs_seen *s, const struct gs_operand *op)
{
    for (unsigned k = 0; k < op->words; k++) {
        gs_slot_forget(s->slot, op->at + k);
        s->slot->regs[op->at + k].flags = s->is_divergent || s->i->is_call ? GS_DIVERGENT : 0;
    }
    return (unsigned)sizeof(uint32_t) * WARP_LANES * op->words;
}

static void write_predicate(const struct gs_seen *s, const struct gs_operand *op)
{
    struct gs_reg *r = &s->slot->regs[op->at];
    r->mask = lane_pred(&s->f->refs[op->reg], s->e->base);
    r->flags = s->is_late ? 0 : GS_KNOWN;
}

static void write_carry(const struct gs_seen *s)
{
    s->slot->carry = lane_pred(&s->f->fn->fn->cc, s->e->base);
    s->slot->knows_carry = true;
}

/* Returns the bytes that the register takes; a predicate has none. */
static unsigned write_values(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    if (op->words)
        return s->is_late ? write_unknown(s, op) : write_words(m, s, op);
    write_predicate(s, op);
    return 0;
}

static void write_operand(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    m->stats.moves_dead += op->words && s->is_divergent && gs_slot_is_packed(s->slot, op);
    const unsigned bytes = write_values(m, s, op);
    if (op->words && !s->i->is_call)
        gs_count_written(m, s, op, bytes);
}

/* --- the instruction --- */

static void count_gated(struct gs_sm *m, const struct gs_seen *s, unsigned executed)
{
    const unsigned gated = lanes_in(s->mask) - executed;
    m->stats.lanes_gated += gated;
    m->stats.sfu_lanes_gated += s->i->unit == UNIT_SFU ? gated : 0;
    m->stats.dp_lanes_gated += s->i->unit == UNIT_DP ? gated : 0;
}

static bool has_pipe(const struct gs_sm *m, unsigned unit)
{
    static const unsigned uses[UNITS] = {[UNIT_SP] = GS_USE_SP,
                                         [UNIT_SFU] = GS_USE_SFU,
                                         [UNIT_DP] = GS_USE_SFU,
                                         [UNIT_MEM] = GS_USE_MEM};
    return m->design->uses & uses[unit];
}

static void execute_by_one(struct gs_sm *m, struct gs_seen *s)
{
    struct gscalar_stats *st = &m->stats;
    if (s->is_divergent && !(m->design->uses & GS_USE_DIVERGENT))
        return;
    s->is_one = true;
    s->bits = GS_FULL;
    ++*(s->is_divergent          ? &st->divergent_scalar
        : s->i->unit == UNIT_MEM ? &st->mem_scalar
        : s->i->unit == UNIT_SFU ? &st->sfu_scalar
                                 : &st->alu_scalar);
    count_gated(m, s, 1);
}

/* By lanes of each half, or by two that have the first value and the step. */
static void execute_by_some(struct gs_sm *m, struct gs_seen *s, unsigned bits)
{
    const unsigned halves = bits & (GS_LOW | GS_HIGH);
    const bool is_whole = s->e->all == UINT32_MAX && (m->design->uses & GS_USE_HALF);
    if (UNLIKELY((bits & GS_STEPS) && m->g->cfg->affine) && halves != (GS_LOW | GS_HIGH) &&
        lanes_in(s->mask) > 2 && gs_affine_can(s)) {
        s->bits = GS_STEPS;
        m->stats.affine++;
        count_gated(m, s, 2);
    } else if (halves && is_whole) {
        s->bits = halves;
        m->stats.half_scalar++;
        count_gated(m, s,
                    (halves & GS_LOW ? 1u : HALF_LANES) + (halves & GS_HIGH ? 1u : HALF_LANES));
    }
}

/* What it is executed as, of what `bits` allow. */
static void execute(struct gs_sm *m, struct gs_seen *s, unsigned bits)
{
    if (!bits || !has_pipe(m, s->i->unit))
        return;
    if (bits & GS_FULL)
        execute_by_one(m, s);
    else if (!s->is_divergent)
        execute_by_some(m, s, bits);
}

static void note_lateness(struct gs_seen *s)
{
    const bool waits = UNLIKELY(s->i->can_wait) && gs_lanes_wait(s->e->w, s->mask);
    s->slot->is_waiting |= waits;
    s->is_late = waits || s->e->is_deferred || s->i->is_call;
}

static void note_instruction(struct gs_sm *m, struct gs_seen *s)
{
    const uint64_t gated = m->stats.lanes_gated;
    const unsigned bits = gs_judge(m, s);
    execute(m, s, bits);
    if (UNLIKELY(s->slot->wide != NULL))
        gs_wide_note(m, s, bits);
    if (UNLIKELY(m->g->verify && s->bits))
        gs_verify_results(m, s);
    gs_count_decoded(m, s);
    note_lateness(s);
    for (unsigned k = 0; k < s->i->ndst; k++)
        write_operand(m, s, &s->i->dst[k]);
    if (s->i->writes_carry)
        write_carry(s);
    if (UNLIKELY(m->carry != NULL))
        gs_carry_note(m, s);
    if (UNLIKELY(m->g->lines != NULL))
        gs_lines_note(m, s, m->stats.lanes_gated - gated);
    if (UNLIKELY(s->i->is_call))
        gs_slot_call(m, s->slot, s->e);
}

/* A special move of this SM. */
static void note_move(struct gs_sm *m, const struct rf_event *e)
{
    const struct gs_operand *op = ((const struct gs_move *)(const void *)e->d)->op;
    struct gs_slot *slot = &m->slots[e->slot];
    gs_count_move(m, slot, op);
    for (unsigned k = 0; k < op->words; k++)
        gs_slot_unpack(m, slot, op->at + k, e->all);
}

static struct gs_seen see(struct gs_sm *m, const struct rf_event *e)
{
    struct gs_slot *slot = &m->slots[e->slot];
    const uint32_t mask = e->d->flags & DINST_CONTROL ? e->active : e->mask;
    struct gs_seen s = {.e = e, .slot = slot, .mask = mask, .is_divergent = mask != e->all};
    s.f = gs_slot_enter(slot, e->d->fn, (uint32_t)(e->base[LANE_REGS] - e->w->regs));
    s.i = &s.f->code[e->d - e->d->fn->code];
    if (UNLIKELY(slot->is_waiting))
        gs_slot_met(slot, e->w);
    return s;
}

/* Metadata follow the values, uncounted: whoever reads them names what they were made of. */
void gs_folded(void *self, const struct rf_event *e)
{
    struct gs_sm *m = self;
    struct gs_seen s = see(m, e);
    if (!s.mask)
        return;
    note_lateness(&s);
    for (unsigned k = 0; k < s.i->ndst; k++)
        write_values(m, &s, &s.i->dst[k]);
    if (s.i->writes_carry)
        write_carry(&s);
}

void gs_cost(void *self, const struct rf_event *e, struct rf_cost *cost)
{
    struct gs_sm *m = self;
    cost->hold += m->hold;
    cost->enter += m->enter;
    cost->write += e->d->ndst ? m->write : 0;
    m->in_bank = 0;
    m->is_one = false;
    if (e->is_extra) {
        if (e->d->by == m->g)
            note_move(m, e);
        return;
    }
    struct gs_seen s = see(m, e);
    m->stats.inst++;
    m->stats.divergent += s.is_divergent;
    if (s.mask)
        note_instruction(m, &s);
    m->is_one = s.is_one;
}

uint32_t gs_bank(void *self, const struct rf_event *e, unsigned k, uint32_t bank)
{
    const struct gs_sm *m = self;
    (void)e;
    return m->in_bank >> k & 1 ? m->bank : bank;
}

void gs_waited(void *self, unsigned bank, uint32_t operands)
{
    struct gs_sm *m = self;
    m->stats.bank_waits += bank == m->bank ? operands : 0;
}

void gs_start(void *self, unsigned slot, const struct warp *w, uint32_t registers)
{
    struct gs_sm *m = self;
    const struct kernel_plan *p = kernel_plans_find(m->g->plans, w->grid->kernel);
    (void)registers;
    gs_slot_start(&m->slots[slot], (const struct gs_plan *)p, m->g);
    if (m->g->cfg->wide)
        gs_wide_start(m, slot, w);
}

void gs_end(void *self, unsigned slot)
{
    struct gs_sm *m = self;
    if (m->slots[slot].wide)
        gs_wide_end(m, slot);
    m->slots[slot].plan = NULL;
}
