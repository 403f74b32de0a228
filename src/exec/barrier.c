/* bar and barrier of the block: 16 of them, whole or partial, with reductions. */
#include "exec/grid.h"
#include "exec/lower.h"

#include <string.h>

/* As many never come. */
enum { THREADS_BEYOND = 1 << 20 };

enum bar_kind { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };

struct bar_info {
    uint8_t kind;
    bool has_count, is_cluster;
    struct lane_ref dst, id, count, pred;
};

/* --- release --- */

static void release_split(struct warp *w, struct split *s, const struct cta_barrier *b)
{
    const struct xinst *x = &s->frame->fn->code[s->pc];
    const struct bar_info *info = x->op.data;
    char *base[LANE_BASES] = {w->regs + s->frame->reg_off};
    uint64_t v = info->kind == BAR_POPC  ? b->red_count
                 : info->kind == BAR_AND ? b->red_and
                                         : b->red_or;
    if (info->kind >= BAR_POPC)
        FOR_LANES (l, s->mask)
            lane_set_u64(&info->dst, base, l, v);
    s->wait = SPLIT_RUNS;
    s->pc++;
    w->state = WARP_READY;
    w->met_at = w->ninst;
}

static bool waits_at(const struct split *s, unsigned id)
{
    return s->wait == SPLIT_AT_BARRIER && s->barrier == id;
}

/* Where lanes that wait at `k` can join others of their warp at the same instruction; `k`: nowhere.
 * They must not have a place above those. */
static uint32_t place_to_join(const struct warp *w, uint32_t k, unsigned id)
{
    const struct split *s = &w->stack[k];
    for (uint32_t i = k; i-- > 0;) {
        const struct split *t = &w->stack[i];
        if (waits_at(t, id) && t->pc == s->pc && t->rpc == s->rpc && t->frame == s->frame)
            return i;
        if (t->mask & s->mask)
            break;
    }
    return k;
}

/* Lanes may come to a barrier apart (warp_yield()); a warp leaves it as a whole. */
static void join_lanes(struct warp *w, unsigned id)
{
    for (uint32_t k = w->depth; k-- > 1;) {
        const uint32_t into = waits_at(&w->stack[k], id) ? place_to_join(w, k, id) : k;
        if (into != k)
            warp_join(w, into, k);
    }
}

void cta_check_barrier(struct cta *c, unsigned id)
{
    struct cta_barrier *b = &c->barriers[id];
    if (!(c->barriers_used >> id & 1) ||
        (b->expected ? b->rounded < b->expected : b->lanes < c->live_threads))
        return;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        join_lanes(w, id);
        for (uint32_t k = 0; k < w->depth; k++)
            if (waits_at(&w->stack[k], id))
                release_split(w, &w->stack[k], b);
    }
    c->barriers_used &= ~(UINT32_C(1) << id);
    c->phase++;
}

void cta_check_all_barriers(struct cta *c)
{
    for (uint32_t left = c->barriers_used; left; left &= left - 1)
        cta_check_barrier(c, (unsigned)__builtin_ctz(left));
}

/* --- running --- */

static void arrive(struct warp *w, unsigned id, const struct bar_info *info, uint32_t mask)
{
    unsigned n = (unsigned)__builtin_popcount(mask);
    struct cta_barrier *b = &w->cta->barriers[id];
    if (!(w->cta->barriers_used >> id & 1))
        *b = (struct cta_barrier){.red_and = true};
    w->cta->barriers_used |= UINT32_C(1) << id;
    b->lanes += n;
    b->rounded += mask == w->live ? WARP_LANES : n;
    if (info->kind >= BAR_POPC) {
        uint32_t p = lane_pred(&info->pred, w->base) & mask;
        b->red_count += (unsigned)__builtin_popcount(p);
        b->red_and &= p == mask;
        b->red_or |= p != 0;
    }
}

static bool ctrl_bar(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct bar_info *info = x->op.data;
    struct split *s = warp_top(w);
    if (!mask) {
        s->pc++;
        return true;
    }
    if (mask != s->mask) {
        /* Only some lanes are meant to come here: they meet the others behind the barrier. */
        const uint32_t here = s->pc++;
        warp_push(w, s->frame, here, here + 1, mask);
        return true;
    }
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t id = info->is_cluster ? CTA_NAMED_BARRIERS : lane_u64(&info->id, w->base, first);
    if (id >= CTA_NAMED_BARRIERS && !info->is_cluster)
        return warp_fault(w, x, first, FAULT_ILLEGAL_INSTRUCTION,
                          "barrier %llu does not exist; there are 0 to 15", (unsigned long long)id);
    uint64_t count = info->has_count ? lane_u64(&info->count, w->base, first) : 0;
    arrive(w, (unsigned)id, info, mask);
    w->cta->barriers[id].expected =
        (uint32_t)align_up(count < THREADS_BEYOND ? count : THREADS_BEYOND, WARP_LANES);
    if (info->kind == BAR_ARRIVE) {
        s->pc++;
    } else {
        s->wait = SPLIT_AT_BARRIER;
        s->barrier = (uint8_t)id;
    }
    cta_check_barrier(w->cta, (unsigned)id);
    return true;
}

/* --- lowering --- */

static enum bar_kind bar_kind_of(const struct ptx_inst *i)
{
    if (ptx_inst_has(i, PTX_M_ARRIVE))
        return BAR_ARRIVE;
    if (!ptx_inst_has(i, PTX_M_RED))
        return BAR_SYNC;
    return ptx_inst_has(i, PTX_M_POPC) ? BAR_POPC : ptx_inst_has(i, PTX_M_AND) ? BAR_AND : BAR_OR;
}

/* A cluster has one block here: arriving costs nothing, waiting is a barrier of the block. */
static bool lower_cluster(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (ptx_inst_has(i, PTX_M_ARRIVE)) {
        x->kind = X_NOP;
        return true;
    }
    struct bar_info *info = arena_new(lo->arena, struct bar_info);
    info->kind = BAR_SYNC;
    info->is_cluster = true;
    x->kind = X_CTRL;
    x->fn = ctrl_bar;
    x->op.data = info;
    return true;
}

bool lower_barrier(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    if (ptx_inst_has(i, PTX_M_WARP))
        return lower_warp_barrier(lo, i, x);
    if (ptx_inst_has(i, PTX_M_CLUSTER))
        return lower_cluster(lo, i, x);
    struct bar_info *info = arena_new(lo->arena, struct bar_info);
    info->kind = (uint8_t)bar_kind_of(i);
    bool is_red = info->kind >= BAR_POPC;
    unsigned k = is_red ? 1 : 0, last = i->nops - (is_red ? 1u : 0u);
    if (i->nops < k + 1u + is_red) {
        lo->why = "a missing operand";
        return false;
    }
    if (is_red && (!lower_dest(lo, &i->ops[0], &info->dst) ||
                   !lower_source(lo, &i->ops[last], PTX_PRED, 0, &info->pred)))
        return false;
    if (!lower_source(lo, &i->ops[k++], PTX_U32, 4, &info->id))
        return false;
    info->has_count = k < last;
    if (info->has_count && !lower_source(lo, &i->ops[k], PTX_U32, 4, &info->count))
        return false;
    x->kind = X_CTRL;
    x->fn = ctrl_bar;
    x->op.data = info;
    return true;
}
