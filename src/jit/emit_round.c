/* Sums and products in single precision that round down, up or to zero.
 *
 * AVX-512 has operations that name how they round. Other hosts round to nearest: in double
 * precision a product is exact, and a sum is known with its error; so it can be told whether the
 * nearest number of single precision is on the right side of the exact result. If it is not, its
 * neighbour is, which differs by one in its bits. */
#include "jit/emit.h"

#include "base/cpu.h"
#include "exec/softfp.h"

#include <stdio.h>
#include <string.h>

/* The exact result is sum + error, of which `sum` is the nearest in double precision. */
struct exact {
    val sum, error; /* error: NULL = 0 */
    val a, b;       /* what was added */
};

static val source(struct emit *e, unsigned k)
{
    val x = emit_src_f32(e, k, e->op->variant & LV_FTZ);
    return b_cast(e, LLVMFPExt, x, emit_f64(e));
}

static struct exact exact_sum(const struct emit *e, val a, val b)
{
    struct exact x = {.sum = b_fadd(e, a, b), .a = a, .b = b};
    val part = b_fsub(e, x.sum, a);
    x.error = b_fadd(e, b_fsub(e, a, b_fsub(e, x.sum, part)), b_fsub(e, b, part));
    return x;
}

static struct exact exact_result(struct emit *e)
{
    val x = source(e, 0), y = source(e, 1);
    switch (e->op->op) {
    case PTX_OP_ADD:
        return exact_sum(e, x, y);
    case PTX_OP_SUB:
        return exact_sum(e, x, LLVMBuildFNeg(e->b, y, ""));
    case PTX_OP_MUL:
        return (struct exact){.sum = b_fmul(e, x, y)};
    default:
        return exact_sum(e, b_fmul(e, x, y), source(e, 2));
    }
}

/* Lanes in which `near` is above (or below) the exact result. */
static val is_beyond(const struct emit *e, const struct exact *x, val near, bool above)
{
    const LLVMRealPredicate than = above ? LLVMRealOGT : LLVMRealOLT;
    val wide = b_cast(e, LLVMFPExt, near, emit_f64(e)), beyond = b_fcmp(e, than, wide, x->sum);
    if (!x->error)
        return beyond;
    val zero = emit_real(emit_f64(e), 0.0);
    return b_or(e, beyond,
                b_and(e, b_fcmp(e, LLVMRealOEQ, wide, x->sum), b_fcmp(e, than, zero, x->error)));
}

/* The next number down or up, whose bits are one less or more; beyond zero the other sign begins.
 */
static val neighbour(const struct emit *e, val near, bool down)
{
    val zero = emit_real(emit_f32(e), 0.0), bits = b_as(e, near, emit_int(e, 32));
    val towards = b_fcmp(e, down ? LLVMRealOGT : LLVMRealOLT, near, zero);
    val step = b_select(e, towards, emit_const(e, 32, UINT32_MAX), emit_const(e, 32, 1));
    val first = emit_const(e, 32, down ? F32_SIGN | 1 : 1);
    return b_select(e, b_fcmp(e, LLVMRealOEQ, near, zero), first, b_add(e, bits, step));
}

static val moved(const struct emit *e, const struct exact *x, val near, bool down)
{
    return b_select(e, is_beyond(e, x, near, down), neighbour(e, near, down),
                    b_as(e, near, emit_int(e, 32)));
}

/* Rounding down, what adds up to nothing is -0, but for two +0. */
static val with_zero_down(const struct emit *e, const struct exact *x, val bits)
{
    if (!x->a)
        return bits;
    LLVMTypeRef i64 = emit_int(e, 64);
    val signs = b_lshr(e, b_or(e, b_as(e, x->a, i64), b_as(e, x->b, i64)), emit_const(e, 64, 32));
    val zero = b_and(e, b_cast(e, LLVMTrunc, signs, emit_int(e, 32)), emit_const(e, 32, F32_SIGN));
    val is_zero = b_fcmp(e, LLVMRealOEQ, x->sum, emit_real(emit_f64(e), 0.0));
    return b_select(e, is_zero, zero, bits);
}

/* --- AVX-512 --- */

/* Bytes of the host's code, since LLVM is not told that the host has AVX-512 (emit_run.c): EVEX,
 * the opcode's map, its prefix with register 1, how it rounds, the opcode, registers 0 and 2. So
 * zmm0 is zmm1 + zmm2 and the like, or zmm1 * zmm0 + zmm2. A strip is the lower half; what is in
 * the upper one does not matter. */
enum { EVEX = 0x62, REGISTERS = 0xc2, ROUNDS = 0x18 };

struct wide_op {
    unsigned map, prefix, opcode;
};

static struct wide_op wide_op(const struct emit *e)
{
    switch (e->op->op) {
    case PTX_OP_ADD:
        return (struct wide_op){0xf1, 0x74, 0x58};
    case PTX_OP_SUB:
        return (struct wide_op){0xf1, 0x74, 0x5c};
    case PTX_OP_MUL:
        return (struct wide_op){0xf1, 0x74, 0x59};
    default:
        return (struct wide_op){0xf2, 0x75, 0xa8};
    }
}

static unsigned wide_rounding(const struct emit *e)
{
    enum { DOWN = 1, UP = 2, TO_ZERO = 3 };
    const unsigned rnd = e->op->lane->rnd;
    return ROUNDS | (rnd == LANE_RM ? DOWN : rnd == LANE_RP ? UP : TO_ZERO) << 5;
}

static val rounded_at_once(struct emit *e)
{
    const struct wide_op w = wide_op(e);
    const bool is_fma = e->op->op == PTX_OP_FMA;
    char *places = is_fma ? "={ymm0},{ymm1},0,{ymm2}" : "={ymm0},{ymm1},{ymm2}";
    char text[64];
    const int len = snprintf(text, sizeof text, ".byte %u,%u,%u,%u,%u,%u", EVEX, w.map, w.prefix,
                             wide_rounding(e), w.opcode, REGISTERS);
    LLVMTypeRef f32 = emit_f32(e), types[] = {f32, f32, f32};
    LLVMTypeRef t = LLVMFunctionType(f32, types, is_fma ? 3 : 2, false);
    val code = LLVMGetInlineAsm(t, text, (size_t)len, places, strlen(places), false, false,
                                LLVMInlineAsmDialectATT, false);
    val args[3];
    for (unsigned k = 0; k < (is_fma ? 3u : 2u); k++)
        args[k] = emit_src_f32(e, k, e->op->variant & LV_FTZ);
    return LLVMBuildCall2(e->b, t, code, args, is_fma ? 3 : 2, "");
}

/* --- both --- */

static val rounded_by_steps(struct emit *e)
{
    const struct exact x = exact_result(e);
    val near = emit_narrow(e, x.sum, emit_f32(e)), bits;
    if (e->op->lane->rnd == LANE_RM) {
        bits = with_zero_down(e, &x, moved(e, &x, near, true));
    } else if (e->op->lane->rnd == LANE_RP) {
        bits = moved(e, &x, near, false);
    } else {
        val above = b_fcmp(e, LLVMRealOGT, near, emit_real(emit_f32(e), 0.0));
        val below = b_fcmp(e, LLVMRealOLT, near, emit_real(emit_f32(e), 0.0));
        bits = b_select(e, below, moved(e, &x, near, false), b_as(e, near, emit_int(e, 32)));
        bits = b_select(e, above, moved(e, &x, near, true), bits);
    }
    return b_as(e, bits, emit_f32(e));
}

static void emit_directed(struct emit *e, const struct emit_row *row)
{
    val r = cpu_level() >= CPU_avx512 ? rounded_at_once(e) : rounded_by_steps(e);
    (void)row;
    emit_set_f32(e, r, e->op->variant & LV_FTZ, e->op->variant & LV_SAT);
}

#define ROW(OP) EMIT_ROW(OP, EMIT_TYPE(F32), LV_FTZ | LV_SAT, emit_directed, 0)
const struct emit_row emit_rows_round[] = {ROW(ADD), ROW(SUB), ROW(MUL), ROW(FMA), {0}};
