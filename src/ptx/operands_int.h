/* The checks behind ptx_operands_check(). Private to src/ptx. */
#ifndef PTX_OPERANDS_INT_H
#define PTX_OPERANDS_INT_H

#include "ptx/ir.h"

struct check {
    const struct ptx_func *f;
    const struct ptx_inst *i;
    unsigned operand; /* the one at hand, from 1 */
    struct err *err;
};

enum {
    IS_DST = 1,       /* written: a register */
    MAY_SINK = 2,     /* or _ */
    MAY_WIDEN = 4,    /* the register may be wider than the type */
    MAY_NAME = 8,     /* or the address of a variable */
    MAY_SREG = 16,    /* or a special register */
    MAY_OMIT = 32,    /* or nothing at all */
    MAY_SELECT = 64,  /* a part of the register */
    MAY_NEGATE = 128, /* its negative */
    NO_CONST = 256,
};

enum { OPERAND_TEXT = 96 };

/* operands_value.c. `is_named`: the instruction names the type. The checks fill in c->err. */
bool operand_is_integer(enum ptx_type t);
bool operand_is_packed_int(enum ptx_type t);
bool operand_is_plain(enum ptx_type t);
enum ptx_type operand_reg_type(const struct check *c, const struct ptx_operand *o);
bool operand_value_fits(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                        unsigned flags, bool is_named);
bool operand_check_value(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                         unsigned flags, bool is_named);
bool operand_check_elements(const struct check *c, const struct ptx_operand *v, enum ptx_type t,
                            unsigned flags, bool is_named);
bool operand_check_vector(const struct check *c, const struct ptx_operand *o, unsigned n,
                          enum ptx_type t, unsigned flags);
/* "a .b128 register", into buf of OPERAND_TEXT bytes or as a constant. */
const char *operand_describe(const struct check *c, const struct ptx_operand *o, char *buf);
/* "operand 2 is ..., NEEDED"; false. */
bool operand_misfit(const struct check *c, const struct ptx_operand *o, const char *needed);
bool operand_misfit_length(const struct check *c, const struct ptx_operand *o, unsigned n);

/* operands_address.c */
bool operand_check_address(const struct check *c, const struct ptx_operand *o);
bool operand_check_handle(const struct check *c, const struct ptx_operand *o);
bool operand_check_texture(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                           bool is_named);
bool operand_check_gradient(const struct check *c, const struct ptx_operand *o, enum ptx_type t);

/* operands_special.c */
bool operand_check_memory_vector(const struct check *c, const struct ptx_operand *o,
                                 enum ptx_type t, unsigned flags);
bool operand_check_matrices(const struct check *c, const struct ptx_operand *o, enum ptx_type t);
bool operand_check_fragment(const struct check *c, const struct ptx_operand *o, enum ptx_type t);
bool operand_check_parts(const struct check *c, const struct ptx_operand *o, enum ptx_type t,
                         unsigned flags);
bool operand_check_pair(const struct check *c, const struct ptx_operand *o, enum ptx_type t);
bool operand_check_pointer(const struct check *c, const struct ptx_operand *o);
bool operand_check_size(const struct check *c, const struct ptx_operand *o);
bool operand_check_number(const struct check *c, const struct ptx_operand *o);
bool operand_check_kind(const struct check *c, const struct ptx_operand *o, uint8_t kind,
                        const char *needed);
bool operand_check_call(const struct check *c);
/* operands_types.c: whether the instruction can name its first type, .vN and .cc. */
bool operand_check_types(const struct check *c);

#endif
