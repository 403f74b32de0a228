/* Errors of sampled values, and what follows from them. */
#include "memo/quality.h"

#include "base/coarse_error.h"

#include <math.h>
#include <string.h>

static double error_of(double found, double own)
{
    if (found == own || (isnan(found) && isnan(own)))
        return 0;
    const double e = fabs(found - own) / fabs(own);
    return isfinite(e) ? e : INFINITY;
}

static double as_float(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return v;
}

static double as_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The difference of integers may need more than 64 bits. */
static double error_of_ints(int64_t found, int64_t own)
{
    if (found == own)
        return 0;
    return own ? fabs((double)((__int128)found - own)) / fabs((double)own) : INFINITY;
}

double memo_error(struct memo_type t, uint64_t found, uint64_t own)
{
    double e = 0;
    switch (t.kind) {
    case MEMO_FLOATS:
        for (unsigned k = 0; k < 64; k += 32)
            e = fmax(e, error_of(as_float(found >> k), as_float(own >> k)));
        return e;
    case MEMO_INT16S:
        for (unsigned k = 0; k < 64; k += 16)
            e = fmax(e, error_of_ints((int16_t)(found >> k), (int16_t)(own >> k)));
        return e;
    default:
        if (t.bytes == 8)
            return t.is_float ? error_of(as_double(found), as_double(own))
                              : error_of_ints((int64_t)found, (int64_t)own);
        return t.is_float ? error_of(as_float(found), as_float(own))
                          : error_of_ints((int32_t)found, (int32_t)own);
    }
}

uint32_t memo_coarse_error(uint32_t a, uint32_t b)
{
    uint32_t error;
    return coarse_error(COARSE_PIECES, a, b, &error) == COARSE_FOUND ? error : UINT32_MAX;
}

/* Floats of 32 bits; everything else is divided. */
static bool is_bad(const struct memo_rule *r, struct memo_type t, uint64_t found, uint64_t own)
{
    const bool is_single = t.kind == MEMO_ONE && t.is_float && t.bytes == 4;
    if (!r->is_coarse || !(is_single || t.kind == MEMO_FLOATS))
        return memo_error(t, found, own) > r->bad_error;
    const uint32_t limit = (uint32_t)fmin(ldexp(r->bad_error, COARSE_ERROR_BITS), 1u << 30);
    const bool is_low_bad = memo_coarse_error((uint32_t)own, (uint32_t)found) >= limit;
    return is_single ? is_low_bad
                     : is_low_bad || memo_coarse_error((uint32_t)(own >> 32),
                                                       (uint32_t)(found >> 32)) >= limit;
}

/* --- the monitor --- */

bool memo_monitor_hit(struct memo_monitor *m, const struct memo_rule *r)
{
    m->hits++;
    return r->every && m->hits % r->every == 0;
}

bool memo_monitor_compare(struct memo_monitor *m, const struct memo_rule *r, struct memo_type t,
                          uint64_t found, uint64_t own)
{
    const bool bad = is_bad(r, t, found, own);
    m->compared++;
    m->bad += bad;
    if (m->compared == r->window) {
        m->is_off = !r->stays_on &&
                    (double)m->bad > r->bad_share * (double)r->window + 1e-6; /* 0.29 x 100 is 29 */
        m->compared = m->bad = 0;
    }
    return bad;
}
