/* bdi: base-delta-immediate. One base, found in the block, and the implicit base zero; a mask says
 * which of the two each value is relative to. */
#include "codec/bdi_plan.h"

static struct bdi_plan choose(const uint8_t *block, unsigned block_bytes)
{
    return bdi_choose(block, block_bytes, bdi_kind_order(block_bytes));
}

static unsigned bdi_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    struct bdi_plan plan = choose(block, c->block_bytes);
    if (plan.id == BDI_KINDS)
        return codec_raw_bits(c) + 1;
    bitw_put(w, plan.id, 8);
    if (plan.id == BDI_REPEAT)
        bitw_put_le(w, plan.base, 8);
    if (plan.id < BDI_FIRST_DELTA)
        return bitw_bits(w);
    const struct bdi_kind *f = &bdi_kinds[plan.id];
    unsigned n = c->block_bytes / f->base_bytes;
    bitw_put_le(w, plan.mask, (n + 7) / 8);
    bitw_put_le(w, plan.base, f->base_bytes);
    for (unsigned i = 0; i < n; i++) {
        uint64_t base = plan.mask >> i & 1 ? plan.base : 0;
        bitw_put_le(w, bdi_value(block, i, f->base_bytes) - base, f->delta_bytes);
    }
    return bitw_bits(w);
}

static bool decode_deltas(const struct codec *c, unsigned id, struct bitr *r, uint8_t *block)
{
    const struct bdi_kind *f = &bdi_kinds[id];
    unsigned n = c->block_bytes / f->base_bytes, spare = 64 - 8 * f->delta_bytes;
    uint64_t mask = bitr_get_le(r, (n + 7) / 8);
    uint64_t base = bitr_get_le(r, f->base_bytes);
    for (unsigned i = 0; i < n; i++) {
        uint64_t delta = bitr_get_le(r, f->delta_bytes);
        uint64_t v = (uint64_t)((int64_t)(delta << spare) >> spare) + (mask >> i & 1 ? base : 0);
        memcpy(block + i * f->base_bytes, &v, f->base_bytes);
    }
    return true;
}

static bool bdi_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned id = bitr_get(r, 8);
    if (id >= BDI_KINDS)
        return false;
    if (id >= BDI_FIRST_DELTA)
        return decode_deltas(c, id, r, block);
    uint64_t v = id == BDI_REPEAT ? bitr_get_le(r, 8) : 0;
    for (unsigned i = 0; i < c->block_bytes; i += 8)
        memcpy(block + i, &v, 8);
    return true;
}

static void bdi_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    counts[choose(block, c->block_bytes).id]++;
}

static const char *const kinds[] = {"zeros", "repeat", "b8d1", "b8d2",
                                    "b8d4",  "b4d1",   "b4d2", "b2d1"};

CODEC_CLASS(bdi, "bdi", "blocks",
            {{5, HW_NO_AREA},
             {1, HW_NO_AREA},
             HW_UNKNOWN,
             "CABA (Vijaykumar et al., ISCA 2015), section 6, after BDI (PACT 2012)",
             "E2MC's Table VI takes 1 cycle for compression too"});
