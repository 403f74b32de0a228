/* Elements of SIMD registers as numbers; `size` is the logarithm of their bytes. */
#ifndef A64_SIMD_H
#define A64_SIMD_H

#include "a64/cpu.h"

static inline uint64_t simd_element(const union a64_vec *v, unsigned size, unsigned k)
{
    return size == 0 ? v->b[k] : size == 1 ? v->h[k] : size == 2 ? v->s[k] : v->d[k];
}

static inline int64_t simd_signed(const union a64_vec *v, unsigned size, unsigned k)
{
    const unsigned up = 64 - (8u << size);
    return (int64_t)(simd_element(v, size, k) << up) >> up;
}

static inline void simd_put(union a64_vec *v, unsigned size, unsigned k, uint64_t value)
{
    if (size == 0)
        v->b[k] = (uint8_t)value;
    else if (size == 1)
        v->h[k] = (uint16_t)value;
    else if (size == 2)
        v->s[k] = (uint32_t)value;
    else
        v->d[k] = value;
}

#endif
