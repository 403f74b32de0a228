/* Similar or not: by circuit, in double precision, by upper bits, by difference. */
#include "tech/lnl/lnl_compare.h"

#include <math.h>
#include <string.h>

static float f32_from(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* --- the circuit --- */

enum lnl_verdict lnl_relative_error(const struct lnl_unit *u, uint32_t a, uint32_t b,
                                    uint32_t *error)
{
    const enum coarse_result r = coarse_error(u->pieces, a, b, error);
    return r == COARSE_SIGNS_DIFFER       ? LNL_FAIL_SIGN
           : r == COARSE_EXPONENTS_DIFFER ? LNL_FAIL_EXPONENT
                                          : LNL_SIMILAR;
}

static enum lnl_verdict by_circuit(const struct lnl_unit *u, uint32_t a, uint32_t b)
{
    uint32_t error;
    const enum lnl_verdict v = lnl_relative_error(u, a, b, &error);
    return v != LNL_SIMILAR ? v : error < u->threshold ? LNL_SIMILAR : LNL_FAIL_THRESHOLD;
}

/* --- other designs --- */

static enum lnl_verdict by_definition(const struct lnl_unit *u, uint32_t a, uint32_t b)
{
    const double x = (double)f32_from(a), y = (double)f32_from(b);
    if (!isfinite(x) || !isfinite(y))
        return LNL_FAIL_EXPONENT;
    const double error = x == y ? 0 : fabs((x - y) / x); /* of 0: endless */
    return error < u->exact ? LNL_SIMILAR : LNL_FAIL_THRESHOLD;
}

static enum lnl_verdict by_bits(const struct lnl_unit *u, uint32_t a, uint32_t b)
{
    return (uint64_t)(a ^ b) >> u->drop_bits ? LNL_FAIL_THRESHOLD : LNL_SIMILAR;
}

enum lnl_verdict lnl_compare(const struct lnl_unit *u, uint32_t a, uint32_t b)
{
    return u->test == LNL_TEST_CIRCUIT ? by_circuit(u, a, b)
           : u->test == LNL_TEST_EXACT ? by_definition(u, a, b)
                                       : by_bits(u, a, b);
}

/* --- differences --- */

static double largest_byte(uint32_t a, uint32_t b)
{
    double most = 0;
    for (unsigned k = 0; k < 32; k += 8)
        most = fmax(most, fabs((double)(a >> k & 255) - (double)(b >> k & 255)));
    return most;
}

static double difference(enum lnl_value what, uint32_t a, uint32_t b)
{
    switch (what) {
    case LNL_VALUE_F32:
        return fabs((double)f32_from(a) - (double)f32_from(b)); /* NaN: smaller than nothing */
    case LNL_VALUE_S32:
        return fabs((double)(int32_t)a - (double)(int32_t)b);
    case LNL_VALUE_U8X4:
        return largest_byte(a, b);
    default:
        return fabs((double)a - (double)b);
    }
}

enum lnl_verdict lnl_compare_absolute(const struct lnl_unit *u, enum lnl_value what, uint32_t a,
                                      uint32_t b)
{
    return difference(what, a, b) < u->absolute ? LNL_SIMILAR : LNL_FAIL_THRESHOLD;
}

bool lnl_unit_passes_none(const struct lnl_unit *u, bool is_absolute)
{
    if (u->test == LNL_TEST_BITS)
        return false;
    return is_absolute                 ? u->absolute <= 0
           : u->test == LNL_TEST_EXACT ? u->exact <= 0
                                       : u->threshold == 0;
}
