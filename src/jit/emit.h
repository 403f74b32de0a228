/* Building the code of a run: a loop over strips of lanes, whose registers are vectors.
 *
 * A register's value is kept as bits, <LANES x iN>; a predicate as <LANES x i32> of 0 and -1. A
 * result of floating-point arithmetic is kept as such until someone asks for its bits: only then
 * does it matter which NaN it is. In single precision every NaN becomes the hardware's one; in
 * double precision, where the payload depends on the operands, a NaN makes the run leave the strip
 * to the operations' own functions. */
#ifndef JIT_EMIT_H
#define JIT_EMIT_H

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/lanes_key.h"
#include "exec/translate.h"

#include <llvm-c/Core.h>

typedef LLVMValueRef val;

/* What a register holds; at least one of bits and real is there. */
struct reg_value {
    val bits, real;
    bool is_flushed; /* single precision: no subnormals */
};

struct reg_slot {
    struct reg_value now;
    uint32_t off;
    uint8_t bytes;
    bool is_written, is_live;
};

/* How the lanes of a value that is an address lie to each other. */
struct address_pattern {
    val at; /* NULL: none */
    unsigned step;
    val first;      /* lane 0's */
    val line, same; /* i1: all lanes of a strip that is whole are at multiples of `step` and `step`
                     * bytes behind each other, from the first one on; are where it is */
};

/* Registers of 1, 2, 4, 8 bytes, of which those of 1 are predicates. */
enum { REG_SIZES = 4 };

struct emit {
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    const struct run_text *run;
    val fn, base[LANE_BASES];
    val strip;                 /* i64: its number */
    val strip_regs[REG_SIZES]; /* where its registers begin, by log2 of their bytes; preds */
    val mask;                  /* a bit a lane */
    struct {
        val tlb;                          /* words */
        val shared, shared_limit, params; /* i64 */
        val room;                         /* for read_lanes.h */
    } view;                               /* of a run with loads */
    struct address_pattern patterns[4];
    unsigned next_pattern;
    val nan;               /* <LANES x i1>: lanes with a NaN that must not be; NULL = none can be */
    val astray;            /* a mask: lanes whose loads are out of range; NULL = none can be */
    val guard;             /* <LANES x i1>: lanes of the operation being translated; NULL = all */
    val nguard;            /* i32: lanes let through by guards; NULL = no guards */
    struct u64map slot_of; /* by place in the frame */
    VEC(struct reg_slot) slots;
    const struct run_op *op;
    struct reg_value out, out2; /* of the operation being translated */
    const struct lane_ref *d2;  /* what out2 goes to */
};

/* --- types and constants --- */

/* A mask: a scalar with a bit for each lane of a strip. */
static inline LLVMTypeRef emit_mask_type(const struct emit *e)
{
    return LLVMIntTypeInContext(e->ctx, RUN_STRIP_LANES);
}
static inline val b_no_lanes(const struct emit *e)
{
    return LLVMConstNull(emit_mask_type(e));
}
static inline val b_all_lanes(const struct emit *e)
{
    return LLVMConstAllOnes(emit_mask_type(e));
}
LLVMTypeRef emit_int(const struct emit *e, unsigned bits); /* <LANES x iN> */
LLVMTypeRef emit_f32(const struct emit *e);                /* <LANES x float> */
LLVMTypeRef emit_f64(const struct emit *e);
val emit_const(const struct emit *e, unsigned bits, uint64_t v);
val emit_real(LLVMTypeRef t, double v);
/* A constant's value in all lanes; false if `v` is none. */
bool emit_is_const(const struct emit *e, val v, uint64_t *value);

/* --- operands and results of e->op --- */

/* Source k: as bits of the row's width, as single, as double precision, as <LANES x i1>. */
val emit_src(struct emit *e, unsigned k);
val emit_src_f32(struct emit *e, unsigned k, bool ftz);
val emit_src_f64(struct emit *e, unsigned k);
val emit_src_pred(struct emit *e, unsigned k);
/* The whole value, where the row and the register have one width. */
struct reg_value emit_src_value(struct emit *e, unsigned k);

void emit_set(struct emit *e, val bits);
void emit_set_copy(struct emit *e); /* of source 0 */
void emit_set_f32(struct emit *e, val real, bool ftz, bool sat);
/* What was set, in single precision, is never subnormal. */
void emit_set_is_flushed(struct emit *e);
void emit_set_f64(struct emit *e, val real);
/* Leaves the strip if the lane's condition holds. */
void emit_leave_if(struct emit *e, val cond);
/* To a narrower type, as the host rounds: LLVM 14 rounds a constant that becomes subnormal twice.
 */
val emit_narrow(const struct emit *e, val real, LLVMTypeRef t);
val emit_flush(const struct emit *e, val bits);
val emit_saturate(const struct emit *e, val bits);
void emit_set_pred(struct reg_value *out, struct emit *e, val cond); /* <LANES x i1> */

/* An operand's bits, as wide as it is. */
val emit_ref(struct emit *e, const struct lane_ref *r);
/* The register's value from now on, in the lanes of e->guard. */
void emit_assign(struct emit *e, const struct lane_ref *d, struct reg_value v, bool is_live);
/* The same for a number that is cut or extended to the register. */
void emit_assign_int(struct emit *e, const struct lane_ref *d, val v, bool is_signed, bool is_live);

/* --- what is no lane operation --- */

bool load_is_known(const struct run_op *op);
void emit_load(struct emit *e);
void emit_view(struct emit *e); /* before the first of them */
/* Of what the view points to, the word at byte `off`. */
val emit_word_in(const struct emit *e, val words, size_t off);
bool move_is_known(const struct run_op *op);
void emit_move(struct emit *e);

/* --- runs --- */

/* Of the strip that begins, before its registers are read. */
void emit_strip_regs(struct emit *e);
/* Where the strip's lanes of an operand lie: a pointer to their bits, of a predicate to a mask. */
val emit_place(const struct emit *e, const struct lane_ref *r);
val emit_load_bits(struct emit *e, const struct lane_ref *r);
struct reg_slot *emit_slot(struct emit *e, uint32_t off, uint8_t bytes);
val emit_slot_bits(struct emit *e, struct reg_slot *s);
/* Whose bits of the run's mask e->mask has, from e->strip. */
void emit_strip_mask(struct emit *e);
void emit_op(struct emit *e, const struct run_op *op);
/* The lanes that the guard of e->op lets through. */
val emit_guard_cond(struct emit *e);
/* Of what the operations so far have made nothing is known any more. */
void emit_forget(struct emit *e);
/* Before the strips: tells the host what their scattered loads will read. Behind emit_view(). */
void emit_ahead(struct emit *e);
/* The function of a run, in the module. */
val emit_run(struct emit *e, const struct run_text *run, const char *name);

/* --- operations --- */

struct emit_row {
    uint16_t op;
    uint16_t variants; /* bits that may be set */
    uint64_t types;    /* bit = enum ptx_type */
    void (*emit)(struct emit *e, const struct emit_row *row);
    int arg;
    bool (*fits)(const struct run_op *op); /* what else it takes; NULL = nothing */
};
/* NULL if the operation is not translated. */
const struct emit_row *emit_find(const struct run_op *op);

/* `round` has the operations that round otherwise than to nearest. */
#define EMIT_FAMILIES(X) X(int) X(bits) X(float) X(cmp) X(cvt) X(sfu) X(round)
#define X(family)        extern const struct emit_row emit_rows_##family[];
EMIT_FAMILIES(X)
#undef X

#define EMIT_TYPE(T) (UINT64_C(1) << PTX_##T)
#define EMIT_U       (EMIT_TYPE(U16) | EMIT_TYPE(U32) | EMIT_TYPE(U64))
#define EMIT_S       (EMIT_TYPE(S16) | EMIT_TYPE(S32) | EMIT_TYPE(S64))
#define EMIT_ROW(OP, TYPES, VARIANTS, FN, ARG)      \
    {                                               \
        PTX_OP_##OP, VARIANTS, TYPES, FN, ARG, NULL \
    }

#define EMIT_ROW_IF(OP, TYPES, FN, FITS)            \
    {                                               \
        PTX_OP_##OP, UINT16_MAX, TYPES, FN, 0, FITS \
    }

/* Short names for what the families build. */
#define TWO(name, BUILD)                                       \
    static inline val name(const struct emit *e, val x, val y) \
    {                                                          \
        return LLVMBuild##BUILD(e->b, x, y, "");               \
    }
TWO(b_add, Add)
TWO(b_sub, Sub)
TWO(b_mul, Mul)
TWO(b_and, And)
TWO(b_or, Or)
TWO(b_xor, Xor)
TWO(b_shl, Shl)
TWO(b_lshr, LShr)
TWO(b_ashr, AShr)
TWO(b_fadd, FAdd)
TWO(b_fsub, FSub)
TWO(b_fmul, FMul)
TWO(b_fdiv, FDiv)
#undef TWO

static inline val b_not(const struct emit *e, val x)
{
    return LLVMBuildNot(e->b, x, "");
}
static inline val b_select(const struct emit *e, val c, val x, val y)
{
    return LLVMBuildSelect(e->b, c, x, y, "");
}
static inline val b_icmp(const struct emit *e, LLVMIntPredicate p, val x, val y)
{
    return LLVMBuildICmp(e->b, p, x, y, "");
}
/* x, of whose bits LLVM knows nothing: where it knows that y is not negative, LLVM 14 makes c, not
 * r, of select((y & r) < 0, c, r) for AVX. */
static inline val b_opaque(const struct emit *e, val x)
{
    return LLVMBuildFreeze(e->b, x, "");
}
static inline val b_fcmp(const struct emit *e, LLVMRealPredicate p, val x, val y)
{
    return LLVMBuildFCmp(e->b, p, x, y, "");
}
static inline bool b_is_chosen(val x)
{
    while (LLVMIsABitCastInst(x))
        x = LLVMGetOperand(x, 0);
    return LLVMIsASelectInst(x);
}
/* LLVM 14 widens what a selection reads and not what it selects by, of doubles, and then ends the
 * process: "Cannot emit physreg copy instruction". What is widened is not seen to be a selection.
 */
static inline val b_cast(const struct emit *e, LLVMOpcode how, val x, LLVMTypeRef t)
{
    const bool widens = how == LLVMZExt || how == LLVMSExt;
    return LLVMBuildCast(e->b, how, widens && b_is_chosen(x) ? b_opaque(e, x) : x, t, "");
}
/* As bits of another type of the same size. */
static inline val b_as(const struct emit *e, val x, LLVMTypeRef t)
{
    return LLVMBuildBitCast(e->b, x, t, "");
}
/* An intrinsic function of one type, which is that of x. */
val b_call(const struct emit *e, const char *intrinsic, unsigned n, const val *args);

/* A scalar in every lane. */
val b_splat(const struct emit *e, val scalar);
static inline val b_bits(const struct emit *e, val lanes) /* <LANES x i1> */
{
    return b_as(e, lanes, emit_mask_type(e));
}
static inline val b_int(const struct emit *e, unsigned bits, uint64_t v) /* a scalar */
{
    return LLVMConstInt(LLVMIntTypeInContext(e->ctx, bits), v, false);
}

unsigned emit_bits_of(val v); /* of an element */
static inline val b_const_like(const struct emit *e, val v, uint64_t x)
{
    return emit_const(e, emit_bits_of(v), x);
}

#endif
