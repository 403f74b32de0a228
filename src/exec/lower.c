/* What a kernel can reach is lowered instruction by instruction; what cannot be executed is an
 * error here. */
#include "exec/lower.h"
#include "exec/grid.h"

#include "base/exact.h"
#include "exec/builtin.h"
#include "exec/limits.h"
#include "exec/runs.h"
#include "exec/support.h"
#include "exec/tensor.h"
#include "exec/turns.h"
#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/operands.h"
#include "ptx/regs.h"

#include <stdio.h>
#include <string.h>

enum { LANE_ALIGN = 64 };

/* --- which functions a kernel can reach --- */

struct reach {
    struct program *prog;
    bool *seen; /* by function number */
    VEC(uint32_t) work;
    VEC(const struct ptx_func *) prototypes; /* of indirect calls, each form once; NULL: of any */
};

static void reach_func(struct reach *r, const struct ptx_func *f)
{
    uint32_t i = program_func_index(r->prog, f);
    if (i == UINT32_MAX || r->seen[i])
        return;
    r->seen[i] = true;
    vec_push(&r->work, i);
}

static bool has_same_sizes(struct ptx_var *const *a, struct ptx_var *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i]->bytes != b[i]->bytes)
            return false;
    return true;
}

/* A prototype and what it may call agree in the number and the sizes of parameters and results. */
static bool has_form(const struct ptx_func *f, const struct ptx_func *prototype)
{
    return !prototype || (f && f->nparams == prototype->nparams && f->nrets == prototype->nrets &&
                          has_same_sizes(f->params, prototype->params, f->nparams) &&
                          has_same_sizes(f->rets, prototype->rets, f->nrets));
}

static bool is_called_indirectly(const struct reach *r, const struct ptx_func *f)
{
    for (size_t i = 0; i < r->prototypes.len; i++)
        if (has_form(f, r->prototypes.data[i]))
            return true;
    return false;
}

static void reach_call(struct reach *r, const struct ptx_inst *inst)
{
    const struct ptx_func *prototype = NULL;
    bool is_indirect = false;
    for (unsigned k = 0; k < inst->nops; k++) {
        const struct ptx_operand *o = &inst->ops[k];
        if (o->kind == PTX_OPND_FUNC)
            reach_func(r, o->func);
        else if (o->kind == PTX_OPND_PROTO)
            prototype = o->proto;
        is_indirect |= o->kind == PTX_OPND_REG;
    }
    if (is_indirect && !is_called_indirectly(r, prototype))
        vec_push(&r->prototypes, prototype);
}

/* A function whose address is taken can be called indirectly; a kernel's is for launches only, and
 * what the kernel that launches it needs is its own. */
static void reach_taken(struct reach *r, const struct ptx_func *f)
{
    uint32_t i = program_func_index(r->prog, f);
    if (i == UINT32_MAX)
        return;
    f = program_func(r->prog, i);
    if (!f->is_entry && is_called_indirectly(r, f))
        reach_func(r, f);
}

static void reach_address_taken(struct reach *r)
{
    for (unsigned m = 0; m < program_module_count(r->prog); m++) {
        const struct ptx_module *mod = program_module(r->prog, m);
        for (uint32_t v = 0; v < mod->nvars; v++)
            for (uint32_t k = 0; k < mod->vars[v]->nrelocs; k++)
                if (mod->vars[v]->relocs[k].func)
                    reach_taken(r, mod->vars[v]->relocs[k].func);
    }
    for (uint32_t i = 0; i < program_func_count(r->prog); i++) {
        const struct ptx_func *f = program_func(r->prog, i);
        for (uint32_t n = 0; n < f->ninsts; n++)
            for (unsigned k = 0; f->insts[n].op != PTX_OP_CALL && k < f->insts[n].nops; k++)
                if (f->insts[n].ops[k].kind == PTX_OPND_FUNC)
                    reach_taken(r, f->insts[n].ops[k].func);
    }
}

/* An indirect call may reach every function of its form whose address is taken somewhere; those may
 * bring indirect calls of another form. */
static void reach_all(struct reach *r, const struct ptx_func *entry)
{
    size_t nprototypes;
    reach_func(r, entry);
    do {
        nprototypes = r->prototypes.len;
        while (r->work.len) {
            const struct ptx_func *f = program_func(r->prog, vec_pop(&r->work));
            for (uint32_t n = 0; n < f->ninsts; n++)
                if (f->insts[n].op == PTX_OP_CALL)
                    reach_call(r, &f->insts[n]);
        }
        if (r->prototypes.len != nprototypes)
            reach_address_taken(r);
    } while (r->work.len);
    vec_free(&r->work);
    vec_free(&r->prototypes);
}

/* --- instructions --- */

static bool lower_lane(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    struct lane_op *op = &x->lane;
    x->kind = X_LANE;
    op->d2.none = op->src[0].none = op->src[1].none = op->src[2].none = op->src[3].none = true;
    op->cc = lo->fn->cc;
    if (!i->nops) {
        lo->why = "no operands";
        return false;
    }
    const struct ptx_operand *d = &i->ops[0];
    bool is_pair = d->kind == PTX_OPND_PAIR && d->nelems == 2;
    if (!lower_dest(lo, is_pair ? &d->elems[0] : d, &op->d))
        return false;
    if (is_pair && !lower_dest(lo, &d->elems[1], &op->d2))
        return false;
    unsigned n = 0;
    for (unsigned k = 1; k < i->nops; k++) {
        if (i->op == PTX_OP_LOP3 && k == 4) /* the table is op->imm, taken from the instruction */
            continue;
        if (n == ARRAY_LEN(op->src)) {
            lo->why = "too many operands";
            return false;
        }
        enum ptx_type t;
        unsigned bytes = lower_operand_bytes(i, k, &t);
        if (!lower_source(lo, &i->ops[k], t, bytes, &op->src[n++]))
            return false;
    }
    return lanes_select(i, op, &lo->why);
}

static bool lower_texture(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    x->kind = X_OP;
    return lower_flatten(lo, i, &x->op) && texture_select(i, lo->arena, &x->op, &lo->why);
}

static bool lower_tensor(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    x->kind = X_OP;
    x->space = (uint8_t)ptx_inst_space(i);
    return lower_flatten(lo, i, &x->op) && tensor_select(i, lo->arena, &x->op, &lo->why);
}

static bool lower_op(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    switch (i->op) {
    case PTX_OP_UNKNOWN:
        lo->why = "an unknown instruction";
        return false;
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return lower_memory(lo, i, x);
    case PTX_OP_CP:
    case PTX_OP_MBARRIER:
        return lower_async(lo, i, x);
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_ELECT:
        return lower_warp(lo, i, x);
    case PTX_OP_BRA:
    case PTX_OP_BRX:
    case PTX_OP_CALL:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT:
        return lower_control(lo, i, x);
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return lower_barrier(lo, i, x);
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_ISSPACEP:
    case PTX_OP_ALLOCA:
    case PTX_OP_STACKSAVE:
    case PTX_OP_STACKRESTORE:
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
    case PTX_OP_CREATEPOLICY:
        return lower_move(lo, i, x);
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
    case PTX_OP_TXQ:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_SUQ:
    case PTX_OP_ISTYPEP:
        return lower_texture(lo, i, x);
    case PTX_OP_WMMA:
    case PTX_OP_MMA:
    case PTX_OP_LDMATRIX:
    case PTX_OP_STMATRIX:
    case PTX_OP_MOVMATRIX:
        return lower_tensor(lo, i, x);
    case PTX_OP_PREFETCH:
        return lower_prefetch(lo, i, x);
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
    case PTX_OP_PREFETCHU:
    case PTX_OP_NANOSLEEP:
    case PTX_OP_PMEVENT:
    case PTX_OP_DISCARD:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_GRIDDEPCONTROL:
    case PTX_OP_SETMAXNREG:
        x->kind = X_NOP;
        return true;
    default:
        return lower_lane(lo, i, x);
    }
}

/* Whether an instruction that is neither lane arithmetic nor control touches what SMs share in
 * another way than plain loads and stores: see step.h. */
static bool touches_shared_state(const struct xinst *x)
{
    switch (x->src->op) {
    case PTX_OP_ATOM:
    case PTX_OP_RED:
    case PTX_OP_MBARRIER:
        return x->space != PTX_SPACE_SHARED;
    case PTX_OP_WMMA:
        return !ptx_inst_has(x->src, PTX_M_MMA) && x->space != PTX_SPACE_SHARED;
    case PTX_OP_CALL: /* of the runtime: printf, malloc, launches */
    case PTX_OP_CP:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
        return true;
    default:
        return false;
    }
}

static bool lower_inst(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    lo->why = NULL;
    x->src = i;
    if (i->bad) {
        lo->why = "a modifier or operand that is not known";
        return false;
    }
    if (!ptx_operands_check(lo->src, i, &lo->misfit)) {
        lo->why = lo->misfit.msg;
        return false;
    }
    if (i->guard != PTX_NO_REG) {
        x->has_guard = true;
        x->guard_neg = i->guard_neg;
        x->guard_off = lo->fn->regs[i->guard].off;
    }
    if (!lower_op(lo, i, x))
        return false;
    x->slot = x->kind == X_OP ? lo->slots++ : 0;
    x->is_deferred = x->kind == X_OP && touches_shared_state(x);
    return true;
}

static void lower_finish(struct lower *lo)
{
    struct xfunc *fn = lo->fn;
    fn->consts = xalloc_aligned(LANE_ALIGN, lo->consts.len + LANE_ALIGN);
    if (lo->consts.len)
        memcpy(fn->consts, lo->consts.data, lo->consts.len);
    if (EXACT)
        EXACT_FORBID(fn->consts, lo->consts.len + LANE_ALIGN);
    for (size_t i = 0; i < lo->const_spans.len; i++)
        EXACT_ALLOW(fn->consts + lo->const_spans.data[i].off, lo->const_spans.data[i].bytes);
    vec_free(&lo->const_spans);
    vec_free(&lo->consts);
    for (unsigned i = 0; i < ARRAY_LEN(lo->const_off); i++)
        u64map_free(&lo->const_off[i]);
    u64map_free(&lo->locals);
}

static void say_why(const struct lower *lo, const struct ptx_inst *i, struct err *err)
{
    const char *file = lo->src->module->file;
    char text[160];
    ptx_inst_text(i, text, sizeof text);
    if (lo->why == lo->misfit.msg)
        err_set(err, "%s:%u:%u: %s: %s (in %s)", file, i->line, i->col, text, lo->why,
                lo->src->name);
    else
        err_set(err, "%s:%u: %s is not supported%s%s (in %s)", file, i->line, text,
                lo->why ? ": " : "", lo->why ? lo->why : "", lo->src->name);
}

static bool lower_func(struct lower *lo, struct err *err)
{
    const struct ptx_func *f = lo->src;
    struct xfunc *fn = lo->fn;
    fn->src = f;
    fn->ncode = f->ninsts;
    if (!lower_layout_frame(lo, err)) {
        lower_finish(lo);
        return false;
    }
    fn->code = arena_array(lo->arena, struct xinst, (size_t)f->ninsts + 1);
    struct ptx_cfg *cfg = ptx_cfg_build(f);
    bool ok = true;
    if (f->ninsts)
        lower_find_unset(lo);
    for (uint32_t n = 0; ok && n < f->ninsts; n++) {
        fn->code[n].reconv = cfg->reconv[n];
        ok = lower_inst(lo, &f->insts[n], &fn->code[n]);
        if (!ok)
            say_why(lo, &f->insts[n], err);
    }
    /* Falling off the end of a function is a return. */
    fn->code[f->ninsts] = (struct xinst){.kind = X_CTRL, .reconv = PTX_NO_PC};
    lower_control(lo, NULL, &fn->code[f->ninsts]);
    if (ok)
        runs_find(fn, cfg);
    ptx_cfg_free(cfg);
    if (ok && lo->consts.len > EXEC_MAX_CONSTS)
        ok = err_set(err, "%s:%u: the constants of %s take %zu bytes; the limit is %llu",
                     f->module->file, f->line, f->name, lo->consts.len,
                     (unsigned long long)EXEC_MAX_CONSTS);
    lower_finish(lo);
    return ok;
}

void kernel_free(struct kernel *k)
{
    kernel_drop_spares(k);
    if (k->decoded)
        k->decoded_free(k->decoded);
    for (uint32_t i = 0; i < program_func_count(k->prog); i++)
        if (k->funcs[i]) {
            free(k->funcs[i]->consts);
            runs_free(k->funcs[i]);
        }
    free(k->funcs);
    arena_free(&k->arena);
    free(k);
}

struct kernel *kernel_lower(struct program *p, const struct ptx_func *f, struct err *err)
{
    struct kernel *k = xcalloc(1, sizeof *k);
    uint32_t n = program_func_count(p);
    k->src = f;
    k->prog = p;
    k->funcs = xcalloc(n, sizeof(*k->funcs));
    k->regs_needed = ptx_regs_needed(f);
    k->regs = ptx_regs_given(f, k->regs_needed, &program_device(p)->regs);
    struct reach r = {.prog = p, .seen = xcalloc(n, sizeof(bool))};
    reach_all(&r, f);
    struct u64map shared = {0};
    bool ok = lower_layout_shared(k, r.seen, &shared, err);
    for (uint32_t i = 0; i < n; i++)
        if (r.seen[i])
            k->funcs[i] = arena_new(&k->arena, struct xfunc);
    for (uint32_t i = 0; ok && i < n; i++) {
        if (!r.seen[i])
            continue;
        struct lower lo = {.prog = p,
                           .kernel = k,
                           .arena = &k->arena,
                           .shared = &shared,
                           .src = program_func(p, i),
                           .fn = k->funcs[i]};
        ok = lower_func(&lo, err);
    }
    k->entry = k->funcs[program_func_index(p, f)];
    u64map_free(&shared);
    free(r.seen);
    if (!ok) {
        kernel_free(k);
        return NULL;
    }
    turns_mark(k);
    return k;
}

bool exec_supports(const struct ptx_func *f, const struct ptx_inst *i, struct err *why)
{
    struct arena arena = {0};
    struct xfunc fn = {.src = f};
    struct lower lo = {.arena = &arena, .src = f, .fn = &fn};
    struct xinst x = {0};
    bool ok = lower_layout_frame(&lo, why);
    if (ok && !lower_inst(&lo, i, &x))
        ok = err_set(why, "%s", lo.why ? lo.why : "not supported");
    lower_finish(&lo);
    free(fn.consts);
    arena_free(&arena);
    return ok;
}
