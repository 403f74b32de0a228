/* Lines by algorithm: words near the edges of what each can code, and noise. */
#include "assist/support_lines.h"

#include "codec/support_blocks.h"

#include <string.h>

enum { LINE = 128 };

/* --- base and delta --- */

/* A delta that fits `bytes`, often at the edge; rarely one that is just outside. */
static uint64_t near_edge(struct rng *r, unsigned bytes)
{
    uint64_t half = UINT64_C(1) << (8 * bytes - 1);
    switch (rng_below(r, 400)) {
    case 0:
        return half;
    case 1:
        return -half - 1;
    default:
        break;
    }
    switch (rng_below(r, 4)) {
    case 0:
        return half - 1;
    case 1:
        return -half;
    default:
        return (rng_u64(r) & (2 * half - 1)) - half;
    }
}

/* Zero, anything, or the first numbers that do not fit the zero base. */
static uint64_t base_value(struct rng *r, unsigned delta)
{
    uint64_t half = UINT64_C(1) << (8 * delta - 1), past = rng_below(r, 4);
    switch (rng_below(r, 8)) {
    case 0:
        return 0;
    case 1:
        return half + past;
    case 2:
        return -half - 1 - past;
    default:
        return rng_u64(r);
    }
}

/* Values of `base` bytes around a base and around zero; a base of 0 leaves only zero's. */
static void fill_deltas(struct rng *r, unsigned base, unsigned delta, uint8_t *line)
{
    uint64_t around = base_value(r, delta);
    unsigned based = rng_below(r, 5);
    /* the base itself first, or any of the values near it */
    uint64_t v = around;
    for (unsigned i = 0; i < LINE; i += base) {
        if (i || rng_below(r, 2))
            v = near_edge(r, delta) + (rng_below(r, 4) < based ? around : 0);
        memcpy(line + i, &v, base);
    }
}

/* Pairs of words, the second small and the same in all: bases of 8 bytes with wide deltas fit, and
 * so do bases of 4 with narrow ones. */
static void fill_pairs(struct rng *r, uint8_t *line)
{
    unsigned delta = 1 + rng_below(r, 2);
    uint32_t around = (uint32_t)base_value(r, delta) >> 1, second = (uint32_t)near_edge(r, delta);
    for (unsigned i = 0; i < LINE; i += 8) {
        uint32_t v = (uint32_t)near_edge(r, delta);
        v = rng_below(r, 2) ? v + around : v & ((1u << (8 * delta - 1)) - 1);
        memcpy(line + i, &v, 4);
        memcpy(line + i + 4, &second, 4);
    }
}

/* --- segments and dictionaries --- */

static uint32_t pattern_word(struct rng *r, unsigned pattern)
{
    uint32_t any = (uint32_t)rng_u64(r);
    switch (pattern) {
    case 0:
        return 0;
    case 1:
        return (any & 15) - 8;
    case 2:
        return (any & 0xff) - 0x80;
    case 3:
        return (any & 0xffff) - 0x8000;
    case 4:
        return any << 16;
    case 5:
        return ((any & 0xff) - 0x80) << 16 | (((any >> 8 & 0xff) - 0x80) & 0xffff);
    case 6:
        return (any & 0xff) * 0x01010101u;
    default:
        return any;
    }
}

/* Every segment its own pattern, now and then with a word of another. */
static void fill_segments(struct rng *r, uint8_t *line)
{
    for (unsigned i = 0, pattern = 0; i < LINE / 4; i++) {
        if (i % 8 == 0)
            pattern = rng_below(r, 8);
        uint32_t v = pattern_word(r, rng_below(r, 60) ? pattern : rng_below(r, 8));
        memcpy(line + 4 * i, &v, 4);
    }
}

/* Words of n dictionary words, whole or but for the last byte, zeros and single bytes. */
static void fill_dictionary(struct rng *r, unsigned n, uint8_t *line)
{
    uint32_t dict[8], kinds = 1 + rng_below(r, 15);
    for (unsigned i = 0; i < n; i++)
        dict[i] = (uint32_t)rng_u64(r) & (rng_below(r, 4) ? UINT32_MAX : 0xffffff00);
    for (unsigned i = 0; i < LINE / 4; i++) {
        uint32_t v = n ? dict[rng_below(r, n)] : 0;
        switch (rng_below(r, 4) & kinds) {
        case 0:
            break;
        case 1:
            v = 0;
            break;
        case 2:
            v = (v & ~0xffu) | rng_below(r, 256);
            break;
        default:
            v = rng_below(r, 256);
        }
        memcpy(line + 4 * i, &v, 4);
    }
}

static void fill_repeated(struct rng *r, uint8_t *line)
{
    uint64_t v = rng_u64(r) >> rng_below(r, 64);
    for (unsigned i = 0; i < LINE; i += 8)
        memcpy(line + i, &v, 8);
    if (!rng_below(r, 4)) /* but for one bit */
        line[rng_below(r, LINE)] ^= (uint8_t)(1u << rng_below(r, 8));
}

void lines_fill(struct rng *r, unsigned kind, uint8_t *line)
{
    static const uint8_t forms[][2] = {{8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};
    if (kind < BLOCK_KINDS) {
        blocks_fill(r, kind, line, LINE);
        return;
    }
    kind -= BLOCK_KINDS;
    if (kind < ARRAY_LEN(forms))
        fill_deltas(r, forms[kind][0], forms[kind][1], line);
    else if (kind == 6)
        fill_pairs(r, line);
    else if (kind < 9)
        fill_segments(r, line);
    else if (kind < 15)
        fill_dictionary(r, kind - 9, line);
    else
        fill_repeated(r, line);
}
