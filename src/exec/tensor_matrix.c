/* ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16-bit elements.
 *
 * Row r of matrix i is the 16 bytes at the address in lane 8 i + r. In registers, lane l holds of
 * row l / 4 the elements 2 (l % 4) and the next, or the same of the transposed matrix. */
#include "exec/device.h"
#include "exec/tensor_int.h"
#include "exec/warp.h"

#include <string.h>

enum { SIDE = 8, ROW_BYTES = 16 };

typedef uint16_t matrix[SIDE][SIDE];

static uint16_t *element(matrix m, bool is_trans, unsigned lane, unsigned i)
{
    const unsigned row = lane / 4, col = lane % 4 * 2 + i;
    return is_trans ? &m[col][row] : &m[row][col];
}

static uint32_t read_lane(matrix m, bool is_trans, unsigned lane)
{
    return *element(m, is_trans, lane, 0) | (uint32_t)*element(m, is_trans, lane, 1) << 16;
}

static void write_lane(matrix m, bool is_trans, unsigned lane, uint32_t v)
{
    *element(m, is_trans, lane, 0) = (uint16_t)v;
    *element(m, is_trans, lane, 1) = (uint16_t)(v >> 16);
}

/* A matrix to the register of all lanes in mask. */
static void write_register(const struct warp *w, const struct lane_ref *r, matrix m, bool is_trans,
                           uint32_t mask)
{
    uint32_t word[WARP_LANES];
    for (unsigned l = 0; is_trans && l < WARP_LANES; l++)
        word[l] = read_lane(m, true, l);
    if (!is_trans)
        memcpy(word, m, sizeof word);
    if (mask == UINT32_MAX && r->bytes == 4 && !r->none)
        memcpy(lane_at(r, w->base), word, sizeof word);
    else
        FOR_LANES (l, mask)
            lane_set_u64(r, w->base, l, word[l]);
}

struct matrix_op {
    unsigned count;
    bool is_trans;
};

static uint32_t address_lanes(unsigned count)
{
    return count == 4 ? UINT32_MAX : (UINT32_C(1) << (count * SIDE)) - 1;
}

/* The lanes that give the rows' addresses must all be there. */
static bool has_rows(struct warp *w, const struct xinst *x, uint32_t mask, uint32_t need)
{
    if (!(need & ~mask))
        return true;
    return warp_fault(w, x, (unsigned)__builtin_ctz(need & ~mask), FAULT_ILLEGAL_INSTRUCTION,
                      "the address of a row is in a lane that does not execute the instruction");
}

static bool ldmatrix_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct matrix_op *op = x->op.data;
    addr_t addr[WARP_LANES];
    const uint32_t rows = address_lanes(op->count);
    matrix m[4];
    warp_addresses(w, &x->op.refs[x->op.first[1]], x->op.imm, addr);
    if (!has_rows(w, x, mask, rows) ||
        !warp_load(w, x, x->space, addr, ROW_BYTES, m, ROW_BYTES, rows))
        return false;
    for (unsigned i = 0; i < op->count; i++)
        write_register(w, &x->op.refs[x->op.first[0] + i], m[i], op->is_trans, mask);
    return true;
}

static bool stmatrix_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct matrix_op *op = x->op.data;
    addr_t addr[WARP_LANES];
    matrix m[4];
    for (unsigned i = 0; i < op->count; i++)
        for (unsigned l = 0; l < WARP_LANES; l++)
            write_lane(m[i], op->is_trans, l,
                       (uint32_t)lane_u64(&x->op.refs[x->op.first[1] + i], w->base, l));
    const uint32_t rows = address_lanes(op->count);
    warp_addresses(w, &x->op.refs[x->op.first[0]], x->op.imm, addr);
    return has_rows(w, x, mask, rows) &&
           warp_store(w, x, x->space, addr, ROW_BYTES, m, ROW_BYTES, rows);
}

static bool movmatrix_run(struct warp *w, const struct xinst *x, uint32_t mask)
{
    matrix m;
    for (unsigned l = 0; l < WARP_LANES; l++)
        write_lane(m, false, l, (uint32_t)lane_u64(&x->op.refs[x->op.first[1]], w->base, l));
    write_register(w, &x->op.refs[x->op.first[0]], m, true, mask);
    return true;
}

bool tensor_select_matrix(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                          const char **why)
{
    struct matrix_op *m = arena_new(arena, struct matrix_op);
    const bool is_store = inst->op == PTX_OP_STMATRIX;
    m->count = ptx_inst_has(inst, PTX_M_X4) ? 4 : ptx_inst_has(inst, PTX_M_X2) ? 2 : 1;
    m->is_trans = ptx_inst_has(inst, PTX_M_TRANS);
    if (!ptx_inst_has(inst, PTX_M_M8N8) || inst->ntypes != 1 || inst->types[0] != PTX_B16 ||
        inst->nops != 2 || tensor_operand_regs(inst, op, is_store) != m->count) {
        *why = "only 8 x 8 matrices of .b16 are supported";
        return false;
    }
    op->data = m;
    op->fn = inst->op == PTX_OP_LDMATRIX ? ldmatrix_run : is_store ? stmatrix_run : movmatrix_run;
    return true;
}
