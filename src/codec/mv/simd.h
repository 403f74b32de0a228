/* The operations on vectors that GCC and Clang have no common portable form for. */
#ifndef CODEC_SIMD_H
#define CODEC_SIMD_H

#include "codec/codec_int.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Vectors are only passed between functions that are inlined: no calling convention is involved. */
#pragma GCC diagnostic ignored "-Wpsabi"

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

/* Bit i = lane i is zero. */
INLINE uint32_t v8u_zero_mask(v8u v)
{
#if defined(__AVX512VL__)
    return _mm256_testn_epi32_mask((__m256i)v, (__m256i)v);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)(v == 0));
#else
    static const v8u bit = {1, 2, 4, 8, 16, 32, 64, 128};
    v = (v8u)(v == 0) & bit;
    return (v[0] | v[1] | v[2] | v[3]) | (v[4] | v[5] | v[6] | v[7]);
#endif
}

INLINE uint32_t v8u_sum(v8u v)
{
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

typedef uint64_t v4q __attribute__((vector_size(32)));

INLINE uint32_t v4q_zero_mask(v4q v)
{
#if defined(__AVX512VL__)
    return _mm256_testn_epi64_mask((__m256i)v, (__m256i)v);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_pd((__m256d)(v == 0));
#else
    return (uint32_t)(v[0] == 0) | (uint32_t)(v[1] == 0) << 1 | (uint32_t)(v[2] == 0) << 2 |
           (uint32_t)(v[3] == 0) << 3;
#endif
}

typedef uint16_t v16h __attribute__((vector_size(32)));

INLINE uint32_t v16h_zero_mask(v16h v)
{
#if defined(__AVX512VL__) && defined(__AVX512BW__)
    return _mm256_testn_epi16_mask((__m256i)v, (__m256i)v);
#else
    uint32_t mask = 0;
    for (unsigned i = 0; i < 16; i++)
        mask |= (uint32_t)(v[i] == 0) << i;
    return mask;
#endif
}

typedef uint8_t v32b __attribute__((vector_size(32)));

INLINE v32b v32b_load(const void *p)
{
    v32b v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Bit i = the top bit of byte i. */
INLINE uint32_t v32b_top_bits(v32b v)
{
#ifdef __AVX2__
    return (uint32_t)_mm256_movemask_epi8((__m256i)v);
#else
    typedef uint64_t v4u __attribute__((vector_size(32)));
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        /* Every product of a set top bit and a bit of the factor lands on a bit of its own. */
        uint64_t ones = ((v4u)v)[i] >> 7 & UINT64_C(0x0101010101010101);
        bits |= (uint32_t)(ones * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
#endif
}

#endif
