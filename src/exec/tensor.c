/* Selection of matrix instructions, and mma and wmma.mma themselves. */
#include "exec/tensor.h"
#include "exec/tensor_int.h"
#include "exec/warp.h"

/* One register's elements to their places in the matrix. */
#define SPREAD(type, keep)                                                \
    for (unsigned i = 0; i < per_reg; i++) {                              \
        type *to = (type *)(void *)matrix->bytes + elem[i];               \
        for (unsigned l = 0; l < WARP_LANES; l++)                         \
            to[f->lane[l]] = (type)((word[l] >> (i * f->bits)) & (keep)); \
    }

static void spread_register(const struct tensor_frag *f, const uint16_t *elem, const uint32_t *word,
                            struct tensor_matrix *matrix)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1, bytes = tensor_elem_bytes(f);
    if (f->is_joined) {
        char *to = matrix->bytes + (size_t)elem[0] * bytes;
        for (unsigned l = 0; l < WARP_LANES; l++)
            __builtin_memcpy(to + (size_t)f->lane[l] * bytes, &word[l], sizeof word[l]);
    } else if (f->bits == 4) {
        SPREAD(uint8_t, 15)
    } else if (f->bits == 8) {
        SPREAD(uint8_t, 255)
    } else if (f->bits == 16) {
        SPREAD(uint16_t, 65535)
    } else {
        SPREAD(uint32_t, UINT32_MAX)
    }
}

static void spread_double(const struct tensor_frag *f, unsigned elem, const struct lane_ref *ref,
                          char *const *base, struct tensor_matrix *matrix)
{
    uint64_t *to = (uint64_t *)(void *)matrix->bytes + elem;
    for (unsigned l = 0; l < WARP_LANES; l++)
        to[f->lane[l]] = lane_u64(ref, base, l);
}

/* One fragment of all lanes into its matrix. */
static void gather(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                   struct tensor_matrix *matrix)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1;
    for (unsigned r = 0; r < f->count / per_reg; r++) {
        uint32_t room[WARP_LANES];
        if (f->bits == 64)
            spread_double(f, f->elem[r], &refs[r], base, matrix);
        else
            spread_register(f, f->elem + r * per_reg, lane_words(&refs[r], base, room), matrix);
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
    FOR_LANES (l, mask)
        lane_set_u64(ref, base, l, word[l]);
}

/* One register of an accumulator from its places in the matrix. */
#define COLLECT(type)                                                           \
    for (unsigned i = 0; i < per_reg; i++) {                                    \
        const type *from = (const type *)(const void *)matrix->bytes + elem[i]; \
        for (unsigned l = 0; l < WARP_LANES; l++)                               \
            word[l] |= (uint64_t)from[f->lane[l]] << (i * f->bits);             \
    }

static void collect_register(const struct tensor_frag *f, const uint16_t *elem,
                             const struct tensor_matrix *matrix, uint64_t *word)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1;
    if (f->bits == 16) {
        COLLECT(uint16_t)
    } else if (f->bits == 32) {
        COLLECT(uint32_t)
    } else {
        COLLECT(uint64_t)
    }
}

static void scatter(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                    const struct tensor_matrix *matrix, uint32_t mask)
{
    const unsigned per_reg = f->bits < 32 ? 32u / f->bits : 1;
    for (unsigned r = 0; r < f->count / per_reg; r++) {
        uint64_t word[WARP_LANES] = {0};
        collect_register(f, f->elem + r * per_reg, matrix, word);
        if (!refs[r].none)
            write_register(&refs[r], base, word, mask);
    }
}

static bool mma_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct tensor_mma *mma = x->op.data;
    const struct lane_ref *refs = x->op.refs;
    const uint16_t *first = x->op.first;
    struct tensor_matrix a, b, c, d;
    gather(&mma->a, refs + first[1], w->base, &a);
    gather(&mma->b, refs + first[2], w->base, &b);
    gather(&mma->c, refs + first[3], w->base, &c);
    tensor_mma_compute(mma, a.bytes, b.bytes, c.bytes, d.bytes);
    scatter(&mma->d, refs + first[0], w->base, &d, mask);
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
