/* Which routines can go ahead, and which of their accesses are alike. */
#include "tech/assist/ahead.h"

static bool is_load_of(const struct xinst *x, enum ptx_space space)
{
    return x->kind == X_OP && x->src->op == PTX_OP_LD && ptx_inst_space(x->src) == space;
}

static bool is_shared(const struct xinst *x)
{
    return is_load_of(x, PTX_SPACE_SHARED) ||
           (x->kind == X_OP && x->src->op == PTX_OP_ST && x->space == PTX_SPACE_SHARED);
}

/* %warpid is the row's, of which the executing warp knows nothing. */
static bool reads_row(const struct ptx_operand *o)
{
    if (o->kind == PTX_OPND_SREG)
        return o->sreg == PTX_SREG_WARPID;
    const bool has_elems = o->kind == PTX_OPND_VEC || o->kind == PTX_OPND_PAIR;
    for (unsigned i = 0; has_elems && i < o->nelems; i++)
        if (reads_row(&o->elems[i]))
            return true;
    return false;
}

static bool is_jump(const struct xinst *x)
{
    const unsigned op = x->src->op;
    return op == PTX_OP_BRA || op == PTX_OP_RET || op == PTX_OP_EXIT;
}

/* Whether its results are those of its registers and of the instance's windows alone. */
static bool is_timeless(const struct xinst *x)
{
    if (!x->src || is_jump(x))
        return true;
    for (unsigned i = 0; i < x->src->nops; i++)
        if (reads_row(&x->src->ops[i]))
            return false;
    return x->kind == X_LANE || x->kind == X_NOP || is_shared(x) ||
           is_load_of(x, PTX_SPACE_PARAM) ||
           (x->kind == X_OP && (x->src->op == PTX_OP_VOTE || x->src->op == PTX_OP_SHFL));
}

/* The register that an access has its address from, or PTX_NO_REG. */
static uint32_t address_of(const struct xinst *x)
{
    for (unsigned i = 0; i < x->src->nops; i++) {
        const struct ptx_operand *o = &x->src->ops[i];
        if (o->kind == PTX_OPND_ADDR && o->nelems == 1 && o->elems[0].kind == PTX_OPND_REG)
            return o->elems[0].reg;
    }
    return PTX_NO_REG;
}

static bool writes(const struct routine *r, const struct dinst *d, uint32_t reg)
{
    for (unsigned k = 0; k < d->ndst; k++)
        if (d->regs[k] - r->entry->regs == reg)
            return true;
    return false;
}

static bool has_writer(const struct routine *r, uint32_t reg)
{
    for (uint32_t pc = 0; pc < r->entry->ncode; pc++)
        if (writes(r, &r->entry->code[pc], reg))
            return true;
    return false;
}

/* Whether all lanes have it from one load of a parameter, which all of them execute, or from nobody
 * (the controller's steps): then the lanes' addresses stand to each other as in every instance. */
static bool is_given(const struct routine *r, uint32_t reg)
{
    unsigned loads = 0;
    bool is_straight = true;
    for (uint32_t pc = 0; pc < r->entry->ncode; pc++) {
        const struct dinst *d = &r->entry->code[pc];
        if (writes(r, d, reg) &&
            (!is_load_of(d->x, PTX_SPACE_PARAM) || d->x->has_guard || !is_straight || loads++))
            return false;
        is_straight = is_straight && !(d->x->src && is_jump(d->x));
    }
    return true;
}

/* --- what is the same in every instance --- */

/* Given by the window that all have which go ahead, or by the machine. */
static bool is_param_alike(unsigned what)
{
    return what == PARAM_SRC || what == PARAM_DST || what == PARAM_RESULT || what == PARAM_SM ||
           what == PARAM_DISTANCE || what == PARAM_KEEP;
}

static bool has_params_alike(const struct routine *r)
{
    for (unsigned i = 0; i < r->nparams; i++)
        if (!is_param_alike(r->params[i].what))
            return false;
    return true;
}

static bool is_step(const struct routine *r, uint32_t reg)
{
    for (unsigned i = 0; i < r->decl.nsteps; i++)
        if (r->decl.steps[i].reg == reg)
            return true;
    return false;
}

/* Of the routine's registers below 64 those that have one value wherever they are read. */
static uint64_t fixed_registers(const struct routine *r)
{
    uint64_t set = 0;
    for (uint32_t reg = 0; reg < r->kernel->entry->src->nregs && reg < 64; reg++)
        set |= (uint64_t)(is_step(r, reg) || (has_writer(r, reg) && is_given(r, reg))) << reg;
    return set;
}

/* Whether the instruction makes of the same registers the same results. */
static bool is_function(const struct xinst *x)
{
    const unsigned op = x->src->op;
    return is_load_of(x, PTX_SPACE_PARAM) ||
           (x->kind == X_LANE && op != PTX_OP_ADDC && op != PTX_OP_SUBC && op != PTX_OP_MADC);
}

/* Registers that are the same in every instance behind the instruction, if `same` are before it. */
static uint64_t same_behind(const struct routine *r, const struct dinst *d, uint64_t same)
{
    uint64_t written = 0, read = 0;
    for (unsigned k = 0; k < d->nregs; k++)
        *(k < d->ndst ? &written : &read) |= UINT64_C(1) << (d->regs[k] - r->entry->regs);
    const bool is_same = is_function(d->x) && !d->x->has_guard && !(read & ~same);
    return is_same ? same | written : same & ~written;
}

static bool is_target(const struct routine *r, uint32_t at)
{
    for (uint32_t pc = 0; pc < r->entry->ncode; pc++) {
        const struct xinst *x = r->entry->code[pc].x;
        if (x->src && x->src->op == PTX_OP_BRA && x->target == at)
            return true;
    }
    return false;
}

static bool can_be_alike(const struct xinst *x)
{
    return x->src && is_shared(x) && !x->has_guard && address_of(x) != PTX_NO_REG;
}

static void note_alike(struct routine *r, uint32_t pc)
{
    r->alike[pc / 64] |= UINT64_C(1) << pc % 64;
}

/* Accesses at addresses that are made of nothing but what is the same. */
static void find_same(struct routine *r)
{
    const uint64_t fixed = fixed_registers(r);
    uint64_t same = fixed;
    for (uint32_t pc = 0; pc < r->entry->ncode && pc < AWS_ALIKE; pc++) {
        const struct dinst *d = &r->entry->code[pc];
        if (is_target(r, pc))
            same = fixed;
        if (can_be_alike(d->x) && (same >> address_of(d->x) & 1))
            note_alike(r, pc);
        if (d->x->src && !is_jump(d->x))
            same = same_behind(r, d, same);
    }
}

static bool is_place_of_step(const struct routine *r, const struct lane_ref *reg)
{
    for (unsigned i = 0; i < r->decl.nsteps; i++)
        if (r->kernel->entry->regs[r->decl.steps[i].reg].off == reg->off)
            return true;
    return false;
}

/* Whether it reads nothing that an instance before it has left. */
static bool begins_alike(const struct routine *r)
{
    for (uint32_t i = 0; i < r->kernel->entry->nunset; i++)
        if (!is_place_of_step(r, &r->kernel->entry->unset[i]))
            return false;
    return true;
}

static bool is_alike_throughout(const struct routine *r)
{
    const uint32_t n = r->entry->returns_from;
    if (n > AHEAD_MOST)
        return false;
    for (uint32_t pc = 0; pc < n; pc++) {
        const struct xinst *x = r->entry->code[pc].x;
        if (is_jump(x) || (is_shared(x) && !routine_is_alike(r, pc)))
            return false;
    }
    return n && begins_alike(r);
}

void ahead_find(struct routine *r)
{
    if (r->kernel->shared_bytes) /* variables that instances share */
        return;
    for (uint32_t pc = 0; pc < r->entry->ncode; pc++)
        if (!is_timeless(r->entry->code[pc].x))
            return;
    r->can_go_ahead = true;
    r->has_places = has_params_alike(r);
    for (uint32_t pc = 0; pc < r->entry->ncode && pc < AWS_ALIKE; pc++) {
        const struct xinst *x = r->entry->code[pc].x;
        if (can_be_alike(x) && is_given(r, address_of(x)))
            note_alike(r, pc);
    }
    if (r->has_places && r->entry->masks)
        find_same(r);
    r->repeats = r->has_places && is_alike_throughout(r);
}
