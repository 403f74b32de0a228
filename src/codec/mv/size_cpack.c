/* Sizes of cpack and cpack4, without walking a dictionary word by word.
 *
 * cpack: what a word costs depends on the smallest XOR with a word that is in the dictionary when
 * it comes: 0 = mmmm, below 2^8 = mmmx, below 2^16 = mmxx. All words are compared with all earlier
 * ones at once. As long as nothing has been evicted, "in the dictionary" is "came earlier and is
 * not zero but for its last byte", for a word that matched an entry adds no new value. With
 * evictions, assume which words enter, restrict every word to the last 16 that did, see which words
 * then enter, and repeat: each word depends on earlier ones only, so an assumption that reproduces
 * itself is the answer, and every round settles at least one word more. */
#include "codec/mv/kernels.h"

enum { DICT = 16, DICT4 = 4 };

struct lanes {
    v8u v[WORDS_MAX / 8];
};

INLINE void load_lanes(struct lanes *w, const uint8_t *block, unsigned vecs)
{
    for (unsigned k = 0; k < vecs; k++)
        w->v[k] = v8u_load(block + 32 * k);
}

/* Lanes that are zero but for their low `bits` bits. */
INLINE uint32_t lanes_below(const struct lanes *x, unsigned bits, unsigned vecs)
{
    uint32_t mask = 0;
    for (unsigned k = 0; k < vecs; k++)
        mask |= v8u_zero_mask(x->v[k] >> bits) << (8 * k);
    return mask;
}

/* For every lane, the smallest XOR with an earlier lane of `keys`. */
INLINE void nearest(const struct lanes *w, const struct lanes *keys, unsigned vecs,
                    struct lanes *best)
{
    static const v8u index = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint32_t *key = (const uint32_t *)keys;
    for (unsigned k = 0; k < vecs; k++) {
        v8u least = (v8u){0} - 1;
#pragma GCC unroll 8
        for (unsigned j = 0; j < 8 * k; j++)
            least = v8u_min(least, w->v[k] ^ key[j]);
#pragma GCC unroll 8
        for (unsigned j = 0; j < 7; j++)
            least = v8u_min(least, (w->v[k] ^ key[8 * k + j]) | (v8u)(index <= j));
        best->v[k] = least;
    }
}

/* The same for the lanes from DICT on, among the last DICT lanes of `from` before each lane: those
 * whose rank in `from` is 1 to 16 below the number of lanes of `from` before this one. Numbers are
 * shifted so that the bits of such a difference are below, and those of any other reach, what
 * counts as no match. */
INLINE void nearest_recent(const struct lanes *w, uint32_t from, struct lanes *best)
{
    enum { SHIFT = 12, NO_MATCH = 0xffff, FIRST = DICT / 8, VECS = WORDS_MAX / 8 };
    struct lanes before;
    for (unsigned i = DICT; i < WORDS_MAX; i++)
        ((uint32_t *)&before)[i] = (uint32_t)__builtin_popcount(from & ~(~0u << i)) << SHIFT;
    for (unsigned k = FIRST; k < VECS; k++)
        best->v[k] = (v8u){0} - 1;
    for (uint32_t rank = 1u << SHIFT; from; rank += 1u << SHIFT, from &= from - 1) {
        uint32_t word = ((const uint32_t *)w)[__builtin_ctz(from)];
#pragma GCC unroll 2
        for (unsigned k = FIRST; k < VECS; k++) {
            v8u gone = (before.v[k] - rank) & ~(uint32_t)NO_MATCH;
            best->v[k] = v8u_min(best->v[k], (w->v[k] ^ word) | gone);
        }
    }
}

struct cpack_masks {
    uint32_t zero, small, exact, three,
        two; /* words that are 0, < 2^8, mmmm, mmmx, mmxx or better */
};

static inline unsigned cost(const struct cpack_masks *m, unsigned n)
{
    unsigned zero = (unsigned)__builtin_popcount(m->zero);
    unsigned small = (unsigned)__builtin_popcount(m->small & ~m->zero);
    unsigned exact = (unsigned)__builtin_popcount(m->exact & ~m->small);
    unsigned three = (unsigned)__builtin_popcount(m->three & ~m->exact & ~m->small);
    unsigned two = (unsigned)__builtin_popcount(m->two & ~m->three & ~m->small);
    unsigned none = n - zero - small - exact - three - two;
    return 2 * zero + 12 * small + 6 * exact + 16 * three + 24 * two + 34 * none;
}

/* Only a block of 128 bytes has more words than the dictionary; its first 16 meet no eviction. */
INLINE unsigned evicting_bits(const struct lanes *w, struct lanes *best, struct cpack_masks m)
{
    enum { VECS = WORDS_MAX / 8, EARLY = (1 << DICT) - 1 };
    uint32_t enters = ~m.small & ~m.exact;
    for (;;) {
        nearest_recent(w, enters, best);
        m.exact = (m.exact & EARLY) | (lanes_below(best, 0, VECS) & ~EARLY);
        uint32_t next = ~m.small & ~m.exact;
        if (next == enters)
            break;
        enters = next;
    }
    m.three = (m.three & EARLY) | (lanes_below(best, 8, VECS) & ~EARLY);
    m.two = (m.two & EARLY) | (lanes_below(best, 16, VECS) & ~EARLY);
    return cost(&m, WORDS_MAX);
}

KERNEL cpack_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned vecs = block_bytes / 32, n = block_bytes / 4;
    struct lanes w, keys, best;
    load_lanes(&w, block, vecs);
    struct cpack_masks m = {.zero = lanes_below(&w, 0, vecs), .small = lanes_below(&w, 8, vecs)};
    if (m.small == ~0u >> (32 - n))
        return cost(&m, n);
    /* Words that never enter are replaced by the first that does: it is there anyway, for all but
     * itself. */
    unsigned first = (unsigned)__builtin_ctz(~m.small);
    for (unsigned k = 0; k < vecs; k++) {
        v8u small = (v8u)(w.v[k] >> 8 == 0);
        keys.v[k] = (w.v[k] & ~small) | (load_u32(block + 4 * first) & small);
    }
    nearest(&w, &keys, vecs, &best);
    m.exact = lanes_below(&best, 0, vecs) & ~(1u << first);
    m.three = lanes_below(&best, 8, vecs) & ~(1u << first);
    m.two = lanes_below(&best, 16, vecs) & ~(1u << first);
    unsigned bits = cost(&m, n);
    /* Evictions can only make it larger. */
    unsigned entered = n - (unsigned)__builtin_popcount(m.small | m.exact);
    if (n <= DICT || entered <= DICT || bits > 8 * (block_bytes - 1))
        return bits;
    return evicting_bits(&w, &best, m);
}

KERNEL cpack4_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned vecs = block_bytes / 32, n = block_bytes / 4, k = 0;
    struct lanes w;
    load_lanes(&w, block, vecs);
    uint32_t all = ~0u >> (32 - n), exact = lanes_below(&w, 0, vecs);
    uint32_t covered = lanes_below(&w, 8, vecs);
    for (; k < DICT4 && covered != all; k++) {
        uint32_t word = load_u32(block + 4 * __builtin_ctz(~covered));
        struct lanes x;
        for (unsigned v = 0; v < vecs; v++)
            x.v[v] = w.v[v] ^ word;
        covered |= lanes_below(&x, 8, vecs);
        exact |= lanes_below(&x, 0, vecs);
    }
    if (covered != all)
        return 8 * block_bytes;
    return 8 * (1 + n / 2 + 4 * k + (exact == all ? 0 : n));
}

SIZE_KERNEL(cpack)
SIZE_KERNEL(cpack4)
