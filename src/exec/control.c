/* Branches, calls, returns and exits: what moves the splits of a warp. */
#include "exec/builtin.h"
#include "exec/lower.h"
#include "exec/memory.h"

#include <string.h>

/* --- branches --- */

/* The lanes of `taken` go to `target`, the others of the top split go on to the next instruction;
 * they meet again at `reconv`. Both sets have lanes. */
static void diverge(struct warp *w, uint32_t target, uint32_t taken, uint32_t reconv)
{
    struct split *s = warp_top(w);
    struct frame *f = s->frame;
    uint32_t next = s->pc + 1, rest = s->mask & ~taken;
    if (reconv == PTX_NO_PC || reconv == s->rpc) {
        /* They meet where this split ends anyway: lanes that are there already just leave. */
        if (next == s->rpc || target == s->rpc) {
            s->mask = next == s->rpc ? taken : rest;
            s->pc = next == s->rpc ? target : next;
            return;
        }
        s->mask = rest;
        s->pc = next;
        warp_push(w, f, target, s->rpc, taken);
        return;
    }
    s->pc = reconv;
    if (next != reconv)
        warp_push(w, f, next, reconv, rest);
    if (target != reconv)
        warp_push(w, f, target, reconv, taken);
}

static bool ctrl_bra(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct split *s = warp_top(w);
    if (mask == s->mask)
        s->pc = x->target;
    else if (!mask)
        s->pc++;
    else
        diverge(w, x->target, mask, x->reconv);
    return true;
}

/* Only `mask` of the top split executes this instruction; it meets the others behind it. */
static void isolate(struct warp *w, uint32_t mask)
{
    struct split *s = warp_top(w);
    const uint32_t here = s->pc++;
    warp_push(w, s->frame, here, here + 1, mask);
}

/* Lanes of `mask` whose 64-bit value equals that of the first. */
static uint32_t same_as_first(const struct warp *w, const struct lane_ref *r, uint32_t mask,
                              uint64_t *value)
{
    uint32_t same = 0;
    *value = lane_u64(r, w->base, (unsigned)__builtin_ctz(mask));
    FOR_LANES (l, mask)
        if (lane_u64(r, w->base, l) == *value)
            same |= UINT32_C(1) << l;
    return same;
}

static bool ctrl_brx(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct ptx_operand *list = &x->src->ops[1];
    struct split *s = warp_top(w);
    if (!mask) {
        s->pc++;
        return true;
    }
    uint64_t index;
    uint32_t same = same_as_first(w, &x->op.refs[0], mask, &index);
    if (index >= list->npcs)
        return warp_fault(w, x, (unsigned)__builtin_ctz(mask), FAULT_INVALID_PC,
                          "branch index %llu of %u targets", (unsigned long long)index, list->npcs);
    if (same == s->mask)
        s->pc = list->pcs[index];
    else if (x->has_guard && mask != s->mask)
        isolate(w, mask);
    else {
        /* This group goes; the others stay at the instruction and take their turn. */
        struct frame *f = s->frame;
        const uint32_t here = s->pc, rest = s->mask & ~same, target = list->pcs[index];
        uint32_t rpc = s->rpc;
        if (x->reconv != PTX_NO_PC && x->reconv != rpc) {
            s->pc = rpc = x->reconv;
            warp_push(w, f, here, rpc, rest);
        } else {
            s->mask = rest;
        }
        if (target != rpc)
            warp_push(w, f, target, rpc, same);
    }
    return true;
}

/* --- calls --- */

static uint64_t arg_read(struct warp *w, const struct frame *f, char *const *base,
                         const struct xarg *a, unsigned lane, uint32_t word)
{
    if (a->in_reg)
        return lane_u64(&a->reg, base, lane) >> (32 * word);
    return w->local[((f->local_off + a->off) / 4 + word) * WARP_LANES + lane];
}

/* Copies one value of the lanes in mask from one frame to another. */
static void arg_copy(struct warp *w, const struct frame *to, const struct xarg *d,
                     const struct frame *from, const struct xarg *s, uint32_t mask)
{
    char *dbase[LANE_BASES], *sbase[LANE_BASES];
    warp_frame_base(w, to, dbase);
    warp_frame_base(w, from, sbase);
    uint32_t swords = s->in_reg ? (s->reg.bytes > 4 ? 2 : 1) : s->words;
    uint32_t dwords = d->in_reg ? (d->reg.bytes > 4 ? 2 : 1) : d->words;
    uint32_t words = swords < dwords ? swords : dwords;
    if (d->in_reg && d->reg.none)
        return;
    FOR_LANES (l, mask) {
        uint64_t v = 0;
        for (uint32_t k = 0; k < words; k++) {
            uint32_t word = (uint32_t)arg_read(w, from, sbase, s, l, k);
            if (d->in_reg)
                v |= (uint64_t)word << (32 * k);
            else
                w->local[((to->local_off + d->off) / 4 + k) * WARP_LANES + l] = word;
        }
        if (d->in_reg)
            lane_set_u64(&d->reg, dbase, l, v);
    }
}

static bool enter(struct warp *w, const struct xinst *x, const struct xfunc *fn, uint32_t mask)
{
    struct split *s = warp_top(w);
    struct frame *caller = s->frame;
    const struct xsig *have = &x->call->sig, *want = &fn->sig;
    if (!warp_frame_fits(w, x, fn))
        return false;
    struct frame *f = warp_frame_new(w, fn, caller, x);
    if (!warp_local_reserve(w, x, (uint64_t)f->local_off + fn->local_bytes)) {
        frame_unref(w, f);
        return false;
    }
    for (uint32_t i = 0; i < have->nparams && i < want->nparams; i++)
        arg_copy(w, f, &want->params[i], caller, &have->params[i], mask);
    s->pc++;
    warp_push(w, f, 0, PTX_NO_PC, mask);
    f->users--;
    return true;
}

static const struct xfunc *func_at(const struct warp *w, uint64_t addr)
{
    const struct kernel *k = w->grid->kernel;
    uint64_t i = (addr - FUNC_WINDOW) / 16 - 1;
    if (addr < FUNC_WINDOW || addr % 16 || i >= program_func_count(k->prog))
        return NULL;
    const struct xfunc *fn = k->funcs[i];
    return fn && !fn->src->is_entry ? fn : NULL;
}

static bool ctrl_call(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct split *s = warp_top(w);
    if (!mask) {
        s->pc++;
        return true;
    }
    const struct xfunc *fn = x->call->callee;
    uint32_t together = mask;
    if (!fn) {
        uint64_t addr;
        together = same_as_first(w, &x->call->target, mask, &addr);
        fn = func_at(w, addr);
        if (!fn)
            return warp_fault(w, x, (unsigned)__builtin_ctz(mask), FAULT_INVALID_PC,
                              "call of address 0x%llx, which is not a function",
                              (unsigned long long)addr);
    }
    if (mask != s->mask) {
        isolate(w, mask);
        return true;
    }
    if (together != mask) {
        struct frame *f = s->frame;
        const uint32_t here = s->pc++;
        warp_push(w, f, here, here + 1, mask & ~together);
        warp_push(w, f, here, here + 1, together);
        return true;
    }
    return enter(w, x, fn, mask);
}

static bool ctrl_ret(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct split *s = warp_top(w);
    struct frame *f = s->frame;
    (void)x;
    if (mask != s->mask)
        s->pc++;
    if (!mask)
        return true;
    if (!f->caller) {
        warp_exit_lanes(w, mask);
        return true;
    }
    const struct xsig *have = &f->fn->sig, *want = &f->call->call->sig;
    for (uint32_t i = 0; i < have->nrets && i < want->nrets; i++)
        arg_copy(w, f->caller, &want->rets[i], f, &have->rets[i], mask);
    for (uint32_t i = w->depth, left = f->splits; left && i-- > 0;)
        if (w->stack[i].frame == f) {
            w->stack[i].mask &= ~mask;
            left--;
        }
    return true;
}

static bool ctrl_exit(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct split *s = warp_top(w);
    (void)x;
    if (mask != s->mask)
        s->pc++;
    if (mask)
        warp_exit_lanes(w, mask);
    return true;
}

static bool op_trap(struct warp *w, const struct xinst *x, uint32_t mask)
{
    return warp_fault(w, x, (unsigned)__builtin_ctz(mask), FAULT_LAUNCH_FAILED,
                      "the kernel executed trap");
}

/* --- lowering --- */

static bool lower_args(struct lower *lo, const struct ptx_operand *list, const struct ptx_func *as,
                       bool is_ret, struct xarg **args, uint32_t *n)
{
    *n = list ? list->nelems : 0;
    *args = arena_array(lo->arena, struct xarg, *n + 1);
    for (uint32_t k = 0; k < *n; k++) {
        const struct ptx_var *var = NULL;
        if (as && k < (is_ret ? as->nrets : as->nparams))
            var = is_ret ? as->rets[k] : as->params[k];
        if (!lower_arg(lo, &list->elems[k], var, &(*args)[k]))
            return false;
    }
    return true;
}

static bool lower_call(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    const struct ptx_operand *rets = NULL, *args = NULL, *target = NULL;
    const struct ptx_func *header = NULL;
    for (unsigned k = 0; k < i->nops; k++) {
        const struct ptx_operand *o = &i->ops[k];
        if (o->kind == PTX_OPND_ARGS)
            *(target ? &args : &rets) = o;
        else if (o->kind == PTX_OPND_FUNC || o->kind == PTX_OPND_REG)
            target = o;
        else if (o->kind == PTX_OPND_PROTO)
            header = o->proto;
    }
    if (!target) {
        lo->why = "no function is named";
        return false;
    }
    struct xcall *call = arena_new(lo->arena, struct xcall);
    x->call = call;
    x->kind = X_CTRL;
    x->fn = ctrl_call;
    if (target->kind == PTX_OPND_FUNC)
        header = target->func;
    if (!lower_args(lo, rets, header, true, &call->sig.rets, &call->sig.nrets) ||
        !lower_args(lo, args, header, false, &call->sig.params, &call->sig.nparams))
        return false;
    if (target->kind == PTX_OPND_REG) {
        call->target = lo->fn->regs[target->reg];
        return true;
    }
    uint32_t f = lo->prog ? program_func_index(lo->prog, target->func) : UINT32_MAX;
    if (target->func->is_entry || (f != UINT32_MAX && program_func(lo->prog, f)->is_entry)) {
        lo->why = "a kernel is launched, not called";
        return false;
    }
    if (f != UINT32_MAX) {
        call->callee = lo->kernel->funcs[f];
        return true;
    }
    x->kind = X_OP;
    x->fn = builtin_find(target->func->name);
    if (x->fn || (!lo->prog && !target->func->is_decl))
        return true;
    lo->why = "the function it calls is defined nowhere";
    return false;
}

bool lower_control(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    x->kind = X_CTRL;
    switch (i ? (enum ptx_op)i->op : PTX_OP_RET) {
    case PTX_OP_BRA:
        if (i->nops != 1 || i->ops[0].kind != PTX_OPND_LABEL) {
            lo->why = "a target that is not a label";
            return false;
        }
        x->target = i->ops[0].pc;
        x->fn = ctrl_bra;
        x->is_branch = true;
        return true;
    case PTX_OP_BRX:
        if (i->nops != 2 || i->ops[1].kind != PTX_OPND_LIST) {
            lo->why = "no list of branch targets";
            return false;
        }
        x->op.refs = arena_array(lo->arena, struct lane_ref, 1);
        x->op.nrefs = 1;
        x->fn = ctrl_brx;
        return lower_source(lo, &i->ops[0], PTX_U32, 4, &x->op.refs[0]);
    case PTX_OP_CALL:
        return lower_call(lo, i, x);
    case PTX_OP_RET:
        x->fn = ctrl_ret;
        return true;
    case PTX_OP_EXIT:
        x->fn = ctrl_exit;
        return true;
    case PTX_OP_TRAP:
        x->kind = X_OP;
        x->fn = op_trap;
        return true;
    default: /* brkpt: there is no debugger */
        x->kind = X_NOP;
        return true;
    }
}
