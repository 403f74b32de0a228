/* wmma.load and wmma.store. */
#include "exec/tensor_int.h"

struct wmma_memory {
    struct tensor_frag row, col; /* the same fragment, placed by row and by column */
    bool is_row;                 /* layout in memory */
    bool is_joined;              /* a register's elements are neighbours in memory */
    bool is_quads;               /* and so are the registers of four lanes */
    bool has_words;              /* its registers have 4 bytes a lane, all of them */
    bool has_stride;
    unsigned default_stride;
    uint8_t bits; /* of an element in memory */
    uint8_t per_reg;
};

/* Where the matrix begins and how far its rows (or columns) are apart, as each lane says. */
struct wmma_place {
    addr_t base[WARP_LANES];
    uint64_t stride[WARP_LANES];
};

static void place_of(const struct wmma_memory *m, const struct warp *w, const struct xop *op,
                     unsigned address, struct wmma_place *p)
{
    warp_addresses(w, &op->refs[op->first[address]], op->imm, p->base);
    for (unsigned l = 0; l < WARP_LANES; l++)
        p->stride[l] = m->has_stride ? (uint32_t)lane_u64(&op->refs[op->first[2]], w->base, l)
                                     : m->default_stride;
}

/* Byte address of every lane's element e. */
static void element_addresses(const struct wmma_memory *m, const struct wmma_place *p, unsigned e,
                              addr_t *addr)
{
    const struct tensor_frag *far = m->is_row ? &m->row : &m->col;
    const struct tensor_frag *near = m->is_row ? &m->col : &m->row;
    /* .b1 places count words of 32. */
    const uint64_t scale = m->row.type == PTX_B1 ? 32 : 1;
    for (unsigned l = 0; l < WARP_LANES; l++) {
        const uint64_t line = far->lane[l] + far->elem[e], at = near->lane[l] + near->elem[e];
        addr[l] = p->base[l] + (line * p->stride[l] + at * scale) * m->bits / 8;
    }
}

/* --- the short way: a full warp that says one place and stride --- */

/* The byte offset of a place: .b1 places count words of 32. */
static uint64_t offset_of(const struct wmma_memory *m, uint64_t stride, uint64_t line, uint64_t at)
{
    return (line * stride + at * (m->row.type == PTX_B1 ? 32 : 1)) * m->bits / 8;
}

/* False: lanes differ, or what they say is not aligned. */
static bool tile_of(const struct wmma_memory *m, const struct warp *w, const struct xop *op,
                    unsigned address, struct tensor_tile *t)
{
    const struct tensor_ops *ops = tensor_ops_get();
    const struct lane_ref *where = &op->refs[op->first[address]];
    const struct lane_ref *apart = m->has_stride ? &op->refs[op->first[2]] : NULL;
    const struct tensor_frag *far = m->is_row ? &m->row : &m->col;
    const struct tensor_frag *near = m->is_row ? &m->col : &m->row;
    if (!ops->is_same(lane_at(where, w->base), where->bytes) ||
        (apart && (apart->bytes != 4 || !ops->is_same(lane_at(apart, w->base), 4))))
        return false;
    const uint64_t stride = apart ? (uint32_t)lane_u64(apart, w->base, 0) : m->default_stride;
    const uint64_t first = lane_u64(where, w->base, 0) + (uint64_t)op->imm;
    t->at = where->bytes == 8 ? first : (uint32_t)first;
    t->per_reg = m->is_joined ? 1 : m->per_reg;
    t->bytes = m->is_joined ? 4 : m->bits / 8u;
    t->nregs = m->row.count / m->per_reg;
    t->copies = m->row.regs / t->nregs;
    t->is_quads = m->is_quads;
    for (unsigned l = 0; l < WARP_LANES; l++)
        t->lane[l] = offset_of(m, stride, far->lane[l], near->lane[l]);
    for (unsigned p = 0; p < t->nregs * t->per_reg; p++) {
        const unsigned e = p * m->per_reg / t->per_reg;
        t->part[p] = offset_of(m, stride, far->elem[e], near->elem[e]);
    }
    t->reach =
        t->lane[t->is_quads ? WARP_LANES - 4 : WARP_LANES - 1] + t->part[t->nregs * t->per_reg - 1];
    return !((t->at | stride * m->bits / 8) & (t->bytes - 1)) && stride * m->bits % 8 == 0;
}

static bool wmma_load_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct wmma_memory *m = x->op.data;
    const unsigned steps = m->is_joined ? 1 : m->per_reg, distinct = m->row.count / m->per_reg;
    const unsigned bytes = m->row.bits == 64 ? 8 : m->is_joined ? 4 : m->bits / 8u;
    struct wmma_place place;
    struct tensor_tile tile;
    if (LIKELY(!w->step && m->has_words && mask == UINT32_MAX) && tile_of(m, w, &x->op, 1, &tile) &&
        tensor_ops_get()->load_tile(w, x, &tile, x->op.refs + x->op.first[0]))
        return true;
    place_of(m, w, &x->op, 1, &place);
    for (unsigned r = 0; r < distinct; r++) {
        uint64_t word[WARP_LANES] = {0}, part[WARP_LANES] = {0};
        for (unsigned i = 0; i < steps; i++) {
            addr_t addr[WARP_LANES];
            element_addresses(m, &place, r * m->per_reg + i, addr);
            if (!warp_load(w, x, x->space, addr, bytes, part, sizeof part[0], mask))
                return false;
            for (unsigned l = 0; l < WARP_LANES; l++)
                word[l] |= part[l] << (i * m->bits % 64);
        }
        for (unsigned copy = r; copy < m->row.regs; copy += distinct)
            FOR_LANES (l, mask)
                lane_set_u64(&x->op.refs[x->op.first[0] + copy], w->base, l, word[l]);
    }
    return true;
}

static bool wmma_store_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct wmma_memory *m = x->op.data;
    const unsigned steps = m->is_joined ? 1 : m->per_reg;
    const unsigned bytes = m->row.bits == 64 ? 8 : m->is_joined ? 4 : m->bits / 8u;
    struct wmma_place place;
    struct tensor_tile tile;
    if (LIKELY(!w->step && m->has_words && mask == UINT32_MAX) && tile_of(m, w, &x->op, 0, &tile) &&
        tensor_ops_get()->store_tile(w, x, &tile, x->op.refs + x->op.first[1]))
        return true;
    place_of(m, w, &x->op, 0, &place);
    for (unsigned r = 0; r < m->row.regs; r++)
        for (unsigned i = 0; i < steps; i++) {
            addr_t addr[WARP_LANES];
            uint64_t part[WARP_LANES];
            element_addresses(m, &place, r * m->per_reg + i, addr);
            for (unsigned l = 0; l < WARP_LANES; l++)
                part[l] =
                    lane_u64(&x->op.refs[x->op.first[1] + r], w->base, l) >> (i * m->bits % 64);
            if (!warp_store(w, x, x->space, addr, bytes, part, sizeof part[0], mask))
                return false;
        }
    return true;
}

static enum tensor_role role_of(const struct ptx_inst *inst)
{
    return ptx_inst_has(inst, PTX_M_A)   ? TENSOR_A
           : ptx_inst_has(inst, PTX_M_B) ? TENSOR_B
                                         : TENSOR_C;
}

static bool memory_init(struct wmma_memory *m, const struct ptx_inst *inst, enum tensor_role role,
                        struct tensor_shape shape)
{
    const enum ptx_type type = (enum ptx_type)inst->types[0];
    const struct tensor_strides rows = {1, 0}, cols = {0, 1};
    if (!tensor_frag_init(&m->row, role, type, shape, true, rows) ||
        !tensor_frag_init(&m->col, role, type, shape, true, cols))
        return false;
    m->is_row = ptx_inst_has(inst, PTX_M_ROW);
    m->bits = (uint8_t)ptx_type_bits(type);
    m->per_reg = (uint8_t)tensor_per_reg(&m->row);
    const struct tensor_frag *across = m->is_row ? &m->row : &m->col;
    m->is_joined = m->per_reg == 1 || across->elem[1] == 0;
    const struct tensor_frag *along = m->is_row ? &m->col : &m->row;
    m->is_quads = m->is_joined && !across->lane[1] && !across->lane[2] &&
                  along->lane[1] == m->per_reg && along->lane[2] == 2 * m->per_reg;
    const unsigned nrows = role == TENSOR_B ? shape.k : shape.m;
    const unsigned ncols = role == TENSOR_A ? shape.k : shape.n;
    m->default_stride = m->is_row ? ncols : nrows;
    return m->is_joined || m->bits >= 8;
}

bool tensor_select_wmma_memory(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                               const char **why)
{
    const bool is_load = ptx_inst_has(inst, PTX_M_LOAD);
    const unsigned data = is_load ? 0 : 1;
    struct wmma_memory *m = arena_new(arena, struct wmma_memory);
    const enum ptx_mod shape = ptx_inst_mod_in(inst, PTX_M_M8N8K4, PTX_M_M16N16K8);
    *why = "matrix load or store of this type, shape and layout is not supported";
    if (!shape || inst->ntypes != 1 || inst->nops < 2 ||
        !memory_init(m, inst, is_load ? role_of(inst) : TENSOR_C, tensor_shape_of(shape)))
        return false;
    m->has_stride = inst->nops > 2;
    if (tensor_operand_regs(inst, op, data) != m->row.regs) {
        *why = "a matrix operand has the wrong number of registers";
        return false;
    }
    m->has_words = m->row.bits <= 32;
    for (unsigned i = 0; i < m->row.regs; i++) {
        const struct lane_ref *r = &op->refs[op->first[data] + i];
        m->has_words = m->has_words && !r->none && r->bytes == 4;
    }
    op->data = m;
    op->fn = is_load ? wmma_load_run : wmma_store_run;
    return true;
}
