/* The two operations on vectors that GCC and Clang have no common portable form for. */
#ifndef CODEC_SIMD_H
#define CODEC_SIMD_H

#include "codec/codec_int.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Vectors are only passed between functions that are inlined: no calling convention is involved. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

typedef uint32_t v8u __attribute__((vector_size(32)));

INLINE v8u v8u_load(const void *p)
{
    v8u v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE v8u v8u_min(v8u a, v8u b)
{
#ifdef __AVX2__
    return (v8u)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    v8u less = (v8u)(a < b);
    return (a & less) | (b & ~less);
#endif
}

/* Bit i = lane i is not zero; lanes are all zeros or all ones. */
INLINE uint32_t v8u_mask(v8u v)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#else
    static const v8u bit = {1, 2, 4, 8, 16, 32, 64, 128};
    v &= bit;
    return (v[0] | v[1] | v[2] | v[3]) | (v[4] | v[5] | v[6] | v[7]);
#endif
}

/* Bit i = the top bit of byte i, of 32 bytes. */
INLINE uint32_t bytes_top_bits(const uint8_t *p)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256((const __m256i *)p));
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t v;
        memcpy(&v, p + 8 * i, 8);
        /* Every product of a set top bit and a bit of the factor lands on a bit of its own. */
        v = ((v >> 7 & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080)) >> 56;
        bits |= (uint32_t)v << (8 * i);
    }
    return bits;
#endif
}

#endif
