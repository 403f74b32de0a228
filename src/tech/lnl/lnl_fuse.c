/* Fusion (../shared/spec/lnl.md, 2.7): two neighbouring warps of a block, both approximated in the
 * same visit of a region, are fetched and issued as one. Who is where is kept as a stack of (pc,
 * rpc) for both, in the order in which one warp of all their lanes would go; whoever has no lanes
 * at its top sits out. Values do not depend on it. */
#include "exec/grid.h"
#include "tech/lnl/lnl_int.h"

#include <stdlib.h>
#include <string.h>

bool lnl_fuses(const struct lnl *g)
{
    return (g->design.uses & LNL_USE_FUSE) && g->cfg->start && g->cfg->group > 1;
}

static unsigned other_of(const struct lnl_pair *p, unsigned slot)
{
    return p->slot[p->slot[0] == slot];
}

/* --- neighbours --- */

static bool are_neighbours(const struct lnl_sm *m, unsigned a, unsigned b)
{
    const struct warp *x = m->slots[a].w, *y = m->slots[b].w;
    return x && y && x->cta == y->cta && (x->id ^ y->id) == 1 &&
           a % (unsigned)m->g->sm_cfg->subcores == b % (unsigned)m->g->sm_cfg->subcores;
}

void lnl_fuse_start(struct lnl_sm *m, unsigned slot, const struct warp *w)
{
    struct lnl_slot *s = &m->slots[slot];
    s->w = w;
    if (s->plan->nareas > s->visits_cap) {
        s->visits_cap = s->plan->nareas;
        s->visits = xrealloc(s->visits, s->visits_cap * sizeof *s->visits);
    }
    if (s->plan->nareas)
        memset(s->visits, 0, s->plan->nareas * sizeof *s->visits);
    for (unsigned k = 0; k < LNL_SLOTS; k++)
        if (are_neighbours(m, slot, k)) {
            s->sibling = (int)k;
            m->slots[k].sibling = (int)slot;
        }
}

void lnl_fuse_end(struct lnl_sm *m, unsigned slot)
{
    struct lnl_slot *s = &m->slots[slot];
    if (s->sibling != LNL_NO_SLOT)
        m->slots[s->sibling].sibling = LNL_NO_SLOT;
    s->sibling = LNL_NO_SLOT;
    s->w = NULL;
}

/* --- waiting --- */

static void stop_waiting(struct lnl_sm *m, struct lnl_slot *s)
{
    s->waits = false;
    m->stats.wait_partner += sm_now(m->sm) - s->waits_since;
}

static void let_go(struct lnl_sm *m, unsigned slot, uint64_t *cause)
{
    stop_waiting(m, &m->slots[slot]);
    ++*cause;
    sm_let_go(m->sm, slot);
}

/* Why there is nothing to wait for at the region, which `s` has just entered; NULL: its sibling may
 * come. */
static uint64_t *why_not_wait(struct lnl_sm *m, const struct lnl_slot *s, const struct lnl_slot *t)
{
    const uint32_t a = s->area->number;
    return !t->w->live || t->w->state == WARP_DONE ? &m->stats.left_exit
           : t->w->state == WARP_BLOCKED           ? &m->stats.left_barrier
           : t->waits                              ? &m->stats.left_elsewhere
           : t->visits[a] >= s->visits[a]          ? &m->stats.left_past
                                                   : NULL;
}

/* --- pairs --- */

/* So that pairs are shared out among the schedulers: the one that has the pair's number. */
static unsigned choose_leader(const struct lnl_sm *m, const struct lnl_pair *p)
{
    const unsigned n = (unsigned)(m->g->sm_cfg->subcores * m->g->sm_cfg->schedulers);
    const unsigned wanted = m->slots[p->slot[0]].w->id / 2 % n;
    return p->slot[0] % n != wanted && p->slot[1] % n == wanted;
}

static struct lnl_pair *free_pair(struct lnl_sm *m)
{
    struct lnl_pair *p = m->pairs;
    while (p->is_used)
        p++;
    return p;
}

/* `slot` has just executed START_APPROX, `sibling` waits there. The one that does not lead is held
 * until the SM has made it a follower. */
static void fuse(struct lnl_sm *m, unsigned slot, unsigned sibling)
{
    struct lnl_pair *p = free_pair(m);
    const struct lnl_area *a = m->slots[slot].area;
    const unsigned odd = m->slots[slot].w->id & 1;
    stop_waiting(m, &m->slots[sibling]);
    p->slot[odd] = slot;
    p->slot[!odd] = sibling;
    p->at[0].pc = a->begin;
    p->at[0].rpc = a->end;
    p->depth = 1;
    p->leader = choose_leader(m, p);
    p->is_held = p->is_used = true;
    m->slots[slot].pair = m->slots[sibling].pair = p;
    m->stats.fused_regions++;
    sm_hold(m->sm, p->slot[!p->leader], CYCLE_NEVER);
    if (p->slot[p->leader] == sibling)
        sm_let_go(m->sm, sibling);
}

static void part(struct lnl_sm *m, struct lnl_pair *p)
{
    m->slots[p->slot[0]].pair = m->slots[p->slot[1]].pair = NULL;
    p->is_used = false;
    if (p->is_held)
        sm_let_go(m->sm, p->slot[!p->leader]);
    p->is_held = false;
}

void lnl_fuse_arrive(struct lnl_sm *m, unsigned slot, const struct lnl_area *a, bool is_approx)
{
    struct lnl_slot *s = &m->slots[slot];
    s->visits[a->number]++;
    if (s->sibling == LNL_NO_SLOT)
        return;
    const unsigned sibling = (unsigned)s->sibling;
    struct lnl_slot *t = &m->slots[sibling];
    const bool is_met = t->waits && t->area == a && t->visits[a->number] == s->visits[a->number];
    if (is_met && is_approx) {
        fuse(m, slot, sibling);
        return;
    }
    if (is_met || (t->waits && t->visits[t->area->number] < s->visits[t->area->number]))
        let_go(m, sibling, is_met ? &m->stats.left_precise : &m->stats.left_past);
    uint64_t *cause = is_approx ? why_not_wait(m, s, t) : NULL;
    if (cause)
        ++*cause;
    if (!is_approx || cause)
        return;
    s->waits = true;
    s->waits_since = sm_now(m->sm);
    sm_hold(m->sm, slot, s->waits_since + (cycle_t)m->g->cfg->fuse_wait);
}

/* --- where the pair is --- */

/* The pc that the warp executes next, once its barrier has opened. */
static uint32_t place_of(struct lnl_sm *m, unsigned slot)
{
    struct warp *w = sm_warp(m->sm, slot);
    if (!warp_peek(w) && w->state == WARP_DONE)
        return PTX_NO_PC;
    const struct split *top = warp_top(w);
    return top->pc + (top->wait == SPLIT_AT_BARRIER);
}

static void push(struct lnl_pair *p, uint32_t pc, uint32_t rpc)
{
    if (pc == rpc || p->depth == LNL_JOINT)
        return;
    p->at[p->depth].pc = pc;
    p->at[p->depth++].rpc = rpc;
}

/* As a single warp's stack goes (exec/control.c): the target's side first. */
static void diverge(struct lnl_pair *p, uint32_t target, uint32_t next, uint32_t reconv)
{
    const uint32_t rpc = p->at[p->depth - 1].rpc;
    uint32_t *pc = &p->at[p->depth - 1].pc;
    if (reconv == PTX_NO_PC || reconv == rpc) {
        const bool is_one = next == rpc || target == rpc; /* the others are where they meet */
        *pc = next == rpc ? target : next;
        if (!is_one)
            push(p, target, rpc);
        return;
    }
    *pc = reconv;
    push(p, next, reconv);
    push(p, target, reconv);
}

/* The instruction at the top was executed; `took`, `fell`: whether lanes did, if it is a branch. */
static void advance(struct lnl_pair *p, const struct xinst *x, bool took, bool fell)
{
    uint32_t *pc = &p->at[p->depth - 1].pc;
    const uint32_t next = *pc + 1;
    if (!x->is_branch)
        *pc = next;
    else if (took && fell)
        diverge(p, x->target, next, x->reconv);
    else
        *pc = took ? x->target : next;
}

/* Goes to where lanes are; who leads from there on. False: they have left the region. */
static bool settle(struct lnl_sm *m, struct lnl_pair *p)
{
    const uint32_t place[2] = {place_of(m, p->slot[0]), place_of(m, p->slot[1])};
    uint32_t pc;
    for (;; p->depth--) {
        if (!p->depth)
            return false;
        pc = p->at[p->depth - 1].pc;
        if (pc != p->at[p->depth - 1].rpc && (place[0] == pc || place[1] == pc))
            break;
    }
    if (place[p->leader] != pc) {
        p->leader = !p->leader;
        p->is_held = true;
        sm_hold(m->sm, p->slot[!p->leader], CYCLE_NEVER);
    }
    return true;
}

/* --- instructions --- */

int lnl_partner(void *self, struct sm *sm, unsigned slot)
{
    const struct lnl_sm *m = self;
    const struct lnl_pair *p = m->slots[slot].pair;
    (void)sm;
    return p && p->slot[p->leader] == slot ? (int)other_of(p, slot) : -1;
}

/* Precise instructions of both have up to 64 lanes: two passes. */
uint32_t lnl_initiation(void *self, const struct rf_event *e, uint32_t initiation)
{
    const struct lnl_sm *m = self;
    const struct lnl_slot *s = &m->slots[e->slot];
    const bool is_wide = !e->is_extra && e->partner >= 0 && s->role == LNL_BY_ALL &&
                         e->d->unit != UNIT_MEM && !(e->d->flags & DINST_CONTROL);
    return is_wide ? 2 * initiation : initiation;
}

void lnl_fuse_before(struct lnl_sm *m, unsigned slot, const struct warp *w, const struct dinst *d)
{
    struct lnl_slot *s = &m->slots[slot];
    struct lnl_pair *p = s->pair;
    if (s->waits) { /* the hold is over */
        stop_waiting(m, s);
        m->stats.left_timeout++;
    }
    if (!p)
        return;
    const uint32_t split = w->stack[w->depth - 1].mask;
    s->took = d->x->has_guard ? warp_guard_mask(w, d->x, split) : split;
    s->fell = split & ~s->took;
    if (p->is_held && p->slot[p->leader] == slot) {
        p->is_held = false;
        sm_let_go(m->sm, other_of(p, slot));
    }
}

/* Of a pair. */
static void after_joint(struct lnl_sm *m, struct lnl_pair *p, const struct rf_event *e)
{
    const struct lnl_slot *s = &m->slots[e->slot], *t = &m->slots[other_of(p, e->slot)];
    const bool is_both = e->partner >= 0;
    const bool is_leader = p->slot[p->leader] == e->slot;
    const bool is_lone_barrier = (e->d->flags & DINST_BARRIER) && !is_both;
    const bool has_table = (e->d->flags & DINST_CONTROL) && !e->d->x->is_branch;
    if (is_both && is_leader) /* its follower is next */
        return;
    /* one that goes by itself though the other is there too, or goes where it should not be */
    const bool is_apart =
        !is_both && (!is_leader || place_of(m, other_of(p, e->slot)) == p->at[p->depth - 1].pc);
    if (is_lone_barrier || has_table || is_apart) {
        m->stats.unfused++;
        part(m, p);
        return;
    }
    advance(p, e->d->x, s->took || (is_both && t->took), s->fell || (is_both && t->fell));
    if (!settle(m, p))
        part(m, p);
}

void lnl_fuse_after(struct lnl_sm *m, const struct rf_event *e)
{
    const struct lnl_slot *s = &m->slots[e->slot];
    if (s->sibling == LNL_NO_SLOT)
        return;
    const unsigned sibling = (unsigned)s->sibling;
    if (m->slots[sibling].waits && !e->w->live)
        let_go(m, sibling, &m->stats.left_exit);
    else if (m->slots[sibling].waits && (e->d->flags & DINST_BARRIER))
        let_go(m, sibling, &m->stats.left_barrier);
    if (s->pair)
        after_joint(m, s->pair, e);
}
