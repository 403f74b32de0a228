/* Bits of lanes to bits of values and back; a predicate register is one word with a bit a lane. */
#include "tech/assist/lane_masks.h"

#include <string.h>

/* Bits 0, 2, 4, ... side by side. */
static uint32_t even_bits(uint64_t mask)
{
    uint64_t bits = mask & UINT64_C(0x5555555555555555);
    bits = (bits | bits >> 1) & UINT64_C(0x3333333333333333);
    bits = (bits | bits >> 2) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bits = (bits | bits >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    bits = (bits | bits >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(bits | bits >> 16);
}

static uint64_t spread(uint32_t bits)
{
    uint64_t mask = bits;
    mask = (mask | mask << 16) & UINT64_C(0x0000ffff0000ffff);
    mask = (mask | mask << 8) & UINT64_C(0x00ff00ff00ff00ff);
    mask = (mask | mask << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    mask = (mask | mask << 2) & UINT64_C(0x3333333333333333);
    return (mask | mask << 1) & UINT64_C(0x5555555555555555);
}

static char *lanes_of(struct warp *w, const struct xfunc *fn, uint32_t reg)
{
    warp_use_frame(w);
    return lane_at(&fn->regs[reg], w->base);
}

static uint32_t read_bits(struct warp *w, const struct xfunc *fn, uint32_t reg)
{
    uint32_t bits;
    memcpy(&bits, lanes_of(w, fn, reg), sizeof bits);
    return bits;
}

/* From the last lane down. */
static uint32_t read_turned(struct warp *w, const struct xfunc *fn, uint32_t reg, unsigned lanes)
{
    uint32_t bits = read_bits(w, fn, reg);
    bits = (bits >> 1 & 0x55555555u) | (bits & 0x55555555u) << 1;
    bits = (bits >> 2 & 0x33333333u) | (bits & 0x33333333u) << 2;
    bits = (bits >> 4 & 0x0f0f0f0fu) | (bits & 0x0f0f0f0fu) << 4;
    return lanes ? __builtin_bswap32(bits) >> (WARP_LANES - lanes) : 0;
}

void lane_masks_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint64_t mask)
{
    for (unsigned i = 0; i < d->nlanes; i++) {
        const uint32_t bits = d->nlanes == 1 ? (uint32_t)mask : even_bits(mask >> i);
        memcpy(lanes_of(w, fn, d->lanes[i]), &bits, sizeof bits);
    }
}

bool lane_masks_get(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint64_t *mask)
{
    const unsigned lanes = lanes_in(d->mask);
    uint64_t bits[2] = {0};
    for (unsigned i = 0; i < d->nlanes; i++)
        bits[i] = read_turned(w, fn, d->lanes[i], lanes);
    *mask = d->nlanes < 2 ? bits[0] : spread((uint32_t)bits[0]) | spread((uint32_t)bits[1]) << 1;
    return (read_bits(w, fn, d->all) & d->mask) == d->mask;
}

typedef uint32_t four_lanes __attribute__((vector_size(16)));

void lane_steps_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint32_t src)
{
    for (unsigned i = 0; i < d->nsteps; i++) {
        const uint32_t by = (uint32_t)d->steps[i].bytes;
        four_lanes at = {src, src + by, src + 2 * by, src + 3 * by};
        char *to = lanes_of(w, fn, d->steps[i].reg);
        for (unsigned l = 0; l < WARP_LANES; l += 4, at += 4 * by)
            memcpy(to + l * sizeof by, &at, sizeof at);
    }
}
