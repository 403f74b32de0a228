/* How vector registers are stored: as they are, without the bytes that all lanes of a half or of
 * the warp share, as one value, or as a base and differences. */
#include "tech/gscalar/gscalar_int.h"

enum { ARRAYS = 8, LANE_BYTES = 4, RAW_BYTES = 128 };

/* --- equal bytes --- */

/* The bytes of `high` where `k` most significant ones are asked for, else those of `low`. */
static uint32_t join_bytes(uint32_t high, uint32_t low, unsigned k)
{
    const uint32_t mask = k >= LANE_BYTES ? 0 : UINT32_MAX >> (8 * k);
    return (high & ~mask) | (low & mask);
}

static uint32_t put_bytes(const struct gs_base *b, unsigned lane, uint32_t value, uint32_t was)
{
    return join_bytes(was, value, b->k[lane / HALF_LANES]);
}

static uint32_t get_bytes(const struct gs_base *b, unsigned lane, uint32_t stored)
{
    if (b->k[0] == GS_K_STEPS)
        return b->bvr[0] + lane * b->bvr[1];
    return join_bytes(b->bvr[lane / HALF_LANES], stored, b->k[lane / HALF_LANES]);
}

/* A base value and what is beyond it; nothing is gained without a byte. */
static unsigned bytes_of(unsigned k, unsigned lanes)
{
    return k ? LANE_BYTES + (LANE_BYTES - k) * lanes : LANE_BYTES * lanes;
}

static unsigned pack_halves(const struct gs_view *v, uint32_t all, struct gs_reg *r,
                            struct gs_base *b)
{
    unsigned bytes = 0;
    r->scalar = gs_view_differ(v) ? 0 : GS_FULL | GS_STEPS;
    for (unsigned h = 0; h < 2; h++) {
        const unsigned k = gs_equal_bytes(v->differ[h]);
        const bool has_lanes = all >> (HALF_LANES * h) & HALF_MASK;
        b->k[h] = (uint8_t)k;
        b->bvr[h] = v->base[h];
        r->arrays = (uint8_t)(r->arrays + LANE_BYTES - k);
        r->scalar |= k == LANE_BYTES ? (h ? GS_HIGH : GS_LOW) : 0;
        r->flags |= k && has_lanes ? GS_PACKED : 0;
        bytes += bytes_of(k, HALF_LANES);
    }
    return r->scalar & GS_FULL ? LANE_BYTES : bytes; /* FS: one base value is enough */
}

static unsigned pack_whole(const struct gs_view *v, uint32_t all, struct gs_reg *r,
                           struct gs_base *b)
{
    const unsigned k = gs_equal_bytes(gs_view_differ(v));
    (void)all;
    r->scalar = k == LANE_BYTES ? GS_ALL : 0;
    b->k[0] = b->k[1] = (uint8_t)k;
    b->bvr[0] = b->bvr[1] = v->base[0];
    r->arrays = (uint8_t)(2 * (LANE_BYTES - k));
    r->flags |= k ? GS_PACKED : 0;
    return bytes_of(k, WARP_LANES);
}

const struct gs_form gs_form_halves = {pack_halves, put_bytes, get_bytes, true};
const struct gs_form gs_form_whole = {pack_whole, put_bytes, get_bytes, true};

/* --- one value, or all --- */

static unsigned pack_scalar(const struct gs_view *v, uint32_t all, struct gs_reg *r,
                            struct gs_base *b)
{
    const bool is_one = !gs_view_differ(v);
    (void)all;
    r->scalar = is_one ? GS_ALL : 0;
    b->k[0] = b->k[1] = is_one ? LANE_BYTES : 0;
    b->bvr[0] = b->bvr[1] = v->base[0];
    r->arrays = is_one ? 0 : ARRAYS;
    r->flags |= is_one ? GS_PACKED : 0;
    return is_one ? LANE_BYTES : RAW_BYTES;
}

const struct gs_form gs_form_scalar = {pack_scalar, put_bytes, get_bytes, false};

static unsigned pack_raw(const struct gs_view *v, uint32_t all, struct gs_reg *r, struct gs_base *b)
{
    (void)v, (void)all;
    *b = (struct gs_base){0};
    r->arrays = ARRAYS;
    return RAW_BYTES;
}

const struct gs_form gs_form_raw = {pack_raw, put_bytes, get_bytes, false};

/* --- base and differences: k has their bytes --- */

/* Ones from the highest bit on in which a difference is not its sign. */
static uint32_t reach(const uint32_t *lane, uint32_t base, uint32_t all)
{
    uint32_t reach = 0;
    for (unsigned l = 0; l < WARP_LANES; l++) {
        const int32_t d = (int32_t)(lane[l] - base);
        reach |= all >> l & 1 ? (uint32_t)(d ^ d >> 31) << 1 | (d != 0) : 0;
    }
    return reach;
}

static unsigned pack_deltas(const struct gs_view *v, uint32_t all, struct gs_reg *r,
                            struct gs_base *b)
{
    static const uint8_t arrays[] = {1, 3, 5, ARRAYS, ARRAYS};
    static const uint8_t bytes[] = {4, 4 + 31, 4 + 62, RAW_BYTES, RAW_BYTES};
    const uint32_t base = v->base[all & HALF_MASK ? 0 : 1];
    const uint32_t bits = reach(v->lane, base, all);
    const unsigned n = !bits ? 0 : bits < 1u << 8 ? 1 : bits < 1u << 16 ? 2 : LANE_BYTES;
    b->k[0] = b->k[1] = (uint8_t)n;
    b->bvr[0] = b->bvr[1] = base;
    r->arrays = arrays[n];
    r->flags |= n < LANE_BYTES ? GS_PACKED : 0;
    return bytes[n];
}

static uint32_t put_deltas(const struct gs_base *b, unsigned lane, uint32_t value, uint32_t was)
{
    const unsigned n = b->k[0];
    (void)lane;
    return n == LANE_BYTES ? value : join_bytes(was, value - b->bvr[0], LANE_BYTES - n);
}

static uint32_t get_deltas(const struct gs_base *b, unsigned lane, uint32_t stored)
{
    const unsigned n = b->k[0];
    (void)lane;
    if (n == LANE_BYTES)
        return stored;
    const int32_t delta = n == 0 ? 0 : n == 1 ? (int8_t)stored : (int16_t)stored;
    return b->bvr[0] + (uint32_t)delta;
}

const struct gs_form gs_form_deltas = {pack_deltas, put_deltas, get_deltas, false};
