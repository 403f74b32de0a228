/* The vocabulary of PTX: instructions, types, modifiers, special registers, state spaces. */
#ifndef PTX_ISA_H
#define PTX_ISA_H

#include "base/common.h"

enum ptx_op {
    PTX_OP_UNKNOWN, /* parsed, kept, and an error when a kernel that contains it is launched */
#define OP(id, name, ndst, unit) PTX_OP_##id,
#include "ptx/ptx_ops.def"
#undef OP
    PTX_OP_COUNT
};

enum ptx_unit {
    PTX_UNIT_ALU,
    PTX_UNIT_DP,
    PTX_UNIT_SFU,
    PTX_UNIT_LDST,
    PTX_UNIT_TEX,
    PTX_UNIT_TENSOR,
    PTX_UNIT_BAR,
    PTX_UNIT_CTRL,
};

enum ptx_type {
    PTX_NOTYPE,
#define TYPE(id, name, bits, kind) PTX_##id,
#include "ptx/ptx_types.def"
#undef TYPE
    PTX_TYPE_COUNT
};

enum ptx_mod {
    PTX_NOMOD,
#define MOD(id, name) PTX_M_##id,
#include "ptx/ptx_mods.def"
#undef MOD
    PTX_MOD_COUNT
};

enum ptx_sreg {
#define SREG(id, name, type) PTX_SREG_##id,
#include "ptx/ptx_sregs.def"
#undef SREG
    PTX_SREG_COUNT
};

enum ptx_space {
    PTX_SPACE_GENERIC,
    PTX_SPACE_REG,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM,
};

const char *ptx_op_name(enum ptx_op op);
const char *ptx_type_name(enum ptx_type t); /* without the dot */
const char *ptx_mod_name(enum ptx_mod m);
const char *ptx_sreg_name(enum ptx_sreg s);
enum ptx_type ptx_sreg_type(enum ptx_sreg s);
const char *ptx_space_name(enum ptx_space s);

unsigned ptx_type_bits(enum ptx_type t);
static inline unsigned ptx_type_bytes(enum ptx_type t)
{
    return (ptx_type_bits(t) + 7) / 8;
}
char ptx_type_kind(enum ptx_type t); /* 'P' 'U' 'S' 'B' 'F' 'X' 'O' as in ptx_types.def */
static inline bool ptx_type_is_float(enum ptx_type t)
{
    return ptx_type_kind(t) == 'F';
}
static inline bool ptx_type_is_signed(enum ptx_type t)
{
    return ptx_type_kind(t) == 'S';
}

/* Look-up by text (no leading dot for types and modifiers); 0 = not known. */
enum ptx_op ptx_op_find(const char *s, size_t len);
enum ptx_type ptx_type_find(const char *s, size_t len);
enum ptx_mod ptx_mod_find(const char *s, size_t len);

#endif
