/* SIMD without arithmetic: copies, permutations, tables; loads and stores of structures. */
#include "a64/x_simd.h"

#include <string.h>

typedef union a64_vec vec;

/* --- copies --- */

static vec filled(uint64_t value, unsigned size, unsigned bytes)
{
    vec r = {0};
    for (unsigned k = 0; k < bytes >> size; k++)
        simd_put(&r, size, k, value);
    return r;
}

EXEC(v_dup_elem)
{
    c->v[i->rd] = filled(simd_element(&c->v[i->rn], i->size, i->ra), i->size, i->shift);
    NEXT;
}

EXEC(v_dup_reg)
{
    c->v[i->rd] = filled(RN, i->size, i->shift);
    NEXT;
}

EXEC(v_umov)
{
    PUT64(simd_element(&c->v[i->rn], i->size, i->ra));
    NEXT;
}

EXEC(v_smov_w)
{
    PUT32(simd_signed(&c->v[i->rn], i->size, i->ra));
    NEXT;
}

EXEC(v_smov_x)
{
    PUT64(simd_signed(&c->v[i->rn], i->size, i->ra));
    NEXT;
}

EXEC(v_ins_reg)
{
    simd_put(&c->v[i->rd], i->size, i->ra, RN);
    NEXT;
}

EXEC(v_ins_elem)
{
    simd_put(&c->v[i->rd], i->size, i->ra, simd_element(&c->v[i->rn], i->size, (unsigned)i->imm));
    NEXT;
}

/* --- permutations: element k of the result is `index` of rn and rm, one behind the other --- */

#define PERMUTE(name, index)                       \
    FROM_BOTH(name, const unsigned from = (index); \
              simd_put(&r, i->size, k, simd_element(&both[from >= n], i->size, from % n));)
PERMUTE(uzp1, 2 * k)
PERMUTE(uzp2, 2 * k + 1)
PERMUTE(trn1, (k & 1) * n + (k & ~1u))
PERMUTE(trn2, (k & 1) * n + (k | 1))
PERMUTE(zip1, (k & 1) * n + k / 2)
PERMUTE(zip2, (k & 1) * n + (n + k) / 2)

EXEC(v_ext)
{
    uint8_t both[32];
    vec r = {0};
    memcpy(both, &c->v[i->rn], i->shift);
    memcpy(both + i->shift, &c->v[i->rm], i->shift);
    memcpy(&r, both + i->imm, i->shift);
    c->v[i->rd] = r;
    NEXT;
}

static const struct a64_inst *look_up(struct a64_cpu *c, const struct a64_inst *i, vec r)
{
    uint8_t table[4 * sizeof(vec)];
    const vec index = c->v[i->rm];
    for (unsigned k = 0; k < i->size; k++)
        memcpy(table + k * sizeof(vec), &c->v[(i->rn + k) % 32], sizeof(vec));
    for (unsigned k = 0; k < i->shift; k++)
        if (index.b[k] < i->size * sizeof(vec))
            r.b[k] = table[index.b[k]];
    if (i->shift == 8)
        r.d[1] = 0;
    c->v[i->rd] = r;
    NEXT;
}

EXEC(v_tbl)
{
    return look_up(c, i, (vec){0});
}

EXEC(v_tbx)
{
    return look_up(c, i, c->v[i->rd]);
}

/* --- structures: ra registers from rd on --- */

static void move_base(struct a64_cpu *c, const struct a64_inst *i)
{
    c->x[i->rn] += i->imm + RM; /* one of both, or none */
}

/* Where byte `at` of register r lies in memory: dealt element by element, or one register behind
 * the other. */
static unsigned place(const struct a64_inst *i, unsigned r, unsigned at)
{
    const unsigned size = i->size & 3, one = 1u << size;
    return i->size & 4 ? r * i->shift + at : ((at >> size) * i->ra + r) * one + at % one;
}

EXEC(ld_list)
{
    uint8_t bytes[4 * sizeof(vec)];
    if (!image_read(c->image, RN, bytes, i->ra * i->shift))
        return a64_leave(c, i, A64_ACCESS, 0);
    for (unsigned r = 0; r < i->ra; r++) {
        vec v = {0};
        for (unsigned at = 0; at < i->shift; at++)
            v.b[at] = bytes[place(i, r, at)];
        c->v[(i->rd + r) % 32] = v;
    }
    move_base(c, i);
    NEXT;
}

EXEC(st_list)
{
    uint8_t bytes[4 * sizeof(vec)];
    for (unsigned r = 0; r < i->ra; r++)
        for (unsigned at = 0; at < i->shift; at++)
            bytes[place(i, r, at)] = c->v[(i->rd + r) % 32].b[at];
    if (!image_write(c->image, RN, bytes, i->ra * i->shift))
        return a64_leave(c, i, A64_ACCESS, 0);
    move_base(c, i);
    NEXT;
}

EXEC(ld_lane)
{
    uint8_t bytes[4 * 8];
    if (!image_read(c->image, RN, bytes, (unsigned)i->ra << i->size))
        return a64_leave(c, i, A64_ACCESS, 0);
    for (unsigned r = 0; r < i->ra; r++)
        memcpy(c->v[(i->rd + r) % 32].b + (i->shift << i->size), bytes + (r << i->size),
               (size_t)1 << i->size);
    move_base(c, i);
    NEXT;
}

EXEC(st_lane)
{
    uint8_t bytes[4 * 8];
    for (unsigned r = 0; r < i->ra; r++)
        memcpy(bytes + (r << i->size), c->v[(i->rd + r) % 32].b + (i->shift << i->size),
               (size_t)1 << i->size);
    if (!image_write(c->image, RN, bytes, (unsigned)i->ra << i->size))
        return a64_leave(c, i, A64_ACCESS, 0);
    move_base(c, i);
    NEXT;
}

EXEC(ld_replicate)
{
    uint8_t bytes[4 * 8];
    if (!image_read(c->image, RN, bytes, (unsigned)i->ra << i->size))
        return a64_leave(c, i, A64_ACCESS, 0);
    for (unsigned r = 0; r < i->ra; r++) {
        uint64_t value = 0;
        memcpy(&value, bytes + (r << i->size), (size_t)1 << i->size);
        c->v[(i->rd + r) % 32] = filled(value, i->size, i->shift);
    }
    move_base(c, i);
    NEXT;
}
