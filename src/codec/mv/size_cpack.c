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

INLINE uint32_t lanes_below(const struct lanes *x, uint32_t limit, unsigned vecs)
{
    uint32_t mask = 0;
    for (unsigned k = 0; k < vecs; k++)
        mask |= v8u_mask((v8u)(x->v[k] < limit)) << (8 * k);
    return mask;
}

static const v8u lane_index[WORDS_MAX / 8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                              {8, 9, 10, 11, 12, 13, 14, 15},
                                              {16, 17, 18, 19, 20, 21, 22, 23},
                                              {24, 25, 26, 27, 28, 29, 30, 31}};

/* For every lane, the smallest XOR with the word of an earlier lane in `from`. */
INLINE void nearest(const uint8_t *block, const struct lanes *w, uint32_t from, unsigned vecs,
                    struct lanes *best)
{
    for (unsigned k = 0; k < vecs; k++)
        best->v[k] = (v8u){0} - 1;
    for (unsigned j = 0; j + 1 < 8 * vecs; j++) {
        uint32_t out = (from >> j & 1) - 1; /* all ones if j does not count */
        uint32_t wj = load_u32(block + 4 * j);
        for (unsigned k = j / 8; k < vecs; k++) {
            v8u x = (w->v[k] ^ wj) | out;
            if (k == j / 8)
                x |= (v8u)(lane_index[k] <= j);
            best->v[k] = v8u_min(best->v[k], x);
        }
    }
}

/* The same among the last 16 lanes of `from` before each lane. */
static void nearest_recent(const uint8_t *block, unsigned n, uint32_t from, uint32_t *best)
{
    unsigned recent[WORDS_MAX], entered = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t w = load_u32(block + 4 * i), least = ~0u;
        for (unsigned k = entered > DICT ? entered - DICT : 0; k < entered; k++) {
            uint32_t x = recent[k] ^ w;
            least = x < least ? x : least;
        }
        best[i] = least;
        recent[entered] = w;
        entered += from >> i & 1;
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

static __attribute__((noinline)) unsigned evicting_bits(const uint8_t *block, unsigned n,
                                                        struct cpack_masks m)
{
    struct lanes best = {0};
    uint32_t all = ~0u >> (32 - n), enters = all & ~m.small & ~m.exact;
    for (;;) {
        nearest_recent(block, n, enters, (uint32_t *)&best);
        m.exact = lanes_below(&best, 1, n / 8);
        uint32_t next = all & ~m.small & ~m.exact;
        if (next == enters)
            break;
        enters = next;
    }
    m.three = lanes_below(&best, 1u << 8, n / 8);
    m.two = lanes_below(&best, 1u << 16, n / 8);
    return cost(&m, n);
}

KERNEL cpack_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned vecs = block_bytes / 32, n = block_bytes / 4;
    struct lanes w, best;
    load_lanes(&w, block, vecs);
    struct cpack_masks m = {.zero = lanes_below(&w, 1, vecs), .small = lanes_below(&w, 256, vecs)};
    nearest(block, &w, ~m.small, vecs, &best);
    m.exact = lanes_below(&best, 1, vecs);
    m.three = lanes_below(&best, 1u << 8, vecs);
    m.two = lanes_below(&best, 1u << 16, vecs);
    unsigned bits = cost(&m, n);
    /* Evictions can only make it larger. */
    unsigned entered = n - (unsigned)__builtin_popcount(m.small | m.exact);
    if (entered <= DICT || bits > 8 * (block_bytes - 1))
        return bits;
    return evicting_bits(block, n, m);
}

KERNEL cpack4_bits(const uint8_t *block, unsigned block_bytes)
{
    unsigned vecs = block_bytes / 32, n = block_bytes / 4, k = 0;
    struct lanes w;
    load_lanes(&w, block, vecs);
    uint32_t all = ~0u >> (32 - n), zero = lanes_below(&w, 1, vecs);
    uint32_t covered = lanes_below(&w, 256, vecs), exact = zero;
    for (; k < DICT4 && covered != all; k++) {
        uint32_t word = load_u32(block + 4 * __builtin_ctz(~covered));
        struct lanes x;
        for (unsigned v = 0; v < vecs; v++)
            x.v[v] = w.v[v] ^ word;
        covered |= lanes_below(&x, 256, vecs);
        exact |= lanes_below(&x, 1, vecs);
    }
    if (covered != all)
        return 8 * block_bytes;
    return 8 * (1 + n / 2 + 4 * k + (exact == all ? 0 : n));
}

SIZE_KERNEL(cpack)
SIZE_KERNEL(cpack4)
