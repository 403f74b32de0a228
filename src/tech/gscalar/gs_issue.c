/* Special moves: a compressed register that only some lanes are about to write is first written as
 * it is. And how long a scalar instruction keeps its pipe. */
#include "exec/warp.h"
#include "tech/gscalar/gscalar_int.h"

/* Whether lanes that do not write the register now may read what it holds. Some are where other
 * splits are, some go on with this one, their guard being off. */
static bool is_wanted(struct warp *w, const struct gs_func *f, uint32_t reg, uint32_t mask)
{
    const struct split *top = warp_top(w);
    if ((top->mask & ~mask) && gs_func_is_live(f, reg, 2 * top->pc + 1))
        return true;
    for (uint32_t i = 0; i + 1 < w->depth; i++) {
        const struct split *s = &w->stack[i];
        if ((s->mask & ~top->mask) &&
            (s->frame != top->frame || gs_func_is_live(f, reg, 2 * s->pc)))
            return true;
    }
    return false;
}

/* Metadata of a whole machine does not fit into the host's caches: it is asked for here, where an
 * instruction is first seen, and is there when it is issued. */
static void fetch_sources(const struct gs_slot *s, const struct gs_inst *i)
{
    for (unsigned k = 0; k < i->nsrc; k++)
        __builtin_prefetch(&s->regs[i->src[k].at]);
}

const struct dinst *gs_precede(void *self, struct sm *sm, unsigned slot, struct warp *w,
                               const struct dinst *d)
{
    const struct gs_sm *m = self;
    const struct gs_slot *s = &m->slots[slot];
    (void)sm;
    const struct gs_func *f = gs_slot_look(s, d->fn, (uint32_t)(w->base[LANE_REGS] - w->regs));
    const struct gs_inst *i = f ? &f->code[d - d->fn->code] : NULL;
    if (!i)
        return NULL;
    fetch_sources(s, i);
    if (LIKELY((warp_top(w)->mask & w->lanes) == w->all && !d->x->has_guard) || !i->moves)
        return NULL;
    const uint32_t mask = gs_next_lanes(w, d->x);
    if (!mask || mask == w->all)
        return NULL;
    for (unsigned k = 0; k < i->ndst; k++)
        if (gs_slot_is_packed(s, &i->dst[k]) &&
            (m->g->cfg->moves == GS_MOVES_ALWAYS || is_wanted(w, f, i->dst[k].reg, mask)))
            return &i->moves[k].d;
    return NULL;
}

/* Batches of lanes in which a unit takes a warp: the interval of its plainest instructions. */
static uint32_t batches_of(const struct sm_cfg *cfg, unsigned unit)
{
    static const uint8_t plain[UNITS] = {[UNIT_SP] = OP_CLASS_alu,
                                         [UNIT_SFU] = OP_CLASS_sfu,
                                         [UNIT_DP] = OP_CLASS_dadd,
                                         [UNIT_MEM] = OP_CLASS_alu};
    return (uint32_t)sm_cfg_initiation(cfg, (enum op_class)plain[unit]);
}

uint32_t gs_initiation(void *self, const struct rf_event *e, uint32_t initiation)
{
    const struct gs_sm *m = self;
    if (!m->is_one)
        return initiation;
    const uint32_t one = initiation / batches_of(m->g->sm_cfg, e->d->unit);
    return one ? one : 1;
}
