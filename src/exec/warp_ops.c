/* Instructions that look across the lanes of a warp: shfl, vote, match, redux, activemask, elect.
 * groups.c brings the lanes together; here is what they compute. */
#include "exec/groups.h"
#include "exec/lower.h"

/* --- shfl --- */

/* The lane that lane l reads; *ok: it is within bounds (else l reads itself). */
static unsigned source_lane(uint8_t mode, unsigned l, uint32_t b, uint32_t c, bool *ok)
{
    unsigned seg = (c >> 8) & 31, max = (l & seg) | (c & 31 & ~seg), j;
    b &= 31;
    switch (mode) {
    case PTX_M_UP: /* the bound is a lowest lane here */
        j = l - b;
        *ok = (int)j >= (int)max;
        break;
    case PTX_M_DOWN:
        j = l + b;
        *ok = j <= max;
        break;
    case PTX_M_BFLY:
        j = l ^ b;
        *ok = j <= max;
        break;
    default:
        j = (l & seg) | (b & ~seg);
        *ok = j <= max;
        break;
    }
    return *ok ? j & 31 : l;
}

/* Inlined once a mode. */
static inline void shfl_by(enum ptx_mod mode, struct exchange *e)
{
    FOR_LANES(l, e->group)
    {
        bool ok;
        unsigned from = source_lane(mode, l, e->b[l], e->c[l], &ok);
        /* A lane that does not execute it, or has exited, gives 0 on an H200; programs rely on it.
         */
        e->d[l] = (e->sources >> from) & 1 ? e->a[from] : 0;
        e->q |= (uint32_t)ok << l;
    }
}

static void shfl(const struct group_op *o, struct exchange *e)
{
    switch (o->mode) {
    case PTX_M_UP:
        shfl_by(PTX_M_UP, e);
        break;
    case PTX_M_DOWN:
        shfl_by(PTX_M_DOWN, e);
        break;
    case PTX_M_BFLY:
        shfl_by(PTX_M_BFLY, e);
        break;
    default:
        shfl_by(PTX_M_IDX, e);
        break;
    }
}

/* --- vote and match --- */

static void give_all(struct exchange *e, uint32_t v)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        e->d[l] = v;
}

static void vote(const struct group_op *o, struct exchange *e)
{
    uint32_t all = e->group, p = e->preds & all;
    bool is_true = o->mode == PTX_M_ALL ? p == all : o->mode == PTX_M_ANY ? p != 0 : p == all || !p;
    if (o->mode == PTX_M_BALLOT)
        give_all(e, p);
    else
        e->q = is_true ? UINT32_MAX : 0;
}

/* Lanes of the group with the same value as lane `first`. */
static uint32_t lanes_equal(const struct exchange *e, unsigned first)
{
    uint32_t same = 0;
    const uint32_t low = e->a[first], high = e->high[first];
    for (unsigned l = 0; l < WARP_LANES; l++)
        same |= (e->a[l] ^ low) | (e->high[l] ^ high) ? 0 : lane_bit[l];
    return same & e->group;
}

static void match_any(const struct group_op *o, struct exchange *e)
{
    (void)o;
    uint32_t same;
    for (uint32_t left = e->group; left; left &= ~same) {
        same = lanes_equal(e, (unsigned)__builtin_ctz(left));
        FOR_LANES(l, same)
        e->d[l] = same;
    }
}

static void match_all(const struct group_op *o, struct exchange *e)
{
    (void)o;
    bool is_true = lanes_equal(e, (unsigned)__builtin_ctz(e->group)) == e->group;
    e->q = is_true ? UINT32_MAX : 0;
    give_all(e, is_true ? e->group : 0);
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
    FOR_LANES(l, rest)
    v = reduce(o, v, e->a[l]);
    give_all(e, v);
}

/* --- who is here --- */

static void activemask(const struct group_op *o, struct exchange *e)
{
    (void)o;
    give_all(e, e->group);
}

static void elect(const struct group_op *o, struct exchange *e)
{
    (void)o;
    give_all(e, (uint32_t)__builtin_ctz(e->group));
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
