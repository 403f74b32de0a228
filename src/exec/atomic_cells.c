/* One loop over lanes for each operation and type, and the tables by which they are found. */
#include "exec/atomic_cells.h"

#include "exec/softfp.h"
#include "exec/warp.h"

/* A cell becomes NEW, of what it was, `old`, and the lane's operands, b and c. Where all lanes have
 * the same cell it stays in a register of the host meanwhile. */
#define ATOMIC(name, T, NEW)                                                                  \
    static void name(const struct xmem *m, char *const *base, const addr_t *each, char *only, \
                     uint32_t mask)                                                           \
    {                                                                                         \
        T *before = m->regs[0].none ? NULL : (T *)lane_at(&m->regs[0], base);                 \
        const T *bs = (const T *)lane_at(&m->regs[1], base);                                  \
        const T *cs = (const T *)lane_at(&m->regs[m->atom == PTX_M_CAS ? 2 : 1], base);       \
        T one = only ? *(const T *)only : 0;                                                  \
        FOR_LANES (l, mask) {                                                                 \
            T *cell = only ? &one : (T *)each[l];                                             \
            const T old = *cell, b = bs[l], c = cs[l];                                        \
            (void)b, (void)c;                                                                 \
            *cell = (T)(NEW);                                                                 \
            if (before)                                                                       \
                before[l] = old;                                                              \
        }                                                                                     \
        if (only)                                                                             \
            *(T *)only = one;                                                                 \
    }

#define BOTH_WIDTHS(name, NEW)       \
    ATOMIC(name##_32, uint32_t, NEW) \
    ATOMIC(name##_64, uint64_t, NEW)

BOTH_WIDTHS(exch, b)
BOTH_WIDTHS(cas, old == b ? c : old)
BOTH_WIDTHS(and, old &b)
BOTH_WIDTHS(or, old | b)
BOTH_WIDTHS(xor, old ^ b)
BOTH_WIDTHS(add, old + b)
ATOMIC(inc_32, uint32_t, old >= b ? 0 : old + 1)
ATOMIC(dec_32, uint32_t, !old || old > b ? b : old - 1)
ATOMIC(min_u32, uint32_t, b < old ? b : old)
ATOMIC(max_u32, uint32_t, b > old ? b : old)
ATOMIC(min_s32, int32_t, b < old ? b : old)
ATOMIC(max_s32, int32_t, b > old ? b : old)
ATOMIC(min_u64, uint64_t, b < old ? b : old)
ATOMIC(max_u64, uint64_t, b > old ? b : old)
ATOMIC(min_s64, int64_t, b < old ? b : old)
ATOMIC(max_s64, int64_t, b > old ? b : old)
ATOMIC(add_f32, uint32_t, f32_canon(f32_bits(f32_of(old) + f32_of(b))))
ATOMIC(add_f64, uint64_t, f64_bits(f64_of(old) + f64_of(b)))

/* Operations that only know how wide a cell is; float types have another addition. */
static const struct {
    enum ptx_mod op;
    atomic_fn by_width[2];
} of_bits[] = {
    {PTX_M_EXCH, {exch_32, exch_64}}, {PTX_M_CAS, {cas_32, cas_64}}, {PTX_M_AND, {and_32, and_64}},
    {PTX_M_OR, {or_32, or_64}},       {PTX_M_XOR, {xor_32, xor_64}}, {PTX_M_INC, {inc_32, NULL}},
    {PTX_M_DEC, {dec_32, NULL}},
};

static const struct {
    enum ptx_mod op;
    enum ptx_type type;
    atomic_fn fn;
} of_types[] = {
    {PTX_M_ADD, PTX_U32, add_32},  {PTX_M_ADD, PTX_S32, add_32},  {PTX_M_ADD, PTX_U64, add_64},
    {PTX_M_ADD, PTX_S64, add_64},  {PTX_M_ADD, PTX_F32, add_f32}, {PTX_M_ADD, PTX_F64, add_f64},
    {PTX_M_MIN, PTX_U32, min_u32}, {PTX_M_MAX, PTX_U32, max_u32}, {PTX_M_MIN, PTX_S32, min_s32},
    {PTX_M_MAX, PTX_S32, max_s32}, {PTX_M_MIN, PTX_U64, min_u64}, {PTX_M_MAX, PTX_U64, max_u64},
    {PTX_M_MIN, PTX_S64, min_s64}, {PTX_M_MAX, PTX_S64, max_s64},
};

atomic_fn atomic_cells_get(enum ptx_mod op, enum ptx_type type)
{
    const unsigned bytes = ptx_type_bytes(type);
    for (size_t i = 0; i < ARRAY_LEN(of_types); i++)
        if (of_types[i].op == op && of_types[i].type == type)
            return of_types[i].fn;
    for (size_t i = 0; i < ARRAY_LEN(of_bits); i++)
        if (of_bits[i].op == op && (bytes == 4 || bytes == 8))
            return of_bits[i].by_width[bytes == 8];
    return NULL;
}
