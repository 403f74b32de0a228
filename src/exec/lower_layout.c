/* Where things lie: the shared memory of a kernel, the registers and local memory of a frame. Sizes
 * are counted in 64 bits and refused beyond limits.h, so that every place fits 32. */
#include "base/exact.h"
#include "exec/limits.h"
#include "exec/lower.h"
#include "exec/sregs.h"
#include "ptx/liveness.h"
#include "ptx/regs.h"

enum { LANE_ALIGN = 64 };

/* --- shared memory of a kernel --- */

/* The end of `bytes` bytes at `at`; sizes that no limit allows do not grow until they wrap. */
static uint64_t end_of(uint64_t at, uint64_t bytes)
{
    return at >> 60 ? at : at + bytes;
}

struct layout {
    struct u64map *offsets;
    uint64_t end;
    uint32_t dynamic_align;
    VEC(const struct ptx_var *) unsized;
};

static void place_shared(struct layout *l, const struct ptx_var *v)
{
    if (v->space != PTX_SPACE_SHARED || u64map_get(l->offsets, (uintptr_t)v))
        return;
    if (!v->bytes) {
        u64map_put(l->offsets, (uintptr_t)v, 0);
        vec_push(&l->unsized, v);
        if (v->align > l->dynamic_align)
            l->dynamic_align = v->align;
        return;
    }
    l->end = align_up(l->end, v->align ? v->align : 1);
    u64map_put(l->offsets, (uintptr_t)v, l->end);
    l->end = end_of(l->end, v->bytes);
}

static void place_shared_operand(struct layout *l, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_VAR)
        place_shared(l, o->var);
    if (o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_ARGS)
        for (unsigned i = 0; i < o->nelems; i++)
            place_shared_operand(l, &o->elems[i]);
}

static void place_module_shared(struct layout *l, const struct program *p)
{
    for (unsigned i = 0; i < program_module_count(p); i++) {
        const struct ptx_module *m = program_module(p, i);
        for (uint32_t n = 0; n < m->nvars; n++)
            place_shared(l, m->vars[n]);
    }
}

uint32_t program_shared_offset(const struct program *p, const struct ptx_var *v)
{
    struct u64map offsets = {0};
    struct layout l = {.offsets = &offsets, .dynamic_align = 16};
    place_module_shared(&l, p);
    const uint32_t at = (uint32_t)*u64map_get(&offsets, (uintptr_t)v);
    vec_free(&l.unsized);
    u64map_free(&offsets);
    return at;
}

static bool func_asks_for_reserved(const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->ninsts; n++)
        for (unsigned o = 0; o < f->insts[n].nops; o++)
            if (f->insts[n].ops[o].kind == PTX_OPND_SREG &&
                sreg_is_reserved_smem((enum ptx_sreg)f->insts[n].ops[o].sreg))
                return true;
    return false;
}

static uint64_t reserved_bytes(const struct program *p, const bool *reached)
{
    for (uint32_t i = 0; i < program_func_count(p); i++)
        if (reached[i] && func_asks_for_reserved(program_func(p, i)))
            return RESERVED_SMEM_BYTES;
    return 0;
}

bool lower_layout_shared(struct kernel *k, const bool *reached, struct u64map *offsets,
                         struct err *err)
{
    struct layout l = {.offsets = offsets, .dynamic_align = 16};
    if (program_is_shared_joined(k->prog))
        place_module_shared(&l, k->prog);
    else
        l.end = reserved_bytes(k->prog, reached);
    for (uint32_t i = 0; i < program_func_count(k->prog); i++) {
        const struct ptx_func *f = program_func(k->prog, i);
        for (uint32_t n = 0; reached[i] && n < f->ninsts; n++)
            for (unsigned o = 0; o < f->insts[n].nops; o++)
                place_shared_operand(&l, &f->insts[n].ops[o]);
    }
    const uint64_t dynamic_at = align_up(l.end, l.dynamic_align);
    for (size_t i = 0; i < l.unsized.len; i++)
        u64map_put(offsets, (uintptr_t)l.unsized.data[i], dynamic_at);
    vec_free(&l.unsized);
    if (dynamic_at > EXEC_MAX_SHARED)
        return err_set(err, "%s:%u: kernel %s needs %llu bytes of shared memory; the limit is %llu",
                       k->src->module->file, k->src->line, k->src->name,
                       (unsigned long long)dynamic_at, (unsigned long long)EXEC_MAX_SHARED);
    k->shared_bytes = (uint32_t)l.end;
    k->dynamic_align = l.dynamic_align;
    return true;
}

/* --- a function's frame --- */

static bool too_large(const struct lower *lo, const char *what, uint64_t bytes, uint64_t limit,
                      struct err *err)
{
    const struct ptx_func *f = lo->src;
    return err_set(err, "%s:%u: %s needs %llu bytes %s; the limit is %llu",
                   f->module ? f->module->file : "", f->line, f->name, (unsigned long long)bytes,
                   what, (unsigned long long)limit);
}

static unsigned reg_bytes(enum ptx_type t)
{
    unsigned bytes = ptx_type_bytes(t);
    return t == PTX_PRED ? 0 : bytes < 2 ? 2 : bytes;
}

static struct lane_ref place_reg(uint64_t *end, unsigned bytes)
{
    struct lane_ref ref = {.off = (uint32_t)*end, .bytes = (uint8_t)bytes};
    *end += exact_room(bytes ? (uint64_t)bytes * WARP_LANES : 4);
    return ref;
}

static bool lay_out_registers(struct lower *lo, struct err *err)
{
    struct xfunc *fn = lo->fn;
    const struct ptx_func *f = lo->src;
    static const unsigned sizes[] = {16, 8, 4, 2};
    uint64_t end = 0;
    fn->regs = arena_array(lo->arena, struct lane_ref, (size_t)f->nregs + 1);
    for (unsigned s = 0; s < ARRAY_LEN(sizes); s++)
        for (uint32_t r = 0; r < f->nregs; r++)
            if (reg_bytes(f->regs[r].type) == sizes[s])
                fn->regs[r] = place_reg(&end, sizes[s]);
    const uint64_t preds_off = end;
    for (uint32_t r = 0; r < f->nregs; r++)
        if (f->regs[r].type == PTX_PRED)
            fn->regs[r] = place_reg(&end, 0);
    fn->cc = place_reg(&end, 0);
    end = align_up(end, LANE_ALIGN);
    if (end > EXEC_MAX_REGS)
        return too_large(lo, "of registers a warp", end, EXEC_MAX_REGS, err);
    fn->preds_off = (uint32_t)preds_off;
    fn->frame_bytes = (uint32_t)end;
    return true;
}

void lower_find_unset(struct lower *lo)
{
    struct xfunc *fn = lo->fn;
    struct ptx_live live;
    ptx_live_find(lo->src, &live);
    fn->unset = arena_array(lo->arena, struct lane_ref, (size_t)lo->src->nregs + 1);
    for (uint32_t r = 0; r < lo->src->nregs; r++) {
        bool is_live = false;
        for (uint32_t k = live.first_range[r]; k < live.first_range[r + 1]; k++)
            is_live |= !live.ranges[k].from;
        if (is_live)
            fn->unset[fn->nunset++] = fn->regs[r];
    }
    ptx_live_free(&live);
}

/* A variable takes whole words: local memory is made of them. */
static void place_local(struct lower *lo, const struct ptx_var *v, uint64_t *end)
{
    uint64_t at = align_up(*end, v->align > 4 ? v->align : 4);
    u64map_put(&lo->locals, (uintptr_t)v, at);
    *end = end_of(at, align_up(v->bytes ? v->bytes : 4, 4));
}

static void place_header(struct lower *lo, struct ptx_var **vars, uint32_t n, uint64_t *end)
{
    for (uint32_t i = 0; i < n; i++)
        if (vars[i]->space != PTX_SPACE_REG)
            place_local(lo, vars[i], end);
}

/* Registers that do not fit into what the kernel has get places behind the variables, which end at
 * `end`; returns where all of it ends. */
static uint64_t place_spills(struct lower *lo, uint64_t end)
{
    struct xfunc *fn = lo->fn;
    uint32_t *place = arena_array(lo->arena, uint32_t, (size_t)lo->src->nregs + 1);
    const uint32_t bytes = ptx_regs_spill(lo->src, lo->kernel->regs, place);
    for (uint32_t r = 0; r < lo->src->nregs; r++)
        if (place[r] != PTX_NOT_SPILLED)
            place[r] += (uint32_t)end;
    fn->spilled = bytes ? place : NULL;
    return end + align_up(bytes, 16);
}

static bool lay_out_locals(struct lower *lo, struct err *err)
{
    const struct ptx_func *f = lo->src;
    const struct ptx_module *m = f->module;
    uint64_t end = 0;
    if (!f->is_entry) {
        place_header(lo, f->params, f->nparams, &end);
        place_header(lo, f->rets, f->nrets, &end);
    }
    for (uint32_t i = 0; i < f->nvars; i++)
        if (f->vars[i]->space == PTX_SPACE_LOCAL || f->vars[i]->space == PTX_SPACE_PARAM)
            place_local(lo, f->vars[i], &end);
    /* module-scope .local variables of old PTX: one copy a frame that uses them */
    for (uint32_t i = 0; m && i < m->nvars; i++)
        if (m->vars[i]->space == PTX_SPACE_LOCAL)
            place_local(lo, m->vars[i], &end);
    end = align_up(end, 16);
    if (lo->kernel && lo->kernel->regs < lo->kernel->regs_needed && end <= EXEC_MAX_LOCAL)
        end = place_spills(lo, end);
    if (end > EXEC_MAX_LOCAL)
        return too_large(lo, "of local memory a thread", end, EXEC_MAX_LOCAL, err);
    lo->fn->local_bytes = (uint32_t)end;
    return true;
}

static struct xarg *lower_header(struct lower *lo, struct ptx_var **vars, const uint32_t *regs,
                                 uint32_t n)
{
    struct xarg *args = arena_array(lo->arena, struct xarg, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (vars[i]->space == PTX_SPACE_REG) {
            args[i] = (struct xarg){.in_reg = true, .reg = lo->fn->regs[regs[i]]};
            continue;
        }
        args[i].off = (uint32_t)*u64map_get(&lo->locals, (uintptr_t)vars[i]);
        args[i].words = (uint32_t)((vars[i]->bytes + 3) / 4);
    }
    return args;
}

bool lower_layout_frame(struct lower *lo, struct err *err)
{
    const struct ptx_func *f = lo->src;
    if (!lay_out_registers(lo, err) || !lay_out_locals(lo, err))
        return false;
    if (f->is_entry)
        return f->param_bytes <= EXEC_MAX_PARAMS ||
               too_large(lo, "of parameters", f->param_bytes, EXEC_MAX_PARAMS, err);
    struct xsig *sig = &lo->fn->sig;
    sig->nparams = f->nparams;
    sig->nrets = f->nrets;
    sig->params = lower_header(lo, f->params, f->param_regs, f->nparams);
    sig->rets = lower_header(lo, f->rets, f->ret_regs, f->nrets);
    return true;
}
