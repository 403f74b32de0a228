/* Selection of matrix instructions, and mma and wmma.mma themselves. */
#include "exec/tensor.h"
#include "exec/tensor_int.h"

#define X(level) [CPU_##level] = &tensor_ops_##level,
static const struct tensor_ops *const all_ops[] = {CPU_LEVELS(X)};
#undef X

const struct tensor_ops *tensor_ops_get(void)
{
    return all_ops[cpu_level()];
}

static bool mma_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct tensor_mma *mma = x->op.data;
    const struct lane_ref *refs = x->op.refs;
    const uint16_t *first = x->op.first;
    const struct tensor_ops *ops = tensor_ops_get();
    struct tensor_matrix a, b, c, d;
    ops->gather(&mma->a, refs + first[1], w->base, &a);
    ops->gather(&mma->b, refs + first[2], w->base, &b);
    ops->gather(&mma->c, refs + first[3], w->base, &c);
    tensor_mma_compute(mma, a.bytes, b.bytes, c.bytes, d.bytes);
    ops->scatter(&mma->d, refs + first[0], w->base, &d, mask);
    return true;
}

/* d, a, b, c; wmma of f16 names d and c only. */
static bool read_types(const struct ptx_inst *inst, enum ptx_type t[4])
{
    const bool is_short = inst->op == PTX_OP_WMMA && inst->ntypes == 2;
    if (inst->ntypes != 4 && !is_short)
        return false;
    for (int i = 0; i < 4; i++)
        t[i] = is_short ? PTX_F16 : (enum ptx_type)inst->types[i];
    t[0] = (enum ptx_type)inst->types[0];
    t[3] = (enum ptx_type)inst->types[inst->ntypes - 1];
    return true;
}

/* Whether the i-th of .row and .col is .row. */
static bool nth_layout_is_row(const struct ptx_inst *inst, int nth)
{
    for (int i = 0; i < inst->nmods; i++)
        if ((inst->mods[i] == PTX_M_ROW || inst->mods[i] == PTX_M_COL) && nth-- == 0)
            return inst->mods[i] == PTX_M_ROW;
    return true;
}

bool tensor_select_mma(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                       const char **why)
{
    struct tensor_mma *mma = arena_new(arena, struct tensor_mma);
    enum ptx_type t[4];
    *why = "matrix instruction form is not supported";
    if (ptx_inst_has(inst, PTX_M_SPARSE)) {
        *why = "sparse mma is not supported";
        return false;
    }
    const enum ptx_mod shape = ptx_inst_mod_in(inst, PTX_M_M8N8K4, PTX_M_M16N16K8);
    if (inst->nops != 4 || !shape || !read_types(inst, t) ||
        !tensor_mma_init(mma, tensor_shape_of(shape), t, inst->op == PTX_OP_WMMA,
                         nth_layout_is_row(inst, 0), nth_layout_is_row(inst, 1), why))
        return false;
    mma->satfinite = ptx_inst_has(inst, PTX_M_SATFINITE);
    mma->is_xor = ptx_inst_has(inst, PTX_M_XOR);
    const unsigned want[4] = {mma->d.regs, mma->a.regs, mma->b.regs, mma->c.regs};
    for (unsigned i = 0; i < 4; i++)
        if (tensor_operand_regs(inst, op, i) != want[i]) {
            *why = "a matrix operand has the wrong number of registers";
            return false;
        }
    op->data = mma;
    op->fn = mma_run;
    return true;
}

bool tensor_select(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                   const char **why)
{
    switch (inst->op) {
    case PTX_OP_MMA:
        return tensor_select_mma(inst, arena, op, why);
    case PTX_OP_WMMA:
        return ptx_inst_has(inst, PTX_M_MMA) ? tensor_select_mma(inst, arena, op, why)
                                             : tensor_select_wmma_memory(inst, arena, op, why);
    default:
        return tensor_select_matrix(inst, arena, op, why);
    }
}
