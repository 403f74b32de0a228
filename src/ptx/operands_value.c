/* Whether a register or a constant is of a type, and how to say that it is not. */
#include "ptx/operands_int.h"

#include <stdio.h>

/* --- types --- */

bool operand_is_packed_int(enum ptx_type t)
{
    return t == PTX_U16X2 || t == PTX_S16X2;
}

/* Registers hold these like any number, and cvt widens them. */
bool operand_is_plain(enum ptx_type t)
{
    switch (ptx_type_kind(t)) {
    case 'U':
    case 'S':
    case 'B':
        return !operand_is_packed_int(t);
    default:
        return t == PTX_F16 || t == PTX_F32 || t == PTX_F64 || t == PTX_F16X2;
    }
}

bool operand_is_integer(enum ptx_type t)
{
    return ptx_type_kind(t) == 'U' || ptx_type_kind(t) == 'S';
}

/* Whether a register can hold a value of type `t`; `is_named` if the instruction names `t`. */
static bool fits(enum ptx_type reg, enum ptx_type t, bool is_named, bool may_widen)
{
    const unsigned have = ptx_type_bits(reg), need = ptx_type_bits(t);
    if (reg == PTX_PRED || t == PTX_PRED)
        return reg == t;
    if (have != need && !(may_widen && have > need))
        return false;
    if (ptx_type_kind(reg) == 'B' || ptx_type_kind(t) == 'B')
        return ptx_type_kind(t) != 'O';
    if (reg == PTX_F16X2 && operand_is_integer(t)) /* ptxas takes it for 32 bits */
        return is_named;
    return reg == t ||
           (operand_is_integer(reg) && operand_is_integer(t) && !operand_is_packed_int(t));
}

/* --- messages --- */

static bool say_misfit(const struct check *c, const char *is, const char *needed)
{
    return err_set(c->err, "operand %u is %s, %s", c->operand, is, needed);
}

/* What an operand is: "a .b128 register". */
const char *operand_describe(const struct check *c, const struct ptx_operand *o, char *buf)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        snprintf(buf, OPERAND_TEXT, "a%s .%s register%s", o->neg ? " negated" : "",
                 ptx_type_name((enum ptx_type)c->f->regs[o->reg].type),
                 o->selector ? " with a selector" : "");
        return buf;
    case PTX_OPND_IMM:
        return o->is_float ? "a floating-point number" : "a whole number";
    case PTX_OPND_SREG:
        snprintf(buf, OPERAND_TEXT, "the special register %s",
                 ptx_sreg_name((enum ptx_sreg)o->sreg));
        return buf;
    case PTX_OPND_VAR:
        snprintf(buf, OPERAND_TEXT, "the .%s variable %.48s",
                 ptx_space_name((enum ptx_space)o->var->space), o->var->name);
        return buf;
    case PTX_OPND_FUNC:
        return "a function";
    case PTX_OPND_LABEL:
        return "a label";
    case PTX_OPND_SINK:
        return "_";
    case PTX_OPND_ADDR:
        return "an address";
    case PTX_OPND_VEC:
        snprintf(buf, OPERAND_TEXT, "a vector of %u", o->nelems);
        return buf;
    case PTX_OPND_PAIR:
        return "a pair";
    default:
        return "a list";
    }
}

bool operand_misfit(const struct check *c, const struct ptx_operand *o, const char *needed)
{
    char is[OPERAND_TEXT];
    return say_misfit(c, operand_describe(c, o, is), needed);
}

/* "..., .u64 needs a 64-bit register". */
static bool misfit_type(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                        unsigned flags)
{
    char needed[OPERAND_TEXT];
    const unsigned bits = ptx_type_bits(t);
    const char *const wider = flags & MAY_WIDEN && bits < 128 ? " or wider" : "";
    const char *const or_const = flags & (IS_DST | NO_CONST) ? "" : " or a constant";
    if (t == PTX_PRED)
        snprintf(needed, sizeof needed, "a predicate (.pred register) is needed");
    else if (ptx_type_is_float(t))
        snprintf(needed, sizeof needed, ".%s needs a .%s or .b%u%s register%s", ptx_type_name(t),
                 ptx_type_name(t), bits, wider, or_const);
    else
        snprintf(needed, sizeof needed, ".%s needs a %u-bit%s%s register%s", ptx_type_name(t), bits,
                 wider, ptx_type_kind(t) == 'B' ? "" : " integer", or_const);
    return operand_misfit(c, o, needed);
}

/* --- values --- */

enum ptx_type operand_reg_type(const struct check *c, const struct ptx_operand *o)
{
    return (enum ptx_type)c->f->regs[o->reg].type;
}

/* A constant: whole numbers for integers and bits, floats for floats and bits of their width. */
static bool constant_fits(const struct ptx_operand *o, enum ptx_type t)
{
    if (o->kind == PTX_OPND_IMM && o->is_float)
        return t == PTX_F32 || t == PTX_F64 || (o->is_f32 ? t == PTX_B32 : t == PTX_B64);
    return t == PTX_PRED || ptx_type_kind(t) == 'B' ||
           (operand_is_integer(t) && !operand_is_packed_int(t));
}

/* mov reads them, and cvt between integers; in old PTX most were narrower. */
static bool sreg_fits(const struct ptx_operand *o, enum ptx_type t, unsigned flags)
{
    const enum ptx_type s = ptx_sreg_type((enum ptx_sreg)o->sreg);
    const unsigned have = ptx_type_bits(s), need = ptx_type_bits(t);
    if (o->sreg == PTX_SREG_WARP_SZ)
        return !(flags & (IS_DST | NO_CONST)) && constant_fits(o, t);
    if (!(flags & MAY_SREG))
        return false;
    if (s == PTX_PRED || t == PTX_PRED)
        return s == t;
    if (!operand_is_integer(t) && ptx_type_kind(t) != 'B')
        return false;
    const bool was_narrow = have == 32 ? need == 16 : o->sreg == PTX_SREG_GRIDID && need < 64;
    return have == need || (flags & MAY_WIDEN && have > need) || was_narrow;
}

bool operand_value_fits(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                        unsigned flags, bool is_named)
{
    switch (o->kind) {
    case PTX_OPND_REG:
        if (o->selector && !(flags & MAY_SELECT))
            return false;
        if (o->neg && !(flags & MAY_NEGATE) && (t != PTX_PRED || flags & IS_DST))
            return false;
        return fits(operand_reg_type(c, o), t, is_named, flags & MAY_WIDEN);
    case PTX_OPND_SINK:
        return flags & MAY_SINK;
    case PTX_OPND_IMM:
        return !(flags & (IS_DST | NO_CONST)) && constant_fits(o, t);
    case PTX_OPND_SREG:
        return sreg_fits(o, t, flags);
    case PTX_OPND_VAR:
        return flags & MAY_NAME && (operand_is_integer(t) || ptx_type_kind(t) == 'B');
    case PTX_OPND_FUNC: /* its number */
        return !(flags & (IS_DST | NO_CONST)) && is_named && t != PTX_PRED;
    default:
        return false;
    }
}

bool operand_check_value(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                         unsigned flags, bool is_named)
{
    return operand_value_fits(c, o, t, flags, is_named) || misfit_type(c, o, t, flags);
}

/* --- vectors --- */

/* All elements have the type of the first, or are plain bits of that width. */
bool operand_check_elements(const struct check *c, const struct ptx_operand *v, enum ptx_type t,
                            unsigned flags, bool is_named)
{
    enum ptx_type first = PTX_NOTYPE;
    for (unsigned k = 0; k < v->nelems; k++) {
        const struct ptx_operand *e = &v->elems[k];
        if (e->kind == PTX_OPND_SINK && flags & IS_DST)
            continue;
        if (e->kind != PTX_OPND_REG || first == PTX_NOTYPE) {
            if (!operand_check_value(c, e, t, flags, is_named))
                return false;
        } else if (e->neg || e->selector || !fits(operand_reg_type(c, e), first, false, false)) {
            return misfit_type(c, e, first, flags);
        }
        if (e->kind == PTX_OPND_REG && first == PTX_NOTYPE)
            first = operand_reg_type(c, e);
    }
    return true;
}

bool operand_misfit_length(const struct check *c, const struct ptx_operand *o, unsigned n)
{
    char needed[OPERAND_TEXT];
    snprintf(needed, sizeof needed, "a vector of %u is needed", n);
    return operand_misfit(c, o, n == 1 ? "one register is needed" : needed);
}

/* `n` registers in braces; one needs none. */
bool operand_check_vector(const struct check *c, const struct ptx_operand *o, unsigned n,
                          enum ptx_type t, unsigned flags)
{
    if (o->kind == PTX_OPND_SINK && flags & MAY_SINK)
        return true;
    if (o->kind != PTX_OPND_VEC && n == 1)
        return operand_check_value(c, o, t, flags, true);
    if (o->kind != PTX_OPND_VEC || o->nelems != n || (n == 1 && !(flags & MAY_WIDEN)))
        return operand_misfit_length(c, o, n);
    return operand_check_elements(c, o, t, flags, true);
}
