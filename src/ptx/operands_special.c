/* Operands that only a few instructions have: vectors of every kind, pairs, calls. */
#include "ptx/operands_int.h"

bool operand_check_memory_vector(const struct check *c, const struct ptx_operand *o,
                                 enum ptx_type t, unsigned flags)
{
    const char kind = ptx_type_kind(t);
    if (kind == 'P' || kind == 'X' || kind == 'O')
        return err_set(c->err, "a .%s is not a value in memory", ptx_type_name(t));
    const bool is_plain_access = c->i->op == PTX_OP_LD || c->i->op == PTX_OP_ST;
    const unsigned n = ptx_inst_vec(c->i), most = is_plain_access ? 256 : 128;
    if (n * ptx_type_bits(t) > most)
        return err_set(c->err, "%u x .%s is more than %u bits", n, ptx_type_name(t), most);
    return operand_check_vector(c, o, n, t, flags);
}

bool operand_check_matrices(const struct check *c, const struct ptx_operand *o, enum ptx_type t)
{
    const unsigned n = ptx_inst_has(c->i, PTX_M_X4) ? 4 : ptx_inst_has(c->i, PTX_M_X2) ? 2 : 1;
    if (o->kind == PTX_OPND_VEC && o->nelems == n)
        return operand_check_elements(c, o, t, c->i->op == PTX_OP_LDMATRIX ? IS_DST : 0, true);
    return operand_misfit_length(c, o, n);
}

/* The registers of a fragment hold several narrow elements each. */
static enum ptx_type fragment_register(enum ptx_type t)
{
    switch (t) {
    case PTX_F64:
    case PTX_F32:
    case PTX_S32:
        return t;
    default:
        return PTX_B32;
    }
}

bool operand_check_fragment(const struct check *c, const struct ptx_operand *o, enum ptx_type t)
{
    const bool is_dst = c->operand == 1 && !ptx_inst_has(c->i, PTX_M_STORE);
    const bool is_factor = c->operand == 2 || c->operand == 3;
    enum ptx_type reg = fragment_register(t);
    if (is_factor && !ptx_inst_has(c->i, PTX_M_STORE)) /* any registers of that width */
        reg = reg == PTX_F64 ? PTX_B64 : PTX_B32;
    if (o->kind != PTX_OPND_VEC)
        return operand_misfit(c, o, "a vector of registers is needed");
    return operand_check_elements(c, o, reg, is_dst ? IS_DST : 0, true);
}

/* mov: "{a, b}" are the parts of a value of bits, lowest first. */
bool operand_check_parts(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                         unsigned flags)
{
    static const uint8_t by_length[] = {[1] = 1, [2] = 2, [4] = 4, [8] = 8};
    const unsigned bits = ptx_type_bits(t);
    if (o->kind != PTX_OPND_VEC)
        return operand_check_value(c, o, t, flags, true);
    const unsigned n = o->nelems < ARRAY_LEN(by_length) ? by_length[o->nelems] : 0;
    if (!n || ptx_type_kind(t) != 'B' || bits / n < 8)
        return operand_misfit(c, o, "no .b type has so many parts");
    const enum ptx_type part = bits / n == 8    ? PTX_B8
                               : bits / n == 16 ? PTX_B16
                               : bits / n == 32 ? PTX_B32
                               : bits / n == 64 ? PTX_B64
                                                : PTX_B128;
    for (unsigned k = 0; k < n; k++)
        if (!operand_check_value(c, &o->elems[k], part, (flags & IS_DST) | MAY_SINK, true))
            return false;
    return true;
}

bool operand_check_pair(const struct check *c, const struct ptx_operand *o, enum ptx_type t)
{
    if (o->kind != PTX_OPND_PAIR)
        return operand_check_value(c, o, t, IS_DST | MAY_SINK, true);
    return operand_check_value(c, &o->elems[0], t, IS_DST | MAY_SINK, true) &&
           operand_check_value(c, &o->elems[1], PTX_PRED, IS_DST | MAY_SINK, false);
}

/* --- what one opcode alone has --- */

bool operand_check_pointer(const struct check *c, const struct ptx_operand *o)
{
    return operand_value_fits(c, o, PTX_U32, 0, false) ||
           operand_check_value(c, o, PTX_U64, 0, false);
}

bool operand_check_size(const struct check *c, const struct ptx_operand *o)
{
    return operand_value_fits(c, o, PTX_PRED, 0, false) ||
           operand_check_value(c, o, PTX_U32, 0, false);
}

bool operand_check_number(const struct check *c, const struct ptx_operand *o)
{
    const bool is_whole = o->kind == PTX_OPND_IMM && !o->is_float;
    return is_whole || (o->kind == PTX_OPND_SREG && o->sreg == PTX_SREG_WARP_SZ) ||
           operand_misfit(c, o, "a whole number is needed");
}

bool operand_check_kind(const struct check *c, const struct ptx_operand *o, uint8_t kind,
                        const char *needed)
{
    return o->kind == kind || operand_misfit(c, o, needed);
}

/* --- calls --- */

static bool check_argument(const struct check *c, const struct ptx_operand *o,
                           const struct ptx_var *as, unsigned n, bool is_ret)
{
    const char *const what = is_ret ? "result" : "argument";
    const enum ptx_type t = (enum ptx_type)as->type;
    const unsigned long long want = as->bytes;
    char is[OPERAND_TEXT];
    if (o->kind == PTX_OPND_VAR && o->var->space == PTX_SPACE_PARAM)
        return o->var->bytes == as->bytes || as->is_unsized ||
               err_set(c->err, "%s %u has %llu bytes, that of the function %llu", what, n,
                       (unsigned long long)o->var->bytes, want);
    if (as->bytes == ptx_type_bytes(t) &&
        operand_value_fits(c, o, t, is_ret ? IS_DST | MAY_SINK : 0, true))
        return true;
    return err_set(c->err, "%s %u is %s, that of the function a .%s of %llu bytes", what, n,
                   operand_describe(c, o, is), ptx_type_name(t), want);
}

static bool check_arguments(const struct check *c, const struct ptx_operand *list,
                            struct ptx_var **as, uint32_t want, bool is_ret)
{
    const uint32_t have = list ? list->nelems : 0;
    if (have != want)
        return err_set(c->err, "%u %s, the function has %u", have, is_ret ? "results" : "arguments",
                       want);
    for (uint32_t k = 0; k < have; k++)
        if (!check_argument(c, &list->elems[k], as[k], k + 1, is_ret))
            return false;
    return true;
}

/* (results), function, (arguments), prototype: all but the function may be missing. */
bool operand_check_call(const struct check *c)
{
    const struct ptx_operand *rets = NULL, *args = NULL, *target = NULL;
    const struct ptx_func *header = NULL;
    bool has_list = false;
    for (unsigned k = 0; k < c->i->nops; k++) {
        const struct ptx_operand *o = &c->i->ops[k];
        if (o->kind == PTX_OPND_ARGS)
            *(target ? &args : &rets) = o;
        else if (!target && (o->kind == PTX_OPND_FUNC || o->kind == PTX_OPND_REG))
            target = o;
        else if (target && o->kind == PTX_OPND_PROTO)
            header = o->proto;
        else if (target && o->kind == PTX_OPND_LIST)
            has_list = true;
        else
            return operand_misfit(c, o, "a call is (results), function, (arguments), prototype");
    }
    if (!target)
        return err_set(c->err, "no function is named");
    if (target->kind == PTX_OPND_FUNC)
        header = target->func;
    else if (!operand_value_fits(c, target, PTX_U64, 0, false) &&
             !operand_value_fits(c, target, PTX_U32, 0, false))
        return operand_misfit(c, target, "the address of a function is needed");
    if (!header)
        return has_list || err_set(c->err, "a call by address needs a prototype");
    return check_arguments(c, rets, header->rets, header->nrets, true) &&
           check_arguments(c, args, header->params, header->nparams, false);
}
