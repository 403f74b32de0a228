/* Accesses to registers: arrays, metadata, circuits, by kind of value. */
#include "tech/gscalar/gscalar_int.h"

#include <stddef.h>

enum { PLAIN_ARRAYS = 8, HALF_ARRAYS = 4, RAW_BYTES = 4 * WARP_LANES, SAME_KINDS = 5 };

/* Counters by equal bytes. */
#define BY_SAME(what)                                                                           \
    {                                                                                           \
        offsetof(struct gscalar_stats, what##_0), offsetof(struct gscalar_stats, what##_1),     \
            offsetof(struct gscalar_stats, what##_2), offsetof(struct gscalar_stats, what##_3), \
            offsetof(struct gscalar_stats, what##_scalar)                                       \
    }
static const size_t reads[SAME_KINDS] = BY_SAME(read), writes[SAME_KINDS] = BY_SAME(write);

static void count_kind(struct gscalar_stats *st, const size_t *kinds, unsigned same)
{
    ++*(uint64_t *)(void *)((char *)st + kinds[same]);
}

/* The warp has one value there: what lies in the bank of scalar registers, where there is one. What
 * some lanes have written does not, whatever its value. */
static bool is_one_value(const struct gs_reg *r, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        if (!(r[k].scalar & GS_FULL) || (r[k].flags & GS_DIVERGENT))
            return false;
    return true;
}

/* --- reads --- */

/* What reads add up to: arrays, and accesses that were not made, in 1/32. */
struct sum {
    unsigned arrays, saved;
};

/* An array is a sixteenth of an access to a 64-bit register, twice that of one of 32 bits, half of
 * it of one of 128. */
static void add(struct sum *sum, unsigned arrays, unsigned words)
{
    sum->arrays += arrays;
    sum->saved += 4 * (PLAIN_ARRAYS * words - arrays) >> words / 2;
}

/* Sixteenths: an odd half waits for the next. */
static void count_saved(uint64_t *sixteenths, uint8_t *rest, unsigned saved)
{
    saved += *rest;
    *sixteenths += saved / 2;
    *rest = saved & 1;
}

static unsigned arrays_read(const struct gs_reg *r, unsigned words)
{
    unsigned arrays = 0;
    for (unsigned k = 0; k < words; k++)
        arrays += r[k].arrays;
    return arrays;
}

static void count_accesses(struct gs_sm *m, const struct sum *sum, unsigned words)
{
    m->stats.read_arrays += sum->arrays;
    m->stats.meta_reads += m->design->uses & GS_META_SCALAR ? 0 : m->meta * words;
    count_saved(&m->stats.read_saved16, &m->read_rest, sum->saved);
}

/* What not all designs count, or look at. */
static void count_apart(struct gs_sm *m, const struct gs_slot *slot, const struct gs_operand *op)
{
    const unsigned uses = m->design->uses;
    const struct gs_reg *r = &slot->regs[op->at];
    for (unsigned k = 0; k < op->words; k++) {
        m->stats.meta_reads += (uses & GS_META_SCALAR) && is_one_value(&r[k], 1) ? m->meta : 0;
        m->stats.delta_decoded += (uses & GS_DELTA_ENERGY) && (r[k].flags & GS_PACKED);
    }
    if ((uses & GS_SCALAR_BANK) && op->words && is_one_value(r, op->words))
        m->in_bank |= UINT64_C(1) << op->number;
}

enum { APART = GS_META_SCALAR | GS_DELTA_ENERGY | GS_SCALAR_BANK };

void gs_count_reads(struct gs_sm *m, struct gs_seen *s)
{
    const struct gs_inst *i = s->i;
    struct sum sum = {0};
    for (unsigned j = 0; j < i->nsrc; j++) {
        const struct gs_reg *r = &s->slot->regs[i->src[j].at];
        add(&sum, arrays_read(r, i->src[j].words), i->src[j].words);
        for (unsigned k = 0; k < i->src[j].words && !s->is_divergent; k++)
            count_kind(&m->stats, reads, r[k].same);
        if (UNLIKELY(m->g->cfg->affine))
            for (unsigned k = 0; k < i->src[j].words; k++)
                s->steps += r[k].scalar == GS_STEPS;
        if (m->design->uses & APART)
            count_apart(m, s->slot, &i->src[j]);
    }
    count_accesses(m, &sum, i->words_read);
    m->stats.base_read_arrays += PLAIN_ARRAYS * i->words_read;
    m->stats.read_divergent += s->is_divergent ? i->words_read : 0;
}

void gs_count_decoded(struct gs_sm *m, const struct gs_seen *s)
{
    if (s->is_one || (m->design->uses & GS_NO_CIRCUITS) || s->bits == GS_STEPS)
        return;
    m->stats.decoded += s->i->words_read;
    m->stats.delta_decoded += s->steps;
}

void gs_count_move(struct gs_sm *m, const struct gs_slot *slot, const struct gs_operand *op)
{
    const bool is_free = m->design->uses & GS_META_SCALAR;
    struct sum sum = {0};
    m->stats.moves++;
    m->stats.decoded += m->design->uses & GS_NO_CIRCUITS ? 0 : op->words;
    add(&sum, arrays_read(&slot->regs[op->at], op->words), op->words);
    count_accesses(m, &sum, op->words);
    count_apart(m, slot, op);
    /* operand 0 of the move itself is written to the plain banks, its source is operand 1 */
    m->in_bank = m->in_bank ? UINT64_C(1) << 1 : 0;
    m->stats.write_arrays += PLAIN_ARRAYS * op->words;
    m->stats.meta_writes += is_free ? 0 : m->meta * op->words;
}

/* --- writes --- */

/* Arrays of metadata that go with the register. */
static unsigned meta_of(const struct gs_sm *m, const struct gs_reg *r)
{
    return !(m->design->uses & GS_META_SCALAR) || is_one_value(r, 1) ? m->meta : 0;
}

/* Arrays that a write of some lanes activates. */
static unsigned arrays_of(const struct gs_form *form, uint32_t mask)
{
    const unsigned halves = (mask & HALF_MASK ? 1u : 0u) + (mask >> HALF_LANES ? 1u : 0u);
    return form->has_bytes ? HALF_ARRAYS * halves : gs_groups(mask);
}

static void count_part(struct gs_sm *m, const struct gs_seen *s, unsigned words)
{
    const unsigned arrays = arrays_of(m->design->form, s->mask), groups = gs_groups(s->mask);
    m->stats.write_divergent += words;
    m->stats.write_arrays += arrays * words;
    m->stats.base_write_arrays += groups * words;
    m->stats.write_added16 += 2 * (arrays - groups);
}

static void count_whole(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    struct gscalar_stats *st = &m->stats;
    const struct gs_reg *r = &s->slot->regs[op->at];
    struct sum sum = {0};
    add(&sum, arrays_read(r, op->words), op->words);
    for (unsigned k = 0; k < op->words; k++) {
        count_kind(st, writes, r[k].same);
        st->write_affine += r[k].scalar == GS_STEPS;
    }
    st->write_arrays += sum.arrays;
    st->base_write_arrays += PLAIN_ARRAYS * op->words;
    if ((m->design->uses & GS_DELTA_ENERGY) ||
        (m->g->cfg->affine && !s->is_one && s->bits != GS_STEPS))
        st->delta_encoded += op->words;
    count_saved(&st->write_saved16, &m->write_rest, sum.saved);
    if ((m->design->uses & GS_SCALAR_BANK) && is_one_value(r, op->words))
        m->in_bank |= UINT64_C(1) << op->number;
}

void gs_count_written(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op,
                      unsigned bytes)
{
    struct gscalar_stats *st = &m->stats;
    if (s->is_divergent)
        count_part(m, s, op->words);
    else
        count_whole(m, s, op);
    for (unsigned k = 0; k < op->words; k++)
        st->meta_writes += meta_of(m, &s->slot->regs[op->at + k]);
    if (!s->is_one && s->bits != GS_STEPS && !(m->design->uses & GS_NO_CIRCUITS))
        st->encoded += op->words;
    st->bytes_raw += RAW_BYTES * op->words;
    st->bytes_stored += bytes;
}
