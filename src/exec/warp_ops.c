/* Instructions that look across the lanes of a warp: shfl, vote, match, redux, activemask, elect.
 */
#include "exec/lower.h"
#include "exec/warp.h"

#include <string.h>

struct warp_op {
    uint8_t mode; /* enum ptx_mod */
    uint8_t type; /* enum ptx_type */
    struct lane_ref d, p, a, b, c;
    struct lane_ref members; /* of shfl.sync */
};

/* --- shfl --- */

static bool op_shfl(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    uint32_t src[WARP_LANES], pred = 0;
    for (unsigned l = 0; l < WARP_LANES; l++)
        src[l] = (uint32_t)lane_u64(&o->a, w->base, l);
    FOR_LANES(l, mask)
    {
        unsigned b = (unsigned)lane_u64(&o->b, w->base, l) & 31;
        unsigned c = (unsigned)lane_u64(&o->c, w->base, l);
        unsigned seg = (c >> 8) & 31, max = (l & seg) | (c & 31 & ~seg), j = l;
        bool ok = false;
        switch (o->mode) {
        case PTX_M_UP: /* the bound is a lowest lane here */
            j = l - b;
            ok = (int)(l - b) >= (int)max;
            break;
        case PTX_M_DOWN:
            j = l + b;
            ok = j <= max;
            break;
        case PTX_M_BFLY:
            j = l ^ b;
            ok = j <= max;
            break;
        default:
            j = (l & seg) | (b & ~seg);
            ok = j <= max;
            break;
        }
        /* A lane that is no member gives 0 on an H200; programs rely on it. */
        uint32_t members =
            o->members.none ? UINT32_MAX : (uint32_t)lane_u64(&o->members, w->base, l);
        unsigned from = ok ? j & 31 : l;
        lane_set_u64(&o->d, w->base, l, (members >> from) & 1 ? src[from] : 0);
        pred |= (uint32_t)ok << l;
    }
    if (!o->p.none)
        FOR_LANES(l, mask)
    lane_set_u64(&o->p, w->base, l, (pred >> l) & 1);
    return true;
}

/* --- vote and match --- */

static bool op_vote(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    uint32_t all = mask;
    if (!o->c.none) /* .sync: only members take part */
        all &= (uint32_t)lane_u64(&o->c, w->base, (unsigned)__builtin_ctz(mask));
    uint32_t p = lane_pred(&o->a, w->base) & all;
    uint64_t v = o->mode == PTX_M_ALL   ? p == all
                 : o->mode == PTX_M_ANY ? p != 0
                 : o->mode == PTX_M_UNI ? p == all || !p
                                        : p;
    FOR_LANES(l, mask)
    lane_set_u64(&o->d, w->base, l, v);
    return true;
}

static bool op_match(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    uint64_t v[WARP_LANES];
    uint32_t members = mask & (uint32_t)lane_u64(&o->c, w->base, (unsigned)__builtin_ctz(mask));
    for (unsigned l = 0; l < WARP_LANES; l++)
        v[l] = lane_u64(&o->a, w->base, l);
    FOR_LANES(l, mask)
    {
        uint32_t same = 0;
        FOR_LANES(k, members)
        same |= (uint32_t)(v[k] == v[l]) << k;
        bool all = same == members;
        if (o->mode == PTX_M_ALL)
            same = all ? members : 0;
        lane_set_u64(&o->d, w->base, l, same);
        lane_set_u64(&o->p, w->base, l, all);
    }
    return true;
}

/* --- redux --- */

static uint32_t reduce(const struct warp_op *o, uint32_t a, uint32_t b)
{
    bool is_signed = ptx_type_is_signed((enum ptx_type)o->type);
    switch (o->mode) {
    case PTX_M_ADD:
        return a + b;
    case PTX_M_AND:
        return a & b;
    case PTX_M_OR:
        return a | b;
    case PTX_M_XOR:
        return a ^ b;
    case PTX_M_MIN:
        return (is_signed ? (int32_t)b < (int32_t)a : b < a) ? b : a;
    default:
        return (is_signed ? (int32_t)b > (int32_t)a : b > a) ? b : a;
    }
}

static bool op_redux(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    uint32_t members = mask & (uint32_t)lane_u64(&o->c, w->base, (unsigned)__builtin_ctz(mask));
    if (!members)
        members = mask;
    unsigned first = (unsigned)__builtin_ctz(members);
    uint32_t v = (uint32_t)lane_u64(&o->a, w->base, first);
    FOR_LANES(l, members & ~(UINT32_C(1) << first))
    v = reduce(o, v, (uint32_t)lane_u64(&o->a, w->base, l));
    FOR_LANES(l, mask)
    lane_set_u64(&o->d, w->base, l, v);
    return true;
}

/* --- who is here --- */

static bool op_activemask(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    FOR_LANES(l, mask)
    lane_set_u64(&o->d, w->base, l, mask);
    return true;
}

static bool op_elect(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct warp_op *o = x->op.data;
    uint32_t members = mask & (uint32_t)lane_u64(&o->a, w->base, (unsigned)__builtin_ctz(mask));
    unsigned leader = (unsigned)__builtin_ctz(members ? members : mask);
    FOR_LANES(l, mask)
    {
        lane_set_u64(&o->d, w->base, l, leader);
        lane_set_u64(&o->p, w->base, l, l == leader);
    }
    return true;
}

/* --- lowering --- */

static const struct {
    uint8_t op;
    uint8_t nsrc_min, nsrc_max; /* sources */
    warp_fn fn;
} rows[] = {
    {PTX_OP_SHFL, 3, 4, op_shfl},   {PTX_OP_VOTE, 1, 2, op_vote},
    {PTX_OP_MATCH, 2, 2, op_match}, {PTX_OP_REDUX, 2, 2, op_redux},
    {PTX_OP_ELECT, 1, 1, op_elect}, {PTX_OP_ACTIVEMASK, 0, 0, op_activemask},
};

static uint8_t mode_of(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] != PTX_M_SYNC && i->mods[k] != PTX_M_ALIGNED)
            return i->mods[k];
    return PTX_NOMOD;
}

static bool lower_dests(struct lower *lo, const struct ptx_operand *d, struct warp_op *o)
{
    o->p.none = true;
    if (d->kind != PTX_OPND_PAIR)
        return lower_dest(lo, d, &o->d);
    return lower_dest(lo, &d->elems[0], &o->d) && lower_dest(lo, &d->elems[1], &o->p);
}

bool lower_warp(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    unsigned r = 0;
    while (rows[r].op != i->op)
        r++;
    unsigned nsrc = i->nops ? i->nops - 1u : 0;
    if (!i->nops || nsrc < rows[r].nsrc_min || nsrc > rows[r].nsrc_max) {
        lo->why = "this number of operands";
        return false;
    }
    struct warp_op *o = arena_new(lo->arena, struct warp_op);
    o->mode = mode_of(i);
    o->type = i->ntypes ? i->types[0] : PTX_B32;
    if (i->op == PTX_OP_REDUX && ptx_type_is_float(o->type)) {
        lo->why = "a floating-point reduction";
        return false;
    }
    o->b.none = o->c.none = o->members.none = true;
    if (!lower_dests(lo, &i->ops[0], o))
        return false;
    enum ptx_type t = i->op == PTX_OP_VOTE ? PTX_PRED : (enum ptx_type)o->type;
    unsigned bytes = t == PTX_PRED ? 0 : ptx_type_bytes(t);
    if (nsrc >= 1 && !lower_source(lo, &i->ops[1], t, bytes, &o->a))
        return false;
    /* the member mask of vote, match and redux is their last operand and goes to c */
    struct lane_ref *second = i->op == PTX_OP_SHFL ? &o->b : &o->c;
    if (nsrc >= 2 && !lower_source(lo, &i->ops[2], PTX_B32, 4, second))
        return false;
    if (nsrc >= 3 && !lower_source(lo, &i->ops[3], PTX_B32, 4, &o->c))
        return false;
    if (nsrc >= 4 && !lower_source(lo, &i->ops[4], PTX_B32, 4, &o->members))
        return false;
    x->kind = X_OP;
    x->fn = rows[r].fn;
    x->op.data = o;
    return true;
}
