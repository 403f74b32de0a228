/* Beyond the text: registers whose lanes have a value and a step from lane to lane (addresses,
 * thread numbers). They take no array: the step lies where the upper half's base value would. Sums
 * of them, and products and shifts by one value, have steps again and are computed by two lanes:
 * the first value and the step. */
#include "tech/gscalar/gscalar_int.h"

bool gs_affine_pack(const uint32_t *lane, uint32_t all, struct gs_reg *r, struct gs_base *b)
{
    const uint32_t first = lane[0], step = lane[1] - first;
    uint32_t differ = 0;
    if ((all & 3) != 3)
        return false;
    for (unsigned l = 0; l < WARP_LANES; l++)
        differ |= all >> l & 1 ? lane[l] ^ (first + l * step) : 0;
    if (differ)
        return false;
    *b = (struct gs_base){.bvr = {first, step}, .k = {GS_K_STEPS, GS_K_STEPS}};
    r->scalar = GS_STEPS;
    r->flags |= GS_PACKED;
    r->arrays = 0;
    return true;
}

/* --- instructions --- */

static bool is_integer(enum ptx_type t)
{
    switch (t) {
    case PTX_U32:
    case PTX_S32:
    case PTX_B32:
    case PTX_U64:
    case PTX_S64:
    case PTX_B64:
        return true;
    default:
        return false;
    }
}

static unsigned linear_of(const struct ptx_inst *i)
{
    if (!i->ntypes || !is_integer((enum ptx_type)i->types[i->ntypes - 1]) ||
        !is_integer((enum ptx_type)i->types[0]) || ptx_inst_has(i, PTX_M_CC) ||
        ptx_inst_has(i, PTX_M_SAT) || ptx_inst_has(i, PTX_M_HI))
        return GS_NOT_LINEAR;
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_CVT:
        return GS_SUM;
    case PTX_OP_MOV:
        return i->nops == 2 && i->ops[1].kind == PTX_OPND_REG ? GS_SUM : GS_NOT_LINEAR;
    case PTX_OP_SHL:
        return GS_SHIFT;
    case PTX_OP_MUL:
    case PTX_OP_MAD:
        return GS_PRODUCT;
    default:
        return GS_NOT_LINEAR;
    }
}

/* The place among the sources of operand `k`, if it is a register. */
static uint8_t source_of(const struct ptx_inst *i, unsigned k)
{
    unsigned n = 0;
    for (unsigned j = ptx_inst_ndst(i); j < k; j++)
        n += i->ops[j].kind == PTX_OPND_REG;
    return i->ops[k].kind == PTX_OPND_REG ? (uint8_t)n : GS_NO_OPERAND;
}

void gs_affine_plan(struct gs_inst *i, const struct dinst *d)
{
    const struct ptx_inst *p = d->x->src;
    i->linear = (uint8_t)linear_of(p);
    i->factor[0] = i->factor[1] = GS_NO_OPERAND;
    if (!i->linear)
        return;
    const enum ptx_type from = (enum ptx_type)p->types[p->ntypes - 1];
    const unsigned bits = ptx_type_bits(from);
    i->is_signed = from == PTX_S32;
    i->is_widened = bits == 32 && (ptx_inst_has(p, PTX_M_WIDE) ||
                                   (p->op == PTX_OP_CVT && ptx_type_bits(p->types[0]) == 64));
    if (i->linear == GS_PRODUCT) {
        i->factor[0] = source_of(p, 1);
        i->factor[1] = source_of(p, 2);
    } else if (i->linear == GS_SHIFT) {
        i->factor[0] = source_of(p, 2);
    }
}

static const struct gs_reg *reg_of(const struct gs_seen *s, unsigned k)
{
    return &s->slot->regs[s->i->src[k].at];
}

static bool is_one_value(const struct gs_seen *s, uint8_t k)
{
    return k == GS_NO_OPERAND || (reg_of(s, k)->scalar & GS_FULL);
}

/* No lane wraps around 32 bits: where it becomes 64, or is the lower word of 64. */
static bool stays_within(const struct gs_seen *s, unsigned k)
{
    const struct gs_base *b = &s->slot->bases[s->i->src[k].at];
    const bool is_signed = s->i->is_signed && s->i->src[k].words == 1;
    const int64_t step = (int32_t)b->bvr[1], lanes = 31 - __builtin_clz(s->mask);
    const int64_t first = is_signed ? (int32_t)b->bvr[0] : (int64_t)b->bvr[0];
    const int64_t last = first + lanes * step;
    return is_signed ? last >= INT32_MIN && last <= INT32_MAX
                     : last >= 0 && last <= (int64_t)UINT32_MAX;
}

bool gs_affine_can(const struct gs_seen *s)
{
    const struct gs_inst *i = s->i;
    if (i->linear == GS_PRODUCT && !is_one_value(s, i->factor[0]) && !is_one_value(s, i->factor[1]))
        return false;
    if (i->linear == GS_SHIFT && !is_one_value(s, i->factor[0]))
        return false;
    for (unsigned k = 0; k < i->nsrc; k++)
        if ((i->is_widened || i->src[k].words == 2) && !is_one_value(s, (uint8_t)k) &&
            !stays_within(s, k))
            return false;
    return true;
}
