/* Operands as places: registers, constants, special registers, addresses. */
#include "exec/lower.h"

#include "base/exact.h"

#include "exec/softfp.h"
#include "exec/sregs.h"

#include <string.h>

static unsigned log2_bytes(unsigned bytes)
{
    return bytes >= 16 ? 4 : bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

struct lane_ref lower_const(struct lower *lo, uint64_t value, unsigned bytes)
{
    struct lane_ref ref = {.sel = LANE_CONST, .bytes = (uint8_t)bytes};
    struct u64map *map = &lo->const_off[bytes ? log2_bytes(bytes) : 0];
    uint64_t *known = u64map_get(map, value);
    if (known) {
        ref.off = (uint32_t)*known;
        return ref;
    }
    const size_t used = bytes ? (size_t)bytes * WARP_LANES : 4;
    const size_t span = exact_room(bytes ? used : 64);
    ref.off = (uint32_t)lo->consts.len;
    vec_reserve(&lo->consts, lo->consts.len + span);
    char *p = lo->consts.data + lo->consts.len;
    memset(p, 0, span);
    if (!bytes) {
        uint32_t mask = value ? UINT32_MAX : 0;
        memcpy(p, &mask, sizeof mask);
    }
    for (unsigned l = 0; bytes && l < WARP_LANES; l++)
        memcpy(p + l * bytes, &value, bytes < 8 ? bytes : 8);
    lo->consts.len += span;
    if (EXACT)
        vec_push(&lo->const_spans, ((struct const_span){ref.off, (uint32_t)used}));
    u64map_put(map, value, ref.off);
    return ref;
}

static uint64_t float_bits(double v, enum ptx_type t)
{
    uint32_t narrow = f32_bits((float)v);
    switch (t) {
    case PTX_F64:
        return f64_bits(v);
    case PTX_F16:
        return f16_round(narrow);
    case PTX_BF16:
        return bf16_round(narrow);
    default:
        return narrow;
    }
}

uint64_t lower_imm_bits(const struct ptx_operand *o, enum ptx_type t)
{
    if (o->is_f32) {
        float f;
        memcpy(&f, &o->imm, sizeof f);
        return t == PTX_F64 || t == PTX_F16 || t == PTX_BF16 ? float_bits((double)f, t)
                                                             : (uint32_t)o->imm;
    }
    if (o->is_float) {
        double d;
        memcpy(&d, &o->imm, sizeof d);
        if (!ptx_type_is_float(t) && ptx_type_bits(t) == 64)
            return (uint64_t)o->imm;
        return float_bits(d, t);
    }
    if (t == PTX_F32 || t == PTX_F64)
        return float_bits((double)o->imm, t);
    return (uint64_t)o->imm;
}

unsigned lower_operand_bytes(const struct ptx_inst *i, unsigned k, enum ptx_type *t)
{
    enum ptx_type type = i->ntypes ? i->types[0] : PTX_B32;
    switch (i->op) {
    case PTX_OP_CVT:
    case PTX_OP_SET:
        type = i->types[i->ntypes > 1 ? 1 : 0];
        break;
    case PTX_OP_SLCT:
        type = k == 3 ? i->types[1] : type;
        break;
    case PTX_OP_SHL:
    case PTX_OP_SHR:
        type = k == 2 ? PTX_U32 : type;
        break;
    case PTX_OP_BFE:
        type = k >= 2 ? PTX_U32 : type;
        break;
    case PTX_OP_BFI:
        type = k >= 3 ? PTX_U32 : type;
        break;
    case PTX_OP_MAD:
        if (k == 3 && ptx_inst_has(i, PTX_M_WIDE))
            type = ptx_type_bits(type) == 16 ? (ptx_type_is_signed(type) ? PTX_S32 : PTX_U32)
                                             : (ptx_type_is_signed(type) ? PTX_S64 : PTX_U64);
        break;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        type = PTX_B32;
        break;
    default:
        break;
    }
    *t = type;
    if (type == PTX_PRED)
        return 0;
    unsigned bytes = ptx_type_bytes(type);
    return bytes < 2 ? 2 : bytes;
}

bool lower_var_addr(struct lower *lo, const struct ptx_var *v, uint64_t *addr, bool *in_frame)
{
    *in_frame = false;
    *addr = 0;
    switch (v->space) {
    case PTX_SPACE_SHARED: {
        uint64_t *off = lo->shared ? u64map_get(lo->shared, (uintptr_t)v) : NULL;
        *addr = off ? *off : 0;
        return off || !lo->prog;
    }
    case PTX_SPACE_LOCAL: {
        uint64_t *off = u64map_get(&lo->locals, (uintptr_t)v);
        *in_frame = true;
        *addr = off ? *off : 0;
        return off != NULL;
    }
    case PTX_SPACE_PARAM: {
        uint64_t *off = u64map_get(&lo->locals, (uintptr_t)v);
        *in_frame = off != NULL;
        *addr = off ? *off : v->offset;
        return true;
    }
    default:
        if (!lo->prog || program_var_addr(lo->prog, v, addr))
            return true;
        lo->why = "a variable that is declared extern and defined nowhere";
        return false;
    }
}

static bool lower_reg(struct lower *lo, const struct ptx_operand *o, struct lane_ref *ref)
{
    *ref = lo->fn->regs[o->reg];
    ref->neg = o->neg;
    return true;
}

bool lower_source(struct lower *lo, const struct ptx_operand *o, enum ptx_type t, unsigned bytes,
                  struct lane_ref *ref)
{
    bool in_frame;
    uint64_t addr;
    switch (o->kind) {
    case PTX_OPND_REG:
        return lower_reg(lo, o, ref);
    case PTX_OPND_IMM:
        *ref = lower_const(lo, lower_imm_bits(o, t), bytes);
        return true;
    case PTX_OPND_SREG:
        if (o->sreg == PTX_SREG_WARP_SZ) {
            *ref = lower_const(lo, WARP_LANES, bytes);
            return true;
        }
        if (sreg_ref((enum ptx_sreg)o->sreg, o->reg, ref))
            return true;
        lo->why = "a special register that only mov can read";
        return false;
    case PTX_OPND_VAR:
        if (!lower_var_addr(lo, o->var, &addr, &in_frame))
            return false;
        if (in_frame) {
            lo->why = "the address of a local variable as an operand of this instruction";
            return false;
        }
        *ref = lower_const(lo, addr + (uint64_t)o->imm, bytes);
        return true;
    case PTX_OPND_FUNC: {
        uint32_t f = lo->prog ? program_func_index(lo->prog, o->func) : 0;
        if (f == UINT32_MAX) {
            lo->why = "the address of a function that is defined nowhere";
            return false;
        }
        *ref = lower_const(lo, FUNC_WINDOW + 16 * ((uint64_t)f + 1), bytes);
        return true;
    }
    case PTX_OPND_SINK:
        *ref = lower_const(lo, 0, bytes);
        ref->none = true;
        return true;
    default:
        lo->why = "an operand of this form";
        return false;
    }
}

bool lower_dest(struct lower *lo, const struct ptx_operand *o, struct lane_ref *ref)
{
    if (o->kind == PTX_OPND_SINK) {
        *ref = (struct lane_ref){.none = true};
        return true;
    }
    if (o->kind != PTX_OPND_REG) {
        lo->why = "a destination that is not a register";
        return false;
    }
    return lower_reg(lo, o, ref);
}

static unsigned count_refs(const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPND_ADDR:
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS: {
        unsigned n = 0;
        for (unsigned i = 0; i < o->nelems; i++)
            n += count_refs(&o->elems[i]);
        return n;
    }
    default:
        return 1;
    }
}

/* Floating-point numbers become values of type `real`. */
static bool flatten_one(struct lower *lo, const struct ptx_operand *o, struct xop *op, bool is_dst,
                        enum ptx_type real)
{
    switch (o->kind) {
    case PTX_OPND_ADDR:
        op->imm = o->imm;
        /* fall through */
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            if (!flatten_one(lo, &o->elems[i], op, is_dst, real))
                return false;
        return true;
    default: {
        struct lane_ref *ref = &op->refs[op->nrefs++];
        const enum ptx_type t = o->is_float ? real : PTX_B64;
        return is_dst ? lower_dest(lo, o, ref) : lower_source(lo, o, t, 8, ref);
    }
    }
}

bool lower_flatten(struct lower *lo, const struct ptx_inst *i, struct xop *op)
{
    unsigned n = 0, ndst = ptx_inst_ndst(i);
    const bool is_double = i->ntypes && i->types[i->ntypes - 1] == PTX_F64;
    const enum ptx_type real = is_double ? PTX_F64 : PTX_F32;
    for (unsigned k = 0; k < i->nops; k++)
        n += count_refs(&i->ops[k]);
    op->refs = arena_array(lo->arena, struct lane_ref, n + 1);
    op->nrefs = 0;
    for (unsigned k = 0; k < i->nops; k++) {
        if (k < ARRAY_LEN(op->first))
            op->first[k] = op->nrefs;
        if (!flatten_one(lo, &i->ops[k], op, k < ndst, real))
            return false;
    }
    return true;
}

bool lower_arg(struct lower *lo, const struct ptx_operand *o, const struct ptx_var *as,
               struct xarg *arg)
{
    *arg = (struct xarg){0};
    if (o->kind == PTX_OPND_VAR && o->var->space == PTX_SPACE_PARAM) {
        uint64_t *off = u64map_get(&lo->locals, (uintptr_t)o->var);
        if (!off) {
            lo->why = "a kernel parameter passed as a call argument";
            return false;
        }
        arg->off = (uint32_t)*off;
        arg->words = (uint32_t)(o->var->bytes + 3) / 4;
        return true;
    }
    arg->in_reg = true;
    enum ptx_type t = as ? (enum ptx_type)as->type : PTX_B64;
    unsigned bytes = t == PTX_PRED ? 0 : ptx_type_bytes(t);
    return lower_source(lo, o, t, bytes == 1 ? 2 : bytes, &arg->reg);
}
