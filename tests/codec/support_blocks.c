/* Blocks by kind: words on the edge of a pattern, floats, pointers, repeated values, noise. */
#include "codec/support_blocks.h"

#include <string.h>

/* Values next to where one pattern ends and another begins. */
static uint32_t edge_word(struct rng *r)
{
    static const uint32_t edges[] = {0,          7,          8,          0xfffffff8, 0xfffffff7,
                                     0x7f,       0x80,       0xffffff80, 0xffffff7f, 0x7fff,
                                     0x8000,     0xffff8000, 0xffff7fff, 0x10000,    0x7f0000,
                                     0xff800000, 0x00800000, 0x007f007f, 0xff80ff80, 0x0080007f,
                                     0x007f0080, 0x01010101, 0x80808080, 0xff,       0x100,
                                     0xff00,     0xffff0000, 0x80000000, 0x7fffffff, 0xffffffff};
    return edges[rng_below(r, ARRAY_LEN(edges))];
}

static uint32_t float_bits(float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return v;
}

static uint32_t word_of(struct rng *r, unsigned kind, unsigned i, uint32_t seed)
{
    uint32_t any = (uint32_t)rng_u64(r);
    switch (kind) {
    case 0:
        return any;
    case 1:
        return 0;
    case 2:
        return rng_below(r, 4) ? 0 : any;
    case 3:
        return rng_below(r, 200) - 100;
    case 4:
        return seed + i * (seed & 15);
    case 5:
        return seed + rng_below(r, 256);
    case 6:
        return float_bits(1.0f + (float)rng_unit(r));
    case 7:
        return seed;
    case 8: /* few distinct words: dictionaries, with evictions */
        return (seed & 0xffff0000) + (rng_below(r, 20) * 0x010103u);
    case 9:
        return edge_word(r);
    case 10: /* pointers: a high half that is one of two */
        return i % 2 ? 0x7f00 + rng_below(r, 2) : any;
    case 11:
        return rng_below(r, 3) ? edge_word(r) : seed ^ rng_below(r, 4);
    case 12:
        return (any & 0xff) * 0x01010101u;
    default: /* many words of few halves: partial matches, evictions of exact ones */
        return (rng_below(r, 3) << 16) + 0x40000000u + rng_below(r, 40);
    }
}

void blocks_fill(struct rng *r, unsigned kind, uint8_t *out, unsigned bytes)
{
    uint32_t seed = (uint32_t)rng_u64(r);
    for (unsigned i = 0; i < bytes / 4; i++) {
        uint32_t w = word_of(r, kind, i, seed);
        memcpy(out + 4 * i, &w, 4);
    }
}
