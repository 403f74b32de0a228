/* Integer arithmetic, in both widths. */
#include "a64/exec_int.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

/* --- sums and their flags --- */

#define FLAGS_OF(bits)                                                                          \
    static inline u##bits add_flags##bits(struct a64_cpu *c, u##bits a, u##bits b, unsigned in) \
    {                                                                                           \
        const u##bits part = (u##bits)(a + b), r = (u##bits)(part + in);                        \
        const unsigned carry = (part < a) | (r < part);                                         \
        const unsigned overflow = (unsigned)(((a ^ r) & (b ^ r)) >> (bits - 1));                \
        c->nzcv =                                                                               \
            (unsigned)(r >> (bits - 1)) << 3 | (unsigned)(r == 0) << 2 | carry << 1 | overflow; \
        return r;                                                                               \
    }                                                                                           \
    static inline u##bits sub_flags##bits(struct a64_cpu *c, u##bits a, u##bits b)              \
    {                                                                                           \
        const u##bits r = (u##bits)(a - b);                                                     \
        const unsigned overflow = (unsigned)(((a ^ b) & (a ^ r)) >> (bits - 1));                \
        c->nzcv = (unsigned)(r >> (bits - 1)) << 3 | (unsigned)(r == 0) << 2 |                  \
                  (unsigned)(a >= b) << 1 | overflow;                                           \
        return r;                                                                               \
    }                                                                                           \
    static inline u##bits logic_flags##bits(struct a64_cpu *c, u##bits r)                       \
    {                                                                                           \
        c->nzcv = (unsigned)(r >> (bits - 1)) << 3 | (unsigned)(r == 0) << 2;                   \
        return r;                                                                               \
    }
FLAGS_OF(32)
FLAGS_OF(64)

/* An operation in both widths; a and b are its operands of `bits` bits. */
#define OPERATION(name, second, bits, result) \
    EXEC(name##bits)                          \
    {                                         \
        const u##bits a = (u##bits)RN;        \
        const u##bits b = (u##bits)(second);  \
        PUT##bits(result);                    \
        (void)b;                              \
        NEXT;                                 \
    }

/* --- immediates --- */

#define WITH_IMMEDIATE(bits)                                     \
    OPERATION(add_i, i->imm, bits, a + b)                        \
    OPERATION(sub_i, i->imm, bits, a - b)                        \
    OPERATION(adds_i, i->imm, bits, add_flags##bits(c, a, b, 0)) \
    OPERATION(subs_i, i->imm, bits, sub_flags##bits(c, a, b))    \
    OPERATION(orr_i, i->imm, bits, a | b)                        \
    OPERATION(eor_i, i->imm, bits, a ^ b)                        \
    OPERATION(ands_i, i->imm, bits, logic_flags##bits(c, a &b))
WITH_IMMEDIATE(32)
WITH_IMMEDIATE(64)
OPERATION(and_i, i->imm, 64, a &b)

EXEC(move_i)
{
    PUT64(i->imm);
    NEXT;
}

EXEC(movk32)
{
    PUT32((c->x[i->rd] & ~(UINT64_C(0xffff) << i->shift)) | i->imm);
    NEXT;
}

EXEC(movk64)
{
    PUT64((c->x[i->rd] & ~(UINT64_C(0xffff) << i->shift)) | i->imm);
    NEXT;
}

/* --- bitfields: left by `shift`, right by `size` --- */

#define BITFIELD(bits)                                                                    \
    EXEC(sbfm##bits)                                                                      \
    {                                                                                     \
        PUT##bits((s##bits)((u##bits)RN << i->shift) >> i->size);                         \
        NEXT;                                                                             \
    }                                                                                     \
    EXEC(ubfm##bits)                                                                      \
    {                                                                                     \
        PUT##bits((u##bits)((u##bits)RN << i->shift) >> i->size);                         \
        NEXT;                                                                             \
    }                                                                                     \
    EXEC(bfm##bits)                                                                       \
    {                                                                                     \
        const u##bits field = (u##bits)((u##bits)RN << i->shift) >> i->size;              \
        PUT##bits(((u##bits)c->x[i->rd] & ~(u##bits)i->imm) | (field & (u##bits)i->imm)); \
        NEXT;                                                                             \
    }
BITFIELD(32)
BITFIELD(64)

EXEC(extr32)
{
    PUT32((RN << 32 | (u32)RM) >> i->shift);
    NEXT;
}

EXEC(extr64)
{
    PUT64(((unsigned __int128)RN << 64 | RM) >> i->shift);
    NEXT;
}

/* --- shifted registers --- */

#define LSL(bits) ((u##bits)RM << i->shift)
#define LSR(bits) ((u##bits)RM >> i->shift)
#define ASR(bits) ((s##bits)RM >> i->shift)
#define ROR(bits) ((u##bits)RM >> i->shift | (u##bits)((u##bits)RM << (-i->shift & (bits - 1))))

#define ARITHMETIC(kind, KIND, bits)                                      \
    OPERATION(add_##kind, KIND(bits), bits, a + b)                        \
    OPERATION(sub_##kind, KIND(bits), bits, a - b)                        \
    OPERATION(adds_##kind, KIND(bits), bits, add_flags##bits(c, a, b, 0)) \
    OPERATION(subs_##kind, KIND(bits), bits, sub_flags##bits(c, a, b))
#define LOGICAL(kind, KIND, bits)                                        \
    OPERATION(and_##kind, KIND(bits), bits, a &b)                        \
    OPERATION(bic_##kind, KIND(bits), bits, a & ~b)                      \
    OPERATION(orr_##kind, KIND(bits), bits, a | b)                       \
    OPERATION(orn_##kind, KIND(bits), bits, a | ~b)                      \
    OPERATION(eor_##kind, KIND(bits), bits, a ^ b)                       \
    OPERATION(eon_##kind, KIND(bits), bits, a ^ ~b)                      \
    OPERATION(ands_##kind, KIND(bits), bits, logic_flags##bits(c, a &b)) \
    OPERATION(bics_##kind, KIND(bits), bits, logic_flags##bits(c, a & ~b))
#define SHIFTED(bits)          \
    ARITHMETIC(lsl, LSL, bits) \
    ARITHMETIC(lsr, LSR, bits) \
    ARITHMETIC(asr, ASR, bits) \
    LOGICAL(lsl, LSL, bits)    \
    LOGICAL(lsr, LSR, bits)    \
    LOGICAL(asr, ASR, bits)    \
    LOGICAL(ror, ROR, bits)
SHIFTED(32)
SHIFTED(64)

/* --- extended registers --- */

static u64 extend(u64 v, unsigned kind)
{
    switch (kind) {
    case 0:
        return (uint8_t)v;
    case 1:
        return (uint16_t)v;
    case 2:
        return (u32)v;
    case 4:
        return (u64)(int8_t)v;
    case 5:
        return (u64)(int16_t)v;
    case 6:
        return (u64)(s32)v;
    default:
        return v;
    }
}

#define EXTENDED (extend(RM, i->size) << i->shift)
#define WITH_EXTENDED(bits)                                          \
    OPERATION(add_ext, EXTENDED, bits, a + b)                        \
    OPERATION(sub_ext, EXTENDED, bits, a - b)                        \
    OPERATION(adds_ext, EXTENDED, bits, add_flags##bits(c, a, b, 0)) \
    OPERATION(subs_ext, EXTENDED, bits, sub_flags##bits(c, a, b))
WITH_EXTENDED(32)
WITH_EXTENDED(64)

/* --- carries, conditions --- */

#define CARRY (c->nzcv >> 1 & 1)

#define CONDITIONAL(bits)                                       \
    OPERATION(adc, RM, bits, a + b + CARRY)                     \
    OPERATION(sbc, ~RM, bits, a + b + CARRY)                    \
    OPERATION(adcs, RM, bits, add_flags##bits(c, a, b, CARRY))  \
    OPERATION(sbcs, ~RM, bits, add_flags##bits(c, a, b, CARRY)) \
    OPERATION(csel, RM, bits, holds(c, i->imm) ? a : b)         \
    OPERATION(csinc, RM, bits, holds(c, i->imm) ? a : b + 1)    \
    OPERATION(csinv, RM, bits, holds(c, i->imm) ? a : ~b)       \
    OPERATION(csneg, RM, bits, holds(c, i->imm) ? a : -b)
CONDITIONAL(32)
CONDITIONAL(64)

#define COMPARE_IF(name, bits, comparison) \
    EXEC(name##bits)                       \
    {                                      \
        if (holds(c, i->imm))              \
            comparison;                    \
        else                               \
            c->nzcv = i->size;             \
        NEXT;                              \
    }
#define COMPARISONS(bits)                                                   \
    COMPARE_IF(ccmp, bits, sub_flags##bits(c, (u##bits)RN, (u##bits)RM))    \
    COMPARE_IF(ccmn, bits, add_flags##bits(c, (u##bits)RN, (u##bits)RM, 0)) \
    COMPARE_IF(ccmp_i, bits, sub_flags##bits(c, (u##bits)RN, i->shift))     \
    COMPARE_IF(ccmn_i, bits, add_flags##bits(c, (u##bits)RN, i->shift, 0))
COMPARISONS(32)
COMPARISONS(64)

/* --- shifts by a register, one source, products, quotients --- */

static inline u32 reverse_bits32(u32 v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}

static inline u64 reverse_bits64(u64 v)
{
    return (u64)reverse_bits32((u32)v) << 32 | reverse_bits32((u32)(v >> 32));
}

static inline unsigned zeros32(u32 v)
{
    return v ? (unsigned)__builtin_clz(v) : 32;
}

static inline unsigned zeros64(u64 v)
{
    return v ? (unsigned)__builtin_clzll(v) : 64;
}

#define BY_REGISTER(bits)                                                  \
    OPERATION(lslv, RM &(bits - 1), bits, a << b)                          \
    OPERATION(lsrv, RM &(bits - 1), bits, a >> b)                          \
    OPERATION(asrv, RM &(bits - 1), bits, (s##bits)a >> b)                 \
    OPERATION(rorv, RM &(bits - 1), bits, a >> b | a << (-b & (bits - 1))) \
    OPERATION(udiv, RM, bits, b ? a / b : 0)                               \
    OPERATION(sdiv, RM, bits,                                              \
              !b                   ? 0                                     \
              : b == (u##bits) - 1 ? -a                                    \
                                   : (u##bits)((s##bits)a / (s##bits)b))   \
    OPERATION(rbit, 0, bits, reverse_bits##bits(a))                        \
    OPERATION(clz, 0, bits, zeros##bits(a))                                \
    OPERATION(cls, a >> (bits - 1) ? ~a : a, bits, zeros##bits(b) - 1)
BY_REGISTER(32)
BY_REGISTER(64)
OPERATION(rev, 0, 32, __builtin_bswap32(a))
OPERATION(rev, 0, 64, __builtin_bswap64(a))
OPERATION(rev16, 0xff00ff, 32, (a >> 8 & b) | (a & b) << 8)
OPERATION(rev16, 0xff00ff00ff00ff, 64, (a >> 8 & b) | (a & b) << 8)

EXEC(rev32x)
{
    const u64 v = __builtin_bswap64(RN);
    PUT64(v >> 32 | v << 32);
    NEXT;
}

/* Four operands: what is computed of RN, RM and RA. */
#define PRODUCT(name, bits, result) \
    EXEC(name)                      \
    {                               \
        PUT##bits(result);          \
        NEXT;                       \
    }
PRODUCT(madd32, 32, RA + RN * RM)
PRODUCT(madd64, 64, RA + RN * RM)
PRODUCT(msub32, 32, RA - RN * RM)
PRODUCT(msub64, 64, RA - RN * RM)
PRODUCT(smaddl, 64, RA + (u64)((s64)(s32)RN * (s32)RM))
PRODUCT(smsubl, 64, RA - (u64)((s64)(s32)RN * (s32)RM))
PRODUCT(umaddl, 64, RA + (u64)(u32)RN * (u32)RM)
PRODUCT(umsubl, 64, RA - (u64)(u32)RN * (u32)RM)
PRODUCT(smulh, 64, (u64)(((__int128)(s64)RN * (s64)RM) >> 64))
PRODUCT(umulh, 64, (u64)(((unsigned __int128)RN * RM) >> 64))

/* --- checksums, byte by byte --- */

static u32 crc(u32 sum, u64 data, unsigned bytes, u32 polynomial)
{
    for (unsigned k = 0; k < bytes; k++, data >>= 8) {
        sum ^= (uint8_t)data;
        for (unsigned bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (polynomial & -(sum & 1));
    }
    return sum;
}

enum { IEEE = 0xedb88320u, CASTAGNOLI = 0x82f63b78u };
PRODUCT(crc32b, 32, crc((u32)RN, RM, 1, IEEE))
PRODUCT(crc32h, 32, crc((u32)RN, RM, 2, IEEE))
PRODUCT(crc32w, 32, crc((u32)RN, RM, 4, IEEE))
PRODUCT(crc32x, 32, crc((u32)RN, RM, 8, IEEE))
PRODUCT(crc32cb, 32, crc((u32)RN, RM, 1, CASTAGNOLI))
PRODUCT(crc32ch, 32, crc((u32)RN, RM, 2, CASTAGNOLI))
PRODUCT(crc32cw, 32, crc((u32)RN, RM, 4, CASTAGNOLI))
PRODUCT(crc32cx, 32, crc((u32)RN, RM, 8, CASTAGNOLI))
