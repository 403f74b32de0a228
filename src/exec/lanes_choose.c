/* From an instruction's types and modifiers to the key of its row. */
#include "exec/lanes_choose.h"

const struct lane_entry *lanes_find_row(const struct lane_choice *c)
{
    for (const struct lane_entry *e = c->table; e->fn; e++)
        if (e->op == c->op && e->type == c->type && e->type2 == c->type2 &&
            e->variant == c->variant)
            return e;
    return NULL;
}

/* Bytes of a register element that holds a value of type t. */
static uint8_t storage(enum ptx_type t)
{
    const unsigned bits = ptx_type_bits(t);
    return t == PTX_PRED ? 0 : bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

static bool has(const struct ptx_inst *i, enum ptx_mod m)
{
    return ptx_inst_has(i, m);
}

static unsigned flags(const struct ptx_inst *i)
{
    return (has(i, PTX_M_FTZ) ? LV_FTZ : 0) | (has(i, PTX_M_SAT) ? LV_SAT : 0) |
           (has(i, PTX_M_HI) ? LV_HI : 0) | (has(i, PTX_M_WIDE) ? LV_WIDE : 0) |
           (has(i, PTX_M_NAN_) ? LV_NAN : 0) | (has(i, PTX_M_RELU) ? LV_RELU : 0) |
           (has(i, PTX_M_XORSIGN) ? LV_XORSIGN : 0) | (has(i, PTX_M_OOB) ? LV_OOB : 0) |
           (has(i, PTX_M_APPROX) || has(i, PTX_M_FULL) ? LV_APPROX : 0);
}

static enum lane_round rounding(const struct ptx_inst *i)
{
    return has(i, PTX_M_RZ)   ? LANE_RZ
           : has(i, PTX_M_RM) ? LANE_RM
           : has(i, PTX_M_RP) ? LANE_RP
                              : LANE_RN;
}

/* Types of one width that an operation treats alike. */
static unsigned as_unsigned(enum ptx_type t)
{
    switch (storage(t)) {
    case 2:
        return PTX_U16;
    case 4:
        return PTX_U32;
    case 8:
        return PTX_U64;
    case 16:
        return PTX_B128;
    default:
        return PTX_PRED;
    }
}

static unsigned signed_or_unsigned(enum ptx_type t)
{
    if (!ptx_type_is_signed(t))
        return as_unsigned(t);
    return storage(t) == 2 ? PTX_S16 : storage(t) == 4 ? PTX_S32 : PTX_S64;
}

static bool is_packed_int(enum ptx_type t)
{
    return t == PTX_U16X2 || t == PTX_S16X2;
}

static void all_widths(struct lane_choice *c, enum ptx_type t)
{
    c->d = storage(t);
    for (unsigned k = 0; k < 4; k++)
        c->s[k] = storage(t);
}

/* Rows of halves take their flavour at run time. */
static void choose_half(const struct ptx_inst *i, struct lane_op *op, struct lane_choice *c)
{
    /* There is no other rounding here, and no .oob. */
    c->variant = op->rnd == LANE_RN && !has(i, PTX_M_OOB) ? LV_ANY : LV_OOB;
    op->flag = has(i, PTX_M_RELU);
    op->mode = (uint8_t)((has(i, PTX_M_NAN_) ? LANE_PICK_NAN : 0) |
                         (has(i, PTX_M_XORSIGN) ? LANE_PICK_XORSIGN : 0));
}

/* add.f32.f16 d, a, c and fma.rn.f32.f16 d, a, b, c: the factors are halves. */
static void choose_mixed(const struct lane_tables *tables, const struct ptx_inst *i,
                         struct lane_choice *c)
{
    c->table = tables->half;
    c->type2 = i->types[1];
    c->s[0] = 2;
    if (c->op == PTX_OP_FMA)
        c->s[1] = 2;
}

/* Floating-point arithmetic: the type's own table. */
static void choose_float(const struct lane_tables *tables, const struct ptx_inst *i,
                         struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const bool is_single = t == PTX_F32 || t == PTX_F32X2;
    c->table = is_single ? tables->f32 : t == PTX_F64 ? tables->f64 : tables->half;
    c->type = t;
    c->variant = flags(i);
    if (t == PTX_F64 && !(c->variant & LV_APPROX))
        c->variant = 0;
    if ((c->op == PTX_OP_MIN || c->op == PTX_OP_MAX) && !op->src[2].none)
        c->variant |= LV_THREE;
    /* mad.f32 of old PTX is fma. */
    if (c->op == PTX_OP_MAD)
        c->op = PTX_OP_FMA;
    op->rnd = (uint8_t)rounding(i);
    c->in_mode = op->rnd != LANE_RN;
    if (c->table == tables->half)
        choose_half(i, op, c);
    if (t == PTX_F32 && i->ntypes > 1)
        choose_mixed(tables, i, c);
}

static void choose_sfu(const struct lane_tables *tables, const struct ptx_inst *i,
                       struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    choose_float(tables, i, op, c);
    /* Old PTX wrote sqrt.f32, rcp.f32, sin.f32 and div.f32 for the approximations. */
    const bool exact = has(i, PTX_M_RN) || op->rnd != LANE_RN;
    if (!exact && t != PTX_F64)
        c->variant |= LV_APPROX;
    /* .full is as good as exact division. */
    if (has(i, PTX_M_FULL))
        c->variant &= ~(unsigned)LV_APPROX;
    if (c->op == PTX_OP_RSQRT)
        c->variant |= LV_APPROX;
    if (c->op != PTX_OP_DIV && t == PTX_F32 && (c->variant & LV_APPROX))
        c->table = tables->sfu;
    c->variant &= LV_FTZ | LV_APPROX | LV_ANY;
    if (c->variant & LV_ANY)
        c->variant = LV_ANY;
}

static void choose_integer(const struct lane_tables *tables, const struct ptx_inst *i,
                           struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    (void)op;
    c->table = tables->alu;
    c->variant = flags(i) & (LV_SAT | LV_RELU);
    const bool by_sign =
        c->variant || c->op == PTX_OP_MIN || c->op == PTX_OP_MAX || c->op == PTX_OP_SAD;
    c->type = by_sign ? signed_or_unsigned(t) : as_unsigned(t);
    if (is_packed_int(t))
        c->type = by_sign ? t : PTX_U16X2;
}

static void choose_multiply(const struct lane_tables *tables, const struct ptx_inst *i,
                            struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    c->table = tables->muldiv;
    c->variant = flags(i) & (LV_HI | LV_WIDE | LV_SAT);
    const bool by_sign = c->variant || c->op == PTX_OP_MUL24 || c->op == PTX_OP_MAD24 ||
                         c->op == PTX_OP_DIV || c->op == PTX_OP_REM;
    c->type = by_sign ? signed_or_unsigned(t) : as_unsigned(t);
    if (c->variant & LV_WIDE)
        c->d = c->s[2] = (uint8_t)(2 * storage(t));
}

/* add.cc, addc, sub.cc, subc, mad.cc, madc: one row each for all four uses of the flag. */
static void choose_carry(const struct lane_tables *tables, const struct ptx_inst *i,
                         struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    const bool reads = c->op == PTX_OP_ADDC || c->op == PTX_OP_SUBC || c->op == PTX_OP_MADC;
    op->mode = (uint8_t)((reads ? LANE_CARRY_IN : 0) | (has(i, PTX_M_CC) ? LANE_CARRY_OUT : 0));
    const bool is_mad = c->op == PTX_OP_MAD || c->op == PTX_OP_MADC;
    c->op = is_mad                                        ? PTX_OP_MADC
            : c->op == PTX_OP_SUB || c->op == PTX_OP_SUBC ? PTX_OP_SUBC
                                                          : PTX_OP_ADDC;
    c->table = is_mad ? tables->muldiv : tables->alu;
    c->variant = is_mad && has(i, PTX_M_HI) ? LV_HI : 0;
    c->type = is_mad ? signed_or_unsigned(t) : as_unsigned(t);
}

static enum ptx_mod comparison(const struct ptx_inst *i)
{
    const enum ptx_type t = (enum ptx_type)i->types[i->ntypes - 1];
    for (unsigned k = 0; k < i->nmods; k++) {
        const enum ptx_mod m = (enum ptx_mod)i->mods[k];
        if (m >= PTX_M_EQ && m <= PTX_M_NAN && m != PTX_M_LS && m != PTX_M_HS)
            return m;
        if (ptx_type_is_float(t))
            continue;
        switch (m) {
        case PTX_M_LO:
            return PTX_M_LT;
        case PTX_M_LS:
            return PTX_M_LE;
        case PTX_M_HI:
            return PTX_M_GT;
        case PTX_M_HS:
            return PTX_M_GE;
        default:
            break;
        }
    }
    return PTX_NOMOD;
}

/* The setp's row for setp and set: `t` is the type compared. */
static void choose_compare(const struct lane_tables *tables, const struct ptx_inst *i,
                           struct lane_op *op, struct lane_choice *c, enum ptx_type t)
{
    op->cmp = (uint8_t)comparison(i);
    op->boolop = (uint8_t)ptx_inst_mod_in(i, PTX_M_AND, PTX_M_XOR);
    c->table = tables->cmp;
    c->op = PTX_OP_SETP;
    c->type = ptx_type_is_float(t) ? (unsigned)t : signed_or_unsigned(t);
    c->variant = op->cmp;
    if (has(i, PTX_M_FTZ) && (t == PTX_F32 || t == PTX_F16 || t == PTX_F16X2))
        c->variant |= LV_CMP_FTZ;
    c->d = 0;
    c->s[0] = c->s[1] = storage(t);
    c->s[2] = 0;
}

/* set.CmpOp.dtype.stype: the setp inside, and what `true` is in dtype. */
static bool choose_set(const struct lane_tables *tables, const struct ptx_inst *i,
                       struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type dt = (enum ptx_type)i->types[0], st = (enum ptx_type)i->types[1];
    choose_compare(tables, i, op, c, st);
    const struct lane_entry *row = lanes_find_row(c);
    if (!row)
        return false;
    op->inner = row->fn;
    op->imm = dt == PTX_F32                        ? 0x3f800000
              : dt == PTX_F16 || dt == PTX_F16X2   ? 0x3c00
              : dt == PTX_BF16 || dt == PTX_BF16X2 ? 0x3f80
              : ptx_type_bits(dt) == 16            ? 0xffff
                                                   : 0xffffffff;
    c->op = PTX_OP_SET;
    c->type = dt == PTX_F16X2 || dt == PTX_BF16X2 ? PTX_F16X2 : as_unsigned(dt);
    c->variant = 0;
    c->d = storage(dt);
    return true;
}

/* Largest finite pattern of a format, for .satfinite. */
static uint32_t largest(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
    case PTX_F16X2:
        return 0x7bff;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x7f7f;
    case PTX_TF32:
        return 0x3fbff;
    case PTX_E4M3X2:
        return 0x7e;
    case PTX_E5M2X2:
        return 0x7b;
    default:
        return 0;
    }
}

static void choose_convert(const struct lane_tables *tables, const struct ptx_inst *i,
                           struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type dt = (enum ptx_type)i->types[0], st = (enum ptx_type)i->types[1];
    const bool int_to_int = !ptx_type_is_float(dt) && !ptx_type_is_float(st) &&
                            ptx_type_kind(dt) != 'X' && ptx_type_kind(st) != 'X';
    c->table = tables->cvt;
    c->type = dt;
    c->type2 = st;
    c->d = storage(dt);
    c->s[0] = c->s[1] = storage(st);
    op->rnd = (uint8_t)rounding(i);
    op->mode = (uint8_t)ptx_inst_mod_in(i, PTX_M_RNI, PTX_M_RPI);
    op->flag = has(i, PTX_M_RELU);
    op->imm = has(i, PTX_M_SATFINITE) || ptx_type_kind(dt) == 'X' ? largest(dt) : 0;
    /* Integers saturate from floating point anyway; .sat.f32 is the clamp to [0, 1]. */
    op->sat = has(i, PTX_M_SAT) && (int_to_int || ptx_type_is_float(dt));
    if (int_to_int) {
        c->variant = op->sat ? LV_SAT : 0;
        return;
    }
    if (has(i, PTX_M_RNA) && !op->flag && !op->imm) {
        c->variant = PTX_M_RNA;
        return;
    }
    /* A short cut if there is one for these very flavours. */
    const bool plain = op->rnd == LANE_RN && !op->ftz && !op->flag && !op->imm;
    c->variant = op->sat ? (op->mode ? LV_ANY : LV_SAT) : op->mode;
    if (!plain || !lanes_find_row(c))
        c->variant = LV_ANY;
}

static void choose_bits(const struct lane_tables *tables, const struct ptx_inst *i,
                        struct lane_op *op, struct lane_choice *c)
{
    const enum ptx_type t = (enum ptx_type)i->types[0];
    c->table = tables->logic;
    c->type = as_unsigned(t);
    c->variant = has(i, PTX_M_WRAP) ? LV_WRAP : 0;
    switch (c->op) {
    case PTX_OP_SHL:
        c->s[1] = 4;
        break;
    case PTX_OP_SHR:
        c->s[1] = 4;
        c->type = signed_or_unsigned(t);
        break;
    case PTX_OP_BFE:
        c->s[1] = c->s[2] = 4;
        c->type = signed_or_unsigned(t);
        break;
    case PTX_OP_BFI:
        c->s[2] = c->s[3] = 4;
        break;
    case PTX_OP_BFIND:
        c->type = signed_or_unsigned(t);
        c->variant = has(i, PTX_M_SHIFTAMT) ? LV_RIGHT : 0;
        c->d = 4;
        break;
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
        c->d = 4;
        break;
    case PTX_OP_SZEXT:
        c->type = signed_or_unsigned(t);
        break;
    case PTX_OP_SHF:
        c->variant |= has(i, PTX_M_R) ? LV_RIGHT : 0;
        break;
    case PTX_OP_PRMT:
        c->variant = ptx_inst_mod_in(i, PTX_M_F4E, PTX_M_RC16);
        break;
    case PTX_OP_LOP3:
        /* d, a, b, c, immLut[, q]: src[3] is q of the form with a predicate. */
        op->imm = i->nops > 4 ? (uint32_t)i->ops[4].imm & 0xff : 0;
        op->boolop = (uint8_t)ptx_inst_mod_in(i, PTX_M_AND, PTX_M_XOR);
        c->type = op->boolop ? PTX_PRED : PTX_U32;
        c->s[3] = 0;
        break;
    default:
        break;
    }
}

/* Video: everything but the operation is read from the lane_op; see mv/lanes_video.c. */
static void choose_video(const struct lane_tables *tables, const struct ptx_inst *i,
                         struct lane_op *op, struct lane_choice *c)
{
    const bool is_set = c->op == PTX_OP_VSET || c->op == PTX_OP_VSET2 || c->op == PTX_OP_VSET4;
    const struct ptx_operand none = {0};
    const struct ptx_operand *o[4] = {&none, &none, &none, &none};
    for (unsigned k = 0; k < i->nops && k < 4; k++)
        o[k] = &i->ops[k];
    c->table = tables->video;
    c->type = PTX_NOTYPE;
    c->variant = LV_ANY;
    /* vset names no type for d; its secondary operation goes by the type of a. */
    const bool is_signed = ptx_type_is_signed((enum ptx_type)i->types[0]);
    op->type = is_set ? (uint8_t)(is_signed ? PTX_S32 : PTX_U32) : i->types[0];
    op->type2 = i->types[is_set ? 0 : 1];
    op->mode = i->types[is_set ? 1 : i->ntypes > 2 ? 2 : 1];
    op->sel_d = o[0]->selector;
    op->sel_a = o[1]->selector;
    op->sel_b = o[2]->selector;
    op->cmp = (uint8_t)comparison(i);
    op->boolop = (uint8_t)ptx_inst_mod_in(i, PTX_M_ADD, PTX_M_MAX);
    op->flag = has(i, PTX_M_WRAP);
    op->imm = (o[1]->neg != o[2]->neg ? LANE_VMAD_NEG_PRODUCT : 0) |
              (o[3]->neg ? LANE_VMAD_NEG_C : 0) | (has(i, PTX_M_PO) ? LANE_VMAD_PO : 0) |
              (has(i, PTX_M_SHR7) ? LANE_VMAD_SHR7 : 0) |
              (has(i, PTX_M_SHR15) ? LANE_VMAD_SHR15 : 0);
}

bool lanes_choose(const struct lane_tables *tables, const struct ptx_inst *i, struct lane_op *op,
                  struct lane_choice *c)
{
    const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_NOTYPE;
    const bool two_types = c->op == PTX_OP_CVT || c->op == PTX_OP_SET || c->op == PTX_OP_SLCT ||
                           c->op == PTX_OP_DP4A || c->op == PTX_OP_DP2A;
    if (t == PTX_NOTYPE || (two_types && i->ntypes < 2))
        return false;
    all_widths(c, t);
    switch (c->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        if (ptx_type_is_float(t))
            choose_float(tables, i, op, c);
        else if (c->op == PTX_OP_ADDC || c->op == PTX_OP_SUBC || has(i, PTX_M_CC))
            choose_carry(tables, i, op, c);
        else
            choose_integer(tables, i, op, c);
        return true;
    case PTX_OP_ABS:
    case PTX_OP_NEG:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        if (ptx_type_is_float(t))
            choose_float(tables, i, op, c);
        else
            choose_integer(tables, i, op, c);
        return true;
    case PTX_OP_SAD:
        choose_integer(tables, i, op, c);
        return true;
    case PTX_OP_FMA:
    case PTX_OP_COPYSIGN:
        choose_float(tables, i, op, c);
        return true;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_MADC:
        if (ptx_type_is_float(t))
            choose_float(tables, i, op, c);
        else if (c->op == PTX_OP_MADC || has(i, PTX_M_CC))
            choose_carry(tables, i, op, c);
        else
            choose_multiply(tables, i, c);
        return true;
    case PTX_OP_MUL24:
    case PTX_OP_MAD24:
    case PTX_OP_REM:
        choose_multiply(tables, i, c);
        return true;
    case PTX_OP_DIV:
        if (ptx_type_is_float(t))
            choose_sfu(tables, i, op, c);
        else
            choose_multiply(tables, i, c);
        return true;
    case PTX_OP_RCP:
    case PTX_OP_SQRT:
    case PTX_OP_RSQRT:
    case PTX_OP_SIN:
    case PTX_OP_COS:
    case PTX_OP_EX2:
    case PTX_OP_LG2:
    case PTX_OP_TANH:
        choose_sfu(tables, i, op, c);
        return true;
    case PTX_OP_DP4A:
    case PTX_OP_DP2A:
        c->table = tables->muldiv;
        c->type = t;
        c->type2 = i->types[1];
        c->variant = has(i, PTX_M_HI) ? LV_HI : 0;
        return true;
    case PTX_OP_MOV:
        c->table = tables->alu;
        c->type = as_unsigned(t);
        return true;
    case PTX_OP_SELP:
        c->table = tables->alu;
        c->type = as_unsigned(t);
        c->s[2] = 0;
        return true;
    case PTX_OP_SLCT:
        c->table = tables->alu;
        c->type = as_unsigned(t);
        c->type2 = i->types[1];
        c->s[2] = 4;
        c->variant = has(i, PTX_M_FTZ) && c->type2 == PTX_F32 ? LV_FTZ : 0;
        return true;
    case PTX_OP_SETP:
        choose_compare(tables, i, op, c, t);
        return true;
    case PTX_OP_SET:
        return choose_set(tables, i, op, c);
    case PTX_OP_TESTP:
        c->table = tables->cmp;
        c->type = t;
        c->variant = ptx_inst_mod_in(i, PTX_M_FINITE, PTX_M_SUBNORMAL);
        c->d = 0;
        return true;
    case PTX_OP_CVT:
        choose_convert(tables, i, op, c);
        return !has(i, PTX_M_RS); /* stochastic rounding */
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_CNOT:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SHF:
    case PTX_OP_LOP3:
    case PTX_OP_PRMT:
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_BFIND:
    case PTX_OP_BMSK:
    case PTX_OP_BREV:
    case PTX_OP_CLZ:
    case PTX_OP_POPC:
    case PTX_OP_SZEXT:
    case PTX_OP_FNS:
        choose_bits(tables, i, op, c);
        return true;
    case PTX_OP_VOTE:
        return false;
    default:
        if (c->op < PTX_OP_VABSDIFF || c->op > PTX_OP_VSUB4 || i->ntypes < 2)
            return false;
        choose_video(tables, i, op, c);
        return true;
    }
}
