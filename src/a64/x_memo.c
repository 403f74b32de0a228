/* The memo instructions: the core's side of the memoization unit. Without one they are undefined.
 */
#include "a64/exec_int.h"
#include "memo/memo.h"

#include <string.h>

enum { TID = 0, SIMD_BIT = 22 }; /* one thread runs */

static bool is_simd(const struct a64_inst *i)
{
    return i->word >> SIMD_BIT & 1;
}

static const struct a64_inst *no_unit(struct a64_cpu *c, const struct a64_inst *i)
{
    return a64_leave(c, i, A64_UNDEFINED, 0);
}

/* --- inputs --- */

static const struct a64_inst *load_input(struct a64_cpu *c, const struct a64_inst *i, uint64_t at)
{
    uint64_t v = 0;
    if (!c->memo)
        return no_unit(c, i);
    if (!image_read(c->image, at, &v, i->size))
        return a64_leave(c, i, A64_ACCESS, 0);
    if (is_simd(i))
        c->v[i->rd] = (union a64_vec){.d = {v, 0}};
    else
        c->x[i->rd] = v;
    memo_input(c->memo, TID, i->ra, v, i->size, i->shift, is_simd(i));
    NEXT;
}

EXEC(ld_crc)
{
    return load_input(c, i, RN + i->imm);
}

EXEC(ld_crc_reg)
{
    return load_input(c, i, RN + (RM << i->imm));
}

EXEC(reg_crc)
{
    if (!c->memo)
        return no_unit(c, i);
    memo_input(c->memo, TID, i->ra, is_simd(i) ? c->v[i->rn].d[0] : RN, i->size, i->shift,
               is_simd(i));
    NEXT;
}

/* --- the table: entries have one size --- */

static const struct a64_inst *check_size(struct a64_cpu *c, const struct a64_inst *i)
{
    if (!c->memo)
        return no_unit(c, i);
    if (memo_data_bytes(&c->memo->cfg) != i->size)
        return a64_leave(c, i, A64_MEMO_SIZE, i->size);
    return i;
}

EXEC(lookup)
{
    uint64_t data = 0;
    if (!check_size(c, i))
        return NULL;
    const bool is_hit = memo_is_hit(memo_lookup(c->memo, TID, i->ra, &data));
    c->nzcv = is_hit ? A64_Z : 0;
    if (is_hit && is_simd(i))
        c->v[i->rd] = (union a64_vec){.d = {data, 0}};
    else if (is_hit)
        c->x[i->rd] = data;
    NEXT;
}

EXEC(update)
{
    if (!check_size(c, i))
        return NULL;
    const struct memo_type type = {(enum memo_kind)i->shift, is_simd(i), i->size};
    const uint64_t data = is_simd(i) ? c->v[i->rn].d[0] : RN;
    memo_update(c->memo, TID, i->ra, i->size == 4 ? (uint32_t)data : data, type);
    NEXT;
}

EXEC(invalidate)
{
    if (!c->memo)
        return no_unit(c, i);
    memo_invalidate(c->memo, TID, i->ra);
    NEXT;
}
