/* Floating point as A64 has it, on bit patterns: rounding, flushing and default NaNs by FPCR,
 * exceptions into FPSR. Exact, and independent of the host's floating-point state. */
#ifndef A64_FP_H
#define A64_FP_H

#include "a64/cpu.h"

enum fp_kind { FP16, FP32, FP64 };
/* The first four are FPCR's. */
enum fp_rounding { FP_NEAREST, FP_UP, FP_DOWN, FP_TO_ZERO, FP_AWAY, FP_ODD };

/* FPCR and FPSR. */
enum {
    FPCR_AHP = 1 << 26,
    FPCR_DN = 1 << 25,
    FPCR_FZ = 1 << 24,
    FPSR_INVALID = 1,
    FPSR_DIVIDE = 2,
    FPSR_OVERFLOW = 4,
    FPSR_UNDERFLOW = 8,
    FPSR_INEXACT = 16,
    FPSR_DENORMAL = 128,
};
#define FPSR_SATURATED (1u << 27)

static inline enum fp_rounding fp_rounding_of(const struct a64_cpu *c)
{
    return (enum fp_rounding)(c->fpcr >> 22 & 3);
}

uint64_t fp_add(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
uint64_t fp_sub(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
uint64_t fp_mul(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
/* The product that is 2 for zero times infinity. */
uint64_t fp_mulx(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
uint64_t fp_div(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
uint64_t fp_sqrt(struct a64_cpu *c, enum fp_kind k, uint64_t a);
/* add + a b, rounded once. */
uint64_t fp_fma(struct a64_cpu *c, enum fp_kind k, uint64_t add, uint64_t a, uint64_t b);

/* Steps of Newton's method for a reciprocal, 2 - a b, and for that of a root, (3 - a b) / 2. */
uint64_t fp_recip_step(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
uint64_t fp_root_step(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b);
/* Their first guesses, of 8 bits; a power of two near the reciprocal; the same of integers. */
uint64_t fp_recip_guess(struct a64_cpu *c, enum fp_kind k, uint64_t a);
uint64_t fp_root_guess(struct a64_cpu *c, enum fp_kind k, uint64_t a);
uint64_t fp_recip_power(struct a64_cpu *c, enum fp_kind k, uint64_t a);
uint32_t fp_recip_guess_int(uint32_t a);
uint32_t fp_root_guess_int(uint32_t a);

/* The larger or smaller; `is_number`: a quiet NaN loses against a number. */
uint64_t fp_max(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool is_min,
                bool is_number);
/* Flags of a comparison; with `signals` any NaN is invalid. */
unsigned fp_compare(struct a64_cpu *c, enum fp_kind k, uint64_t a, uint64_t b, bool signals);

uint64_t fp_round(struct a64_cpu *c, enum fp_kind k, uint64_t a, enum fp_rounding r, bool is_exact);
uint64_t fp_convert(struct a64_cpu *c, enum fp_kind from, enum fp_kind to, uint64_t a);
/* The same with another rounding than FPCR's. */
uint64_t fp_convert_by(struct a64_cpu *c, enum fp_kind from, enum fp_kind to, uint64_t a,
                       enum fp_rounding r);
/* With `places` bits behind the point; results that do not fit saturate. */
uint64_t fp_to_int(struct a64_cpu *c, enum fp_kind k, uint64_t a, unsigned bits, bool is_signed,
                   enum fp_rounding r, unsigned places);
uint64_t fp_from_int(struct a64_cpu *c, enum fp_kind k, uint64_t v, bool is_signed,
                     unsigned places);

/* The value of an instruction's eight bits. */
uint64_t fp_immediate(enum fp_kind k, unsigned imm8);

static inline uint64_t fp_sign(enum fp_kind k)
{
    return k == FP64 ? UINT64_C(1) << 63 : k == FP32 ? UINT64_C(1) << 31 : UINT64_C(1) << 15;
}

#endif
