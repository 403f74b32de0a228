/* What G-Scalar knows of a kernel's instructions before they run: made once a launch. */
#include "base/arena.h"
#include "exec/sregs.h"
#include "ptx/liveness.h"
#include "tech/gscalar/gscalar_int.h"

#include <stdlib.h>

/* --- what can be scalar --- */

/* Instructions other than lane arithmetic that execute their lanes independently. */
static bool is_by_lane(unsigned op)
{
    switch (op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_ISSPACEP:
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
    case PTX_OP_CREATEPOLICY:
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_TXQ:
    case PTX_OP_SUQ:
    case PTX_OP_ISTYPEP:
    case PTX_OP_PREFETCH:
        return true;
    default:
        return false;
    }
}

static bool is_eligible(const struct dinst *d)
{
    const struct xinst *x = d->x;
    if (!x->src || x->is_deferred || d->unit == UNIT_TENSOR ||
        (d->flags & (DINST_CONTROL | DINST_BARRIER | DINST_FENCE | DINST_ATOMIC)))
        return false;
    if (x->kind == X_OP && d->unit == UNIT_MEM &&
        (x->space == PTX_SPACE_LOCAL || ((d->flags & (DINST_LOAD | DINST_STORE)) &&
                                         !(d->flags & DINST_TEXTURE) && x->mem.in_frame)))
        return false;
    return x->kind == X_LANE || (x->kind == X_OP && is_by_lane(x->src->op));
}

/* Special registers that the hardware takes to differ from lane to lane. */
static bool varies(enum ptx_sreg s)
{
    return s <= PTX_SREG_TID_Z || s == PTX_SREG_LANEID ||
           (s >= PTX_SREG_LANEMASK_EQ && s <= PTX_SREG_LANEMASK_GT);
}

static bool has_varying(const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_SREG)
        return varies((enum ptx_sreg)o->sreg);
    if (o->kind != PTX_OPND_ADDR && o->kind != PTX_OPND_VEC && o->kind != PTX_OPND_PAIR &&
        o->kind != PTX_OPND_ARGS)
        return false;
    for (unsigned k = 0; k < o->nelems; k++)
        if (has_varying(&o->elems[k]))
            return true;
    return false;
}

/* Equal in a warp, but not in all of a block. */
static bool is_of_warp(const struct ptx_inst *i)
{
    for (unsigned k = ptx_inst_ndst(i); k < i->nops; k++)
        if (i->ops[k].kind == PTX_OPND_SREG &&
            (i->ops[k].sreg == PTX_SREG_WARPID || sreg_is_dynamic((enum ptx_sreg)i->ops[k].sreg)))
            return true;
    return false;
}

static uint8_t fixed_of(const struct dinst *d)
{
    if (!is_eligible(d))
        return 0;
    const struct ptx_inst *i = d->x->src;
    for (unsigned k = ptx_inst_ndst(i); k < i->nops; k++)
        if (has_varying(&i->ops[k]))
            return 0;
    return GS_ALL;
}

/* --- registers --- */

unsigned gs_words_of(const struct lane_ref *r)
{
    return (r->bytes + 3u) / 4;
}

static void place_registers(struct gs_plan *p, struct gs_func *f)
{
    const struct xfunc *fn = f->fn->fn;
    f->first = p->nregs;
    f->places = arena_array(&p->arena, uint32_t, fn->src->nregs + 1);
    for (uint32_t reg = 0; reg < fn->src->nregs; reg++) {
        const unsigned words = gs_words_of(&fn->regs[reg]);
        f->places[reg] = p->nregs;
        p->nregs += words ? words : 1;
    }
    f->nregs = p->nregs - f->first;
}

static const struct gs_operand *operands(struct gs_plan *p, const struct gs_func *f,
                                         const struct dinst *d, unsigned first, unsigned n)
{
    struct gs_operand *ops = arena_array(&p->arena, struct gs_operand, n + 1);
    for (unsigned k = 0; k < n; k++) {
        const uint32_t reg = d->regs[first + k] - f->fn->regs;
        const struct lane_ref *r = &f->refs[reg];
        ops[k] = (struct gs_operand){.at = f->places[reg],
                                     .reg = reg,
                                     .words = (uint8_t)gs_words_of(r),
                                     .number = (uint8_t)(first + k)};
    }
    return ops;
}

/* --- special moves --- */

static void make_move(struct gs_move *m, const struct dinst *d, const struct gs_operand *op,
                      const struct sm_cfg *cfg, const void *by)
{
    const bool has_guard = d->nregs > d->ndst + d->nsrc;
    m->op = op;
    m->regs[0] = m->regs[1] = d->regs[op->number];
    m->regs[2] = has_guard ? d->regs[d->nregs - 1] : 0;
    m->d = (struct dinst){.fn = d->fn,
                          .parts = 1,
                          .regs = m->regs,
                          .by = by,
                          .latency = (uint16_t)sm_cfg_latency(cfg, OP_CLASS_alu),
                          .initiation = (uint16_t)sm_cfg_initiation(cfg, OP_CLASS_alu),
                          .ndst = 1,
                          .nsrc = 1,
                          .nregs = (uint8_t)(2 + has_guard),
                          .pipe = PIPE_SP,
                          .unit = UNIT_SP,
                          .class = OP_CLASS_alu};
}

static struct gs_move *make_moves(struct gs_plan *p, const struct gs_inst *i, const struct dinst *d,
                                  const struct sm_cfg *cfg, const void *by)
{
    struct gs_move *moves = arena_array(&p->rare, struct gs_move, i->ndst);
    for (unsigned k = 0; k < i->ndst; k++)
        make_move(&moves[k], d, &i->dst[k], cfg, by);
    return moves;
}

/* --- instructions --- */

static void note_carry(struct gs_inst *i, const struct ptx_inst *src)
{
    i->reads_carry = src->op == PTX_OP_ADDC || src->op == PTX_OP_SUBC || src->op == PTX_OP_MADC;
    i->writes_carry = ptx_inst_has(src, PTX_M_CC);
}

/* Where lanes meet (.sync) and barriers with a result: whoever comes last writes it for all. */
static void note_waits(struct gs_plan *p, struct gs_inst *i, const struct dinst *d)
{
    i->can_wait = i->ndst && (d->x->kind == X_MEET || (d->flags & DINST_BARRIER));
    for (unsigned k = 0; i->can_wait && k < i->ndst; k++)
        if (!i->dst[k].words)
            vec_push(&p->late_preds, i->dst[k].at);
}

/* The address of a generic load or store: the first register of its operand. */
static void note_address(struct gs_inst *i, const struct dinst *d, const struct lane_ref *refs)
{
    const struct xmem *m = &d->x->mem;
    if (d->x->space != PTX_SPACE_GENERIC || m->is_uniform || (d->flags & DINST_TEXTURE) ||
        !(d->flags & (DINST_LOAD | DINST_STORE)))
        return;
    i->is_generic = true;
    for (unsigned k = 0; k < i->nsrc; k++)
        if (refs[i->src[k].reg].sel == m->addr.sel && refs[i->src[k].reg].off == m->addr.off)
            i->address = (uint8_t)k;
}

static void plan_inst(struct gs_plan *p, const struct gs_func *f, const struct dinst *d,
                      const struct sm_cfg *cfg, const void *by)
{
    struct gs_inst *i = &f->code[d - f->fn->code];
    i->unit = d->unit;
    if (!d->x->src)
        return;
    i->ndst = d->ndst;
    i->nsrc = d->nsrc;
    i->dst = operands(p, f, d, 0, d->ndst);
    i->src = operands(p, f, d, d->ndst, d->nsrc);
    for (unsigned k = 0; k < d->nsrc; k++)
        i->words_read = (uint8_t)(i->words_read + i->src[k].words);
    i->can_be_scalar = is_eligible(d);
    i->fixed = fixed_of(d);
    gs_affine_plan(i, d);
    if (!i->linear)
        i->fixed &= (uint8_t)~GS_STEPS;
    i->is_call = d->x->src->op == PTX_OP_CALL;
    i->is_of_warp = is_of_warp(d->x->src);
    note_carry(i, d->x->src);
    note_waits(p, i, d);
    if (i->fixed && d->unit == UNIT_MEM)
        note_address(i, d, f->refs);
    p->has_generic |= i->is_generic;
    if (d->ndst)
        i->moves = make_moves(p, i, d, cfg, by);
}

struct gs_plan *gs_plan_new(const struct kernel *k, const struct decoded *code,
                            const struct sm_cfg *cfg, const void *by, bool is_live)
{
    struct gs_plan *p = xcalloc(1, sizeof *p);
    const uint32_t n = program_func_count(k->prog);
    p->of.kernel = k;
    p->funcs = arena_array(&p->arena, struct gs_func, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!k->funcs[i])
            continue;
        struct gs_func *f = &p->funcs[p->nfuncs++];
        f->fn = decoded_func(code, k->funcs[i]);
        f->refs = f->fn->fn->regs;
        f->code = arena_array(&p->arena, struct gs_inst, f->fn->ncode);
        f->first_inst = p->ninsts;
        p->ninsts += f->fn->ncode;
        place_registers(p, f);
        for (uint32_t pc = 0; pc < f->fn->ncode; pc++)
            plan_inst(p, f, &f->fn->code[pc], cfg, by);
        if (is_live)
            ptx_live_find(f->fn->fn->src, &f->live);
        f->has_live = is_live;
    }
    return p;
}

void gs_plan_free(struct gs_plan *p)
{
    for (uint32_t i = 0; i < p->nfuncs; i++)
        if (p->funcs[i].has_live)
            ptx_live_free(&p->funcs[i].live);
    arena_free(&p->arena);
    arena_free(&p->rare);
    vec_free(&p->late_preds);
    free(p->lines);
    free(p);
}

const struct gs_func *gs_plan_func(const struct gs_plan *p, const struct xfunc *fn)
{
    const struct gs_func *f = p->funcs;
    while (f->fn->fn != fn)
        f++;
    return f;
}

bool gs_func_is_live(const struct gs_func *f, uint32_t reg, uint32_t point)
{
    for (uint32_t i = f->live.first_range[reg]; i < f->live.first_range[reg + 1]; i++)
        if (f->live.ranges[i].from <= point && point <= f->live.ranges[i].to)
            return true;
    return false;
}
