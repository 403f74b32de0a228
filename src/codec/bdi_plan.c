/* The tests of BDI's kinds, one value after the other. */
#include "codec/bdi_plan.h"

/* Values that are no deltas by themselves: all are looked at, which costs less than to stop. A byte
 * a value first, which compilers make of several values at a time. */
#define BEYOND(bits)                                                                         \
    INLINE void find_beyond_##bits(const uint8_t *block, unsigned n, unsigned delta_bytes,   \
                                   uint##bits##_t base, uint8_t *is_beyond)                  \
    {                                                                                        \
        const uint##bits##_t limit = (uint##bits##_t)(UINT64_C(1) << (8 * delta_bytes - 1)); \
        for (unsigned i = 0; i < n; i++) {                                                   \
            uint##bits##_t v;                                                                \
            memcpy(&v, block + i * sizeof v, sizeof v);                                      \
            v = (uint##bits##_t)(v - base + limit);                                          \
            is_beyond[i] = v >> (8 * delta_bytes) != 0;                                      \
        }                                                                                    \
    }
BEYOND(16)
BEYOND(32)
BEYOND(64)
#undef BEYOND

INLINE uint64_t beyond(const uint8_t *block, unsigned n, unsigned base_bytes, unsigned delta_bytes,
                       uint64_t base)
{
    uint8_t is_beyond[64] = {0};
    if (base_bytes == 8)
        find_beyond_64(block, n, delta_bytes, base, is_beyond);
    else if (base_bytes == 4)
        find_beyond_32(block, n, delta_bytes, (uint32_t)base, is_beyond);
    else
        find_beyond_16(block, n, delta_bytes, (uint16_t)base, is_beyond);
    return bdi_bits_of(is_beyond, n);
}

/* Sizes are constants where it is called, so that values are loaded and not copied. */
INLINE bool try_sizes(const uint8_t *block, unsigned block_bytes, unsigned base_bytes,
                      unsigned delta_bytes, struct bdi_plan *plan)
{
    const unsigned n = block_bytes / base_bytes;
    plan->mask = beyond(block, n, base_bytes, delta_bytes, 0);
    if (!plan->mask)
        return true;
    plan->base = bdi_value(block, (unsigned)__builtin_ctzll(plan->mask), base_bytes);
    return !(plan->mask & beyond(block, n, base_bytes, delta_bytes, plan->base));
}

static bool try_deltas(const uint8_t *block, unsigned block_bytes, unsigned id,
                       struct bdi_plan *plan)
{
    *plan = (struct bdi_plan){.id = id};
    switch (id) {
#define KIND(number, base, delta) \
    case number:                  \
        return try_sizes(block, block_bytes, base, delta, plan);
        BDI_DELTAS(KIND)
#undef KIND
    default:
        return false;
    }
}

bool bdi_try_kind(const uint8_t *block, unsigned block_bytes, unsigned id, struct bdi_plan *plan)
{
    if (id >= BDI_FIRST_DELTA)
        return try_deltas(block, block_bytes, id, plan);
    *plan = (struct bdi_plan){.id = id, .base = bdi_value(block, 0, 8)};
    return !memcmp(block, block + 8, block_bytes - 8) && (id == BDI_REPEAT || !plan->base);
}

struct bdi_plan bdi_choose(const uint8_t *block, unsigned block_bytes, const unsigned char *order)
{
    struct bdi_plan plan;
    if (bdi_try_kind(block, block_bytes, BDI_ZEROS, &plan) ||
        bdi_try_kind(block, block_bytes, BDI_REPEAT, &plan))
        return plan;
    for (unsigned i = 0; i < BDI_DELTA_KINDS; i++)
        if (bdi_try_kind(block, block_bytes, order[i], &plan))
            return plan;
    return (struct bdi_plan){.id = BDI_KINDS};
}
