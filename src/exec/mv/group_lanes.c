/* Lanes picked and compared as vectors. */
#include "exec/group_lanes.h"

#include "base/cpu.h"
#include "exec/lanes_loop.h"

#include <string.h>

extern const struct group_lanes MV(group_lanes);

/* 1 << lane. A table, because the oldest hosts have no vector shift by lane. */
#define FOUR(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const u32 bit[WARP_LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                    FOUR(16), FOUR(20), FOUR(24), FOUR(28)};
#undef FOUR

/* SOURCE: the lane meant, as a signed number, from l, the segment mask `seg` and `n`, which is b;
 * FITS compares it with `bound`, the segment's last lane that may be read (for up: the first). */
#define SHFL_SOURCES(name, SOURCE, FITS)                                              \
    static u32 name(const u32 *restrict b, const u32 *restrict c, u32 *restrict from) \
    {                                                                                 \
        u32 ok = 0;                                                                   \
        LANE_FOR                                                                      \
        {                                                                             \
            const s32 n = (s32)(b[l] & 31), seg = (s32)((c[l] >> 8) & 31);            \
            const s32 me = (s32)l, bound = (me & seg) | ((s32)(c[l] & 31) & ~seg);    \
            const s32 source = (SOURCE);                                              \
            const u32 fits = (u32) - (s32)(source FITS bound);                        \
            from[l] = ((u32)source & fits) | ((u32)me & ~fits);                       \
            ok |= fits & bit[l];                                                      \
        }                                                                             \
        return ok;                                                                    \
    }

SHFL_SOURCES(shfl_up, me - n, >=)
SHFL_SOURCES(shfl_down, me + n, <=)
SHFL_SOURCES(shfl_bfly, me ^ n, <=)
SHFL_SOURCES(shfl_idx, (me & seg) | (n & ~seg), <=)

static void pick(const u32 *a, const u32 *restrict from, u32 sources, u32 *restrict d)
{
    u32 known[WARP_LANES];
    if (UNLIKELY(sources != LANE_ALL)) {
        LANE_FOR
        known[l] = sources & bit[l] ? a[l] : 0;
        a = known;
    }
    LANE_FOR
    d[l] = a[from[l] & 31];
}

static u32 equal(const u32 *v, u32 value)
{
    u32 same = 0;
    LANE_FOR
    same |= v[l] == value ? bit[l] : 0;
    return same;
}

static void copy(u32 *restrict to, const u32 *restrict from, u32 mask)
{
    LANE_STORE(u32, to, mask, from[l]);
}

static void fill(u32 *to, u32 value, u32 mask)
{
    LANE_STORE(u32, to, mask, value);
}

const struct group_lanes MV(group_lanes) = {shfl_up, shfl_down, shfl_bfly, shfl_idx,
                                            pick,    equal,     copy,      fill};
