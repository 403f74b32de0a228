/* The parts of support_scalar_ref.c: each returns false for instructions that are not its own. */
#ifndef TESTS_EXEC_SUPPORT_SCALAR_PARTS_H
#define TESTS_EXEC_SUPPORT_SCALAR_PARTS_H

#include "exec/support_scalar_float.h"
#include "exec/support_scalar_ref.h"

typedef unsigned __int128 ref_u128;
typedef __int128 ref_s128;

static inline bool ref_has(const struct ptx_inst *i, enum ptx_mod m)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] == m)
            return true;
    return false;
}

/* The low `bits` of v as a number. */
static inline ref_s128 ref_value(uint64_t v, unsigned bits, bool is_signed)
{
    ref_s128 r = bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
    if (is_signed && v >> (bits - 1) & 1)
        r -= (ref_s128)1 << bits;
    return r;
}

static inline ref_s128 ref_clamp(ref_s128 v, unsigned bits, bool is_signed)
{
    const ref_s128 hi = is_signed ? ((ref_s128)1 << (bits - 1)) - 1 : ((ref_s128)1 << bits) - 1;
    const ref_s128 lo = is_signed ? -((ref_s128)1 << (bits - 1)) : 0;
    return v > hi ? hi : v < lo ? lo : v;
}

enum sf_round ref_rounding(const struct ptx_inst *i);
struct sf_format ref_format(enum ptx_type t);
bool ref_is_subnormal(enum ptx_type t, uint64_t v);
uint64_t ref_flush(enum ptx_type t, uint64_t v);
bool ref_is_nan(enum ptx_type t, uint64_t v);
/* A comparison as setp does it; x and y are register bits. */
bool ref_compare(enum ptx_mod cmp, enum ptx_type t, bool ftz, uint64_t x, uint64_t y);
enum ptx_mod ref_comparison(const struct ptx_inst *i, bool is_float);

bool ref_integer(const struct ptx_inst *i, const uint64_t *s, bool cc, uint64_t *d, bool *cc_out);
bool ref_bits(const struct ptx_inst *i, const uint64_t *s, uint64_t *d);
bool ref_float(const struct ptx_inst *i, const uint64_t *s, uint64_t *d);
bool ref_compares(const struct ptx_inst *i, const uint64_t *s, uint64_t *d);
bool ref_convert(const struct ptx_inst *i, const uint64_t *s, uint64_t *d);
bool ref_video(const struct ptx_inst *i, const uint64_t *s, uint64_t *d);

#endif
