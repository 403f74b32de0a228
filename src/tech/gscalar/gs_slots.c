/* The registers of resident warps: they begin unknown, a call gives the callee's new contents, and
 * an activation of a function that is not the one they were of finds them unknown. */
#include "exec/warp.h"
#include "tech/gscalar/gscalar_int.h"

#include <stdlib.h>
#include <string.h>

enum { RAW_ARRAYS = 8, RAW_BYTES = 4 * WARP_LANES };

/* --- one register --- */

static const struct gs_reg unknown = {.flags = GS_DIVERGENT, .arrays = RAW_ARRAYS};

static void keep_base(struct gs_slot *s, uint32_t at, uint32_t low, uint32_t high)
{
    if (s->bases)
        s->bases[at] = (struct gs_base){.bvr = {low, high}, .k = {4, 4}};
}

void gs_slot_forget(struct gs_slot *s, uint32_t at)
{
    s->regs[at] = unknown;
    if (UNLIKELY(s->cells))
        s->cells[at].known = 0;
}

void gs_slot_write_scalar(struct gs_slot *s, uint32_t at, const uint32_t *lane, uint32_t all)
{
    const uint32_t value = lane[__builtin_ctz(all)];
    s->regs[at] = (struct gs_reg){.scalar = GS_ALL, .flags = GS_PACKED, .same = 4};
    keep_base(s, at, value, value);
    if (UNLIKELY(s->cells))
        gs_verify_written(&gs_form_whole, s, at, lane, all);
}

static unsigned write_all(const struct gs_sm *m, struct gs_slot *s, uint32_t at,
                          const uint32_t *lane, uint32_t all)
{
    const struct gs_view v = gs_view(lane, all);
    struct gs_reg r = {.same = (uint8_t)gs_equal_bytes(gs_view_differ(&v))};
    struct gs_base b;
    unsigned bytes = m->design->form->pack(&v, all, &r, &b);
    if (UNLIKELY(m->g->cfg->affine) && !(r.scalar & GS_FULL) && gs_affine_pack(lane, all, &r, &b))
        bytes = sizeof b.bvr;
    s->regs[at] = r;
    if (s->bases)
        s->bases[at] = b;
    return bytes;
}

static void write_part(const struct gs_form *form, struct gs_slot *s, uint32_t at,
                       const uint32_t *lane, uint32_t mask, uint32_t all)
{
    const uint32_t first = lane[__builtin_ctz(mask)];
    struct gs_reg r = unknown;
    r.same = (uint8_t)gs_equal_bytes(gs_differ(lane, all));
    r.scalar = gs_differ(lane, mask) || form == &gs_form_raw ? 0 : GS_FULL;
    r.mask = mask;
    s->regs[at] = r;
    keep_base(s, at, first, first);
}

unsigned gs_slot_write(const struct gs_sm *m, struct gs_slot *s, uint32_t at, const uint32_t *lane,
                       uint32_t mask, uint32_t all)
{
    const struct gs_form *form = m->design->form;
    unsigned bytes = RAW_BYTES;
    if (mask == all)
        bytes = write_all(m, s, at, lane, all);
    else
        write_part(form, s, at, lane, mask, all);
    if (UNLIKELY(s->cells))
        gs_verify_written(form, s, at, lane, mask);
    return bytes;
}

void gs_slot_unpack(const struct gs_sm *m, struct gs_slot *s, uint32_t at, uint32_t all)
{
    const uint8_t same = s->regs[at].same;
    s->regs[at] = unknown;
    s->regs[at].same = same;
    for (uint32_t l = 0; UNLIKELY(s->cells != NULL) && l < WARP_LANES; l++)
        if (all >> l & 1)
            s->cells[at].lane[l] = m->design->form->get(&s->bases[at], l, s->cells[at].lane[l]);
}

/* --- of a warp --- */

static void forget_all(struct gs_slot *s, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        gs_slot_forget(s, i);
}

static void make_room(struct gs_slot *s, uint32_t nregs, bool has_bases, bool has_cells)
{
    if (s->cap >= nregs && (s->bases || !has_bases))
        return;
    s->cap = s->cap > nregs ? s->cap : nregs;
    free(s->regs);
    free(s->bases);
    free(s->cells);
    s->regs = xcalloc(s->cap, sizeof *s->regs);
    s->bases = has_bases ? xcalloc(s->cap, sizeof *s->bases) : NULL;
    s->cells = has_cells ? xcalloc(s->cap, sizeof *s->cells) : NULL;
}

void gs_slot_start(struct gs_slot *s, const struct gs_plan *p, const struct gscalar *g)
{
    make_room(s, p->nregs, p->has_generic || g->verify || g->cfg->wide || g->cfg->affine,
              g->verify);
    if (s->owners_cap < p->nfuncs) {
        s->owners_cap = p->nfuncs;
        free(s->owners);
        s->owners = xcalloc(s->owners_cap, sizeof *s->owners);
    }
    memset(s->owners, 0, p->nfuncs * sizeof *s->owners);
    s->plan = p;
    s->func = NULL;
    s->knows_carry = s->is_waiting = false;
}

void gs_slot_free(struct gs_slot *s)
{
    free(s->regs);
    free(s->bases);
    free(s->cells);
    free(s->owners);
}

static uint32_t *owner_of(const struct gs_slot *s, const struct gs_func *f)
{
    return &s->owners[f - s->plan->funcs];
}

const struct gs_func *gs_slot_find(const struct gs_slot *s, const struct dfunc *fn, uint32_t frame)
{
    const struct gs_func *f = gs_plan_func(s->plan, fn->fn);
    return *owner_of(s, f) == frame + 1 ? f : NULL;
}

const struct gs_func *gs_slot_change(struct gs_slot *s, const struct dfunc *fn, uint32_t frame)
{
    const struct gs_func *f = gs_plan_func(s->plan, fn->fn);
    if (*owner_of(s, f) != frame + 1)
        forget_all(s, f->first, f->nregs);
    *owner_of(s, f) = frame + 1;
    s->func = f;
    s->frame = frame;
    s->knows_carry = false;
    return f;
}

/* --- lanes that wait for others --- */

bool gs_lanes_wait(const struct warp *w, uint32_t mask)
{
    for (uint32_t i = 0; i < w->depth; i++)
        if (w->stack[i].wait != SPLIT_RUNS && (w->stack[i].mask & mask))
            return true;
    return false;
}

void gs_slot_met(struct gs_slot *s, const struct warp *w)
{
    for (size_t i = 0; i < s->plan->late_preds.len; i++)
        s->regs[s->plan->late_preds.data[i]].flags = 0;
    s->is_waiting = gs_lanes_wait(w, UINT32_MAX);
}

/* --- calls --- */

/* A register of the callee that is a parameter. */
static void copied(const struct gs_sm *m, struct gs_slot *s, const struct gs_func *f,
                   const struct xarg *to, const struct rf_event *e, char *const *base)
{
    const struct xfunc *fn = f->fn->fn;
    uint32_t room[WARP_LANES];
    for (uint32_t reg = 0; to->in_reg && reg < fn->src->nregs; reg++) {
        const struct lane_ref *r = &fn->regs[reg];
        if (r->sel != to->reg.sel || r->off != to->reg.off)
            continue;
        for (unsigned k = 0; k < gs_words_of(r); k++)
            gs_slot_write(m, s, f->places[reg] + k, gs_words(r, base, k, room), e->mask, e->all);
    }
}

void gs_slot_call(const struct gs_sm *m, struct gs_slot *s, const struct rf_event *e)
{
    const struct frame *top = warp_top(e->w)->frame;
    char *base[LANE_BASES];
    if (top->call != e->d->x || e->base[LANE_REGS] == e->w->regs + top->reg_off)
        return; /* of the runtime, or not entered yet */
    const struct gs_func *f = gs_plan_func(s->plan, top->fn);
    *owner_of(s, f) = 0;
    s->func = NULL;
    gs_slot_enter(s, f->fn, top->reg_off);
    memcpy(base, e->base, sizeof base);
    base[LANE_REGS] = e->w->regs + top->reg_off;
    for (uint32_t i = 0; i < top->fn->sig.nparams; i++)
        copied(m, s, f, &top->fn->sig.params[i], e, base);
}
