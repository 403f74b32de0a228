/* bdi-lanes: BDI as assist warps store it. The kinds of bdi, with mask, base and deltas each
 * aligned to its own size, so that a lane loads its delta by one load; the base of a block without
 * one is its first value. Padding costs no burst of 32 bytes. */
#include "codec/bdi_plan.h"

/* Byte 0 is the kind; the mask is words from byte 4 on; the base is behind the kind where it has 2
 * bytes, else at byte 8, where the repeated value is, too. */
enum { MASK_AT = 4, LINE = 128 };

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

INLINE void write_head(uint8_t *code, unsigned block_bytes, unsigned form, uint64_t mask)
{
    code[0] = (uint8_t)form;
    if (form != BDI_ZEROS) /* what pads is 0 */
        memset(code + 1, 0, base_at(form) - 1);
    memcpy(code + MASK_AT, &mask, mask_bytes(form, block_bytes));
}

void codec_bdi_lanes_head(void *out, unsigned block_bytes, unsigned form, uint64_t mask)
{
    write_head(out, block_bytes, form, mask);
}

uint64_t codec_bdi_lanes_mask(const void *in, unsigned block_bytes)
{
    const uint8_t *code = in;
    const unsigned bytes = code[0] < BDI_KINDS ? mask_bytes(code[0], block_bytes) : 0;
    uint32_t low = 0, high = 0;
    if (bytes)
        memcpy(&low, code + MASK_AT, sizeof low);
    if (bytes > sizeof low)
        memcpy(&high, code + MASK_AT + sizeof low, sizeof high);
    return low | (uint64_t)high << 32;
}

/* A loop that stays one: eight copies of each fill the host's instruction cache. */
#define ROLLED _Pragma("GCC unroll 1")

/* Values of one width, several at a time: of `n` such vectors, those that are no deltas by
 * themselves; the first such value of a block that has one; these as bits; these on the base
 * instead, and whether all of them are deltas now. */
#define VALUES(bits)                                                                         \
    enum { PER_##bits = 128 / bits, AT_ONCE_##bits = bits / PER_##bits };                    \
    typedef uint##bits##_t values_##bits __attribute__((vector_size(16)));                   \
    INLINE uint##bits##_t or_##bits(values_##bits v)                                         \
    {                                                                                        \
        uint##bits##_t all = 0;                                                              \
        for (unsigned i = 0; i < PER_##bits; i++)                                            \
            all |= v[i];                                                                     \
        return all;                                                                          \
    }                                                                                        \
    INLINE bool find_far_##bits(const values_##bits *v, unsigned n, unsigned delta_bytes,    \
                                values_##bits *is_far)                                       \
    {                                                                                        \
        const uint##bits##_t limit = (uint##bits##_t)(UINT64_C(1) << (8 * delta_bytes - 1)); \
        values_##bits any = {0};                                                             \
        ROLLED for (unsigned i = 0; i < n; i++) any |= is_far[i] =                           \
            (values_##bits)((v[i] + limit) >> 8 * delta_bytes != 0);                         \
        return or_##bits(any);                                                               \
    }                                                                                        \
    INLINE uint##bits##_t first_far_##bits(const uint8_t *block, unsigned delta_bytes)       \
    {                                                                                        \
        const uint##bits##_t limit = (uint##bits##_t)(UINT64_C(1) << (8 * delta_bytes - 1)); \
        uint##bits##_t v;                                                                    \
        do {                                                                                 \
            memcpy(&v, block, sizeof v);                                                     \
            block += sizeof v;                                                               \
        } while (!((uint##bits##_t)(v + limit) >> 8 * delta_bytes));                         \
        return v;                                                                            \
    }                                                                                        \
    INLINE uint64_t mask_##bits(const values_##bits *is_far, unsigned n)                     \
    {                                                                                        \
        values_##bits bit;                                                                   \
        uint64_t mask = 0;                                                                   \
        for (unsigned i = 0; i < PER_##bits; i++)                                            \
            bit[i] = (uint##bits##_t)(1u << i);                                              \
        for (unsigned i = 0; i < n; i += AT_ONCE_##bits) {                                   \
            values_##bits some = {0};                                                        \
            for (unsigned k = 0; k < AT_ONCE_##bits && i + k < n; k++)                       \
                some |= is_far[i + k] & bit << k * PER_##bits;                               \
            mask |= (uint64_t)or_##bits(some) << i * PER_##bits;                             \
        }                                                                                    \
        return mask;                                                                         \
    }                                                                                        \
    INLINE bool put_on_base_##bits(values_##bits *v, unsigned n, uint##bits##_t base,        \
                                   unsigned delta_bytes, const values_##bits *is_far)        \
    {                                                                                        \
        values_##bits still[8];                                                              \
        ROLLED for (unsigned i = 0; i < n; i++) v[i] -= is_far[i] & base;                    \
        return !find_far_##bits(v, n, delta_bytes, still);                                   \
    }
VALUES(16)
VALUES(32)
VALUES(64)
#undef VALUES

/* A block's values as deltas from 0 or, of those that are too far from it, from the first of them,
 * which is the base; where there is none, as in most, the first of all is said to be. False: some
 * are too far from the base, too. */
#define WRITE_DELTAS(base_bytes, delta_bytes, bits, delta_bits)                       \
    INLINE bool write_##base_bytes##_##delta_bytes(                                   \
        const uint8_t *restrict block, unsigned block_bytes, uint64_t *restrict mask, \
        uint8_t *restrict base_to, uint8_t *restrict to)                              \
    {                                                                                 \
        typedef uint##delta_bits##_t deltas                                           \
            __attribute__((vector_size(PER_##bits * delta_bytes)));                   \
        const unsigned n = block_bytes / 16;                                          \
        values_##bits v[8], is_far[8];                                                \
        uint##bits##_t base;                                                          \
        memcpy(v, block, block_bytes);                                                \
        *mask = 0;                                                                    \
        memcpy(&base, block, sizeof base);                                            \
        if (find_far_##bits(v, n, delta_bytes, is_far)) {                             \
            base = first_far_##bits(block, delta_bytes);                              \
            if (!put_on_base_##bits(v, n, base, delta_bytes, is_far))                 \
                return false;                                                         \
            *mask = mask_##bits(is_far, n);                                           \
        }                                                                             \
        memcpy(base_to, &base, sizeof base);                                          \
        ROLLED for (unsigned i = 0; i < n; i++)                                       \
        {                                                                             \
            const deltas d = __builtin_convertvector(v[i], deltas);                   \
            memcpy(to + i * sizeof d, &d, sizeof d);                                  \
        }                                                                             \
        return true;                                                                  \
    }
WRITE_DELTAS(8, 1, 64, 8)
WRITE_DELTAS(8, 2, 64, 16)
WRITE_DELTAS(8, 4, 64, 32)
WRITE_DELTAS(4, 1, 32, 8)
WRITE_DELTAS(4, 2, 32, 16)
WRITE_DELTAS(2, 1, 16, 8)
#undef WRITE_DELTAS

typedef bool write_fn(const uint8_t *restrict block, unsigned block_bytes, uint64_t *restrict mask,
                      uint8_t *restrict base_to, uint8_t *restrict to);

/* All is constant where it is called; `block_bytes`, for lines. */
INLINE bool write_by(write_fn *fn, const uint8_t *block, unsigned block_bytes, unsigned id,
                     uint8_t *out)
{
    uint64_t mask;
    if (!fn(block, block_bytes, &mask, out + base_at(id),
            out + bdi_lanes_deltas_at(id, block_bytes)))
        return false;
    write_head(out, block_bytes, id, mask);
    return true;
}

INLINE bool write_deltas(const uint8_t *block, unsigned block_bytes, unsigned id, uint8_t *out)
{
    switch (id) {
#define KIND(number, base_bytes, delta_bytes) \
    case number:                              \
        return write_by(write_##base_bytes##_##delta_bytes, block, block_bytes, number, out);
        BDI_DELTAS(KIND)
#undef KIND
    default:
        return false;
    }
}

static bool write_form(const uint8_t *block, unsigned block_bytes, unsigned id, uint8_t *out)
{
    struct bdi_plan plan;
    if (id >= BDI_FIRST_DELTA)
        return block_bytes == LINE ? write_deltas(block, LINE, id, out)
                                   : write_deltas(block, block_bytes, id, out);
    if (!bdi_try_kind(block, block_bytes, id, &plan))
        return false;
    write_head(out, block_bytes, id, 0);
    if (id == BDI_REPEAT)
        memcpy(out + base_at(id), &plan.base, sizeof plan.base);
    return true;
}

static struct bdi_plan choose(const struct codec *c, const uint8_t *block)
{
    return bdi_choose(block, c->block_bytes, bdi_lanes_order(c->block_bytes));
}

/* In the form that choose() would take; BDI_KINDS: none. */
static unsigned write_smallest(const struct codec *c, const uint8_t *block, uint8_t *out)
{
    const unsigned char *order = bdi_lanes_order(c->block_bytes);
    if (write_form(block, c->block_bytes, BDI_ZEROS, out))
        return BDI_ZEROS;
    if (write_form(block, c->block_bytes, BDI_REPEAT, out))
        return BDI_REPEAT;
    for (unsigned i = 0; i < BDI_DELTA_KINDS; i++)
        if (write_form(block, c->block_bytes, order[i], out))
            return order[i];
    return BDI_KINDS;
}

static unsigned bdi_lanes_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    uint8_t code[2 * CODEC_BLOCK_MAX];
    const unsigned form = write_smallest(c, block, code);
    if (form == BDI_KINDS)
        return codec_raw_bits(c) + 1;
    for (unsigned i = 0; i < bdi_lanes_bytes(form, c->block_bytes); i++)
        bitw_put(w, code[i], 8);
    return bitw_bits(w);
}

unsigned codec_bdi_lanes_encode(const void *block, unsigned block_bytes, unsigned form, void *out)
{
    if (form >= BDI_KINDS)
        return 8 * block_bytes;
    const unsigned bytes = bdi_lanes_bytes(form, block_bytes);
    return 8 *
           (bytes < block_bytes && write_form(block, block_bytes, form, out) ? bytes : block_bytes);
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
