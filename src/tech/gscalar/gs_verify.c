/* --verify: the arrays as the hardware would have them, what metadata make of them each time that a
 * register is read, and the results of all lanes that one has stood for. */
#include "exec/warp.h"
#include "mem/breach.h"
#include "tech/gscalar/gscalar_int.h"

/* Bytes that are not stored are not what they would be: whoever reads them is found out. */
void gs_verify_written(const struct gs_form *form, const struct gs_slot *s, uint32_t at,
                       const uint32_t *lane, uint32_t mask)
{
    const bool is_raw = s->regs[at].flags & GS_DIVERGENT;
    struct gs_cells *c = &s->cells[at];
    FOR_LANES (l, mask)
        c->lane[l] = is_raw ? lane[l] : form->put(&s->bases[at], l, lane[l], ~lane[l]);
    c->known |= mask;
}

static void differs(struct gs_sm *m, const struct gs_func *f, const struct xinst *x, uint32_t reg,
                    unsigned lane, const char *what)
{
    char name[64];
    breach_note(m->breach, SEAM_registers, "--verify: line %u (%s), register %s, lane %u: %s",
                x->src->line, x->src->text, ptx_reg_text(f->fn->fn->src, reg, name, sizeof name),
                lane, what);
}

/* --- sources --- */

static void verify_word(struct gs_sm *m, const struct gs_slot *s, const struct gs_func *f,
                        const struct gs_operand *op, const struct xinst *x, const uint32_t *lane,
                        unsigned k, uint32_t mask)
{
    const struct gs_reg *r = &s->regs[op->at + k];
    const struct gs_cells *c = &s->cells[op->at + k];
    FOR_LANES (l, mask & c->known) {
        const uint32_t got = r->flags & GS_DIVERGENT
                                 ? c->lane[l]
                                 : m->design->form->get(&s->bases[op->at + k], l, c->lane[l]);
        if (got != lane[l]) {
            differs(m, f, x, op->reg, l, "arrays and metadata do not give its value");
            return;
        }
    }
    if (!(r->flags & GS_DIVERGENT) || !r->scalar || r->mask != mask)
        return;
    const struct gs_view v = gs_view(lane, mask);
    if (gs_view_differ(&v))
        differs(m, f, x, op->reg, (unsigned)__builtin_ctz(mask),
                "metadata say that it has one value in these lanes");
}

void gs_verify_sources(void *self, struct sm *sm, unsigned slot, struct warp *w,
                       const struct dinst *d)
{
    struct gs_sm *m = self;
    const struct gs_slot *s = &m->slots[slot];
    const struct gs_func *f = gs_slot_look(s, d->fn, (uint32_t)(w->base[LANE_REGS] - w->regs));
    const uint32_t mask = gs_next_lanes(w, d->x);
    uint32_t room[WARP_LANES];
    (void)sm;
    if (!f || !mask)
        return; /* all of it is unknown */
    const struct gs_inst *i = &f->code[d - d->fn->code];
    for (unsigned j = 0; j < i->nsrc; j++)
        for (unsigned k = 0; k < i->src[j].words; k++)
            verify_word(m, s, f, &i->src[j], d->x,
                        gs_words(&f->refs[i->src[j].reg], w->base, k, room), k, mask);
}

/* --- results --- */

static void verify_lanes(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op,
                         uint32_t mask)
{
    uint32_t room[WARP_LANES];
    bool differ = false;
    if (!op->words) {
        const uint32_t p = lane_pred(&s->f->refs[op->reg], s->e->base) & mask;
        differ = p && p != mask;
    }
    for (unsigned k = 0; k < op->words; k++) {
        const struct gs_view v = gs_view(gs_words(&s->f->refs[op->reg], s->e->base, k, room), mask);
        differ |= gs_view_differ(&v) != 0;
    }
    if (differ)
        differs(m, s->f, s->e->d->x, op->reg, (unsigned)__builtin_ctz(mask),
                "one lane was executed for others, which have other results");
}

/* A value and a step, of 32 or 64 bits. */
static void verify_steps(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    const struct lane_ref *r = &s->f->refs[op->reg];
    const uint64_t bits = r->bytes < 8 ? UINT32_MAX : UINT64_MAX;
    const uint64_t first = lane_u64(r, s->e->base, 0), step = lane_u64(r, s->e->base, 1) - first;
    FOR_LANES (l, s->mask)
        if ((lane_u64(r, s->e->base, l) ^ (first + l * step)) & bits) {
            differs(m, s->f, s->e->d->x, op->reg, l, "two lanes do not give its value");
            return;
        }
}

void gs_verify_results(struct gs_sm *m, const struct gs_seen *s)
{
    for (unsigned k = 0; k < s->i->ndst; k++) {
        const struct gs_operand *op = &s->i->dst[k];
        if (s->bits & GS_FULL) {
            verify_lanes(m, s, op, s->mask);
            continue;
        }
        if (s->bits == GS_STEPS)
            verify_steps(m, s, op);
        if (s->bits & GS_LOW)
            verify_lanes(m, s, op, HALF_MASK);
        if (s->bits & GS_HIGH)
            verify_lanes(m, s, op, ~(uint32_t)HALF_MASK);
    }
}
