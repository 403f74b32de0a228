/* Fragment layouts, as the steps that each bit of the lane and of the element number makes. */
#include "exec/tensor_int.h"

#include <stdio.h>

struct tensor_shape tensor_shape_of(enum ptx_mod mod)
{
    struct tensor_shape s = {0, 0, 0};
    if (mod && sscanf(ptx_mod_name(mod), "m%un%uk%u", &s.m, &s.n, &s.k) != 3)
        s = (struct tensor_shape){0, 0, 0};
    return s;
}

/* Whether elements e of registers that are `every` apart follow each other in the matrix. */
static bool elements_follow(const struct tensor_frag *f, unsigned every)
{
    for (unsigned e = 0; e < f->count; e++)
        if (f->elem[e] != f->elem[e / every * every] + e % every)
            return false;
    return true;
}

/* Whether the four lanes of each quad are so far apart. */
static bool quads_step(const struct tensor_frag *f, unsigned step)
{
    return f->lane[1] == step && f->lane[2] == 2 * step;
}

static enum tensor_way way_of(const struct tensor_frag *f, enum tensor_role role)
{
    const unsigned per_reg = tensor_per_reg(f);
    if (f->bits > 32)
        return TENSOR_EACH;
    if (role == TENSOR_B && f->lane[4] == 1 && f->lane[8] == 2 && f->lane[16] == 4)
        return TENSOR_COLUMNS;
    if (f->bits >= 8 && elements_follow(f, per_reg) && quads_step(f, per_reg))
        return TENSOR_QUADS;
    if (f->bits == 32 && elements_follow(f, 2) && quads_step(f, 2))
        return TENSOR_PAIRS;
    return TENSOR_EACH;
}

static unsigned element_bits(enum ptx_type type)
{
    return type == PTX_B1 ? 32 : ptx_type_bits(type);
}

/* table[i] = the sum of the steps of the bits of i. */
static void expand(uint16_t *table, const unsigned *step, unsigned nbits)
{
    table[0] = 0;
    for (unsigned b = 0; b < nbits; b++)
        for (unsigned i = 0; i < 1u << b; i++)
            table[(1u << b) + i] = (uint16_t)(table[i] + step[b]);
}

/* Elements of 8-bit floats are multiplied as f16 in two steps: bit 1 of k tells which. Rearranged,
 * so that each step has its k in a row. */
static unsigned k_place(unsigned k, unsigned total, bool is_fp8)
{
    return is_fp8 ? (k & 1) + (k & 2 ? total / 2 : 0) + (k >> 2) * 2 : k;
}

/* One side of a product: `extent` rows of A or columns of B (`along` apart), by k elements (`deep`
 * apart). The side of more rows ("major") interleaves its rows of eight with k; in m8n32 that is
 * B. */
struct side {
    bool is_major, is_fp8;
    unsigned extent, k, along, deep;
};

static void side_init(struct tensor_frag *f, struct side s)
{
    const unsigned per_reg = tensor_per_reg(f);
    unsigned elem[8], n = 0;
    const unsigned lane[5] = {k_place(per_reg, s.k, s.is_fp8) * s.deep,
                              k_place(2 * per_reg, s.k, s.is_fp8) * s.deep, s.along, 2 * s.along,
                              4 * s.along};
    expand(f->lane, lane, 5);
    for (unsigned k = 1; k < per_reg; k *= 2)
        elem[n++] = k_place(k, s.k, s.is_fp8) * s.deep;
    if (s.is_major && s.extent > 8)
        elem[n++] = 8 * s.along;
    for (unsigned k = 4 * per_reg; k < s.k; k *= 2)
        elem[n++] = k_place(k, s.k, s.is_fp8) * s.deep;
    if (!s.is_major && s.extent > 8)
        elem[n++] = 8 * s.along;
    if (s.extent > 16)
        elem[n++] = 16 * s.along;
    expand(f->elem, elem, n);
    f->count = (uint8_t)(1u << n);
    f->regs = (uint8_t)(f->count / per_reg);
}

static void accumulator_init(struct tensor_frag *f, unsigned m, unsigned n, unsigned row,
                             unsigned col)
{
    unsigned elem[8], bits = 0;
    const unsigned lane[5] = {2 * col, 4 * col, row, 2 * row, 4 * row};
    expand(f->lane, lane, 5);
    elem[bits++] = col;
    if (m > 8)
        elem[bits++] = 8 * row;
    if (m > 16)
        elem[bits++] = 16 * row;
    if (n > 8)
        elem[bits++] = 8 * col;
    expand(f->elem, elem, bits);
    f->count = (uint8_t)(1u << bits);
    f->regs = (uint8_t)(f->bits == 16 ? f->count / 2 : f->count);
}

bool tensor_frag_init(struct tensor_frag *f, enum tensor_role role, enum ptx_type type,
                      struct tensor_shape shape, bool is_wmma, struct tensor_strides strides)
{
    const unsigned k = type == PTX_B1 ? shape.k / 32 : shape.k;
    /* m8n32 is computed as the transposed m32n8. */
    const bool flip = shape.n > shape.m;
    *f = (struct tensor_frag){.type = (uint8_t)type, .bits = (uint8_t)element_bits(type)};
    if (role == TENSOR_C) {
        if (f->bits < 16)
            return false;
        if (flip)
            accumulator_init(f, shape.n, shape.m, strides.col, strides.row);
        else
            accumulator_init(f, shape.m, shape.n, strides.row, strides.col);
        f->way = (uint8_t)way_of(f, role);
        return true;
    }
    const bool is_a = role == TENSOR_A;
    const unsigned extent = is_a ? shape.m : shape.n;
    if (!f->bits || extent * k * f->bits < WARP_LANES * 32 || extent * k > TENSOR_MAX_MATRIX)
        return false;
    side_init(f, (struct side){.is_major = is_a != flip,
                               .is_fp8 = type == PTX_E4M3 || type == PTX_E5M2,
                               .extent = extent,
                               .k = k,
                               .along = is_a ? strides.row : strides.col,
                               .deep = is_a ? strides.col : strides.row});
    /* f16 fragments of wmma have the eight registers of the first tensor core, filled up with
     * copies. */
    if (is_wmma && type == PTX_F16)
        f->regs = 8;
    f->way = (uint8_t)way_of(f, role);
    return true;
}

void tensor_frag_init_quad(struct tensor_frag *f, enum tensor_role role, enum ptx_type type,
                           bool is_row, struct tensor_strides strides)
{
    const unsigned row = strides.row, col = strides.col;
    const unsigned quad = role == TENSOR_C ? 64 : 32;
    *f = (struct tensor_frag){.type = (uint8_t)type, .bits = (uint8_t)element_bits(type)};
    unsigned lane[5] = {row, 2 * row, quad, 2 * quad, 4 * row};
    unsigned elem[3] = {col, 2 * col, 4 * col};
    if (role == TENSOR_C) {
        if (f->bits == 32) {
            lane[1] = 2 * col;
            elem[1] = 2 * row;
        }
        expand(f->elem, elem, 3);
        f->count = 8;
        f->regs = (uint8_t)(f->bits == 32 ? 8 : 4);
    } else {
        const bool is_a = role == TENSOR_A;
        const unsigned along = is_a ? row : col, deep = is_a ? col : row;
        /* A lane holds a row of a row-major a, or a column of a column-major b. */
        const bool lane_along = is_a == is_row;
        lane[0] = lane_along ? along : deep;
        lane[1] = 2 * lane[0];
        lane[4] = 4 * along;
        elem[0] = lane_along ? deep : along;
        elem[1] = 2 * elem[0];
        expand(f->elem, elem, 2);
        f->count = 4;
        f->regs = 2;
    }
    expand(f->lane, lane, 5);
}
