/* Pipes, classes and flags from tables, once a kernel. */
#include "sm/decode.h"

#include "sm/machine_code.h"

#include "base/u64map.h"
#include "base/vec.h"
#include "ptx/liveness.h"
#include "ptx/regs.h"

#include <stdlib.h>

/* Kernels lie behind each other here, apart from data. */
#define CODE_BASE UINT64_C(0x100000000000)

struct decoded {
    struct arena arena;
    struct dfunc *funcs;
    uint32_t nfuncs;
    struct u64map by_fn; /* struct xfunc * -> place in funcs */
};

/* --- class --- */

static enum op_class by_type(const struct ptx_inst *i, enum op_class integer, enum op_class f32,
                             enum op_class f64)
{
    enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_NOTYPE;
    if (t == PTX_F64)
        return f64;
    return ptx_type_is_float(t) || ptx_type_kind(t) == 'X' ? f32 : integer;
}

static enum op_class class_of(const struct ptx_inst *i)
{
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        return by_type(i, OP_CLASS_iadd, OP_CLASS_fadd, OP_CLASS_dadd);
    case PTX_OP_MIN:
    case PTX_OP_MAX:
        return by_type(i, OP_CLASS_iminmax, OP_CLASS_fminmax, OP_CLASS_dminmax);
    case PTX_OP_MUL:
    case PTX_OP_MUL24:
        return by_type(i, OP_CLASS_imul, OP_CLASS_fmul, OP_CLASS_dmul);
    case PTX_OP_MAD:
    case PTX_OP_MAD24:
    case PTX_OP_MADC:
    case PTX_OP_FMA:
    case PTX_OP_SAD:
    case PTX_OP_DP2A:
    case PTX_OP_DP4A:
        return by_type(i, OP_CLASS_imad, OP_CLASS_fmad, OP_CLASS_dmad);
    case PTX_OP_DIV:
    case PTX_OP_REM:
        return by_type(i, OP_CLASS_idiv, OP_CLASS_fdiv, OP_CLASS_ddiv);
    case PTX_OP_VOTE:
        return OP_CLASS_vote;
    case PTX_OP_SHFL:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
        return OP_CLASS_shfl;
    default:
        break;
    }
    switch (ptx_inst_unit(i)) {
    case PTX_UNIT_SFU:
        return by_type(i, OP_CLASS_sfu, OP_CLASS_sfu, OP_CLASS_ddiv);
    case PTX_UNIT_TENSOR:
        return OP_CLASS_tensor;
    case PTX_UNIT_DP:
        return OP_CLASS_dadd;
    default:
        return OP_CLASS_alu;
    }
}

/* Loads and stores of matrices (wmma) go the way of all others. */
static enum unit unit_of(const struct ptx_inst *i, enum op_class c, uint16_t flags,
                         const struct sm_cfg *cfg)
{
    enum ptx_unit u = ptx_inst_unit(i);
    if (u == PTX_UNIT_LDST || u == PTX_UNIT_TEX || (flags & (DINST_LOAD | DINST_STORE)))
        return UNIT_MEM;
    if (c >= OP_CLASS_dadd && c <= OP_CLASS_dmad)
        return cfg->dp_units ? UNIT_DP : UNIT_SFU;
    if (c == OP_CLASS_ddiv || c == OP_CLASS_fdiv || c == OP_CLASS_idiv || c == OP_CLASS_sfu)
        return UNIT_SFU;
    if (c == OP_CLASS_alu || c == OP_CLASS_iminmax || c == OP_CLASS_fminmax)
        return cfg->int_units ? UNIT_INT : UNIT_SP;
    if (c == OP_CLASS_tensor)
        return cfg->tensor_units ? UNIT_TENSOR : UNIT_SFU;
    return UNIT_SP;
}

/* --- memory --- */

static bool bypasses_l1(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_M_CG) || ptx_inst_has(i, PTX_M_CV) ||
           ptx_inst_has(i, PTX_M_VOLATILE) || ptx_inst_has(i, PTX_M_RELAXED) ||
           ptx_inst_has(i, PTX_M_ACQUIRE) || ptx_inst_has(i, PTX_M_RELEASE);
}

static uint16_t memory_flags(const struct ptx_inst *i)
{
    uint16_t bypass = bypasses_l1(i) ? DINST_BYPASS : 0;
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
        return DINST_LOAD | bypass;
    case PTX_OP_LDMATRIX:
        return DINST_LOAD;
    case PTX_OP_ST:
        return DINST_STORE | bypass;
    case PTX_OP_STMATRIX:
        return DINST_STORE;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return DINST_ATOMIC | DINST_BYPASS;
    case PTX_OP_MBARRIER:
        return DINST_ATOMIC;
    case PTX_OP_WMMA:
        return ptx_inst_has(i, PTX_M_LOAD)    ? DINST_LOAD
               : ptx_inst_has(i, PTX_M_STORE) ? DINST_STORE
                                              : 0;
    case PTX_OP_CP:
        return DINST_LOAD;
    case PTX_OP_PREFETCH:
        return DINST_PREFETCH;
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
        return DINST_LOAD | DINST_TEXTURE;
    case PTX_OP_SULD:
        return DINST_LOAD | DINST_BYPASS;
    case PTX_OP_SUST:
        return DINST_STORE | DINST_BYPASS;
    case PTX_OP_SURED:
        return DINST_ATOMIC | DINST_BYPASS;
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
        return DINST_FENCE;
    default:
        return 0;
    }
}

static uint16_t flags_of(const struct xinst *x, uint32_t *place)
{
    const struct ptx_inst *i = x->src;
    uint16_t f = memory_flags(i);
    if (ptx_inst_unit(i) == PTX_UNIT_BAR)
        return DINST_BARRIER;
    if (x->kind == X_CTRL)
        return DINST_CONTROL;
    if (!(f & DINST_LOAD) || i->op != PTX_OP_LD)
        return f;
    if (ptx_inst_space(i) == PTX_SPACE_CONST)
        f |= DINST_CONST;
    if (ptx_inst_space(i) == PTX_SPACE_PARAM && x->mem.is_uniform && !x->mem.in_frame) {
        f |= DINST_CONST;
        *place = (uint32_t)x->mem.imm;
    }
    return f;
}

/* --- registers --- */

struct reg_list {
    VEC(uint32_t) regs;
    uint32_t base; /* of the function's numbers */
};

static void add_operand(struct reg_list *l, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_REG)
        vec_push(&l->regs, l->base + o->reg);
    if (o->kind == PTX_OPND_ADDR || o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_PAIR ||
        o->kind == PTX_OPND_ARGS)
        for (unsigned k = 0; k < o->nelems; k++)
            add_operand(l, &o->elems[k]);
}

/* A destination written as an address holds sources (a store's address is read). */
static void collect_regs(struct decoded *d, const struct ptx_inst *i, uint32_t base,
                         struct dinst *out)
{
    struct reg_list l = {.base = base};
    unsigned n = ptx_inst_ndst(i);
    for (unsigned k = 0; k < n && k < i->nops; k++)
        add_operand(&l, &i->ops[k]);
    out->ndst = (uint8_t)l.regs.len;
    for (unsigned k = n; k < i->nops; k++)
        add_operand(&l, &i->ops[k]);
    out->nsrc = (uint8_t)(l.regs.len - out->ndst);
    if (i->guard != PTX_NO_REG)
        vec_push(&l.regs, base + i->guard);
    out->nregs = (uint8_t)l.regs.len;
    uint32_t *regs = arena_array(&d->arena, uint32_t, l.regs.len + 1);
    for (size_t k = 0; k < l.regs.len; k++)
        regs[k] = l.regs.data[k];
    out->regs = regs;
    vec_free(&l.regs);
}

/* The lines of the host's cache that the instruction's registers lie in, as many as are worth
 * fetching before it is executed. */
static void find_warm(struct decoded *d, const struct xfunc *fn, uint32_t base, struct dinst *out)
{
    enum { LINE = 64, MOST = 16 };
    uint32_t *lines = arena_array(&d->arena, uint32_t, MOST);
    out->warm = lines;
    for (unsigned k = 0; k < out->nregs; k++) {
        const struct lane_ref *r = &fn->regs[out->regs[k] - base];
        const uint32_t bytes = r->bytes ? r->bytes * (uint32_t)WARP_LANES : 4;
        for (uint32_t at = r->off / LINE; at <= (r->off + bytes - 1) / LINE; at++)
            if (out->nwarm < MOST)
                lines[out->nwarm++] = at;
    }
}

/* --- spills --- */

static bool has_spill(const struct dinst *list, unsigned n, uint32_t reg)
{
    for (unsigned k = 0; k < n; k++)
        if (list[k].regs[0] == reg)
            return true;
    return false;
}

/* Loads or stores of those of the `n` registers from `first` that are spilled, each once. */
static uint8_t add_spills(const struct dfunc *f, const struct dinst *d, unsigned first, unsigned n,
                          bool is_load, struct dinst *to)
{
    unsigned added = 0;
    for (unsigned k = first; k < first + n; k++) {
        const uint32_t reg = d->regs[k] - f->regs;
        if (f->fn->spilled[reg] == PTX_NOT_SPILLED || has_spill(to, added, d->regs[k]))
            continue;
        to[added++] = (struct dinst){
            .x = d->x,
            .fn = f,
            .regs = &d->regs[k],
            .place = f->fn->spilled[reg],
            .flags = (uint16_t)(DINST_SPILL | (is_load ? DINST_LOAD : DINST_STORE)),
            .ndst = is_load,
            .nsrc = !is_load,
            .nregs = 1,
            .pipe = PIPE_MEM,
            .unit = UNIT_MEM,
            .class = OP_CLASS_alu,
            .latency = 1,
            .initiation = 1,
            .parts = 1,
            .bytes = (uint8_t)(4 * ptx_reg_words(f->fn->src, reg)),
        };
    }
    return (uint8_t)added;
}

static void decode_spills(struct decoded *d, const struct dfunc *f, struct dinst *out)
{
    struct dinst *list = arena_array(&d->arena, struct dinst, out->ndst + out->nsrc + 1u);
    out->nloads = add_spills(f, out, out->ndst, out->nsrc, true, list);
    out->nstores = add_spills(f, out, 0, out->ndst, false, list + out->nloads);
    out->spills = list;
}

/* --- functions --- */

static void decode_inst(struct decoded *d, const struct xinst *x, uint32_t base,
                        const struct sm_cfg *cfg, struct dinst *out)
{
    static const uint8_t pipes[] = {
        [UNIT_SP] = PIPE_SP,      [UNIT_SFU] = PIPE_SFU, [UNIT_DP] = PIPE_SFU,
        [UNIT_TENSOR] = PIPE_SFU, [UNIT_MEM] = PIPE_MEM, [UNIT_INT] = PIPE_SP,
    };
    enum op_class c = OP_CLASS_alu;
    out->x = x;
    out->parts = 1;
    out->flags = DINST_CONTROL;
    if (x->src) { /* not the return that was added behind the last instruction */
        c = class_of(x->src);
        out->flags = flags_of(x, &out->place);
        out->unit = (uint8_t)unit_of(x->src, c, out->flags, cfg);
        collect_regs(d, x->src, base, out);
    }
    out->class = (uint8_t)c;
    out->pipe = pipes[out->unit];
    out->latency = (uint16_t)sm_cfg_latency(cfg, c);
    out->initiation = (uint16_t)sm_cfg_initiation(cfg, c);
}

struct decoded *decode_kernel(const struct kernel *k, const struct sm_cfg *cfg)
{
    struct decoded *d = xcalloc(1, sizeof *d);
    uint32_t n = program_func_count(k->prog), base = 0;
    uint64_t addr = CODE_BASE;
    uint16_t loads = 0;
    d->funcs = xcalloc(n ? n : 1, sizeof *d->funcs);
    for (uint32_t i = 0; i < n; i++) {
        const struct xfunc *fn = k->funcs[i];
        if (!fn)
            continue;
        struct dfunc *f = &d->funcs[d->nfuncs];
        u64map_put(&d->by_fn, (uintptr_t)fn, d->nfuncs++);
        *f = (struct dfunc){.fn = fn,
                            .ncode = fn->ncode + 1,
                            .regs = base,
                            .is_entry = fn == k->entry,
                            .addr = addr};
        f->code = arena_array(&d->arena, struct dinst, f->ncode);
        for (uint32_t pc = 0; pc < f->ncode; pc++) {
            decode_inst(d, &fn->code[pc], base, cfg, &f->code[pc]);
            f->code[pc].fn = f;
            f->code[pc].pc = pc;
            find_warm(d, fn, base, &f->code[pc]);
            if (fn->spilled)
                decode_spills(d, f, &f->code[pc]);
            if (dinst_is_numbered(&f->code[pc]))
                f->code[pc].load = loads++;
        }
        if (cfg->code == CODE_MACHINE)
            machine_code_find(f, cfg);
        base += fn->src->nregs;
        addr += align_up((uint64_t)f->ncode * (uint64_t)cfg->instruction_bytes, 256);
    }
    return d;
}

static bool returns(const struct xinst *x)
{
    return !x->src || (!x->has_guard && (x->src->op == PTX_OP_RET || x->src->op == PTX_OP_EXIT));
}

static void make_extra(struct dinst *d, const struct sm_cfg *cfg)
{
    const struct xinst *x = d->x;
    if (returns(x))
        d->flags |= DINST_RETURN;
    if (!x->src || d->unit != UNIT_MEM)
        return;
    if (x->src->op == PTX_OP_LD && ptx_inst_space(x->src) == PTX_SPACE_PARAM) {
        d->flags = 0;
        d->unit = UNIT_SP;
        d->pipe = PIPE_SP;
        d->class = OP_CLASS_alu;
        d->latency = (uint16_t)sm_cfg_latency(cfg, OP_CLASS_alu);
        d->initiation = (uint16_t)sm_cfg_initiation(cfg, OP_CLASS_alu);
    } else if (x->space == PTX_SPACE_SHARED) {
        d->pipe = PIPE_AUX;
    }
}

/* The code's end is one. */
static uint32_t first_return(const struct dfunc *f)
{
    uint32_t pc = 0;
    while (!(f->code[pc].flags & DINST_RETURN))
        pc++;
    return pc;
}

static bool has_few_registers(const struct dfunc *f)
{
    for (uint32_t pc = 0; pc < f->ncode; pc++)
        for (unsigned k = 0; k < f->code[pc].nregs; k++)
            if (f->code[pc].regs[k] >= 64)
                return false;
    return true;
}

static void make_masks(struct decoded *d, struct dfunc *f)
{
    f->masks = arena_array(&d->arena, struct dmasks, f->ncode);
    for (uint32_t pc = 0; pc < f->ncode; pc++)
        for (unsigned k = 0; k < f->code[pc].nregs; k++) {
            const uint64_t bit = UINT64_C(1) << f->code[pc].regs[k];
            f->masks[pc].all |= bit;
            f->masks[pc].written |= k < f->code[pc].ndst ? bit : 0;
        }
}

struct decoded *decode_extra(const struct kernel *k, const struct sm_cfg *cfg)
{
    struct sm_cfg as_it_is = *cfg; /* routines are written for the pipeline */
    as_it_is.code = CODE_PTX;
    struct decoded *d = decode_kernel(k, &as_it_is);
    bool has_few = true; /* of all, since registers are numbered through them */
    for (uint32_t i = 0; i < d->nfuncs; i++) {
        for (uint32_t pc = 0; pc < d->funcs[i].ncode; pc++)
            make_extra(&d->funcs[i].code[pc], cfg);
        d->funcs[i].returns_from = first_return(&d->funcs[i]);
        has_few &= has_few_registers(&d->funcs[i]);
    }
    for (uint32_t i = 0; has_few && i < d->nfuncs; i++)
        make_masks(d, &d->funcs[i]);
    return d;
}

void decoded_free(struct decoded *d)
{
    if (!d)
        return;
    u64map_free(&d->by_fn);
    free(d->funcs);
    arena_free(&d->arena);
    free(d);
}

const struct dfunc *decoded_func(const struct decoded *d, const struct xfunc *fn)
{
    return &d->funcs[*u64map_get(&d->by_fn, (uintptr_t)fn)];
}
