/* Types and suffixes that arithmetic instructions do not have. */
#include "ptx/operands_int.h"

#include <stdio.h>

#define T(type) (UINT64_C(1) << PTX_##type)
#define SIGNED  (T(S16) | T(S32) | T(S64))
#define INTS    (SIGNED | T(U16) | T(U32) | T(U64))
#define BITS    (T(B16) | T(B32) | T(B64))
#define FLOATS  (T(F32) | T(F64))
#define HALVES  (T(F16) | T(BF16) | T(F16X2) | T(BF16X2))

static_assert(PTX_TYPE_COUNT <= 64, "a set of types has a bit for each");

static const uint64_t types_of[PTX_OP_COUNT] = {
#define TYPES(op, set) [PTX_OP_##op] = set,
#include "ptx/ptx_op_types.def"
};

static bool refuse_type(const struct check *c, enum ptx_type has, uint64_t set)
{
    char text[256];
    size_t n = 0;
    for (unsigned t = 0; t < PTX_TYPE_COUNT; t++)
        if (set >> t & 1)
            n += (size_t)snprintf(text + n, sizeof text - n, " .%s",
                                  ptx_type_name((enum ptx_type)t));
    return err_set(c->err, "it has no type .%s, but%s", ptx_type_name(has), text);
}

bool operand_check_types(const struct check *c)
{
    const uint64_t set = types_of[c->i->op];
    if (!set || !c->i->ntypes)
        return true;
    const enum ptx_type t = (enum ptx_type)c->i->types[0];
    if (!(set >> t & 1))
        return refuse_type(c, t, set);
    if (ptx_inst_vec(c->i) > 1)
        return err_set(c->err, "it has no .v%u", ptx_inst_vec(c->i));
    return operand_is_integer(t) || !ptx_inst_has(c->i, PTX_M_CC) ||
           err_set(c->err, "only integers have .cc");
}
