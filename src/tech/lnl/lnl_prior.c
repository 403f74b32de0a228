/* Prior work that Lock and Load is compared with (warp-approx): of every instruction of a region
 * the operands are compared, and where they agree but for lower bits, one lane executes it and the
 * others get its result. Arithmetic alone: what computes addresses is precise, and memory has an
 * address a lane. */
#include "ptx/isa.h"
#include "tech/lnl/lnl_int.h"

static bool agrees(const struct lane_ref *r, char *const *base, uint32_t mask, unsigned drop_bits)
{
    if (r->none)
        return true;
    if (!r->bytes) {
        const uint32_t p = lane_pred(r, base) & mask;
        return p == 0 || p == mask;
    }
    const uint64_t first = lane_u64(r, base, (unsigned)__builtin_ctz(mask));
    uint64_t differ = 0;
    FOR_LANES (l, mask)
        differ |= lane_u64(r, base, l) ^ first;
    /* of 64 bits: two vector registers */
    return !((uint64_t)(uint32_t)differ >> drop_bits) && !(differ >> 32 >> drop_bits);
}

static bool has_carry(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_M_CC) || i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC ||
           i->op == PTX_OP_MADC;
}

bool lnl_prior_can(const struct lnl_sm *m, const struct warp *w, const struct xinst *x,
                   uint32_t mask)
{
    const unsigned drop = (unsigned)m->g->cfg->drop_bits;
    if (x->kind != X_LANE || !(mask & (mask - 1)) || has_carry(x->src))
        return false;
    for (unsigned k = 0; k < 4; k++)
        if (!agrees(&x->lane.src[k], w->base, mask, drop))
            return false;
    return true;
}

static void share(const struct lane_ref *r, char *const *base, uint32_t mask)
{
    if (r->none)
        return;
    const unsigned first = (unsigned)__builtin_ctz(mask);
    const char *from = lane_at(r, base) + (size_t)first * r->bytes;
    FOR_LANES (l, mask & (mask - 1)) {
        if (r->bytes)
            lane_copy_wide(lane_at(r, base) + (size_t)l * r->bytes, from, r->bytes);
        else
            lane_set_u64(r, base, l, lane_u64(r, base, first));
    }
}

void lnl_prior_share(struct lnl_sm *m, const struct rf_event *e, uint32_t mask)
{
    const struct lane_op *op = &e->d->x->lane;
    share(&op->d, e->base, mask);
    share(&op->d2, e->base, mask);
    m->stats.replicated += lanes_in(mask) - 1;
}
