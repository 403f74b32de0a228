/* Whether an instruction's sources are the same in all lanes, as the hardware can know it: by
 * metadata of registers, by the kind of everything else. */
#include "exec/grid.h"
#include "exec/warp.h"
#include "tech/gscalar/gscalar_int.h"

/* Of which of the lanes the register has one value. */
static unsigned scalar_in(struct gs_sm *m, const struct gs_seen *s, const struct gs_reg *r)
{
    if (LIKELY(!(r->flags & GS_DIVERGENT)) || !r->scalar)
        return r->scalar;
    const uint32_t beyond =
        m->g->cfg->mask == GS_MASK_SUBSET ? s->mask & ~r->mask : s->mask ^ r->mask;
    m->stats.mask_mismatch += beyond && s->i->fixed;
    return beyond ? 0 : r->scalar;
}

static unsigned uniform_in(uint32_t p, uint32_t mask)
{
    const uint32_t low = p & HALF_MASK, high = p >> HALF_LANES;
    p &= mask;
    return (p == 0 || p == mask ? GS_FULL | GS_STEPS : 0u) |
           (low == 0 || low == HALF_MASK ? GS_LOW : 0u) |
           (high == 0 || high == HALF_MASK ? GS_HIGH : 0u);
}

static unsigned judge_predicate(const struct gs_seen *s, const struct gs_operand *op)
{
    const struct gs_reg *r = &s->slot->regs[op->at];
    return r->flags & GS_KNOWN ? uniform_in(r->mask, s->mask) : 0;
}

static unsigned judge_words(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    const struct gs_reg *r = &s->slot->regs[op->at];
    unsigned bits = GS_ALL;
    for (unsigned k = 0; k < op->words; k++)
        bits &= scalar_in(m, s, &r[k]);
    return bits;
}

/* --- local memory, of which every thread has its own, whatever the address says --- */

/* The address that a half's lanes have, of an operand that is scalar there. */
static addr_t address_in(const struct gs_base *b, unsigned words, unsigned half)
{
    return b->bvr[half] | (words > 1 ? (addr_t)b[1].bvr[half] << 32 : 0);
}

static bool is_local(const struct gs_seen *s, unsigned half)
{
    const struct gs_operand *op = &s->i->src[s->i->address];
    const addr_t at =
        (addr_t)s->e->d->x->mem.imm + address_in(&s->slot->bases[op->at], op->words, half);
    return at - LOCAL_WINDOW < WINDOW_BYTES || at - LOCAL_WINDOW_32 < WINDOW_BYTES_32;
}

unsigned gs_judge(struct gs_sm *m, struct gs_seen *s)
{
    unsigned bits = s->i->fixed;
    for (unsigned k = 0; k < s->i->nsrc; k++) {
        const struct gs_operand *op = &s->i->src[k];
        bits &= op->words ? judge_words(m, s, op) : judge_predicate(s, op);
    }
    gs_count_reads(m, s);
    if (s->i->reads_carry)
        bits &= s->slot->knows_carry ? uniform_in(s->slot->carry, s->mask) : 0;
    if (UNLIKELY(bits && s->i->is_generic && (is_local(s, 0) || is_local(s, 1))))
        return 0;
    return bits;
}

uint32_t gs_next_lanes(struct warp *w, const struct xinst *x)
{
    const uint32_t mask = warp_top(w)->mask;
    const uint32_t lanes = x->kind == X_MEET || x->kind == X_CTRL ? mask : mask & w->lanes;
    return x->has_guard ? warp_guard_mask(w, x, lanes) : lanes;
}
