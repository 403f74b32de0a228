/* Sizes of the codecs that look at words on their own, or all together. */
#include "codec/fpc_patterns.h"
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

static inline uint32_t fpc_word_bits(uint32_t w)
{
    bool sign4 = w + 8 < 16, sign8 = w + 128 < 256, sign16 = w + 32768 < 65536;
    bool repeat = w == (w << 8 | w >> 24), high_half = (w & 0xffff) == 0;
    bool two_bytes = (((w + 0x80) & 0xff00) | (((w >> 16) + 0x80) & 0xff00)) == 0;
    uint32_t bits = (sign16 | high_half | two_bytes) ? 19 : 35;
    bits = (sign8 | repeat) ? 11 : bits;
    bits = sign4 ? 7 : bits;
    return w ? bits : 0;
}

static const uint32_t lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

KERNEL fpc_bits(const uint8_t *block, unsigned block_bytes)
{
    uint32_t bits = 0, zero = 0;
    for (unsigned i = 0; i < block_bytes / 4; i++) {
        uint32_t w = load_u32(block + 4 * i);
        bits += fpc_word_bits(w);
        zero |= w ? 0 : lane_bit[i];
    }
    return bits + 6 * zero_tokens(zero);
}

/* Flags of the patterns that a word matches, the cheapest the lowest: 0, 4, 8, 16, 32 bytes. */
static inline uint32_t seg_flags(uint32_t w)
{
    uint32_t zero = w == 0, sign4 = w + 8 < 16, sign8 = w + 128 < 256, sign16 = w + 32768 < 65536;
    uint32_t repeat = w == (w << 8 | w >> 24), high_half = (w & 0xffff) == 0;
    uint32_t two = (((w + 0x80) & 0xff00) | (((w >> 16) + 0x80) & 0xff00)) == 0;
    return zero | sign4 << 1 | sign8 << 2 | repeat << 3 | sign16 << 4 | high_half << 5 | two << 6;
}

KERNEL fpc_seg_bits(const uint8_t *block, unsigned block_bytes)
{
    static const unsigned char data_bytes[8] = {0, 4, 8, 8, 16, 16, 16, 32};
    unsigned bytes = block_bytes / 32;
    for (unsigned s = 0; s < block_bytes; s += 32) {
        uint32_t flags = 0x7f;
        for (unsigned i = 0; i < 8; i++)
            flags &= seg_flags(load_u32(block + s + 4 * i));
        bytes += data_bytes[__builtin_ctz(flags | 0x80)];
    }
    return 8 * bytes;
}

SIZE_KERNEL(zero)
SIZE_KERNEL(dpc)
SIZE_KERNEL(gsr)
SIZE_KERNEL(fpc)
SIZE_KERNEL(fpc_seg)
