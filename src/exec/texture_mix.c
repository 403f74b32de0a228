/* The arithmetic of texture filtering, as measured on an H200.
 *
 * Floats: texels with a weight are aligned to the largest exponent among them, with 4 bits below
 * their last one, and cut off there; the weighted sum is exact and rounded half away from zero to
 * the texel's own precision (so f16 textures give f16 results). Normalised integers: the sum is
 * rounded half up to 16 bits. */
#include "exec/softfp.h"
#include "exec/texture_int.h"

#include <math.h>

enum { GUARD_BITS = 4, WEIGHT_BITS = 8, SLICE_SUM_BITS = 36 };

/* sum * 2^exp */
struct scaled {
    int64_t sum;
    int exp;
};

struct float_format {
    int frac_bits, min_exp;
};

static int exponent_of(uint32_t bits, struct float_format f)
{
    const int e = (int)((bits >> 23) & 255) - 127;
    return e < f.min_exp ? f.min_exp : e;
}

static struct scaled slice_sum(const struct tex_sum *s, unsigned slice, unsigned channel,
                               struct float_format f)
{
    int top = f.min_exp;
    for (unsigned i = 0; i < 4; i++)
        if (s->weight[slice][i]) {
            const int e = exponent_of(s->texel[slice][i]->v[channel], f);
            top = e > top ? e : top;
        }
    struct scaled r = {0, top - f.frac_bits - GUARD_BITS - WEIGHT_BITS};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t w = s->weight[slice][i];
        if (!w)
            continue;
        const uint32_t bits = s->texel[slice][i]->v[channel];
        const uint32_t hidden = bits & 0x7f800000 ? 0x800000 : 0;
        const int64_t sig = (int64_t)((bits & 0x7fffff) | hidden) << GUARD_BITS;
        const int e = bits & 0x7f800000 ? (int)((bits >> 23) & 255) - 127 : -126;
        const int down = top - e + 23 - f.frac_bits;
        const int64_t cut = (down > 62 ? 0 : sig >> down) * w;
        r.sum += bits >> 31 ? -cut : cut;
    }
    return r;
}

static int top_bit(int64_t v)
{
    const uint64_t mag = (uint64_t)(v < 0 ? -v : v);
    return mag ? 63 - __builtin_clzll(mag) : -1;
}

static int64_t shift_to(struct scaled v, int exp)
{
    const int up = v.exp - exp;
    const int64_t mag = v.sum < 0 ? -v.sum : v.sum;
    const int64_t r = up >= 0 ? mag << up : up < -62 ? 0 : mag >> -up;
    return v.sum < 0 ? -r : r;
}

/* Two slices meet with the upper 36 bits of the larger one. */
static struct scaled add_slices(struct scaled a, struct scaled b)
{
    if (!a.sum || !b.sum)
        return a.sum ? a : b;
    const int ta = top_bit(a.sum) + a.exp, tb = top_bit(b.sum) + b.exp;
    const int exp = (ta > tb ? ta : tb) - SLICE_SUM_BITS + 1;
    return (struct scaled){shift_to(a, exp) + shift_to(b, exp), exp};
}

/* 2^exp; texel exponents and weights stay far inside the range of doubles. */
static double power_of_two(int exp)
{
    return f64_of((uint64_t)(exp + 1023) << 52);
}

static float round_half_away(struct scaled v, struct float_format f)
{
    const int low = f.min_exp - f.frac_bits;
    int drop = top_bit(v.sum) - f.frac_bits;
    if (v.exp + drop < low)
        drop = low - v.exp;
    int64_t mag = v.sum < 0 ? -v.sum : v.sum;
    if (drop > 0)
        mag = drop > 62 ? 0 : ((mag + (INT64_C(1) << (drop - 1))) >> drop) << drop;
    const float r = (float)((double)mag * power_of_two(v.exp));
    return v.sum < 0 ? -r : r;
}

/* Infinities and NaNs follow IEEE rules. */
static bool any_special(const struct tex_sum *s, unsigned channel, float *plain)
{
    bool found = false;
    *plain = 0;
    for (unsigned k = 0; k < s->slices; k++)
        for (unsigned i = 0; i < 4; i++)
            if (s->weight[k][i]) {
                const float t = f32_of(s->texel[k][i]->v[channel]);
                found |= !isfinite(t);
                *plain += t * (float)s->weight[k][i] / 256.0f;
            }
    return found;
}

static uint32_t mix_float(const struct tex_object *o, const struct tex_sum *s, unsigned channel)
{
    const struct float_format f =
        o->channel_bits < 32 ? (struct float_format){10, -14} : (struct float_format){23, -126};
    float plain;
    if (any_special(s, channel, &plain))
        return f32_canon(f32_bits(plain));
    struct scaled sum = slice_sum(s, 0, channel, f);
    if (s->slices > 1)
        sum = add_slices(sum, slice_sum(s, 1, channel, f));
    return f32_bits(sum.sum ? round_half_away(sum, f) : 0.0f);
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Raw integer texels; the result is a float in [0, 1] or [-1, 1]. */
static uint32_t mix_normalized(const struct tex_object *o, const struct tex_sum *s,
                               unsigned channel)
{
    const bool is_signed = o->format == TEX_SIGNED;
    const int64_t full = is_signed ? 32767 : 65535;
    const int64_t top = (INT64_C(1) << (o->channel_bits - is_signed)) - 1;
    int64_t sum = 0;
    for (unsigned k = 0; k < s->slices; k++)
        for (unsigned i = 0; i < 4; i++)
            if (s->weight[k][i])
                sum += (int64_t)s->weight[k][i] * (int32_t)s->texel[k][i]->v[channel];
    int64_t n = floor_div(2 * sum * full + 256 * top, 2 * 256 * top);
    n = n < -full ? -full : n;
    return f32_bits((float)((double)n / (double)full));
}

uint32_t texture_mix(const struct tex_object *o, const struct tex_sum *s, unsigned channel)
{
    return o->format == TEX_FLOAT || texture_is_srgb(o, channel) ? mix_float(o, s, channel)
                                                                 : mix_normalized(o, s, channel);
}

uint32_t texture_between(uint32_t a, uint32_t b, unsigned weight)
{
    static const struct tex_object f32 = {.format = TEX_FLOAT, .channel_bits = 32};
    const struct tex_value first = {{a}}, second = {{b}};
    const struct tex_sum sum = {.slices = 1,
                                .weight = {{(uint16_t)(256 - weight), (uint16_t)weight}},
                                .texel = {{&first, &second}}};
    return texture_mix(&f32, &sum, 0);
}
