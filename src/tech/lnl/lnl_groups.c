/* Anchors, and the texture unit's linear filter between them. */
#include "tech/lnl/lnl_groups.h"

#include "exec/texture.h"

#include <string.h>

enum { WEIGHTS = 256 };

double lnl_value_at(enum lnl_format format, uint32_t word, unsigned k)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return format == LNL_F32   ? (double)f
           : format == LNL_S32 ? (double)(int32_t)word
           : format == LNL_U32 ? (double)word
                               : (double)(word >> 8 * k & 255);
}

static uint32_t lanes_of(unsigned group, unsigned n)
{
    return (n == LNL_LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1) << group * n;
}

uint32_t lnl_anchors(uint32_t mask, unsigned n)
{
    uint32_t anchors = 0;
    for (unsigned g = 0; g < LNL_LANES / n; g++) {
        const uint32_t group = mask & lanes_of(g, n);
        anchors |= group & -group;
    }
    return anchors;
}

uint32_t lnl_spread(uint32_t bits, uint32_t mask, unsigned n)
{
    uint32_t spread = bits & ~mask;
    for (unsigned g = 0; g < LNL_LANES / n; g++) {
        const uint32_t group = mask & lanes_of(g, n);
        spread |= bits & group & -group ? group : 0;
    }
    return spread;
}

/* --- between two anchors --- */

/* Rounded half up. */
static int64_t between(int64_t a, int64_t b, unsigned weight)
{
    return a + (((b - a) * (int64_t)weight + WEIGHTS / 2) >> 8);
}

static uint32_t between_bytes(uint32_t a, uint32_t b, unsigned weight)
{
    uint32_t bytes = 0;
    for (unsigned k = 0; k < 32; k += 8)
        bytes |= (uint32_t)between(a >> k & 255, b >> k & 255, weight) << k;
    return bytes;
}

static uint32_t mix(enum lnl_format format, uint32_t a, uint32_t b, unsigned weight)
{
    switch (format) {
    case LNL_F32:
        return texture_between(a, b, weight);
    case LNL_S32:
        return (uint32_t)between((int32_t)a, (int32_t)b, weight);
    case LNL_U8:
        return (uint32_t)between(a & 255, b & 255, weight);
    case LNL_U8X4:
        return between_bytes(a, b, weight);
    default:
        return (uint32_t)between(a, b, weight);
    }
}

/* --- a warp --- */

/* Whether there is a texel behind that of `group`: of lanes, and in the same row. */
static bool has_next(const struct lnl_groups *g, uint32_t mask, unsigned group)
{
    return (group + 1) * g->n < LNL_LANES && (mask & lanes_of(group + 1, g->n)) &&
           !(g->rows >> 1 & lanes_of(group, g->n));
}

void lnl_interpolate(const struct lnl_groups *g, enum lnl_format format, uint32_t mask,
                     uint32_t *lanes)
{
    for (unsigned k = 0; k < LNL_LANES / g->n; k++) {
        const uint32_t group = mask & lanes_of(k, g->n);
        if (!(group & (group - 1)))
            continue;
        const uint32_t here = lanes[__builtin_ctz(group)];
        const bool is_between = has_next(g, mask, k);
        const uint32_t next = is_between ? lanes[__builtin_ctz(mask & lanes_of(k + 1, g->n))] : 0;
        for (uint32_t m = group & (group - 1); m; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctz(m);
            lanes[l] = is_between ? mix(format, here, next, l % g->n * (WEIGHTS / g->n)) : here;
        }
    }
}

void lnl_replicate(const struct lnl_groups *g, uint32_t mask, uint32_t *lanes)
{
    for (unsigned k = 0; k < LNL_LANES / g->n; k++) {
        const uint32_t group = mask & lanes_of(k, g->n);
        for (uint32_t m = group; m; m &= m - 1)
            lanes[__builtin_ctz(m)] = lanes[__builtin_ctz(group)];
    }
}
