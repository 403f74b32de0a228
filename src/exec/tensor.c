/* Selection of matrix instructions, and mma and wmma.mma themselves. */
#include "exec/tensor.h"
#include "exec/tensor_int.h"
#include "exec/warp.h"

/* A register of all lanes as 64-bit numbers. */
static void read_register(const struct lane_ref *ref, char *const *base, uint64_t *word)
{
    const char *p = lane_at(ref, base);
    if (ref->bytes == 4)
        for (unsigned l = 0; l < WARP_LANES; l++) {
            uint32_t v;
            __builtin_memcpy(&v, p + 4 * l, sizeof v);
            word[l] = v;
        }
    else
        for (unsigned l = 0; l < WARP_LANES; l++)
            word[l] = lane_u64(ref, base, l);
}

/* One fragment of all lanes into its matrix. */
static void gather(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                   uint64_t *matrix)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1;
    for (unsigned r = 0; r < f->count / per_reg; r++) {
        uint64_t word[WARP_LANES];
        read_register(&refs[r], base, word);
        for (unsigned i = 0; i < per_reg; i++) {
            uint64_t *to = matrix + f->elem[r * per_reg + i];
            const unsigned shift = i * f->bits % 32;
            for (unsigned l = 0; l < WARP_LANES; l++)
                to[f->lane[l]] = word[l] >> shift;
        }
    }
}

static void write_register(const struct lane_ref *ref, char *const *base, const uint64_t *word,
                           uint32_t mask)
{
    if (ref->bytes == 4 && mask == UINT32_MAX) {
        uint32_t *d = (uint32_t *)(void *)lane_at(ref, base);
        for (unsigned l = 0; l < WARP_LANES; l++)
            d[l] = (uint32_t)word[l];
        return;
    }
    FOR_LANES(l, mask)
    lane_set_u64(ref, base, l, word[l]);
}

static void scatter(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                    const uint64_t *matrix, uint32_t mask)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1;
    for (unsigned r = 0; r < f->count / per_reg; r++) {
        uint64_t word[WARP_LANES] = {0};
        for (unsigned i = 0; i < per_reg; i++) {
            const uint64_t *from = matrix + f->elem[r * per_reg + i];
            for (unsigned l = 0; l < WARP_LANES; l++)
                word[l] |= from[f->lane[l]] << (i * f->bits % 64);
        }
        if (!refs[r].none)
            write_register(&refs[r], base, word, mask);
    }
}

static bool mma_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct tensor_mma *mma = x->op.data;
    const struct lane_ref *refs = x->op.refs;
    const uint16_t *first = x->op.first;
    uint64_t a[TENSOR_MAX_MATRIX], b[TENSOR_MAX_MATRIX], c[TENSOR_MAX_MATRIX], d[TENSOR_MAX_MATRIX];
    gather(&mma->a, refs + first[1], w->base, a);
    gather(&mma->b, refs + first[2], w->base, b);
    gather(&mma->c, refs + first[3], w->base, c);
    tensor_mma_compute(mma, a, b, c, d);
    scatter(&mma->d, refs + first[0], w->base, d, mask);
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
