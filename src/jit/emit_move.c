/* Address conversions, packing and unpacking: see exec/move.c. */
#include "jit/emit.h"

static bool is_number(const struct lane_ref *r)
{
    return r->none || (r->bytes && r->bytes <= 8 && r->sel < LANE_BASES);
}

bool move_is_known(const struct run_op *op)
{
    const struct xop *m = op->move;
    bool ok = m->nrefs >= 2 && (op->kind == RUN_UNPACK || !m->refs[0].none);
    for (unsigned k = 0; k < m->nrefs; k++)
        ok &= is_number(&m->refs[k]);
    return ok;
}

/* Cut or extended with zeroes. */
static val resized(const struct emit *e, val v, unsigned bits)
{
    const unsigned has = emit_bits_of(v);
    return has == bits ? v : b_cast(e, bits < has ? LLVMTrunc : LLVMZExt, v, emit_int(e, bits));
}

static void emit_add(struct emit *e, const struct xop *m)
{
    val v = resized(e, emit_ref(e, &m->refs[1]), 64);
    if (m->imm)
        v = b_add(e, v, emit_const(e, 64, (uint64_t)m->imm));
    emit_assign_int(e, &m->refs[0], v, false, e->op->d_is_live);
}

static void emit_pack(struct emit *e, const struct xop *m)
{
    const unsigned bits = 8u * (unsigned)m->imm, whole = 8u * m->refs[0].bytes;
    val word = emit_const(e, whole, 0);
    for (unsigned k = 0; k + 1 < m->nrefs; k++) {
        val part = resized(e, resized(e, emit_ref(e, &m->refs[1 + k]), bits), whole);
        word = b_or(e, word, b_shl(e, part, emit_const(e, whole, k * bits)));
    }
    emit_assign_int(e, &m->refs[0], word, false, e->op->d_is_live);
}

/* The source may be among the results. */
static void emit_unpack(struct emit *e, const struct xop *m)
{
    const unsigned bits = 8u * (unsigned)m->imm, n = m->nrefs - 1u;
    val word = emit_ref(e, &m->refs[n]);
    for (unsigned k = 0; k < n; k++)
        emit_assign_int(e, &m->refs[k],
                        resized(e, b_lshr(e, word, b_const_like(e, word, k * bits)), bits), false,
                        true);
}

void emit_move(struct emit *e)
{
    const struct xop *m = e->op->move;
    if (e->op->kind == RUN_ADD)
        emit_add(e, m);
    else if (e->op->kind == RUN_PACK)
        emit_pack(e, m);
    else
        emit_unpack(e, m);
}
