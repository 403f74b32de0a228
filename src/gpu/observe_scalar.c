/* Instructions whose sources are the same in all lanes, as G-Scalar counts them: by values, with
 * nothing of its hardware's limits. */
#include "gpu/observe_int.h"

#include "exec/grid.h"
#include "sm/decode.h"

#include <string.h>

#define ROWS_FILE   "gpu/observe_scalar.def"
#define ROWS_STRUCT scalar_stats
#include "parsim/rows_formulas.h"

const struct stat_row scalar_rows[] = {
#define ROWS_FILE   "gpu/observe_scalar.def"
#define ROWS_STRUCT scalar_stats
#include "parsim/rows_entries.h"
};
const size_t scalar_nrows = ARRAY_LEN(scalar_rows);

enum { LOW_HALF = 0xffff };

/* An instruction about to be executed: where its operands are, and its lanes. */
struct seen {
    const struct dinst *d;
    const struct xinst *x;
    const struct xfunc *fn;
    char *base[LANE_BASES];
    uint32_t all, active, mask; /* the warp's threads; of the split; those that execute */
};

static void look(struct seen *s, struct warp *w, const struct dinst *d)
{
    const struct split *top = warp_top(w);
    const uint32_t left = w->grid->nthreads - w->first_thread;
    *s = (struct seen){
        .d = d, .x = d->x, .fn = top->frame->fn, .active = top->mask, .mask = top->mask};
    memcpy(s->base, w->base, sizeof s->base);
    s->base[LANE_REGS] = w->regs + top->frame->reg_off;
    s->base[LANE_CONST] = s->fn->consts;
    s->all = left < WARP_LANES ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
    if (s->x->has_guard) {
        uint32_t p;
        memcpy(&p, s->base[LANE_REGS] + s->x->guard_off, sizeof p);
        s->mask &= s->x->guard_neg ? ~p : p;
    }
}

/* --- sources --- */

static bool ref_is_same(const struct seen *s, const struct lane_ref *r, uint32_t mask)
{
    if (r->none || r->sel == LANE_CONST)
        return true;
    const char *at = lane_at(r, (char *const *)s->base);
    if (!r->bytes) {
        uint32_t p = lane_pred(r, (char *const *)s->base) & mask;
        return !p || p == mask;
    }
    const char *first = at + (size_t)__builtin_ctz(mask) * r->bytes;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
        if (memcmp(first, at + (size_t)__builtin_ctz(m) * r->bytes, r->bytes))
            return false;
    return true;
}

static bool operand_is_same(const struct seen *s, const struct ptx_operand *o, uint32_t mask)
{
    struct lane_ref r;
    switch (o->kind) {
    case PTX_OPND_REG:
        return ref_is_same(s, &s->fn->regs[o->reg], mask);
    case PTX_OPND_SREG: /* those without a place of their own are the same for the whole warp */
        return !sreg_ref((enum ptx_sreg)o->sreg, o->reg, &r) || ref_is_same(s, &r, mask);
    case PTX_OPND_ADDR:
    case PTX_OPND_VEC:
    case PTX_OPND_PAIR:
    case PTX_OPND_ARGS:
        for (unsigned i = 0; i < o->nelems; i++)
            if (!operand_is_same(s, &o->elems[i], mask))
                return false;
        return true;
    default:
        return true;
    }
}

static bool sources_are_same(const struct seen *s, uint32_t mask)
{
    const struct ptx_inst *i = s->x->src;
    if ((i->op == PTX_OP_ADDC || i->op == PTX_OP_SUBC || i->op == PTX_OP_MADC) &&
        !ref_is_same(s, &s->fn->cc, mask))
        return false;
    for (unsigned k = ptx_inst_ndst(i); k < i->nops; k++)
        if (!operand_is_same(s, &i->ops[k], mask))
            return false;
    return true;
}

/* Local memory has a place of its own for every thread, whatever the address says. */
static bool is_local(const struct seen *s)
{
    const struct xmem *m = &s->x->mem;
    const unsigned op = s->x->src->op;
    if (op != PTX_OP_LD && op != PTX_OP_LDU && op != PTX_OP_ST)
        return false;
    if (s->x->space == PTX_SPACE_LOCAL || m->in_frame)
        return true;
    if (s->x->space != PTX_SPACE_GENERIC || m->is_uniform)
        return false;
    addr_t at = (addr_t)m->imm +
                lane_u64(&m->addr, (char *const *)s->base, (unsigned)__builtin_ctz(s->mask));
    return at - LOCAL_WINDOW < WINDOW_BYTES || at - LOCAL_WINDOW_32 < WINDOW_BYTES_32;
}

/* Instructions of which one lane's execution could stand for all. */
static bool can_be_scalar(const struct seen *s)
{
    if (!s->mask || (s->d->flags & (DINST_CONTROL | DINST_BARRIER | DINST_FENCE | DINST_ATOMIC)))
        return false;
    if (s->x->kind != X_LANE && s->x->kind != X_OP && s->x->kind != X_MEET)
        return false;
    return s->x->src->op != PTX_OP_CP && s->x->src->op != PTX_OP_CALL &&
           s->d->unit != UNIT_TENSOR && !is_local(s);
}

/* --- counting --- */

static uint64_t *kind_of(struct scalar_stats *st, const struct dinst *d)
{
    if (d->flags & (DINST_CONTROL | DINST_BARRIER))
        return &st->control;
    if (d->unit == UNIT_MEM)
        return &st->memory;
    switch ((enum op_class)d->class) {
    case OP_CLASS_alu:
        return &st->moves;
    case OP_CLASS_sfu:
        return &st->special;
    case OP_CLASS_shfl:
        return &st->exchange;
    case OP_CLASS_tensor:
        return &st->matrix;
    default:
        return d->class >= OP_CLASS_dadd   ? &st->dbl
               : d->class >= OP_CLASS_fadd ? &st->single
                                           : &st->integer;
    }
}

static void count_kind(struct scalar_stats *st, const struct seen *s)
{
    st->inst++;
    ++*kind_of(st, s->d);
    if ((s->d->flags & DINST_CONST) && s->x->space == PTX_SPACE_PARAM)
        st->parameters++;
    if (s->x->src && s->x->src->op == PTX_OP_BRA && s->x->has_guard) {
        st->branches++;
        st->divergent_branches += s->mask && s->mask != s->active;
    }
}

static void count_scalar(struct scalar_stats *st, const struct seen *s)
{
    /* a branch executes in all lanes that reach it, whichever of them it takes */
    const uint32_t lanes = s->d->flags & DINST_CONTROL ? s->active : s->mask;
    const bool is_divergent = lanes != s->all;
    st->divergent += is_divergent;
    st->empty += !lanes;
    if (!can_be_scalar(s))
        return;
    if (sources_are_same(s, s->mask))
        ++*(is_divergent             ? &st->divergent_scalar
            : s->d->unit == UNIT_MEM ? &st->mem_scalar
            : s->d->unit == UNIT_SFU ? &st->sfu_scalar
                                     : &st->alu_scalar);
    else if (!is_divergent && s->all == UINT32_MAX &&
             (sources_are_same(s, LOW_HALF) || sources_are_same(s, ~(uint32_t)LOW_HALF)))
        st->half_scalar++;
}

static void fired(void *ctx, cycle_t now, uint32_t event, uint64_t warp, uint64_t inst)
{
    struct scalar_view *v = ctx;
    struct seen s;
    (void)now, (void)event;
    look(&s, (struct warp *)(uintptr_t)warp, (const struct dinst *)(uintptr_t)inst);
    count_kind(&v->stats, &s);
    count_scalar(&v->stats, &s);
}

void scalar_view_init(struct scalar_view *v)
{
    *v = (struct scalar_view){.probe = {fired, v, NULL}};
}
