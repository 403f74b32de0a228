/* The host's arithmetic where it gives what A64 does: operands that are zero or normal, a normal
 * result, rounding to nearest, and an inexact result already on record, so that no flag can change.
 * Everything else goes to fp.h. */
#ifndef A64_FP_FAST_H
#define A64_FP_FAST_H

#include "a64/fp.h"

#include <math.h>
#include <string.h>

static inline bool fp_is_fast(const struct a64_cpu *c)
{
    return c->fpsr & FPSR_INEXACT && !(c->fpcr & 3u << 22);
}

#define FP_HOST(bits, type, fraction, exponents)                              \
    static inline type host##bits(uint##bits##_t v)                           \
    {                                                                         \
        type f;                                                               \
        memcpy(&f, &v, sizeof f);                                             \
        return f;                                                             \
    }                                                                         \
    static inline uint##bits##_t bits_of##bits(type f)                        \
    {                                                                         \
        uint##bits##_t v;                                                     \
        memcpy(&v, &f, sizeof v);                                             \
        return v;                                                             \
    }                                                                         \
    static inline bool is_normal##bits(uint##bits##_t v)                      \
    {                                                                         \
        return ((unsigned)(v >> fraction) & exponents) - 1u < exponents - 1u; \
    }                                                                         \
    static inline bool is_plain##bits(uint##bits##_t v)                       \
    {                                                                         \
        return is_normal##bits(v) || !(uint##bits##_t)(v << 1);               \
    }
FP_HOST(32, float, 23, 255u)
FP_HOST(64, double, 52, 2047u)

#define FP_BINARY(name, bits, type, op)                                                 \
    static inline uint##bits##_t fast_##name##bits(struct a64_cpu *c, uint##bits##_t a, \
                                                   uint##bits##_t b)                    \
    {                                                                                   \
        if (LIKELY(fp_is_fast(c) && is_plain##bits(a) && is_plain##bits(b))) {          \
            const type x = host##bits(a), y = host##bits(b);                            \
            const uint##bits##_t r = bits_of##bits(op);                                 \
            if (LIKELY(is_normal##bits(r)))                                             \
                return r;                                                               \
        }                                                                               \
        return (uint##bits##_t)fp_##name(c, FP##bits, a, b);                            \
    }
FP_BINARY(add, 32, float, x + y)
FP_BINARY(sub, 32, float, x - y)
FP_BINARY(mul, 32, float, x *y)
FP_BINARY(div, 32, float, x / y)
FP_BINARY(add, 64, double, x + y)
FP_BINARY(sub, 64, double, x - y)
FP_BINARY(mul, 64, double, x *y)
FP_BINARY(div, 64, double, x / y)

#define FP_FUSED(bits, type, function)                                                  \
    static inline uint##bits##_t fast_fma##bits(struct a64_cpu *c, uint##bits##_t add,  \
                                                uint##bits##_t a, uint##bits##_t b)     \
    {                                                                                   \
        if (LIKELY(fp_is_fast(c) && is_plain##bits(add) && is_plain##bits(a) &&         \
                   is_plain##bits(b))) {                                                \
            const uint##bits##_t r =                                                    \
                bits_of##bits(function(host##bits(a), host##bits(b), host##bits(add))); \
            if (LIKELY(is_normal##bits(r)))                                             \
                return r;                                                               \
        }                                                                               \
        return (uint##bits##_t)fp_fma(c, FP##bits, add, a, b);                          \
    }                                                                                   \
    static inline uint##bits##_t fast_sqrt##bits(struct a64_cpu *c, uint##bits##_t a)   \
    {                                                                                   \
        const bool is_positive = !(a >> (bits - 1));                                    \
        if (LIKELY(fp_is_fast(c) && is_positive && is_normal##bits(a)))                 \
            return bits_of##bits(function##_root(host##bits(a)));                       \
        return (uint##bits##_t)fp_sqrt(c, FP##bits, a);                                 \
    }                                                                                   \
    static inline unsigned fast_compare##bits(struct a64_cpu *c, uint##bits##_t a,      \
                                              uint##bits##_t b, bool signals)           \
    {                                                                                   \
        if (LIKELY(is_plain##bits(a) && is_plain##bits(b))) {                           \
            const type x = host##bits(a), y = host##bits(b);                            \
            return x < y ? A64_N : x > y ? A64_C : A64_Z | A64_C;                       \
        }                                                                               \
        return fp_compare(c, FP##bits, a, b, signals);                                  \
    }
#define fmaf_root sqrtf
#define fma_root  sqrt
FP_FUSED(32, float, fmaf)
FP_FUSED(64, double, fma)

/* Truncation of what fits into 64 bits with a sign. */
#define FP_TRUNCATED(bits, type)                                                                  \
    static inline uint64_t fast_to_int##bits(struct a64_cpu *c, uint##bits##_t a, unsigned width, \
                                             bool is_signed, enum fp_rounding r)                  \
    {                                                                                             \
        if (LIKELY(fp_is_fast(c) && r == FP_TO_ZERO && is_signed && is_plain##bits(a))) {         \
            const type x = host##bits(a);                                                         \
            if (x < (type)2147483520.0 && x > (type)-2147483520.0)                                \
                return width == 64 ? (uint64_t)(int64_t)x : (uint32_t)(int32_t)x;                 \
        }                                                                                         \
        return fp_to_int(c, FP##bits, a, width, is_signed, r, 0);                                 \
    }
FP_TRUNCATED(32, float)
FP_TRUNCATED(64, double)

/* Integers of up to 64 bits, with a sign or without. */
#define FP_FROM(bits, type)                                                         \
    static inline uint##bits##_t fast_from_int##bits(struct a64_cpu *c, uint64_t v, \
                                                     bool is_signed)                \
    {                                                                               \
        if (LIKELY(fp_is_fast(c)))                                                  \
            return bits_of##bits(is_signed ? (type)(int64_t)v : (type)v);           \
        return (uint##bits##_t)fp_from_int(c, FP##bits, v, is_signed, 0);           \
    }
FP_FROM(32, float)
FP_FROM(64, double)

#endif
