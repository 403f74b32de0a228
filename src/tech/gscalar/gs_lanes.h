/* The 32 lanes of a vector register, compared: once a register that is written, so loops without
 * branches that a compiler turns into vectors. */
#ifndef TECH_GSCALAR_GS_LANES_H
#define TECH_GSCALAR_GS_LANES_H

#include "exec/lanes.h"

enum { HALF_LANES = 16, HALF_MASK = 0xffff };

/* Bits in which lanes of a half differ from its first one, and that one's value; of a half without
 * lanes the other's value. */
struct gs_view {
    const uint32_t *lane;
    uint32_t base[2], differ[2];
};

/* How many of the most significant bytes agree, 0 to 4. */
static inline unsigned gs_equal_bytes(uint32_t differ)
{
    return differ ? (unsigned)__builtin_clz(differ) / 8 : 4;
}

/* Bits in which any two of the lanes differ, somewhere. */
static inline uint32_t gs_view_differ(const struct gs_view *v)
{
    return v->differ[0] | v->differ[1] | (v->base[0] ^ v->base[1]);
}

static inline uint32_t gs_differ_all(const uint32_t *lane, uint32_t base)
{
    uint32_t differ = 0;
    for (unsigned l = 0; l < HALF_LANES; l++)
        differ |= lane[l] ^ base;
    return differ;
}

static inline uint32_t gs_differ_some(const uint32_t *lane, uint32_t base, uint32_t mask)
{
    static const uint32_t bit[HALF_LANES] = {
        1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};
    uint32_t differ = 0;
    for (unsigned l = 0; l < HALF_LANES; l++)
        differ |= mask & bit[l] ? lane[l] ^ base : 0;
    return differ;
}

/* Bits in which lanes of `mask`, which is not 0, differ. */
static inline uint32_t gs_differ(const uint32_t *lane, uint32_t mask)
{
    const uint32_t base = lane[__builtin_ctz(mask)], low = mask & HALF_MASK,
                   high = mask >> HALF_LANES;
    if (mask == UINT32_MAX)
        return gs_differ_all(lane, base) | gs_differ_all(lane + HALF_LANES, base);
    return (low ? gs_differ_some(lane, base, low) : 0) |
           (high ? gs_differ_some(lane + HALF_LANES, base, high) : 0);
}

/* Over the lanes of `mask`, which is not 0. */
static inline struct gs_view gs_view(const uint32_t *lane, uint32_t mask)
{
    struct gs_view v = {.lane = lane};
    const uint32_t first = lane[__builtin_ctz(mask)];
    for (unsigned h = 0; h < 2; h++) {
        const uint32_t m = mask >> (HALF_LANES * h) & HALF_MASK;
        const uint32_t *at = lane + (size_t)HALF_LANES * h;
        v.base[h] = m ? at[__builtin_ctz(m)] : first;
        v.differ[h] = m == HALF_MASK ? gs_differ_all(at, v.base[h])
                      : m            ? gs_differ_some(at, v.base[h], m)
                                     : 0;
    }
    return v;
}

/* Word `k` of a register's lanes: where it lies, or in `room`. Narrow registers are zero-extended.
 */
static inline const uint32_t *gs_words(const struct lane_ref *r, char *const *base, unsigned k,
                                       uint32_t *room)
{
    const char *at = lane_at(r, base);
    if (r->bytes == 4)
        return (const uint32_t *)(const void *)at;
    if (r->bytes == 2) {
        for (unsigned l = 0; l < WARP_LANES; l++)
            room[l] = ((const uint16_t *)(const void *)at)[l];
    } else if (r->bytes == 8) {
        for (unsigned l = 0; l < WARP_LANES; l++)
            room[l] = ((const uint32_t *)(const void *)at)[2 * l + k];
    } else {
        for (unsigned l = 0; l < WARP_LANES; l++)
            room[l] = ((const uint32_t *)(const void *)at)[4 * l + k];
    }
    return room;
}

/* Groups of four lanes with one of `mask`: arrays that a plain write activates. */
static inline unsigned gs_groups(uint32_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 2;
    return (mask & 0x11111111) * 0x11111111 >> 28; /* the sum of its digits */
}

#endif
