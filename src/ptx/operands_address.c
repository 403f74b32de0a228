/* Addresses, texture handles, coordinates. */
#include "ptx/operands_int.h"

static bool check_base_register(const struct check *c, const struct ptx_operand *o)
{
    const enum ptx_type t = operand_reg_type(c, o);
    const unsigned bits = ptx_type_bits(t);
    if (!o->neg && !o->selector && (bits == 32 || bits == 64) &&
        (operand_is_integer(t) || ptx_type_kind(t) == 'B'))
        return true;
    char is[OPERAND_TEXT];
    return err_set(c->err, "the address in operand %u is %s, a 32- or 64-bit integer is needed",
                   c->operand, operand_describe(c, o, is));
}

/* The space an address operand is in; cp.async names that of its destination first. */
static enum ptx_space space_of(const struct check *c)
{
    if (c->i->op == PTX_OP_CP && c->operand == 2)
        return PTX_SPACE_GLOBAL;
    return ptx_inst_space(c->i);
}

static bool check_base_variable(const struct check *c, const struct ptx_var *v)
{
    const enum ptx_space want = space_of(c), have = (enum ptx_space)v->space;
    const bool is_generic =
        want == PTX_SPACE_GENERIC && have != PTX_SPACE_PARAM && have != PTX_SPACE_CONST;
    if (ptx_type_kind((enum ptx_type)v->type) == 'O')
        return err_set(c->err, "operand %u: %.64s is an opaque .%s, not memory", c->operand,
                       v->name, ptx_type_name((enum ptx_type)v->type));
    if (have == want || is_generic)
        return true;
    return err_set(c->err, "operand %u: %.64s is a .%s variable, the instruction wants .%s",
                   c->operand, v->name, ptx_space_name(have), ptx_space_name(want));
}

bool operand_check_address(const struct check *c, const struct ptx_operand *o)
{
    if (o->kind != PTX_OPND_ADDR || o->nelems != 1)
        return operand_misfit(c, o, "an address [a] is needed");
    const struct ptx_operand *base = &o->elems[0];
    switch (base->kind) {
    case PTX_OPND_REG:
        return check_base_register(c, base);
    case PTX_OPND_VAR:
        return check_base_variable(c, base->var);
    case PTX_OPND_IMM:
        return !base->is_float || operand_misfit(c, base, "an address is whole");
    default:
        return operand_misfit(c, base, "an address is a register, a variable or a number");
    }
}

static bool check_handle_base(const struct check *c, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_REG)
        return operand_check_value(c, o, PTX_U64, 0, false);
    if (o->kind == PTX_OPND_VAR && ptx_type_kind((enum ptx_type)o->var->type) == 'O')
        return true;
    return operand_misfit(c, o, "a 64-bit handle or a .texref, .samplerref or .surfref is needed");
}

bool operand_check_handle(const struct check *c, const struct ptx_operand *o)
{
    if (o->kind != PTX_OPND_ADDR || o->nelems != 1)
        return operand_misfit(c, o, "[handle] is needed");
    return check_handle_base(c, &o->elems[0]);
}

static bool check_coordinates(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                              bool is_named)
{
    const bool is_array = ptx_inst_has(c->i, PTX_M_GA1D) || ptx_inst_has(c->i, PTX_M_GA2D) ||
                          ptx_inst_has(c->i, PTX_M_ACUBE);
    if (o->kind != PTX_OPND_VEC)
        return operand_check_value(c, o, t, 0, is_named);
    if (o->nelems != 1 && o->nelems != 2 && o->nelems != 4)
        return operand_misfit(c, o, "1, 2 or 4 coordinates are needed");
    struct ptx_operand rest = *o;
    if (is_array && t != PTX_S32) { /* the layer is whole */
        if (!operand_check_value(c, &o->elems[0], PTX_U32, 0, true))
            return false;
        rest.elems++;
        rest.nelems--;
    }
    return operand_check_elements(c, &rest, t, 0, is_named);
}

bool operand_check_texture(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                           bool is_named)
{
    if (o->kind != PTX_OPND_ADDR || o->nelems < 2 || o->nelems > 3)
        return operand_misfit(c, o, "[handle, {coordinates}] is needed");
    for (unsigned k = 0; k + 1 < o->nelems; k++)
        if (!check_handle_base(c, &o->elems[k]))
            return false;
    return check_coordinates(c, &o->elems[o->nelems - 1], t, is_named);
}

/* As many as the texture has directions; three are written as four. */
bool operand_check_gradient(const struct check *c, const struct ptx_operand *o, enum ptx_type t)
{
    const struct ptx_inst *i = c->i;
    const unsigned n = ptx_inst_has(i, PTX_M_G1D) || ptx_inst_has(i, PTX_M_GA1D)   ? 1
                       : ptx_inst_has(i, PTX_M_G2D) || ptx_inst_has(i, PTX_M_GA2D) ? 2
                                                                                   : 4;
    if (o->kind != PTX_OPND_VEC || o->nelems != n)
        return operand_misfit_length(c, o, n);
    return operand_check_elements(c, o, t, 0, true);
}
