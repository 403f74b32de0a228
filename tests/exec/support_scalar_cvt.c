/* Conversions. */
#include "exec/support_scalar_parts.h"

/* The value of one source element. */
static struct sf source_of(enum ptx_type t, uint64_t v)
{
    if (t == PTX_E4M3X2) {
        struct sf x = sf_unpack(SF_E4M3, v & 0xff);
        if ((v & 0x7f) == 0x7f)
            return (struct sf){.kind = SF_NAN};
        if (x.kind == SF_INF || x.kind == SF_NAN) /* the top exponent is an ordinary one */
            x = (struct sf){SF_FINITE, v & 0x80, 8 | (v & 7), 8 - 3};
        return x;
    }
    if (t == PTX_E5M2X2)
        return sf_unpack(SF_E5M2, v & 0xff);
    if (ptx_type_is_float(t))
        return sf_unpack(ref_format(t), v);
    const ref_s128 n = ref_value(v, ptx_type_bits(t), ptx_type_is_signed(t));
    return sf_from_int(n < 0, (uint64_t)(n < 0 ? -n : n));
}

static bool integral_mode(const struct ptx_inst *i, enum sf_round *rnd)
{
    *rnd = ref_has(i, PTX_M_RZI)   ? SF_RZ
           : ref_has(i, PTX_M_RMI) ? SF_RM
           : ref_has(i, PTX_M_RPI) ? SF_RP
                                   : SF_RN;
    return *rnd != SF_RN || ref_has(i, PTX_M_RNI);
}

static struct sf to_integral(struct sf x, enum sf_round rnd)
{
    if (x.kind != SF_FINITE || x.exp >= 0)
        return x;
    const uint64_t m = (uint64_t)sf_round_int(x, rnd);
    return (struct sf){.kind = m ? SF_FINITE : SF_ZERO, .neg = x.neg, .sig = m};
}

static uint64_t to_int(const struct ptx_inst *i, enum ptx_type dt, enum ptx_type st, struct sf x)
{
    const unsigned n = ptx_type_bits(dt);
    const bool sg = ptx_type_is_signed(dt);
    enum sf_round rnd;
    integral_mode(i, &rnd);
    if (x.kind == SF_NAN) {
        const uint64_t r = n == 64 || st == PTX_F64 ? UINT64_C(1) << (n - 1) : 0;
        return (uint64_t)ref_value(r, n, sg);
    }
    ref_s128 v = x.kind == SF_INF ? (ref_s128)1 << 100 : (ref_s128)sf_round_int(x, rnd);
    return (uint64_t)ref_clamp(x.neg ? -v : v, n, sg);
}

/* What an element of a narrow format becomes; the patterns end where the format's numbers do. */
static uint64_t to_narrow(const struct ptx_inst *i, enum ptx_type t, struct sf x)
{
    const bool e4m3 = t == PTX_E4M3X2, e5m2 = t == PTX_E5M2X2, tf32 = t == PTX_TF32;
    /* e4m3 gives up infinity: one more binade, so it is packed with a wider exponent. */
    const struct sf_format f = e4m3   ? SF_E4M3
                               : e5m2 ? SF_E5M2
                               : tf32 ? SF_TF32
                                      : ref_format(t == PTX_F16X2    ? PTX_F16
                                                   : t == PTX_BF16X2 ? PTX_BF16
                                                                     : t);
    const unsigned bits = e4m3 || e5m2 ? 8 : tf32 ? 19 : ptx_type_bits(t) == 16 ? 16 : 16;
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    if (x.kind == SF_NAN)
        return e4m3 || e5m2 ? 0x7f : tf32 ? (uint64_t)0x7fffe000 : 0x7fff;
    const uint64_t neg = x.neg ? sign : 0;
    if (ref_has(i, PTX_M_RELU) && x.neg)
        return 0;
    x.neg = false;
    struct sf_wide w = sf_widen(x);
    enum sf_round rnd = ref_rounding(i);
    if (neg)
        rnd = rnd == SF_RM ? SF_RP : rnd == SF_RP ? SF_RM : rnd;
    uint64_t r;
    if (e4m3) {
        /* Halve: the top binade becomes an ordinary one, the bottom ones lose nothing in f16. */
        struct sf big = x;
        const struct sf_wide full = sf_widen(big);
        const uint64_t h = sf_pack((struct sf_format){4, 6}, &full, rnd);
        const struct sf back = sf_unpack((struct sf_format){4, 6}, h);
        const bool over =
            back.kind == SF_INF || (back.kind == SF_FINITE && sf_round_int(back, SF_RP) > 448);
        const bool in_top = back.kind == SF_FINITE && sf_round_int(back, SF_RN) >= 256;
        r = over ? 0x7e : in_top ? 0x78 | (h & 7) : sf_pack(f, &w, rnd);
    } else {
        r = sf_pack(f, &w, rnd);
        const uint64_t inf = ((UINT64_C(1) << f.ebits) - 1) << (f.prec - 1);
        if ((e5m2 || ref_has(i, PTX_M_SATFINITE)) && r >= inf)
            r = inf - 1;
    }
    r |= neg;
    return tf32 ? r << 13 : r;
}

static uint64_t clamp_unit(enum ptx_type t, uint64_t v)
{
    const uint64_t one = t == PTX_F64   ? 0x3ff0000000000000
                         : t == PTX_F32 ? 0x3f800000
                         : t == PTX_F16 ? 0x3c00
                                        : 0x3f80;
    if (ref_is_nan(t, v) || v >> (ptx_type_bits(t) - 1) & 1)
        return 0;
    return v > one ? one : v;
}

/* A NaN on its way between formats. */
static uint64_t convert_nan(const struct ptx_inst *i, enum ptx_type dt, enum ptx_type st,
                            uint64_t v)
{
    const bool ftz = ref_has(i, PTX_M_FTZ);
    if (dt == PTX_F16 && st == PTX_F64)
        return (v >> 48 & 0x8000) | 0x7e00 | (v >> 42 & 0x1ff);
    if (ref_has(i, PTX_M_RELU) || dt == PTX_F16 || dt == PTX_BF16)
        return dt == PTX_F64 ? 0 : dt == PTX_F32 ? 0x7fffffff : 0x7fff;
    if (dt == PTX_F32) {
        if (st == PTX_F64)
            return (v >> 63) << 31 | 0x7fc00000 | (v >> 29 & 0x3fffff);
        if (st == PTX_BF16 && !ftz)
            return v << 16;
        return 0x7fffffff;
    }
    /* To f64: the payload moves up and the NaN becomes quiet. */
    const uint64_t q = UINT64_C(0x7ff8000000000000);
    if (st == PTX_F64)
        return v | q;
    if (st == PTX_F32)
        return ftz ? UINT64_C(0x7fffffffe0000000) : (v >> 31 & 1) << 63 | q | (v & 0x3fffff) << 29;
    if (st == PTX_BF16)
        return (v >> 15 & 1) << 63 | q | (v & 0x3f) << 45;
    return (v >> 15 & 1) << 63 | q | (v & 0x1ff) << 42;
}

static uint64_t to_float(const struct ptx_inst *i, enum ptx_type dt, enum ptx_type st, uint64_t v)
{
    enum sf_round rnd;
    struct sf x = source_of(st, v);
    if (integral_mode(i, &rnd))
        x = to_integral(x, rnd);
    if (ref_has(i, PTX_M_SAT) && x.kind == SF_NAN)
        return 0;
    if (x.kind == SF_NAN)
        return convert_nan(i, dt, st, v);
    if (ref_has(i, PTX_M_RELU) && x.neg)
        return 0;
    const struct sf_wide w = sf_widen(x);
    uint64_t r = dt == PTX_F16 || dt == PTX_BF16 ? to_narrow(i, dt, x)
                                                 : sf_pack(ref_format(dt), &w, ref_rounding(i));
    if (ref_has(i, PTX_M_FTZ) && dt == PTX_F32)
        r = ref_flush(dt, r);
    return ref_has(i, PTX_M_SAT) ? clamp_unit(dt, r) : r;
}

static uint64_t byte_to_half(const struct ptx_inst *i, enum ptx_type st, uint64_t v)
{
    const struct sf x = source_of(st, v);
    if (x.kind == SF_NAN)
        return 0x7fff;
    if (ref_has(i, PTX_M_RELU) && x.neg)
        return 0;
    const struct sf_wide w = sf_widen(x);
    return sf_pack(SF_F16, &w, SF_RN);
}

bool ref_convert(const struct ptx_inst *i, const uint64_t *s, uint64_t *d)
{
    const enum ptx_type dt = (enum ptx_type)i->types[0], st = (enum ptx_type)i->types[1];
    if (i->op != PTX_OP_CVT)
        return false;
    uint64_t a = s[0], b = s[1];
    if (ref_has(i, PTX_M_FTZ) && st == PTX_F32) {
        a = ref_flush(st, a);
        b = ref_flush(st, b);
    }
    switch (dt) {
    case PTX_F16X2:
    case PTX_BF16X2:
        if (st != PTX_F32)
            d[0] = byte_to_half(i, st, a & 0xff) | byte_to_half(i, st, a >> 8 & 0xff) << 16;
        else
            d[0] = to_narrow(i, dt, source_of(st, a)) << 16 | to_narrow(i, dt, source_of(st, b));
        return true;
    case PTX_E4M3X2:
    case PTX_E5M2X2:
        if (st == PTX_F32)
            d[0] = to_narrow(i, dt, source_of(st, a)) << 8 | to_narrow(i, dt, source_of(st, b));
        else
            d[0] = to_narrow(i, dt, source_of(PTX_F16, a >> 16 & 0xffff)) << 8 |
                   to_narrow(i, dt, source_of(PTX_F16, a & 0xffff));
        return true;
    case PTX_TF32:
        if (ref_has(i, PTX_M_RNA))
            d[0] = ((a & 0x7fffffff) >= 0x7f800000 ? a : a + 0x1000) & 0xffffe000;
        else
            d[0] = to_narrow(i, dt, source_of(st, a));
        return true;
    default:
        break;
    }
    if (ptx_type_is_float(dt)) {
        const bool same = dt == st && dt == PTX_F32 && !i->nmods;
        d[0] = same ? a : to_float(i, dt, st, a);
    } else if (ptx_type_is_float(st)) {
        d[0] = to_int(i, dt, st, source_of(st, a));
    } else {
        const unsigned n = ptx_type_bits(dt);
        const bool sg = ptx_type_is_signed(dt);
        const ref_s128 v = ref_value(a, ptx_type_bits(st), ptx_type_is_signed(st));
        d[0] =
            (uint64_t)(ref_has(i, PTX_M_SAT) ? ref_clamp(v, n, sg) : ref_value((uint64_t)v, n, sg));
    }
    return true;
}
