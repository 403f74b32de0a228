/* What Lock and Load knows of a kernel's instructions before they run: made once a launch. */
#include "exec/code.h"
#include "ptx/isa.h"
#include "ptx/marks.h"
#include "ptx/waits.h"
#include "tech/lnl/lnl_int.h"

#include <stdlib.h>

/* --- instructions that are put in --- */

static struct dinst plain_inst(const struct dfunc *fn, const struct sm_cfg *cfg, const void *by)
{
    return (struct dinst){.fn = fn,
                          .parts = 1,
                          .by = by,
                          .latency = (uint16_t)sm_cfg_latency(cfg, OP_CLASS_alu),
                          .initiation = (uint16_t)sm_cfg_initiation(cfg, OP_CLASS_alu),
                          .pipe = PIPE_SP,
                          .unit = UNIT_SP,
                          .class = OP_CLASS_alu};
}

static unsigned add_registers(uint32_t *regs, unsigned n, const struct dinst *d)
{
    for (unsigned k = 0; k < d->ndst; k++) {
        unsigned i = 0;
        while (i < n && regs[i] != d->regs[k])
            i++;
        if (i == n && n < UINT8_MAX)
            regs[n++] = d->regs[k];
    }
    return n;
}

/* START_APPROX reads nothing, but the scoreboard keeps it until its loads have been written. */
static struct dinst make_start(struct lnl_plan *p, const struct lnl_func *f,
                               const struct lnl_area *a, const struct sm_cfg *cfg, const void *by)
{
    struct dinst d = plain_inst(f->fn, cfg, by);
    uint32_t *regs = arena_array(&p->arena, uint32_t, UINT8_MAX);
    unsigned n = 0;
    for (uint32_t i = 0; i < f->marks.nloads; i++)
        if (a->loads >> f->marks.loads[i].entry & 1)
            n = add_registers(regs, n, &f->fn->code[f->marks.loads[i].pc]);
    d.regs = regs;
    d.nregs = (uint8_t)n;
    return d;
}

static struct lnl_put *make_outs(struct lnl_plan *p, const struct lnl_region *r, struct lnl_area *a,
                                 const struct sm_cfg *cfg, const void *by)
{
    struct lnl_put *outs = arena_array(&p->arena, struct lnl_put, r->nouts + 1);
    for (uint32_t i = 0; i < r->nouts; i++) {
        uint32_t *regs = arena_array(&p->arena, uint32_t, 2);
        regs[0] = regs[1] = a->func->fn->regs + r->outs[i].reg;
        outs[i] = (struct lnl_put){plain_inst(a->func->fn, cfg, by), a, &r->outs[i]};
        outs[i].d.regs = regs;
        outs[i].d.ndst = outs[i].d.nsrc = 1;
        outs[i].d.nregs = 2;
    }
    return outs;
}

static void plan_area(struct lnl_plan *p, struct lnl_func *f, uint32_t k, const struct sm_cfg *cfg,
                      const void *by)
{
    const struct lnl_region *r = &f->marks.regions[k];
    struct lnl_area *a = &f->areas[k];
    *a = (struct lnl_area){.begin = r->begin,
                           .end = r->end,
                           .loads = r->loads,
                           .number = p->nareas++,
                           .line = r->line,
                           .nouts = r->nouts,
                           .func = f};
    a->start = (struct lnl_put){make_start(p, f, a, cfg, by), a, NULL};
    a->outs = make_outs(p, r, a, cfg, by);
}

/* --- the program's --- */

/* Whether only anchors have the guard's value: an approximated instruction of the region wrote it.
 */
static bool has_anchor_guard(const struct lnl_func *f, const struct lnl_region *r, uint32_t pc)
{
    const uint32_t guard = f->marks.f->insts[pc].guard;
    for (uint32_t at = r->begin; guard != PTX_NO_REG && at < r->end; at++) {
        const struct dinst *d = &f->fn->code[at];
        for (unsigned k = 0; k < d->ndst && !f->marks.is_precise[at]; k++)
            if (d->regs[k] == f->fn->regs + guard)
                return true;
    }
    return false;
}

static uint8_t flags_inside(const struct lnl_func *f, const struct lnl_region *r, uint32_t pc)
{
    const struct ptx_inst *i = &f->marks.f->insts[pc];
    const struct xinst *x = f->fn->code[pc].x;
    const bool is_split = i->op == PTX_OP_BRX || (i->op == PTX_OP_BRA && i->guard != PTX_NO_REG);
    if (f->marks.is_precise[pc])
        return LNL_INSIDE | LNL_PRECISE;
    if (is_split)
        return LNL_INSIDE | LNL_BRANCH;
    if (i->op == PTX_OP_ST)
        return LNL_INSIDE | LNL_STORE;
    if (x->kind == X_CTRL || x->kind == X_MEET || x->kind == X_NOP)
        return LNL_INSIDE | LNL_ALL;
    return (uint8_t)(LNL_INSIDE | (has_anchor_guard(f, r, pc) ? LNL_ANCHOR_GUARD : 0));
}

static void plan_code(struct lnl_plan *p, struct lnl_func *f)
{
    f->code = arena_array(&p->arena, struct lnl_inst, f->fn->ncode);
    for (uint32_t k = 0; k < f->marks.nregions; k++) {
        const struct lnl_region *r = &f->marks.regions[k];
        f->code[r->begin].flags |= LNL_BEGIN;
        f->code[r->begin].area = (uint16_t)k;
        for (uint32_t pc = r->begin; pc < r->end; pc++) {
            f->code[pc].flags |= flags_inside(f, r, pc);
            f->code[pc].format = f->marks.formats[pc];
        }
    }
    for (uint32_t k = f->marks.nloads; k-- > 0;) {
        struct lnl_inst *i = &f->code[f->marks.loads[k].pc];
        i->flags |= LNL_CHECKED;
        i->load = (uint16_t)k;
    }
}

static bool plan_func(struct lnl_plan *p, struct lnl_func *f, const struct dfunc *fn,
                      const struct sm_cfg *cfg, const void *by, struct err *err)
{
    f->fn = fn;
    if (!lnl_marks_read(fn->fn->src, &f->marks, err))
        return false;
    if (f->marks.nloads + f->marks.nregions == 0)
        return true;
    if (f->marks.nloads > UINT16_MAX || f->marks.nregions > UINT16_MAX)
        return err_set(err, "%s: lnl: %s has more than %d marks", fn->fn->src->module->file,
                       fn->fn->src->name, UINT16_MAX);
    f->areas = arena_array(&p->arena, struct lnl_area, f->marks.nregions + 1);
    for (uint32_t k = 0; k < f->marks.nregions; k++)
        plan_area(p, f, k, cfg, by);
    plan_code(p, f);
    return true;
}

static bool has_region(const struct ptx_func *f)
{
    struct ptx_mark mark;
    struct ptx_mark_error e;
    for (uint32_t i = 0; i < f->npragmas; i++)
        if (ptx_mark_read(f->pragmas[i].text, &mark, &e) == PTX_MARK_GOOD &&
            ptx_mark_is(&mark, "lnl", "begin"))
            return true;
    return false;
}

static uint32_t count_marked(const struct program *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < program_func_count(p); i++)
        n += has_region(program_func(p, i));
    return n ? n : 1;
}

/* Loads of regions, by their numbers. */
static void plan_loads(struct lnl_plan *p)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->nfuncs; i++)
            for (uint32_t pc = 0; p->funcs[i].code && pc < p->funcs[i].fn->ncode; pc++) {
                const struct dinst *d = &p->funcs[i].fn->code[pc];
                if (!dinst_is_numbered(d) || !(p->funcs[i].code[pc].flags & LNL_INSIDE))
                    continue;
                if (pass)
                    p->is_inside[d->load] = true;
                else if (d->load >= p->nloads)
                    p->nloads = d->load + 1u;
            }
        if (!pass)
            p->is_inside = arena_array(&p->arena, bool, p->nloads + 1);
    }
}

struct lnl_plan *lnl_plan_new(const struct kernel *k, const struct decoded *code,
                              const struct sm_cfg *cfg, const void *by, struct err *err)
{
    struct lnl_plan *p = xcalloc(1, sizeof *p);
    const uint32_t n = program_func_count(k->prog);
    p->of.kernel = k;
    p->marked_kernels = count_marked(k->prog);
    p->funcs = arena_array(&p->arena, struct lnl_func, n + 1);
    for (uint32_t i = 0; i < n && !p->waits; i++)
        p->waits = k->funcs[i] && ptx_waits(k->funcs[i]->src);
    for (uint32_t i = 0; i < n; i++)
        if (k->funcs[i] &&
            !plan_func(p, &p->funcs[p->nfuncs++], decoded_func(code, k->funcs[i]), cfg, by, err)) {
            lnl_plan_free(p);
            return NULL;
        }
    plan_loads(p);
    return p;
}

void lnl_plan_free(struct lnl_plan *p)
{
    for (uint32_t i = 0; i < p->nfuncs; i++)
        lnl_marks_free(&p->funcs[i].marks);
    arena_free(&p->arena);
    free(p);
}

const struct lnl_func *lnl_plan_func(const struct lnl_plan *p, const struct dfunc *fn)
{
    const struct lnl_func *f = p->funcs;
    while (f->fn != fn)
        f++;
    return f;
}
