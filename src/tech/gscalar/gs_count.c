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

/* Arrays of metadata that go with the register. */
static unsigned meta_of(const struct gs_sm *m, const struct gs_reg *r)
{
    return !(m->design->uses & GS_META_SCALAR) || is_one_value(r, 1) ? m->meta : 0;
}

/* Sixteenths of an access to a register of so many words. An array of 128 bits is half of one: an
 * odd half waits for the next. */
static void count_saved(uint64_t *sixteenths, uint8_t *rest, unsigned arrays, unsigned words)
{
    const unsigned halves = (4 * arrays >> words / 2) + *rest;
    *sixteenths += halves / 2;
    *rest = halves & 1;
}

/* What a read activates. */
static void count_access(struct gs_sm *m, const struct gs_slot *slot, const struct gs_operand *op)
{
    struct gscalar_stats *st = &m->stats;
    const struct gs_reg *r = &slot->regs[op->at];
    const unsigned plain = PLAIN_ARRAYS * op->words;
    unsigned arrays = 0;
    for (unsigned k = 0; k < op->words; k++) {
        arrays += r[k].arrays;
        st->meta_reads += meta_of(m, &r[k]);
        st->delta_decoded += (m->design->uses & GS_DELTA_ENERGY) && (r[k].flags & GS_PACKED);
    }
    st->read_arrays += arrays;
    count_saved(&st->read_saved16, &m->read_rest, plain - arrays, op->words);
    if ((m->design->uses & GS_SCALAR_BANK) && is_one_value(r, op->words))
        m->in_bank |= UINT64_C(1) << op->number;
}

void gs_count_read(struct gs_sm *m, struct gs_seen *s, const struct gs_operand *op)
{
    if (!op->words)
        return;
    count_access(m, s->slot, op);
    m->stats.base_read_arrays += PLAIN_ARRAYS * op->words;
    for (unsigned k = 0; k < op->words; k++) {
        const struct gs_reg *r = &s->slot->regs[op->at + k];
        s->steps += r->scalar == GS_STEPS;
        if (s->is_divergent)
            m->stats.read_divergent++;
        else
            count_kind(&m->stats, reads, r->same);
    }
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
    m->stats.moves++;
    m->stats.decoded += m->design->uses & GS_NO_CIRCUITS ? 0 : op->words;
    count_access(m, slot, op);
    /* operand 0 of the move itself is written to the plain banks, its source is operand 1 */
    m->in_bank = m->in_bank ? UINT64_C(1) << 1 : 0;
    m->stats.write_arrays += PLAIN_ARRAYS * op->words;
    m->stats.meta_writes += is_free ? 0 : m->meta * op->words;
}

/* Arrays that a write of some lanes activates. */
static unsigned arrays_of(const struct gs_form *form, uint32_t mask)
{
    const unsigned halves = (mask & HALF_MASK ? 1u : 0u) + (mask >> HALF_LANES ? 1u : 0u);
    return form->has_bytes ? HALF_ARRAYS * halves : gs_groups(mask);
}

void gs_count_write(struct gs_sm *m, const struct gs_seen *s, const struct gs_reg *r,
                    unsigned bytes)
{
    struct gscalar_stats *st = &m->stats;
    if (s->is_divergent) {
        st->write_divergent++;
        st->write_arrays += arrays_of(m->design->form, s->mask);
        st->base_write_arrays += gs_groups(s->mask);
    } else {
        count_kind(st, writes, r->same);
        st->write_arrays += r->arrays;
        st->base_write_arrays += PLAIN_ARRAYS;
        st->write_affine += r->scalar == GS_STEPS;
        st->delta_encoded += (m->design->uses & GS_DELTA_ENERGY) ||
                             (m->g->cfg->affine && !s->is_one && s->bits != GS_STEPS);
    }
    st->meta_writes += meta_of(m, r);
    st->encoded += !s->is_one && s->bits != GS_STEPS && !(m->design->uses & GS_NO_CIRCUITS);
    st->bytes_raw += RAW_BYTES;
    st->bytes_stored += bytes;
}

void gs_count_written(struct gs_sm *m, const struct gs_seen *s, const struct gs_operand *op)
{
    const struct gs_reg *r = &s->slot->regs[op->at];
    unsigned arrays = 0;
    if (s->is_divergent) {
        m->stats.write_added16 += 2 * (arrays_of(m->design->form, s->mask) - gs_groups(s->mask));
        return;
    }
    for (unsigned k = 0; k < op->words; k++)
        arrays += r[k].arrays;
    count_saved(&m->stats.write_saved16, &m->write_rest, PLAIN_ARRAYS * op->words - arrays,
                op->words);
    if ((m->design->uses & GS_SCALAR_BANK) && is_one_value(r, op->words))
        m->in_bank |= UINT64_C(1) << op->number;
}
