/* Sets of ports or channels as bit masks of `words` words. Private to src/noc. */
#ifndef NOC_NOC_MASKS_H
#define NOC_NOC_MASKS_H

#include "noc/noc_int.h"

NOC_INLINE bool mask_any(const uint64_t *m, unsigned words)
{
    uint64_t any = 0;
    for (unsigned w = 0; w < words; w++)
        any |= m[w];
    return any;
}

NOC_INLINE void mask_set(uint64_t *m, unsigned bit, unsigned words)
{
    m[words == 1 ? 0 : bit / 64] |= 1ull << (bit % 64);
}

NOC_INLINE void mask_clear(uint64_t *m, unsigned bit, unsigned words)
{
    m[words == 1 ? 0 : bit / 64] &= ~(1ull << (bit % 64));
}

/* `count` bits from `bit` on (count at most 32). */
NOC_INLINE uint32_t mask_bits(const uint64_t *m, unsigned bit, unsigned count, unsigned words)
{
    uint64_t v = m[words == 1 ? 0 : bit / 64] >> (bit % 64);
    if (words > 1 && bit % 64 + count > 64)
        v |= m[bit / 64 + 1] << (64 - bit % 64);
    return (uint32_t)(v & ((1ull << count) - 1));
}

/* The first set bit at or after `from`, wrapping round; the mask is not empty. */
NOC_INLINE unsigned mask_round_robin(const uint64_t *m, unsigned from, unsigned words)
{
    if (words == 1) {
        uint64_t after = m[0] & (~0ull << from);
        return (unsigned)__builtin_ctzll(after ? after : m[0]);
    }
    unsigned w = from / 64;
    uint64_t bits = m[w] & (~0ull << (from % 64));
    while (!bits) {
        w = w + 1 == words ? 0 : w + 1;
        bits = m[w];
    }
    return w * 64 + (unsigned)__builtin_ctzll(bits);
}

#define FOR_EACH_BIT(bit, mask, words)                                          \
    for (unsigned w_ = 0; w_ < (words); w_++)                                   \
        for (uint64_t left_ = (mask)[w_], bit = 0;                              \
             left_ && (bit = w_ * 64 + (unsigned)__builtin_ctzll(left_), true); \
             left_ &= left_ - 1)

#endif
