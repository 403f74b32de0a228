/* An instruction is held against the rows of its opcode in ptx_operands.def. */
#include "ptx/operands.h"

#include "ptx/operands_int.h"

/* What an operand is, of the words in ptx_operands.def. */
enum want_kind {
    WANT_NOTHING, /* the list ends */
    WANT_VALUE,
    WANT_VECTOR,   /* .vN registers */
    WANT_MATRICES, /* .x1 .x2 .x4 registers */
    WANT_FRAGMENT,
    WANT_GRADIENT,
    WANT_PAIR,    /* d or d|p */
    WANT_PARTS,   /* mov: a value, or a vector of its parts */
    WANT_POINTER, /* a register of 32 or 64 bits */
    WANT_SIZE,    /* cp.async: bytes to read, or the predicate that says none */
    WANT_ADDRESS,
    WANT_HANDLE,
    WANT_TEXTURE,
    WANT_NUMBER,
    WANT_LABEL,
    WANT_TARGETS,
    WANT_CALL,
    WANT_ANY, /* this operand and all further ones, of what nobody runs */
};

/* Types, and which of the instruction's. */
enum {
#define TYPE(id, name, bits, kind) TYPE_##id = PTX_##id,
#include "ptx/ptx_types.def"
#undef TYPE
    TYPE_T1 = PTX_TYPE_COUNT,
    TYPE_T2,
    TYPE_T3,
    TYPE_TL,
    TYPE_W1,
    TYPE_FACTOR, /* of wmma.mma: a and b, which are not named if they are .f16 */
};

/* Conditions beyond modifiers. */
enum {
    ALWAYS = PTX_MOD_COUNT,
    MIXED,      /* add.f32.f16 */
    MIXED_BF16, /* add.f32.bf16 */
    PREDICATED, /* .and .or .xor with a further predicate */
    SECONDARY,  /* video: .add .min .max with a third operand */
    SINGLE,     /* of .f32 */
    OF_VECTORS, /* .v2 .v4 .v8 */
    PACKS,      /* cvt of two floats into one register */
    PACKS_F16,
    INTEGERS, /* cvt between integers */
    PLAIN,    /* cvt of types that PTX had before .bf16 */
};

#define WITH(mod)            PTX_M_##mod
#define W(kind, type, flags) (WANT_##kind | TYPE_##type << 8 | (flags) << 16)
#define NOTHING              0
#define O(want)              ((want) | MAY_OMIT << 16)
#define D(type)              W(VALUE, type, IS_DST)
#define DN(type)             W(VALUE, type, IS_DST | MAY_SINK)
#define S(type)              W(VALUE, type, 0)
#define P                    W(VALUE, PRED, 0)
#define WD(type)             W(VALUE, type, IS_DST | MAY_WIDEN)
#define WS(type)             W(VALUE, type, MAY_WIDEN)
#define SREG(type)           W(VALUE, type, MAY_WIDEN | MAY_SREG)
#define NAMED(type)          W(VALUE, type, MAY_NAME)
#define V(type)              W(VALUE, type, MAY_SELECT)
#define VN(type)             W(VALUE, type, MAY_SELECT | MAY_NEGATE)
#define R(type)              W(VALUE, type, NO_CONST)
#define VD(type)             W(VECTOR, type, IS_DST | MAY_WIDEN)
#define VS(type)             W(VECTOR, type, MAY_WIDEN)
#define XD(type)             W(VECTOR, type, IS_DST)
#define XN(type)             W(VECTOR, type, IS_DST | MAY_SINK)
#define XS(type)             W(VECTOR, type, 0)
#define MX(type)             W(MATRICES, type, 0)
#define F(type)              W(FRAGMENT, type, 0)
#define G(type)              W(GRADIENT, type, 0)
#define DP(type)             W(PAIR, type, IS_DST)
#define PP                   W(PAIR, PRED, IS_DST)
#define MOVED(type)          W(PARTS, type, IS_DST)
#define MOVES(type)          W(PARTS, type, MAY_SREG | MAY_NAME)
#define POINTER              W(POINTER, U64, 0)
#define SIZE                 W(SIZE, U32, 0)
#define A                    W(ADDRESS, U64, 0)
#define H                    W(HANDLE, U64, 0)
#define C(type)              W(TEXTURE, type, 0)
#define I                    W(NUMBER, U32, 0)
#define LABEL                W(LABEL, U32, 0)
#define TARGETS              W(TARGETS, U32, 0)
#define CALLED               W(CALL, U32, 0)
#define ANY                  W(ANY, U32, 0)

enum { MAX_WANTS = 6 };

struct form {
    bool is_first; /* of its opcode */
    uint16_t when;
    uint32_t want[MAX_WANTS + 1];
};

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

/* The number of each opcode's first row. */
enum {
#define FORM(id, ...) FORM_OF_##id,
#define ALSO(...)     PASTE(FORM_IN_LINE_, __LINE__),
#include "ptx/ptx_operands.def"
#undef FORM
#undef ALSO
    FORM_COUNT
};

static const struct form forms[] = {
#define FORM(id, when, ...) {true, when, {__VA_ARGS__}},
#define ALSO(when, ...)     {false, when, {__VA_ARGS__}},
#include "ptx/ptx_operands.def"
#undef FORM
#undef ALSO
    {.is_first = true},
};

/* An opcode without a row does not compile. */
static const uint16_t first_form[PTX_OP_COUNT] = {
#define OP(id, name, ndst, unit) [PTX_OP_##id] = FORM_OF_##id,
#include "ptx/ptx_ops.def"
#undef OP
};

static enum ptx_type nth_type(const struct ptx_inst *i, unsigned n)
{
    return n < i->ntypes ? (enum ptx_type)i->types[n] : PTX_NOTYPE;
}

static enum ptx_type twice(enum ptx_type t)
{
    return ptx_type_bits(t) == 16 ? PTX_U32 : ptx_type_bits(t) == 32 ? PTX_U64 : PTX_NOTYPE;
}

static enum ptx_type type_of(const struct ptx_inst *i, uint32_t want)
{
    const unsigned type = want >> 8 & 0xff;
    switch (type) {
    case TYPE_T1:
    case TYPE_T2:
    case TYPE_T3:
        return nth_type(i, type - TYPE_T1);
    case TYPE_TL:
        return nth_type(i, i->ntypes ? i->ntypes - 1u : 0);
    case TYPE_W1:
        return twice(nth_type(i, 0));
    case TYPE_FACTOR:
        return i->ntypes == 4 ? nth_type(i, 1) : PTX_F16;
    default:
        return (enum ptx_type)type;
    }
}

static bool is_packed_target(enum ptx_type t)
{
    return t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_E4M3X2 || t == PTX_E5M2X2 ||
           t == PTX_UE8M0X2;
}

static bool holds(const struct ptx_inst *i, unsigned when)
{
    const enum ptx_type a = nth_type(i, 0), b = nth_type(i, 1);
    switch (when) {
    case ALWAYS:
        return true;
    case MIXED:
        return i->ntypes == 2;
    case MIXED_BF16:
        return i->ntypes == 2 && b == PTX_BF16;
    case PREDICATED:
        return ptx_inst_mod_in(i, PTX_M_AND, PTX_M_XOR) != PTX_NOMOD;
    case SECONDARY:
        return ptx_inst_mod_in(i, PTX_M_ADD, PTX_M_MAX) != PTX_NOMOD;
    case SINGLE:
        return a == PTX_F32;
    case OF_VECTORS:
        return ptx_inst_vec(i) > 1;
    case PACKS:
        return is_packed_target(a) && b == PTX_F32;
    case PACKS_F16:
        return a == PTX_F16X2 && b == PTX_F32;
    case INTEGERS:
        return operand_is_integer(a) && operand_is_integer(b) && !operand_is_packed_int(a) &&
               !operand_is_packed_int(b);
    case PLAIN:
        return operand_is_plain(a) && operand_is_plain(b) && a != PTX_F16X2 && b != PTX_F16X2;
    default:
        return ptx_inst_has(i, (enum ptx_mod)when);
    }
}

static bool takes(const struct form *form, unsigned nops)
{
    unsigned least = 0, most = 0;
    for (; form->want[most]; most++) {
        const unsigned kind = form->want[most] & 0xff;
        if (kind == WANT_CALL || kind == WANT_ANY)
            return nops >= least;
        least += !(form->want[most] >> 16 & MAY_OMIT);
    }
    return nops >= least && nops <= most;
}

/* Conditions are in order of precedence; forms with the same one differ in how many operands they
 * take. */
static const struct form *find_form(const struct ptx_inst *i)
{
    const struct form *form = &forms[first_form[i->op]];
    while (!holds(i, form->when))
        if ((++form)->is_first)
            return NULL;
    for (const unsigned when = form->when; !takes(form, i->nops);)
        if ((++form)->is_first || form->when != when)
            return NULL;
    return form;
}

static bool check_operand(const struct check *c, const struct ptx_operand *o, uint32_t want)
{
    const unsigned flags = want >> 16, type = want >> 8 & 0xff;
    const bool is_named = type >= PTX_TYPE_COUNT || ptx_type_kind((enum ptx_type)type) == 'B';
    const enum ptx_type t = type_of(c->i, want);
    if (t == PTX_NOTYPE)
        return err_set(c->err, "the instruction names no type for operand %u", c->operand);
    switch ((enum want_kind)(want & 0xff)) {
    case WANT_VALUE:
        return operand_check_value(c, o, t, flags, is_named);
    case WANT_VECTOR:
        return operand_check_memory_vector(c, o, t, flags);
    case WANT_MATRICES:
        return operand_check_matrices(c, o, t);
    case WANT_FRAGMENT:
        return operand_check_fragment(c, o, t);
    case WANT_GRADIENT:
        return operand_check_gradient(c, o, t);
    case WANT_PAIR:
        return operand_check_pair(c, o, t);
    case WANT_PARTS:
        return operand_check_parts(c, o, t, flags);
    case WANT_POINTER:
        return operand_check_pointer(c, o);
    case WANT_SIZE:
        return operand_check_size(c, o);
    case WANT_ADDRESS:
        return operand_check_address(c, o);
    case WANT_HANDLE:
        return operand_check_handle(c, o);
    case WANT_TEXTURE:
        return operand_check_texture(c, o, t, is_named);
    case WANT_NUMBER:
        return operand_check_number(c, o);
    case WANT_LABEL:
        return operand_check_kind(c, o, PTX_OPND_LABEL, "a label is needed");
    case WANT_TARGETS:
        return operand_check_kind(c, o, PTX_OPND_LIST, "a list of branch targets is needed");
    default:
        return true;
    }
}

bool ptx_operands_check(const struct ptx_func *f, const struct ptx_inst *i, struct err *err)
{
    struct check c = {.f = f, .i = i, .err = err};
    const struct form *form = find_form(i);
    if (!form)
        return err_set(err, "there is no such form with %u operands", i->nops);
    if (!operand_check_types(&c))
        return false;
    for (unsigned k = 0; k < i->nops; k++) {
        const unsigned kind = form->want[k] & 0xff;
        if (kind == WANT_CALL)
            return operand_check_call(&c);
        if (kind == WANT_ANY)
            return true;
        c.operand = k + 1;
        if (!check_operand(&c, &i->ops[k], form->want[k]))
            return false;
    }
    return true;
}
