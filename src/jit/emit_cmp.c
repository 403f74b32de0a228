/* Comparisons: see exec/mv/lanes_cmp.c. */
#include "jit/emit.h"

/* X(comparison, signed, unsigned, real) */
#define COMPARISONS(X)                         \
    X(EQ, LLVMIntEQ, LLVMIntEQ, LLVMRealOEQ)   \
    X(NE, LLVMIntNE, LLVMIntNE, LLVMRealONE)   \
    X(LT, LLVMIntSLT, LLVMIntULT, LLVMRealOLT) \
    X(LE, LLVMIntSLE, LLVMIntULE, LLVMRealOLE) \
    X(GT, LLVMIntSGT, LLVMIntUGT, LLVMRealOGT) \
    X(GE, LLVMIntSGE, LLVMIntUGE, LLVMRealOGE) \
    X(EQU, 0, 0, LLVMRealUEQ)                  \
    X(NEU, 0, 0, LLVMRealUNE)                  \
    X(LTU, 0, 0, LLVMRealULT)                  \
    X(LEU, 0, 0, LLVMRealULE)                  \
    X(GTU, 0, 0, LLVMRealUGT)                  \
    X(GEU, 0, 0, LLVMRealUGE)                  \
    X(NUM, 0, 0, LLVMRealORD)                  \
    X(NAN, 0, 0, LLVMRealUNO)

struct comparison {
    unsigned cmp;
    int is_signed, is_unsigned;
    LLVMRealPredicate real;
};
static const struct comparison comparisons[] = {
#define X(NAME, S, U, R) {PTX_M_##NAME, S, U, R},
    COMPARISONS(X)
#undef X
};

static const struct comparison *find_comparison(const struct run_op *op)
{
    const unsigned cmp = op->variant & ~(unsigned)LV_CMP_FTZ;
    for (size_t i = 0; i < ARRAY_LEN(comparisons); i++)
        if (comparisons[i].cmp == cmp)
            return &comparisons[i];
    return NULL;
}

static bool is_known(const struct run_op *op)
{
    return find_comparison(op) != NULL;
}

static val compare(struct emit *e)
{
    const struct comparison *c = find_comparison(e->op);
    const bool ftz = e->op->variant & LV_CMP_FTZ;
    if (e->op->type == PTX_F32)
        return b_fcmp(e, c->real, emit_src_f32(e, 0, ftz), emit_src_f32(e, 1, ftz));
    if (e->op->type == PTX_F64)
        return b_fcmp(e, c->real, emit_src_f64(e, 0), emit_src_f64(e, 1));
    const bool is_signed = ptx_type_is_signed((enum ptx_type)e->op->type);
    if (!is_signed)
        return b_icmp(e, (LLVMIntPredicate)c->is_unsigned, emit_src(e, 0), emit_src(e, 1));
    return b_icmp(e, (LLVMIntPredicate)c->is_signed, b_opaque(e, emit_src(e, 0)),
                  b_opaque(e, emit_src(e, 1)));
}

static val combine(struct emit *e, val m, val c)
{
    switch (e->op->lane->boolop) {
    case PTX_M_AND:
        return b_and(e, m, c);
    case PTX_M_OR:
        return b_or(e, m, c);
    case PTX_M_XOR:
        return b_xor(e, m, c);
    default:
        return m;
    }
}

/* p = m BoolOp c, q = !m BoolOp c. */
static void emit_setp(struct emit *e, const struct emit_row *row)
{
    const struct lane_op *lane = e->op->lane;
    (void)row;
    val m = b_cast(e, LLVMSExt, compare(e), emit_int(e, 32));
    val c = lane->boolop ? emit_src(e, 2) : NULL;
    if (!lane->d.none)
        e->out.bits = combine(e, m, c);
    if (!lane->d2.none)
        e->out2.bits = combine(e, b_not(e, m), c);
}

const struct emit_row emit_rows_cmp[] = {
    EMIT_ROW_IF(SETP, EMIT_U | EMIT_S | EMIT_TYPE(F32) | EMIT_TYPE(F64), emit_setp, is_known),
    {0},
};
