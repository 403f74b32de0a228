/* Numbers taken apart and put together again, for fp.c and fp_convert.c. */
#ifndef A64_FP_PARTS_H
#define A64_FP_PARTS_H

#include "a64/fp.h"

enum fp_class { FP_IS_ZERO, FP_IS_NORMAL, FP_IS_INFINITE, FP_IS_QUIET, FP_IS_SIGNALLING };

/* A normal number is fraction / 2^63 * 2^exponent, with the fraction's bit 63 set. */
struct fp_parts {
    enum fp_class class;
    bool sign;
    int exponent;
    uint64_t fraction;
};

struct fp_format {
    unsigned exponent, fraction; /* bits */
    int bias;
};
extern const struct fp_format fp_formats[];

static inline bool fp_is_nan(const struct fp_parts *p)
{
    return p->class >= FP_IS_QUIET;
}

static inline uint64_t fp_low(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Shifted right; what falls out leaves a trace in the lowest bit. */
static inline uint64_t fp_jam(uint64_t v, unsigned by)
{
    return by >= 64 ? v != 0 : by ? v >> by | ((v & fp_low(by)) != 0) : v;
}

static inline void fp_raise(struct a64_cpu *c, unsigned flags)
{
    c->fpsr |= flags;
}

/* Denormals become zero if FPCR says so (not those of 16 bits). */
struct fp_parts fp_unpack(struct a64_cpu *c, enum fp_kind k, uint64_t v);
/* Rounds; fraction is not 0 and has bit 63 set, its lowest bit may stand for more. */
uint64_t fp_pack(struct a64_cpu *c, enum fp_kind k, bool sign, int exponent, uint64_t fraction,
                 enum fp_rounding r);
uint64_t fp_zero(enum fp_kind k, bool sign);
uint64_t fp_infinity(enum fp_kind k, bool sign);
uint64_t fp_default_nan(enum fp_kind k);
/* The NaN that comes out of operands of which one is a NaN: the first that signals, else the first.
 */
uint64_t fp_nan_of(struct a64_cpu *c, enum fp_kind k, const struct fp_parts *p, const uint64_t *v,
                   unsigned n);
uint64_t fp_invalid(struct a64_cpu *c, enum fp_kind k);
/* Whether magnitudes are rounded up: `rest` are the bits that go, `half` the first of these. */
bool fp_rounds_up(enum fp_rounding r, bool sign, bool is_odd, uint64_t rest, uint64_t half);

#endif
