/* Instructions that look across the lanes of a warp: shfl, vote, match, redux, activemask, elect.
 * groups.c brings the lanes together; here is what they compute. */
#include "exec/groups.h"
#include "exec/lower.h"

/* --- shfl --- */

/* A lane that does not execute it, or has exited, gives 0 on an H200; programs rely on it. */
static void shfl(const struct group_op *o, struct exchange *e)
{
    uint32_t room[WARP_LANES];
    const bool is_planned = !e->b;
    e->q = is_planned ? o->shfl_ok : o->shfl_sources(e->b, e->c, room);
    o->lanes->pick(e->a, is_planned ? o->shfl_from : room, e->sources, e->d);
}

static shfl_sources_fn shfl_sources_of(const struct group_lanes *lanes, enum ptx_mod mode)
{
    return mode == PTX_M_UP     ? lanes->shfl_up
           : mode == PTX_M_DOWN ? lanes->shfl_down
           : mode == PTX_M_BFLY ? lanes->shfl_bfly
                                : lanes->shfl_idx;
}

static const uint32_t *constant_words(const struct lower *lo, const struct lane_ref *r)
{
    const char *at = lo->consts.data + r->off;
    return r->sel == LANE_CONST && r->bytes == 4 ? (const uint32_t *)(const void *)at : NULL;
}

/* Who reads whom is mostly known before the kernel runs. */
static void plan_shfl(struct lower *lo, struct group_op *o)
{
    const uint32_t *b = constant_words(lo, &o->b), *c = constant_words(lo, &o->c);
    o->shfl_sources = shfl_sources_of(o->lanes, (enum ptx_mod)o->mode);
    if (!b || !c)
        return;
    uint32_t *from = arena_array(lo->arena, uint32_t, WARP_LANES);
    o->shfl_ok = o->shfl_sources(b, c, from);
    o->shfl_from = from;
}

/* --- vote and match --- */

static void give_all(const struct group_op *o, struct exchange *e, uint32_t v)
{
    o->lanes->fill(e->d, v, UINT32_MAX);
}

static void vote(const struct group_op *o, struct exchange *e)
{
    uint32_t all = e->group, p = e->preds & all;
    bool is_true = o->mode == PTX_M_ALL ? p == all : o->mode == PTX_M_ANY ? p != 0 : p == all || !p;
    if (o->mode == PTX_M_BALLOT)
        give_all(o, e, p);
    else
        e->q = is_true ? UINT32_MAX : 0;
}

/* Lanes of the group with the same value as lane `first`. */
static uint32_t lanes_equal(const struct group_op *o, const struct exchange *e, unsigned first)
{
    uint32_t same = e->group & o->lanes->equal(e->a, e->a[first]);
    return e->high ? same & o->lanes->equal(e->high, e->high[first]) : same;
}

static void match_any(const struct group_op *o, struct exchange *e)
{
    uint32_t same;
    for (uint32_t left = e->group; left; left &= ~same) {
        same = lanes_equal(o, e, (unsigned)__builtin_ctz(left));
        FOR_LANES (l, same)
            e->d[l] = same;
    }
}

static void match_all(const struct group_op *o, struct exchange *e)
{
    bool is_true = lanes_equal(o, e, (unsigned)__builtin_ctz(e->group)) == e->group;
    e->q = is_true ? UINT32_MAX : 0;
    give_all(o, e, is_true ? e->group : 0);
}

/* --- redux --- */

static uint32_t reduce(const struct group_op *o, uint32_t a, uint32_t b)
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

static void redux(const struct group_op *o, struct exchange *e)
{
    uint32_t rest = e->group & (e->group - 1);
    uint32_t v = e->a[__builtin_ctz(e->group)];
    FOR_LANES (l, rest)
        v = reduce(o, v, e->a[l]);
    give_all(o, e, v);
}

/* --- who is here --- */

static void activemask(const struct group_op *o, struct exchange *e)
{
    give_all(o, e, e->group);
}

static void elect(const struct group_op *o, struct exchange *e)
{
    give_all(o, e, (uint32_t)__builtin_ctz(e->group));
    e->q = e->group & -e->group;
}

static void nothing(const struct group_op *o, struct exchange *e)
{
    (void)o;
    (void)e;
}

/* --- lowering --- */

static const struct row {
    uint8_t op, mode;
    uint8_t nsrc; /* sources, without the member mask */
    group_fn compute;
} rows[] = {
    {PTX_OP_SHFL, PTX_M_UP, 3, shfl},        {PTX_OP_SHFL, PTX_M_DOWN, 3, shfl},
    {PTX_OP_SHFL, PTX_M_BFLY, 3, shfl},      {PTX_OP_SHFL, PTX_M_IDX, 3, shfl},
    {PTX_OP_VOTE, PTX_M_ALL, 1, vote},       {PTX_OP_VOTE, PTX_M_ANY, 1, vote},
    {PTX_OP_VOTE, PTX_M_UNI, 1, vote},       {PTX_OP_VOTE, PTX_M_BALLOT, 1, vote},
    {PTX_OP_MATCH, PTX_M_ANY, 1, match_any}, {PTX_OP_MATCH, PTX_M_ALL, 1, match_all},
    {PTX_OP_REDUX, PTX_M_ADD, 1, redux},     {PTX_OP_REDUX, PTX_M_MIN, 1, redux},
    {PTX_OP_REDUX, PTX_M_MAX, 1, redux},     {PTX_OP_REDUX, PTX_M_AND, 1, redux},
    {PTX_OP_REDUX, PTX_M_OR, 1, redux},      {PTX_OP_REDUX, PTX_M_XOR, 1, redux},
    {PTX_OP_ELECT, PTX_NOMOD, 0, elect},     {PTX_OP_ACTIVEMASK, PTX_NOMOD, 0, activemask},
};

static uint8_t mode_of(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nmods; k++)
        if (i->mods[k] != PTX_M_SYNC && i->mods[k] != PTX_M_ALIGNED)
            return i->mods[k];
    return PTX_NOMOD;
}

static const struct row *row_of(const struct ptx_inst *i)
{
    for (unsigned r = 0; r < ARRAY_LEN(rows); r++)
        if (rows[r].op == i->op && rows[r].mode == mode_of(i))
            return &rows[r];
    return NULL;
}

static bool is_predicate(const struct lane_ref *r)
{
    return !r->none && !r->bytes;
}

static bool lower_dests(struct lower *lo, const struct ptx_operand *d, struct group_op *o)
{
    bool is_pair = d->kind == PTX_OPND_PAIR, gives_pred = o->compute == vote;
    if (!lower_dest(lo, is_pair ? &d->elems[0] : d, &o->d) ||
        (is_pair && !lower_dest(lo, &d->elems[1], &o->p)))
        return false;
    if (o->mode == PTX_M_BALLOT)
        gives_pred = false;
    if ((o->d.none || is_predicate(&o->d) == gives_pred) && (o->p.none || is_predicate(&o->p)))
        return true;
    lo->why = "a destination of the wrong type";
    return false;
}

static bool lower_sources(struct lower *lo, const struct ptx_inst *i, unsigned n,
                          struct group_op *o)
{
    enum ptx_type t = o->compute == vote ? PTX_PRED : (enum ptx_type)o->type;
    unsigned bytes = t == PTX_PRED ? 0 : ptx_type_bytes(t);
    if (n >= 1 && !lower_source(lo, &i->ops[1], t, bytes, &o->a))
        return false;
    if (n == 3 && (!lower_source(lo, &i->ops[2], PTX_B32, 4, &o->b) ||
                   !lower_source(lo, &i->ops[3], PTX_B32, 4, &o->c)))
        return false;
    if (n >= 1 && is_predicate(&o->a) != (t == PTX_PRED)) {
        lo->why = "an operand of the wrong type";
        return false;
    }
    return i->nops == n + 1 || lower_source(lo, &i->ops[n + 1], PTX_B32, 4, &o->members);
}

/* An operation without operands yet. */
static struct group_op *op_new(struct lower *lo, struct xinst *x, group_fn compute)
{
    struct group_op *o = arena_new(lo->arena, struct group_op);
    o->compute = compute;
    o->reads_across = compute == shfl;
    o->lanes = group_lanes_get();
    o->d.none = o->p.none = o->a.none = o->b.none = o->c.none = o->members.none = true;
    x->op.data = o;
    return o;
}

bool lower_warp(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    const struct row *r = row_of(i);
    bool has_members = ptx_inst_has(i, PTX_M_SYNC);
    if (!r || i->nops != 1u + r->nsrc + has_members) {
        lo->why = r ? "this number of operands" : "this mode";
        return false;
    }
    struct group_op *o = op_new(lo, x, r->compute);
    o->mode = r->mode;
    o->type = i->ntypes ? i->types[0] : PTX_B32;
    if (i->op == PTX_OP_REDUX && ptx_type_is_float(o->type)) {
        lo->why = "a floating-point reduction";
        return false;
    }
    if (!lower_dests(lo, &i->ops[0], o) || !lower_sources(lo, i, r->nsrc, o))
        return false;
    if (i->op == PTX_OP_SHFL)
        plan_shfl(lo, o);
    x->kind = has_members ? X_MEET : X_OP;
    x->fn = has_members ? group_meet : group_here;
    return true;
}

bool lower_warp_barrier(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    struct group_op *o = op_new(lo, x, nothing);
    x->kind = X_MEET;
    x->fn = group_meet;
    if (i->nops == 1)
        return lower_source(lo, &i->ops[0], PTX_B32, 4, &o->members);
    lo->why = "no member mask";
    return false;
}
