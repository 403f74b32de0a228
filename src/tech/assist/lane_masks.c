/* Bits of lanes to bits of values and back; a predicate register is one word with a bit a lane. */
#include "tech/assist/lane_masks.h"

#include <string.h>

/* Bits 0, 2, 4, ... side by side. */
static uint32_t even_bits(uint64_t mask)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        bits |= (uint32_t)(mask >> 2 * i & 1) << i;
    return bits;
}

static uint64_t spread(uint32_t bits)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < WARP_LANES; i++)
        mask |= (uint64_t)(bits >> i & 1) << 2 * i;
    return mask;
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
    const uint32_t bits = read_bits(w, fn, reg);
    uint32_t out = 0;
    for (unsigned i = 0; i < lanes; i++)
        out |= (bits >> i & 1) << (lanes - 1 - i);
    return out;
}

void lane_masks_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint64_t mask)
{
    const uint32_t bits[] = {d->nlanes == 1 ? (uint32_t)mask : even_bits(mask),
                             even_bits(mask >> 1)};
    for (unsigned i = 0; i < d->nlanes; i++)
        memcpy(lanes_of(w, fn, d->lanes[i]), &bits[i], sizeof bits[i]);
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

void lane_steps_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint32_t src)
{
    for (unsigned i = 0; i < d->nsteps; i++) {
        uint32_t at[WARP_LANES];
        for (unsigned l = 0; l < WARP_LANES; l++)
            at[l] = src + l * (uint32_t)d->steps[i].bytes;
        memcpy(lanes_of(w, fn, d->steps[i].reg), at, sizeof at);
    }
}
