/* When a result counts as the GPU's: equal, or within the bound that the vector's line gives. */
#include "validate/golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "3", "0.5", "2^-20.5" */
static double parse_bound(const char *s)
{
    char *end;
    double v = strtod(s, &end);
    return *end == '^' ? pow(v, strtod(end + 1, NULL)) : v;
}

bool tolerance_parse(const char *s, struct tolerance *t)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {
        {"ulp:", TOL_ULP}, {"abs:", TOL_ABS}, {"rel:", TOL_REL}, {"abs-or-rel:", TOL_ABS_OR_REL}};
    *t = (struct tolerance){.kind = TOL_EXACT};
    if (!strcmp(s, "exact"))
        return true;
    for (unsigned i = 0; i < ARRAY_LEN(kinds); i++) {
        size_t n = strlen(kinds[i].name);
        if (strncmp(s, kinds[i].name, n))
            continue;
        t->kind = kinds[i].kind;
        t->bound = parse_bound(s + n);
        return true;
    }
    return false;
}

struct float_format {
    unsigned bits, mantissa;
};

static struct float_format format_of(enum ptx_type t)
{
    switch (t) {
    case PTX_F64:
        return (struct float_format){64, 52};
    case PTX_F16:
        return (struct float_format){16, 10};
    case PTX_BF16:
        return (struct float_format){16, 7};
    default:
        return (struct float_format){32, 23};
    }
}

static double value_of(struct float_format f, uint64_t bits)
{
    unsigned ebits = f.bits - 1 - f.mantissa;
    int bias = (1 << (ebits - 1)) - 1;
    uint64_t man = bits & ((UINT64_C(1) << f.mantissa) - 1);
    int e = (int)((bits >> f.mantissa) & ((1u << ebits) - 1));
    double m = e ? (double)(man | UINT64_C(1) << f.mantissa) : (double)man;
    double v = e == (1 << ebits) - 1 ? (man ? NAN : INFINITY)
                                     : ldexp(m, (e ? e : 1) - bias - (int)f.mantissa);
    return (bits >> (f.bits - 1)) & 1 ? -v : v;
}

/* Floats of one sign are ordered as their bits are. */
static int64_t order(struct float_format f, uint64_t bits)
{
    uint64_t mag = bits & ((UINT64_C(1) << (f.bits - 1)) - 1);
    return (bits >> (f.bits - 1)) & 1 ? -(int64_t)mag : (int64_t)mag;
}

static bool accepts_float(const struct tolerance *tol, enum ptx_type t, uint64_t want, uint64_t got)
{
    struct float_format f = format_of(t);
    double w = value_of(f, want), g = value_of(f, got);
    if (isnan(w) || isnan(g))
        return isnan(w) && isnan(g);
    if (want == got)
        return true;
    /* infinities and zeros must match in kind and sign, and those that do were equal above */
    if (tol->kind == TOL_EXACT || isinf(w) || isinf(g) || w == 0 || g == 0)
        return false;
    double diff = fabs(w - g);
    switch (tol->kind) {
    case TOL_ULP:
        return llabs(order(f, want) - order(f, got)) <= (long long)tol->bound;
    case TOL_ABS:
        return diff <= tol->bound;
    case TOL_REL:
        return diff <= tol->bound * fabs(w);
    default:
        return diff <= tol->bound || diff <= tol->bound * fabs(w);
    }
}

bool tolerance_accepts(const struct tolerance *tol, enum ptx_type t, uint64_t want, uint64_t got)
{
    if (t == PTX_F16X2 || t == PTX_BF16X2) {
        enum ptx_type half = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        return accepts_float(tol, half, want & 0xffff, got & 0xffff) &&
               accepts_float(tol, half, want >> 16 & 0xffff, got >> 16 & 0xffff);
    }
    return ptx_type_is_float(t) ? accepts_float(tol, t, want, got) : want == got;
}
