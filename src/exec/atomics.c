/* atom and red: read-modify-write, lane by lane in ascending order. */
#include "exec/atomic_cells.h"
#include "exec/lower.h"
#include "exec/memory.h"
#include "exec/softfp.h"

#include <math.h>
#include <string.h>

/* --- one lane --- */

/* min and max of floats return the number when one side is NaN. */
static float pick(float a, float b, enum ptx_mod op)
{
    return op == PTX_M_MIN ? fminf(a, b) : op == PTX_M_MAX ? fmaxf(a, b) : a + b;
}

static uint16_t half_rmw(uint16_t a, uint16_t b, enum ptx_mod op, bool is_bf16)
{
    if (is_bf16)
        return (uint16_t)bf16_round(
            f32_bits(pick(f32_of((uint32_t)a << 16), f32_of((uint32_t)b << 16), op)));
    return (uint16_t)f16_round(f32_bits(pick(f16_to_f32(a), f16_to_f32(b), op)));
}

static uint64_t f32_rmw(uint64_t old, uint64_t b, enum ptx_mod op)
{
    return f32_canon(f32_bits(pick(f32_of((uint32_t)old), f32_of((uint32_t)b), op)));
}

static uint64_t f64_rmw(uint64_t old, uint64_t b, enum ptx_mod op)
{
    double x = f64_of(old), y = f64_of(b);
    return f64_bits(op == PTX_M_MIN ? fmin(x, y) : op == PTX_M_MAX ? fmax(x, y) : x + y);
}

static uint64_t float_rmw(enum ptx_type t, enum ptx_mod op, uint64_t old, uint64_t b)
{
    switch (t) {
    case PTX_F32:
        return f32_rmw(old, b, op);
    case PTX_F64:
        return f64_rmw(old, b, op);
    case PTX_F16:
    case PTX_BF16:
        return half_rmw((uint16_t)old, (uint16_t)b, op, t == PTX_BF16);
    default: {
        bool bf = t == PTX_BF16X2;
        uint32_t lo = half_rmw((uint16_t)old, (uint16_t)b, op, bf);
        uint32_t hi = half_rmw((uint16_t)(old >> 16), (uint16_t)(b >> 16), op, bf);
        return lo | hi << 16;
    }
    }
}

static uint64_t int_min_max(enum ptx_type t, bool is_min, uint64_t old, uint64_t b)
{
    bool less = t == PTX_S32   ? (int32_t)b < (int32_t)old
                : t == PTX_S64 ? (int64_t)b < (int64_t)old
                : t == PTX_U32 ? (uint32_t)b < (uint32_t)old
                               : b < old;
    return less == is_min ? b : old;
}

/* The new value of a memory cell. */
static uint64_t rmw(enum ptx_type t, enum ptx_mod op, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op) {
    case PTX_M_EXCH:
        return b;
    case PTX_M_CAS:
        return old == b ? c : old;
    case PTX_M_AND:
        return old & b;
    case PTX_M_OR:
        return old | b;
    case PTX_M_XOR:
        return old ^ b;
    case PTX_M_INC:
        return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
    case PTX_M_DEC:
        return !(uint32_t)old || (uint32_t)old > (uint32_t)b ? b : old - 1;
    case PTX_M_MIN:
    case PTX_M_MAX:
        if (ptx_type_is_float(t))
            return float_rmw(t, op, old, b);
        return int_min_max(t, op == PTX_M_MIN, old, b);
    default:
        return ptx_type_is_float(t) ? float_rmw(t, op, old, b) : old + b;
    }
}

static void rmw_wide(const struct xmem *m, char *const *base, unsigned lane, char *cell)
{
    char old[16];
    memcpy(old, cell, 16);
    const char *b = lane_at(&m->regs[1], base) + (size_t)lane * 16;
    if (m->atom == PTX_M_EXCH)
        memcpy(cell, b, 16);
    else if (!memcmp(old, b, 16))
        memcpy(cell, lane_at(&m->regs[2], base) + (size_t)lane * 16, 16);
    if (!m->regs[0].none)
        memcpy(lane_at(&m->regs[0], base) + (size_t)lane * 16, old, 16);
}

static bool rmw_lanes(struct warp *w, const struct xinst *x, struct access *a, void *arg)
{
    const struct xmem *m = &x->mem;
    (void)arg;
    if (a->space == PTX_SPACE_LOCAL)
        return warp_fault(w, x, (unsigned)__builtin_ctz(a->mask), FAULT_INVALID_SPACE,
                          "atomic operation on %s memory", ptx_space_name(a->space));
    unsigned n = a->count;
    /* All cells are asked for before the first one is needed. */
    FOR_LANES (l, a->mask)
        __builtin_prefetch(devmem_ptr(a->base + a->addr[l]), 1);
    if (m->cells) {
        for (unsigned l = 0; l < WARP_LANES; l++)
            a->addr[l] += a->base;
        m->cells(m, w->base, a->addr, NULL, a->mask);
        return true;
    }
    FOR_LANES (l, a->mask) {
        for (unsigned k = 0; k < n; k++) {
            char *cell = (char *)devmem_ptr(a->base + a->addr[l]) + (size_t)k * m->bytes;
            if (m->bytes == 16) {
                rmw_wide(m, w->base, l, cell);
                continue;
            }
            uint64_t old = 0, b = lane_u64(&m->regs[n + k], w->base, l);
            uint64_t c = m->atom == PTX_M_CAS ? lane_u64(&m->regs[2 * n], w->base, l) : 0;
            uint64_t cut = m->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * m->bytes)) - 1;
            lane_copy(&old, cell, m->bytes);
            uint64_t new =
                rmw((enum ptx_type)m->type, (enum ptx_mod)m->atom, old, b & cut, c & cut);
            lane_copy(cell, &new, m->bytes);
            lane_set_u64(&m->regs[k], w->base, l, old);
        }
    }
    return true;
}

static bool op_atomic(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct xmem *m = &x->mem;
    struct access a;
    if (LIKELY(!w->step && m->cells)) {
        const struct located at = w->grid->lanes->locate(w, x, mask, m->bytes, true, a.addr);
        if (LIKELY(at.at != NULL)) {
            m->cells(m, w->base, a.addr, at.step ? NULL : at.at, mask);
            return true;
        }
    }
    a.mask = mask;
    a.space = x->space;
    a.bytes = m->bytes;
    a.count = m->nregs;
    a.is_write = true;
    w->grid->lanes->addresses(lane_at(&m->addr, w->base), m->addr.bytes, m->imm, mask, a.addr,
                              &a.span);
    return access_each(w, x, &a, rmw_lanes, NULL);
}

/* --- lowering --- */

static bool lower_values(struct lower *lo, const struct ptx_operand *o, bool is_dst,
                         enum ptx_type t, struct lane_ref *refs, unsigned n)
{
    bool is_vec = o->kind == PTX_OPND_VEC;
    if (is_vec ? o->nelems != n : n != 1) {
        lo->why = "vectors of different lengths";
        return false;
    }
    unsigned bytes = ptx_type_bytes(t);
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_operand *e = is_vec ? &o->elems[k] : o;
        if (is_dst ? !lower_dest(lo, e, &refs[k]) : !lower_source(lo, e, t, bytes, &refs[k]))
            return false;
    }
    return true;
}

/* Whether it is one cell a lane, in registers as wide as it. */
static bool has_single_cells(const struct xmem *m, bool has_c)
{
    const struct lane_ref *d = &m->regs[0];
    return m->nregs == 1 && m->regs[1].bytes == m->bytes && (d->none || d->bytes == m->bytes) &&
           (!has_c || m->regs[2].bytes == m->bytes);
}

static enum ptx_mod atomic_operation(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] >= PTX_M_AND && i->mods[k] <= PTX_M_CAS)
            return (enum ptx_mod)i->mods[k];
    return PTX_NOMOD;
}

/* What PTX has: others would be computed on bits that mean something else. */
#define TYPE(T) (UINT64_C(1) << PTX_##T)
#define WORDS   (TYPE(B32) | TYPE(B64))
#define HALVES  (TYPE(F16) | TYPE(BF16) | TYPE(F16X2) | TYPE(BF16X2))
#define NUMBERS (TYPE(U32) | TYPE(S32) | TYPE(U64) | TYPE(S64) | HALVES)
static const struct {
    enum ptx_mod op;
    uint64_t types;
} types_of[] = {
    {PTX_M_AND, WORDS},
    {PTX_M_OR, WORDS},
    {PTX_M_XOR, WORDS},
    {PTX_M_EXCH, WORDS | TYPE(B128)},
    {PTX_M_CAS, WORDS | TYPE(B128) | TYPE(B16)},
    {PTX_M_ADD, NUMBERS | TYPE(F32) | TYPE(F64)},
    {PTX_M_MIN, NUMBERS},
    {PTX_M_MAX, NUMBERS},
    {PTX_M_INC, TYPE(U32)},
    {PTX_M_DEC, TYPE(U32)},
};

static bool has_type(const struct xmem *m)
{
    for (size_t i = 0; i < ARRAY_LEN(types_of); i++)
        if (types_of[i].op == m->atom)
            return m->type < 64 && types_of[i].types >> m->type & 1;
    return false;
}

/* Atomics are on memory that threads share; a generic address says which when it is used. */
static bool has_space(const struct xinst *x)
{
    return x->space == PTX_SPACE_GLOBAL || x->space == PTX_SPACE_SHARED ||
           x->space == PTX_SPACE_GENERIC;
}

bool lower_atomic(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    struct xmem *m = &x->mem;
    bool has_dst = i->op == PTX_OP_ATOM;
    unsigned at = has_dst ? 1 : 0, n = ptx_inst_vec(i);
    x->kind = X_OP;
    x->space = (uint8_t)ptx_inst_space(i);
    m->atom = (uint8_t)atomic_operation(i);
    m->type = i->ntypes ? i->types[i->ntypes - 1] : PTX_NOTYPE;
    m->bytes = (uint8_t)ptx_type_bytes(m->type);
    m->nregs = (uint8_t)n;
    bool needs_c = m->atom == PTX_M_CAS;
    if (!m->atom || m->bytes < 2 || i->nops < at + 2u + needs_c) {
        lo->why = "an operation, type or operand that is missing";
        return false;
    }
    if (!has_type(m) || (m->bytes == 16 && n > 1) || !has_space(x)) {
        lo->why = has_space(x) ? "an operation that PTX does not have for this type"
                               : "an atomic operation in this state space";
        return false;
    }
    m->regs = arena_array(lo->arena, struct lane_ref, 3 * n);
    for (unsigned k = 0; k < n; k++)
        m->regs[k].none = true;
    const bool is_wanted = has_dst && i->ops[0].kind != PTX_OPND_SINK;
    if (is_wanted && !lower_values(lo, &i->ops[0], true, m->type, m->regs, n))
        return false;
    if (!lower_values(lo, &i->ops[at + 1], false, m->type, m->regs + n, n))
        return false;
    if (needs_c && !lower_values(lo, &i->ops[at + 2], false, m->type, m->regs + 2 * n, n))
        return false;
    m->fn = op_atomic;
    if (has_single_cells(m, needs_c))
        m->cells = atomic_cells_get((enum ptx_mod)m->atom, (enum ptx_type)m->type);
    return lower_mem_address(lo, &i->ops[at], x);
}
