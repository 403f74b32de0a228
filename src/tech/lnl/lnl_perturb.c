/* lnl-perturb: everything is computed precisely, from loads that are a little off. Which ones the
 * marks say: checked loads, and loads of regions that could be checked. Stores to global memory are
 * kept, of some blocks. */
#include "exec/grid.h"
#include "ptx/isa.h"
#include "tech/lnl/lnl_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a launch as many blocks, spread over it; of a kernel as many launches; of an instruction and
 * a warp as many visits. */
enum { BLOCKS = 64, LAUNCHES = 8, VISITS = 16 };

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xFF51AFD7ED558CCD);
    return h ^ h >> 32;
}

/* --- loads --- */

/* Off by `share` at most, up or down by `dice`; an integer by one at least. */
static uint32_t off(uint32_t word, enum ptx_type t, double share, uint64_t dice)
{
    const double by = share * ((double)(dice >> 11) / (double)(UINT64_C(1) << 52) - 1);
    const unsigned bits = ptx_type_bits(t) < 32 ? ptx_type_bits(t) : 32;
    if (ptx_type_is_float(t)) {
        float f;
        memcpy(&f, &word, sizeof f);
        f = (float)((double)f * (1 + by));
        memcpy(&word, &f, sizeof f);
        return word;
    }
    const uint32_t most = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
    const uint32_t v = word & most;
    const double size =
        ptx_type_is_signed(t) ? fabs((double)((int32_t)(v << (32 - bits)) >> (32 - bits))) : v;
    const uint32_t step = (uint32_t)fmax(1, round(fabs(by) * size));
    const bool is_up = by > 0 ? v <= most - step : v < step; /* as far as the type goes */
    return (word & ~most) | ((is_up ? v + step : v - step) & most);
}

static bool is_perturbed(const struct lnl_slot *s, const struct dinst *d)
{
    const struct ptx_inst *i = &s->func->marks.f->insts[lnl_pc(d)];
    return (s->inst->flags & (LNL_CHECKED | LNL_INSIDE)) && lnl_is_checkable(i) &&
           ptx_inst_space(i) != PTX_SPACE_CONST;
}

static enum ptx_type type_of(const struct ptx_inst *i, const struct ptx_reg *r)
{
    const enum ptx_type t = i->ntypes ? (enum ptx_type)i->types[0] : PTX_B32;
    return t == PTX_B32 && r->type == PTX_F32 ? PTX_F32 : t;
}

void lnl_perturb_load(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e)
{
    const struct ptx_func *f = s->func->marks.f;
    const uint32_t pc = lnl_pc(e->d);
    if (!is_perturbed(s, e->d) || m->g->cfg->perturb == 0)
        return;
    for (unsigned k = 0; k < e->d->ndst; k++) {
        const uint32_t reg = e->d->regs[k] - e->d->fn->regs;
        const struct lane_ref *r = &e->d->fn->fn->regs[reg];
        const enum ptx_type t = type_of(&f->insts[pc], &f->regs[reg]);
        if (ptx_type_bits(t) > 32 || r->bytes > 4)
            continue;
        FOR_LANES (l, e->mask) {
            uint64_t dice = mix(mix(e->w->cta->number, e->w->first_thread + l), pc);
            dice = mix(mix(dice, k), e->w->ninst);
            lane_set_u64(r, e->base, l,
                         off((uint32_t)lane_u64(r, e->base, l), t, m->g->cfg->perturb, dice));
        }
    }
}

/* --- stores --- */

static uint32_t *visits_of(struct lnl_slot *s, const struct dinst *d)
{
    const uint32_t need = (uint32_t)(d->fn->ncode);
    if (s->stored_cap < need) {
        s->stored = xrealloc(s->stored, need * sizeof *s->stored);
        memset(s->stored + s->stored_cap, 0, (need - s->stored_cap) * sizeof *s->stored);
        s->stored_cap = need;
    }
    return &s->stored[lnl_pc(d)];
}

static bool is_kept(const struct lnl_slot *s, const struct warp *w)
{
    const uint32_t *grid = w->grid->launch->grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t every = (blocks + BLOCKS - 1) / BLOCKS;
    return s->launch < LAUNCHES && w->cta->number % every == 0;
}

void lnl_watch_store(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e)
{
    const struct xinst *x = e->d->x;
    const struct ptx_inst *i = &e->d->fn->fn->src->insts[lnl_pc(e->d)];
    const enum ptx_space space = ptx_inst_space(i);
    if (i->op != PTX_OP_ST || (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_GENERIC) ||
        !is_kept(s, e->w) || ptx_type_bits((enum ptx_type)x->mem.type) > 32)
        return;
    const uint32_t visit = (*visits_of(s, e->d))++;
    struct lnl_stored r = {.kernel = lnl_watched_hash(e->w->grid->kernel->src->name),
                           .launch = s->launch,
                           .block = (uint32_t)e->w->cta->number,
                           .pc = lnl_pc(e->d),
                           .visit = visit,
                           .type = x->mem.type};
    FOR_LANES (l, visit < VISITS ? e->mask : 0)
        for (unsigned k = 0; k < x->mem.nregs; k++) {
            r.thread = e->w->first_thread + l;
            r.element = k;
            r.addr = lane_u64(&x->mem.addr, e->base, l) + (uint64_t)x->mem.imm;
            r.word = (uint32_t)lane_u64(&x->mem.regs[k], e->base, l);
            vec_push(&m->watched.at, r);
        }
}

/* --- launches --- */

static struct lnl_launches *launches_of(const struct lnl *g, const struct kernel *k)
{
    const uint64_t name = lnl_watched_hash(k->src->name);
    for (size_t i = 0; i < g->launches.len; i++)
        if (g->launches.data[i].name == name)
            return &g->launches.data[i];
    return NULL;
}

void lnl_watch_launch(struct lnl *g, const struct kernel *k)
{
    struct lnl_launches *l = launches_of(g, k);
    if (l)
        l->n++;
    else
        vec_push(&g->launches, ((struct lnl_launches){lnl_watched_hash(k->src->name), 1}));
}

uint32_t lnl_watch_number(const struct lnl *g, const struct kernel *k)
{
    const struct lnl_launches *l = launches_of(g, k);
    return l ? l->n - 1 : 0;
}

bool lnl_watch_finish(struct lnl *g, struct err *err)
{
    struct lnl_watched all = {0};
    for (uint32_t i = 0; i < g->nsms; i++)
        for (size_t k = 0; k < g->sms[i].watched.at.len; k++)
            vec_push(&all.at, g->sms[i].watched.at.data[k]);
    const bool ok = lnl_watched_write(&all, g->cfg->watch, err);
    lnl_watched_free(&all);
    return ok;
}
