/* Slices of loops: from the addresses of loads and the conditions of branches back to what they
 * follow from. Flow within the loop is not looked at, since a helper that is wrong only fetches
 * what nobody needs. */
#include "ptx/liveness.h"
#include "tech/precompute/precompute_int.h"

#include <stdlib.h>
#include <string.h>

/* Of a loop that is looked at. */
struct loop {
    const struct dfunc *fn;
    uint32_t from, to;
};

/* --- what a helper can execute --- */

static bool is_load(const struct dinst *d)
{
    const struct xinst *x = d->x;
    return x->kind == X_OP && x->src && x->src->op == PTX_OP_LD && !x->is_deferred &&
           !x->mem.in_frame &&
           (x->space == PTX_SPACE_GLOBAL || x->space == PTX_SPACE_GENERIC ||
            x->space == PTX_SPACE_PARAM);
}

/* Whose lines are worth fetching. */
static bool fetches(const struct dinst *d)
{
    return is_load(d) && d->x->space != PTX_SPACE_PARAM && !(d->flags & DINST_BYPASS);
}

static bool is_branch(const struct dinst *d)
{
    return d->x->kind == X_CTRL && d->x->is_branch;
}

static bool can_execute(const struct dinst *d)
{
    return d->x->kind == X_LANE || is_load(d) || is_branch(d);
}

/* --- slices --- */

static bool writes(const struct dinst *d, uint32_t number)
{
    for (unsigned k = 0; k < d->ndst; k++)
        if (d->regs[k] == number)
            return true;
    return false;
}

/* Adds instruction `pc` and all of the loop that it follows from to `has`; `*chased` if one of them
 * is a load. False: something among them cannot be executed. */
static bool add(const struct loop *l, uint32_t pc, bool *has, bool *chased)
{
    const struct dinst *d = &l->fn->code[pc];
    bool is_ok = can_execute(d);
    has[pc - l->from] = true;
    for (unsigned k = d->ndst; is_ok && k < d->nregs; k++)
        for (uint32_t by = l->from; is_ok && by <= l->to; by++) {
            if (!writes(&l->fn->code[by], d->regs[k]))
                continue;
            *chased |= fetches(&l->fn->code[by]);
            is_ok = has[by - l->from] || add(l, by, has, chased);
        }
    return is_ok;
}

static void join(bool *to, const bool *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] |= from[i];
}

/* Branches must all be in it; of loads those that can be. False: no address is chased. */
static bool find_slice(const struct loop *l, bool *has)
{
    const uint32_t n = l->to - l->from + 1;
    bool *part = xcalloc(n, sizeof *part), is_chased = false, is_ok = true;
    for (uint32_t pc = l->from; is_ok && pc <= l->to; pc++) {
        const struct dinst *d = &l->fn->code[pc];
        bool chased = false;
        if (!fetches(d) && !(d->flags & DINST_CONTROL))
            continue;
        memset(part, 0, n * sizeof *part);
        const bool is_had = add(l, pc, part, &chased);
        is_ok = is_had || fetches(d);
        is_chased |= is_had && chased && fetches(d);
        if (is_had)
            join(has, part, n);
    }
    free(part);
    return is_ok && is_chased;
}

/* --- what it needs --- */

static void note_register(const struct loop *l, uint32_t reg, bool is_read, bool *known,
                          bool *inputs, struct pre_slice *s)
{
    if (!known[reg])
        s->words += ptx_reg_words(l->fn->fn->src, reg);
    known[reg] = true;
    s->ninputs += is_read && !inputs[reg];
    inputs[reg] |= is_read;
}

static void find_registers(const struct loop *l, struct pre_slice *s)
{
    const uint32_t n = l->fn->fn->src->nregs;
    bool *known = xcalloc(n + 1, sizeof *known), *inputs = xcalloc(n + 1, sizeof *inputs);
    for (uint32_t i = 0; i <= l->to - l->from; i++) {
        const struct dinst *d = &l->fn->code[l->from + i];
        for (unsigned k = 0; s->has[i] && k < d->nregs; k++)
            note_register(l, d->regs[k] - l->fn->regs, k >= d->ndst, known, inputs, s);
        s->ninst += s->has[i];
    }
    s->inputs = xcalloc(s->ninputs + 1, sizeof *s->inputs);
    for (uint32_t r = 0, i = 0; r < n; r++)
        if (inputs[r])
            s->inputs[i++] = r;
    free(known);
    free(inputs);
}

static bool make_slice(const struct loop *l, const struct precompute_cfg *cfg, struct pre_slice *s)
{
    const uint32_t n = l->to - l->from + 1;
    *s = (struct pre_slice){.from = l->from, .to = l->to, .has = xcalloc(n, sizeof *s->has)};
    if (find_slice(l, s->has)) {
        find_registers(l, s);
        if (s->ninst <= cfg->slice_share * n)
            return true;
    }
    free(s->inputs);
    free(s->has);
    return false;
}

/* --- loops --- */

/* A branch back ends a loop. */
static bool ends_loop(const struct dfunc *fn, uint32_t pc)
{
    const struct dinst *d = &fn->code[pc];
    return is_branch(d) && d->x->target <= pc;
}

static bool contains_one(const struct pre_slices *s, const struct loop *l)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].from >= l->from && s->at[i].to <= l->to)
            return true;
    return false;
}

/* Inner loops end before those around them. */
void pre_slices_find(const struct dfunc *fn, const struct precompute_cfg *cfg, uint32_t inst_bytes,
                     struct pre_slices *to)
{
    uint64_t bytes = 0;
    *to = (struct pre_slices){0};
    for (uint32_t pc = 0; pc < fn->ncode; pc++) {
        const struct loop l = {fn, ends_loop(fn, pc) ? fn->code[pc].x->target : pc, pc};
        struct pre_slice s;
        if (!ends_loop(fn, pc) || contains_one(to, &l) || !make_slice(&l, cfg, &s))
            continue;
        if (bytes + (uint64_t)s.ninst * inst_bytes > cfg->slice_bytes) {
            free(s.inputs);
            free(s.has);
            continue;
        }
        bytes += (uint64_t)s.ninst * inst_bytes;
        to->at = xrealloc(to->at, (to->n + 1) * sizeof *to->at);
        to->at[to->n++] = s;
    }
}

void pre_slices_free(struct pre_slices *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        free(s->at[i].has);
        free(s->at[i].inputs);
    }
    free(s->at);
    *s = (struct pre_slices){0};
}
