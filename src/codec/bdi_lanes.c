/* bdi-lanes: BDI as assist warps store it. The kinds of bdi, with mask, base and deltas each
 * aligned to its own size, so that a lane loads its delta by one load; the base of a block without
 * one is its first value. Padding costs no burst of 32 bytes. */
#include "codec/bdi_plan.h"

/* Byte 0 is the kind; the mask is words from byte 4 on; the base is behind the kind where it has 2
 * bytes, else at byte 8, where the repeated value is, too. */
enum { MASK_AT = 4 };

static unsigned base_at(unsigned id)
{
    return bdi_kinds[id].base_bytes == 2 ? 2 : 8;
}

static unsigned mask_bytes(unsigned id, unsigned block_bytes)
{
    return id < BDI_FIRST_DELTA ? 0 : (block_bytes / bdi_kinds[id].base_bytes + 31) / 32 * 4;
}

unsigned codec_bdi_lanes_bytes(unsigned form, unsigned block_bytes)
{
    return bdi_lanes_bytes(form, block_bytes);
}

void codec_bdi_lanes_head(void *out, unsigned block_bytes, unsigned form, uint64_t mask)
{
    uint8_t *code = out;
    code[0] = (uint8_t)form;
    if (form != BDI_ZEROS) /* what pads is 0 */
        memset(code + 1, 0, base_at(form) - 1);
    memcpy(code + MASK_AT, &mask, mask_bytes(form, block_bytes));
}

uint64_t codec_bdi_lanes_mask(const void *in, unsigned block_bytes)
{
    const uint8_t *code = in;
    uint64_t mask = 0;
    if (code[0] < BDI_KINDS)
        memcpy(&mask, code + MASK_AT, mask_bytes(code[0], block_bytes));
    return mask;
}

#define WRITE_DELTAS(bits)                                                                     \
    INLINE void write_deltas_##bits(const uint8_t *block, unsigned n, const uint8_t *is_based, \
                                    uint##bits##_t base, unsigned delta_bytes, uint8_t *to)    \
    {                                                                                          \
        for (unsigned i = 0; i < n; i++) {                                                     \
            uint##bits##_t v;                                                                  \
            memcpy(&v, block + i * sizeof v, sizeof v);                                        \
            v = (uint##bits##_t)(v - (base & (uint##bits##_t) - (uint##bits##_t)is_based[i])); \
            memcpy(to + i * delta_bytes, &v, delta_bytes);                                     \
        }                                                                                      \
    }
WRITE_DELTAS(16)
WRITE_DELTAS(32)
WRITE_DELTAS(64)
#undef WRITE_DELTAS

/* Sizes are constants where it is called. */
INLINE void write_deltas(const uint8_t *block, unsigned block_bytes, const struct bdi_plan *p,
                         unsigned base_bytes, unsigned delta_bytes, uint8_t *to)
{
    const unsigned n = block_bytes / base_bytes;
    uint8_t is_based[64];
    bdi_bytes_of(p->mask, n, is_based);
    if (base_bytes == 8)
        write_deltas_64(block, n, is_based, p->base, delta_bytes, to);
    else if (base_bytes == 4)
        write_deltas_32(block, n, is_based, (uint32_t)p->base, delta_bytes, to);
    else
        write_deltas_16(block, n, is_based, (uint16_t)p->base, delta_bytes, to);
}

static unsigned write_plan(const uint8_t *block, unsigned block_bytes, const struct bdi_plan *p,
                           uint8_t *out)
{
    const struct bdi_kind *f = &bdi_kinds[p->id];
    const unsigned bytes = bdi_lanes_bytes(p->id, block_bytes);
    const uint64_t base = p->mask ? p->base : bdi_value(block, 0, f->base_bytes);
    memset(out, 0, bytes);
    codec_bdi_lanes_head(out, block_bytes, p->id, p->mask);
    if (p->id != BDI_ZEROS)
        memcpy(out + base_at(p->id), &base, f->base_bytes);
    if (p->id < BDI_FIRST_DELTA)
        return bytes;
    uint8_t *to = out + bdi_lanes_deltas_at(p->id, block_bytes);
    switch (p->id) {
#define KIND(number, base_bytes, delta_bytes)                             \
    case number:                                                          \
        write_deltas(block, block_bytes, p, base_bytes, delta_bytes, to); \
        break;
        BDI_DELTAS(KIND)
#undef KIND
    }
    return bytes;
}

static struct bdi_plan choose(const struct codec *c, const uint8_t *block)
{
    return bdi_choose(block, c->block_bytes, bdi_lanes_order(c->block_bytes));
}

static unsigned bdi_lanes_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    uint8_t code[CODEC_BLOCK_MAX];
    const struct bdi_plan plan = choose(c, block);
    if (plan.id == BDI_KINDS)
        return codec_raw_bits(c) + 1;
    const unsigned n = write_plan(block, c->block_bytes, &plan, code);
    for (unsigned i = 0; i < n; i++)
        bitw_put(w, code[i], 8);
    return bitw_bits(w);
}

unsigned codec_bdi_lanes_encode(const void *block, unsigned block_bytes, unsigned form, void *out)
{
    struct bdi_plan plan;
    const bool fits = form < BDI_KINDS && bdi_lanes_bytes(form, block_bytes) < block_bytes &&
                      bdi_try_kind(block, block_bytes, form, &plan);
    return 8 * (fits ? write_plan(block, block_bytes, &plan, out) : block_bytes);
}

/* What pads is not looked at. */
static bool bdi_lanes_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    uint8_t code[CODEC_BLOCK_MAX] = {(uint8_t)bitr_get(r, 8)};
    const unsigned id = code[0];
    if (id >= BDI_KINDS || bdi_lanes_bytes(id, c->block_bytes) >= c->block_bytes)
        return false;
    for (unsigned i = 1; i < bdi_lanes_bytes(id, c->block_bytes); i++)
        code[i] = (uint8_t)bitr_get(r, 8);
    const struct bdi_kind *f = &bdi_kinds[id];
    const unsigned value_bytes = id == BDI_ZEROS ? 8 : f->base_bytes;
    const unsigned at = bdi_lanes_deltas_at(id, c->block_bytes), spare = 64 - 8 * f->delta_bytes;
    const uint64_t base = id == BDI_ZEROS ? 0 : bdi_value(code + base_at(id), 0, value_bytes);
    const uint64_t mask = codec_bdi_lanes_mask(code, c->block_bytes);
    for (unsigned i = 0; i < c->block_bytes / value_bytes; i++) {
        uint64_t v = base;
        if (id >= BDI_FIRST_DELTA) {
            v = (uint64_t)((int64_t)(bdi_value(code + at, i, f->delta_bytes) << spare) >> spare);
            v += mask >> i & 1 ? base : 0;
        }
        memcpy(block + i * value_bytes, &v, value_bytes);
    }
    return true;
}

static void bdi_lanes_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    counts[choose(c, block).id]++;
}

static const char *const kinds[] = {"zeros", "repeat", "b8d1", "b8d2",
                                    "b8d4",  "b4d1",   "b4d2", "b2d1"};

CODEC_CLASS(bdi_lanes, "bdi-lanes", "blocks",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "CABA (ISCA 2015), section 5.1.2",
             "runs as assist warps, not as a circuit"});
