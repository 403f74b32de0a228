/* Sizes of the codecs that look at words on their own, or all together. */
#include "codec/mv/kernels.h"

KERNEL zero_bits(const uint8_t *block, unsigned block_bytes)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < block_bytes; i += 8) {
        uint64_t v;
        memcpy(&v, block + i, 8);
        any |= v;
    }
    return any ? 8 * block_bytes : 0;
}

KERNEL dpc_bits(const uint8_t *block, unsigned block_bytes)
{
    uint32_t all = ~0u, any = 0;
    unsigned n = block_bytes / 4;
    for (unsigned i = 0; i < n; i++) {
        uint32_t w = load_u32(block + 4 * i);
        all &= w;
        any |= w;
    }
    unsigned constant = (unsigned)__builtin_popcount(all | ~any);
    return 33 + constant + (32 - constant) * n;
}

KERNEL gsr_bits(const uint8_t *block, unsigned block_bytes)
{
    uint32_t base = load_u32(block), differ = 0;
    for (unsigned i = 0; i < block_bytes; i += 4)
        differ |= load_u32(block + i) ^ base;
    unsigned low = differ ? 4 - (unsigned)__builtin_clz(differ) / 8 : 0;
    return 32 + 8 * low * (block_bytes / 4);
}

/* How many prefixes code the zero words, given as a mask: runs of at most 8, as long as can be. */
static inline unsigned zero_tokens(uint32_t zero)
{
    uint32_t starts = zero & ~(zero << 1);
    uint32_t run2 = zero & zero << 1, run4 = run2 & run2 << 2, run8 = run4 & run4 << 4;
    uint32_t run9 = run8 & zero << 8; /* this word and the eight before it are zero */
    uint32_t second = starts << 8 & run9, third = second << 8 & run9, fourth = third << 8 & run9;
    return (unsigned)__builtin_popcount(starts | second | third | fourth);
}

/* Words as vectors that are zero in the lanes where a pattern matches. */
struct fpc_misfit {
    v8u sign4, sign8, sign16, high_half, two_bytes, repeat;
};

INLINE struct fpc_misfit fpc_compare(v8u w)
{
    return (struct fpc_misfit){
        .sign4 = (w + 0x8) & ~0xfu,
        .sign8 = (w + 0x80) & ~0xffu,
        .sign16 = (w + 0x8000) & ~0xffffu,
        .high_half = w & 0xffff,
        .two_bytes = ((w + 0x80) & 0xff00) | (((w >> 16) + 0x80) & 0xff00),
        .repeat = w ^ (w << 8 | w >> 24),
    };
}

/* Prefix and data bits of every word, 0 for zero words: 35 less what the best pattern saves. */
INLINE v8u fpc_word_bits(v8u w)
{
    struct fpc_misfit m = fpc_compare(w);
    v8u seven = (v8u)(m.sign4 == 0), eleven = seven | (v8u)(m.sign8 == 0) | (v8u)(m.repeat == 0);
    v8u nineteen =
        eleven | (v8u)(m.sign16 == 0) | (v8u)(m.high_half == 0) | (v8u)(m.two_bytes == 0);
    return 35 - (nineteen & 16) - (eleven & 8) - (seven & 4) - ((v8u)(w == 0) & 7);
}

KERNEL fpc_bits(const uint8_t *block, unsigned block_bytes)
{
    v8u bits = {0};
    uint32_t zero = 0;
    for (unsigned i = 0; i < block_bytes / 32; i++) {
        v8u w = v8u_load(block + 32 * i);
        bits += fpc_word_bits(w);
        zero |= v8u_zero_mask(w) << (8 * i);
    }
    return v8u_sum(bits) + 6 * zero_tokens(zero);
}

INLINE uint32_t all_zero(v8u v)
{
    return v8u_zero_mask(v) == 0xff;
}

KERNEL fpc_seg_bits(const uint8_t *block, unsigned block_bytes)
{
    /* By the cheapest pattern that all words of the segment match. */
    static const unsigned char data_bytes[] = {0, 4, 8, 16, 32};
    unsigned bytes = block_bytes / 32;
    for (unsigned s = 0; s < block_bytes; s += 32) {
        v8u w = v8u_load(block + s);
        struct fpc_misfit m = fpc_compare(w);
        uint32_t matches =
            all_zero(w) | all_zero(m.sign4) << 1 | (all_zero(m.sign8) | all_zero(m.repeat)) << 2 |
            (all_zero(m.sign16) | all_zero(m.high_half) | all_zero(m.two_bytes)) << 3;
        bytes += data_bytes[__builtin_ctz(matches | 1 << 4)];
    }
    return 8 * bytes;
}

SIZE_KERNEL(zero)
SIZE_KERNEL(dpc)
SIZE_KERNEL(gsr)
SIZE_KERNEL(fpc)
SIZE_KERNEL(fpc_seg)
