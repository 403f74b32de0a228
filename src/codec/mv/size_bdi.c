/* Sizes of bdi and bdi-lanes: each kind on all values at once, from the smallest. */
#include "codec/bdi_kinds.h"
#include "codec/mv/kernels.h"

/* Does every value fit the delta, alone or relative to the first that does not fit alone? */
#define KIND_FITS(type, vector, bytes, delta)                                                \
    INLINE uint64_t fit_mask_##bytes##_##delta(const vector *v, type add, unsigned vecs)     \
    {                                                                                        \
        const type high = (type) ~(((type)1 << (8 * (delta)-1)) * 2 - 1);                    \
        uint64_t mask = 0;                                                                   \
        for (unsigned i = 0; i < vecs; i++)                                                  \
            mask |= (uint64_t)vector##_zero_mask((v[i] + add) & high) << (i * 32 / (bytes)); \
        return mask;                                                                         \
    }                                                                                        \
    INLINE bool fits_##bytes##_##delta(const vector *v, const type *values, unsigned vecs)   \
    {                                                                                        \
        const type half = (type)1 << (8 * (delta)-1);                                        \
        const type high = (type) ~(((type)1 << (8 * (delta)-1)) * 2 - 1);                    \
        /* The first two values, which is where most kinds on most blocks fail. */           \
        type shift = (type)(half - values[0]);                                               \
        if (((type)(values[0] + half) & high) && ((type)(values[1] + half) & high) &&        \
            ((type)(values[1] + shift) & high))                                              \
            return false;                                                                    \
        const uint64_t all = ~UINT64_C(0) >> (64 - vecs * 32 / (bytes));                     \
        uint64_t alone = fit_mask_##bytes##_##delta(v, half, vecs);                          \
        if (alone == all)                                                                    \
            return true;                                                                     \
        shift = (type)(half - values[__builtin_ctzll(~alone)]);                              \
        return (alone | fit_mask_##bytes##_##delta(v, shift, vecs)) == all;                  \
    }

KIND_FITS(uint64_t, v4q, 8, 1)
KIND_FITS(uint64_t, v4q, 8, 2)
KIND_FITS(uint64_t, v4q, 8, 4)
KIND_FITS(uint32_t, v8u, 4, 1)
KIND_FITS(uint32_t, v8u, 4, 2)
KIND_FITS(uint16_t, v16h, 2, 1)

union values {
    uint64_t v8[CODEC_BLOCK_MAX / 8];
    uint32_t v4[CODEC_BLOCK_MAX / 4];
    uint16_t v2[CODEC_BLOCK_MAX / 2];
    v4q q[CODEC_BLOCK_MAX / 32];
    v8u u[CODEC_BLOCK_MAX / 32];
    v16h h[CODEC_BLOCK_MAX / 32];
};

INLINE bool kind_fits(const union values *v, unsigned id, unsigned block_bytes)
{
    switch (id) {
    case 2:
        return fits_8_1(v->q, v->v8, block_bytes / 32);
    case 3:
        return fits_8_2(v->q, v->v8, block_bytes / 32);
    case 4:
        return fits_8_4(v->q, v->v8, block_bytes / 32);
    case 5:
        return fits_4_1(v->u, v->v4, block_bytes / 32);
    case 6:
        return fits_4_2(v->u, v->v4, block_bytes / 32);
    default:
        return fits_2_1(v->h, v->v2, block_bytes / 32);
    }
}

/* The block's kind, the first of `order` that fits unless it repeats; BDI_KINDS: none. */
INLINE unsigned kind_of(const uint8_t *block, unsigned block_bytes, const unsigned char *order)
{
    union values v;
    memcpy(&v, block, block_bytes);
    uint64_t differ = 0;
    for (unsigned i = 0; i < block_bytes / 8; i++)
        differ |= v.v8[i] ^ v.v8[0];
    if (!differ)
        return v.v8[0] ? BDI_REPEAT : BDI_ZEROS;
#pragma GCC unroll 6
    for (unsigned i = 0; i < BDI_DELTA_KINDS; i++)
        if (kind_fits(&v, order[i], block_bytes))
            return order[i];
    return BDI_KINDS;
}

KERNEL bdi_bits(const uint8_t *block, unsigned block_bytes)
{
    const unsigned id = kind_of(block, block_bytes, bdi_kind_order(block_bytes));
    return 8 * (id == BDI_KINDS ? block_bytes : bdi_kind_bytes(id, block_bytes));
}

KERNEL bdi_lanes_bits(const uint8_t *block, unsigned block_bytes)
{
    const unsigned id = kind_of(block, block_bytes, bdi_lanes_order(block_bytes));
    return 8 * (id == BDI_KINDS ? block_bytes : bdi_lanes_bytes(id, block_bytes));
}

SIZE_KERNEL(bdi)
SIZE_KERNEL(bdi_lanes)
