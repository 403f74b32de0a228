/* Places in a texture for all lanes at once, without branches. */
#include "exec/texture_lanes.h"

#include "base/cpu.h"
#include "exec/lanes_loop.h"
#include "exec/softfp.h"

#include <string.h>

extern const struct texture_lanes MV(texture_lanes);

/* --- addressing --- */

/* floor() of what is below 2^51: adding this rounds to a whole number. Every level has the means.
 */
#define ROUNDER 0x1.8p52
static inline double floor_of(double v)
{
    const double near = (v + ROUNDER) - ROUNDER;
    return near > v ? near - 1 : near;
}

static inline double clamp_to(double v, double limit)
{
    const double low = v < -limit ? -limit : v;
    return low > limit ? limit : low;
}

/* Coordinates in texels. Normalised ones have 21 bits below the point; those beyond 512 are as far
 * outside as 512 is. Repeated ones only need their place in two periods. */
static inline void texels_of(const struct tex_axis *axis, bool repeats, const float *restrict at,
                             double *restrict pos)
{
    const double size = axis->size;
    LANE_FOR pos[l] = at[l] == at[l] ? (double)at[l] : 0;
    if (repeats)
        LANE_FOR
        {
            const double half = clamp_to(pos[l], 0x1p50) * 0.5;
            const double whole = half < 0 ? -floor_of(-half) : floor_of(half);
            const double rest = pos[l] - 2 * whole;
            pos[l] = __builtin_fabs(pos[l]) < 0x1p50 ? rest : 0;
        }
    if (axis->normalized)
        LANE_FOR pos[l] = floor_of(clamp_to(pos[l], 512) * 0x1p21) * 0x1p-21 * size;
    LANE_FOR pos[l] = clamp_to(pos[l], 0x1p30);
}

/* Texel numbers in three periods to either side at most, as texels_of() leaves them. */
static inline void repeat(int32_t *restrict i, int32_t period)
{
    LANE_FOR
    {
        int32_t v = i[l];
        v += v < 0 ? period : 0;
        v += v < 0 ? period : 0;
        v += v < 0 ? period : 0;
        v -= v >= period ? period : 0;
        v -= v >= period ? period : 0;
        i[l] = v;
    }
}

static inline void address(enum tex_address mode, int32_t size, int32_t *restrict i)
{
    if (mode == TEX_WRAP) {
        repeat(i, size);
    } else if (mode == TEX_MIRROR) {
        repeat(i, 2 * size);
        LANE_FOR i[l] = i[l] < size ? i[l] : 2 * size - 1 - i[l];
    } else if (mode == TEX_BORDER) {
        LANE_FOR i[l] = (u32)i[l] < (u32)size ? i[l] : TEX_OUTSIDE;
    } else {
        LANE_FOR
        {
            const int32_t low = i[l] < 0 ? 0 : i[l];
            i[l] = low < size ? low : size - 1;
        }
    }
}

/* In 1/256 of a texel, cut to the edges if those are repeated. */
static inline void between(const struct tex_axis *axis, const double *restrict pos,
                           struct tex_axis_lanes *restrict out)
{
    const bool is_clamp = axis->mode == TEX_CLAMP;
    const double last = ((double)axis->size - 1) * 256;
    LANE_FOR
    {
        const double raw = floor_of((pos[l] - 0.5) * 256 + 0.5);
        const double low = raw < 0 ? 0 : raw, cut = low > last ? last : low;
        const double p = is_clamp ? cut : raw, cell = floor_of(p * 0x1p-8);
        out->at[0][l] = (int32_t)cell;
        out->at[1][l] = (int32_t)cell + 1;
        out->frac[l] = (int32_t)(p - 256 * cell);
    }
}

/* The texel that a coordinate in texels lies in. */
static inline void nearest(const u32 *restrict at, int32_t *restrict out)
{
    const float reach = 0x1p30f;
    float v[WARP_LANES];
    LANE_FOR v[l] = f32_of(sel32((at[l] & ~F32_SIGN) > F32_INF, 0, at[l]));
    LANE_FOR v[l] = v[l] < -reach ? -reach : v[l];
    LANE_FOR v[l] = v[l] > reach ? reach : v[l];
    LANE_FOR out[l] = (int32_t)v[l];
    LANE_FOR out[l] -= (int32_t)((float)out[l] > v[l]);
}

static void resolve(const struct tex_axis *axis, const u32 *at, struct tex_axis_lanes *out)
{
    const enum tex_address mode = (enum tex_address)axis->mode;
    const int32_t size = (int32_t)axis->size;
    double pos[WARP_LANES];
    float given[WARP_LANES];
    if (axis->is_whole) {
        memcpy(out->at[0], at, sizeof out->at[0]);
        address(TEX_BORDER, size, out->at[0]);
        return;
    }
    if (!axis->linear && !axis->normalized) { /* a float is precise enough */
        nearest(at, out->at[0]);
        address(mode, size, out->at[0]);
        return;
    }
    memcpy(given, at, sizeof given);
    texels_of(axis, mode == TEX_WRAP || mode == TEX_MIRROR, given, pos);
    if (axis->linear) {
        between(axis, pos, out);
        address(mode, size, out->at[1]);
    } else {
        LANE_FOR out->at[0][l] = (int32_t)floor_of(pos[l]);
    }
    address(mode, size, out->at[0]);
}

/* --- texels --- */

static inline u32 from_half(u32 v)
{
    const u32 sign = (v & 0x8000) << 16, e = (v >> 10) & 31, frac = v & 1023;
    const u32 normal = sel32(e == 31, 255, e + 112) << 23 | frac << 13;
    return sign | sel32(e == 0, f32_bits((float)(s32)frac * 0x1p-24f), normal);
}

#define LOAD(type, WIDEN)                                         \
    for (unsigned c = 0; c < o->channels; c++)                    \
        for (unsigned l = 0; l < WARP_LANES; l++) {               \
            type t;                                               \
            memcpy(&t, texels + off[l] + c * sizeof t, sizeof t); \
            out->v[c][l] = (WIDEN);                               \
        }

/* Channel by channel from the places off[]. */
static void load_at(const struct tex_object *o, const u64 *restrict off,
                    struct texel_lanes *restrict out)
{
    const char *texels = devmem_ptr(o->data);
    const bool is_signed = o->format == TEX_SIGNED;
    if (o->channel_bits == 32)
        LOAD(u32, t)
    else if (o->channel_bits == 8 && is_signed)
        LOAD(s8, (u32)(s32)t)
    else if (o->channel_bits == 8)
        LOAD(u8, t)
    else if (o->format == TEX_FLOAT)
        LOAD(u16, from_half(t))
    else if (is_signed)
        LOAD(s16, (u32)(s32)t)
    else
        LOAD(u16, t)
}

/* Bytes from the first texel on, where x, y and z are inside; else 0. */
static inline void offsets(const struct tex_object *o, const int32_t *restrict x,
                           const int32_t *restrict y, const int32_t *restrict z, u64 *restrict off)
{
    const u64 slice = o->slice_bytes, pitch = o->pitch_bytes, bytes = texture_texel_bytes(o);
    const u64 slices = o->depth ? o->depth : 1, rows = o->height ? o->height : 1;
    const bool is_small = slice * slices + pitch * rows + bytes * o->width < UINT32_MAX;
    if (is_small) /* half the width, and a multiplication that hosts have */
        LANE_FOR
        {
            const u32 in = (u32) ~((x[l] | y[l] | z[l]) >> 31);
            off[l] =
                ((u32)z[l] * (u32)slice + (u32)y[l] * (u32)pitch + (u32)x[l] * (u32)bytes) & in;
        }
    else
        LANE_FOR
        {
            const u64 in = (u64) ~((s64)(x[l] | y[l] | z[l]) >> 63);
            off[l] = ((u32)z[l] * slice + (u32)y[l] * pitch + (u32)x[l] * bytes) & in;
        }
}

static void load(const struct tex_object *o, const int32_t *restrict x, const int32_t *restrict y,
                 const int32_t *restrict z, const struct tex_value *outside,
                 struct texel_lanes *restrict out)
{
    u64 off[WARP_LANES];
    s32 any = 0;
    offsets(o, x, y, z, off);
    load_at(o, off, out);
    LANE_FOR any |= x[l] | y[l] | z[l]; /* TEX_OUTSIDE is negative */
    for (unsigned c = 0; any < 0 && c < o->channels; c++)
        LANE_FOR out->v[c][l] = sel32((x[l] | y[l] | z[l]) < 0, outside->v[c], out->v[c][l]);
}

static void clear(const struct tex_object *o, struct texel_lanes *v)
{
    static const u32 zeros[WARP_LANES]; /* copied: compilers fill by an instruction that is slow */
    for (unsigned c = o->channels; c < 4; c++)
        memcpy(v->v[c], zeros, sizeof v->v[c]);
}

static void normalize(const struct tex_object *o, struct texel_lanes *v)
{
    const bool is_signed = o->format == TEX_SIGNED;
    const double top = (double)((UINT64_C(1) << (o->channel_bits - is_signed)) - 1);
    for (unsigned c = 0; c < o->channels; c++)
        LANE_FOR
        {
            /* 16 bits at most */
            const double t = (double)(s32)v->v[c][l] / top;
            v->v[c][l] = f32_bits((float)(t < -1 ? -1 : t));
        }
}

/* --- filtering --- */

static void weigh(const int32_t *restrict fx, const int32_t *restrict fy,
                  int32_t weight[4][WARP_LANES])
{
    LANE_FOR
    {
        const int32_t right = fx[l], left = 256 - right;
        const int32_t high_right = (right * fy[l] + 128) >> 8;
        const int32_t low_left = (left * (256 - fy[l]) + 128) >> 8;
        weight[0][l] = low_left;
        weight[1][l] = right - high_right;
        weight[2][l] = left - low_left;
        weight[3][l] = high_right;
    }
}

enum { GUARD_BITS = 4, SUM_BITS = 23 + GUARD_BITS + 8 };

static inline s32 exponent_of(u32 bits)
{
    return (s32)((bits >> 23) & 255) - 127;
}

/* The largest exponent among texels with a weight; *special: one of these is no number. */
static inline void find_top(const struct tex_sum_lanes *s, unsigned channel, s32 min_exp,
                            s32 *restrict top, u32 *restrict special)
{
    LANE_FOR top[l] = min_exp, special[l] = 0;
    for (unsigned i = 0; i < 4; i++)
        LANE_FOR
        {
            const bool counts = s->weight[i][l] != 0;
            const s32 e =
                (s32)sel32(counts, (u32)exponent_of(s->texel[i].v[channel][l]), (u32)min_exp);
            top[l] = e > top[l] ? e : top[l];
            special[l] |= (u32)(e == 128);
        }
}

/* sum += the texels times their weights, cut below the last guard bit of the largest. */
static inline void add_texels(const struct tex_sum_lanes *s, unsigned channel,
                              const s32 *restrict top, unsigned narrower, double *restrict sum)
{
    LANE_FOR sum[l] = 0;
    for (unsigned i = 0; i < 4; i++)
        LANE_FOR
        {
            const u32 bits = s->texel[i].v[channel][l];
            const bool is_normal = (bits & F32_INF) != 0;
            const u32 sig = ((bits & 0x7fffff) | (is_normal ? 0x800000u : 0)) << GUARD_BITS;
            const s32 e = is_normal ? exponent_of(bits) : -126;
            const s32 wanted = top[l] - e + (s32)narrower;
            /* those without a weight may lie above the top */
            const s32 down = wanted < 0 ? 0 : wanted > 31 ? 31 : wanted;
            const s32 cut = (s32)(sig >> down), sign = (s32)bits >> 31;
            sum[l] += (double)((cut ^ sign) - sign) * (double)s->weight[i][l];
        }
}

static u32 mix_float(const struct tex_object *o, const struct tex_sum_lanes *s, unsigned channel,
                     u32 *out)
{
    const bool is_half = o->channel_bits < 32;
    const unsigned narrower = is_half ? 13 : 0; /* bits fewer than a float has */
    const s32 min_exp = is_half ? -14 : -126;
    const double smallest = is_half ? 0x1p-14 : 0x1p-126;
    const u64 half = UINT64_C(1) << (28 + narrower);
    s32 top[WARP_LANES];
    u32 special[WARP_LANES], left = 0;
    double sum[WARP_LANES];
    find_top(s, channel, min_exp, top, special);
    add_texels(s, channel, top, narrower, sum);
    LANE_FOR
    {
        const s32 exp = top[l] - SUM_BITS + (s32)narrower + 1023;
        const double value = sum[l] * f64_of((u64)(u32)exp << 52);
        /* half away from zero: add half a unit to the magnitude and cut */
        const u64 rounded = (f64_bits(value) + half) & ~(2 * half - 1);
        const float r = (float)f64_of(rounded);
        special[l] |= (u32)((__builtin_fabs(value) < smallest) & (value != 0));
        out[l] = value != 0 ? f32_bits(r) : 0;
    }
    for (unsigned l = 0; l < WARP_LANES; l++)
        left |= special[l] << l;
    return left;
}

static void mix_normalized(const struct tex_object *o, const struct tex_sum_lanes *s,
                           unsigned channel, u32 *out)
{
    const bool is_signed = o->format == TEX_SIGNED;
    const double full = is_signed ? 32767 : 65535;
    const double top = (double)((UINT64_C(1) << (o->channel_bits - is_signed)) - 1);
    LANE_FOR
    {
        s32 sum = 0;
        for (unsigned i = 0; i < 4; i++)
            sum += s->weight[i][l] * (s32)s->texel[i].v[channel][l];
        /* The quotient of whole numbers this small is never rounded up to the next one. */
        const double n = floor_of((2 * (double)sum * full + 256 * top) / (512 * top));
        out[l] = f32_bits((float)((n < -full ? -full : n) / full));
    }
}

const struct texture_lanes MV(texture_lanes) = {resolve, load,      clear,         normalize,
                                                weigh,   mix_float, mix_normalized};
