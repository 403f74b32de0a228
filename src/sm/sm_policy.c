/* What policies at the pipeline's seams see of an SM, and what they do to it. */
#include "sm/sm_policy.h"

#include "base/arena.h"
#include "base/u64map.h"
#include "sm/sm_int.h"

#include <stdlib.h>

cycle_t sm_now(const struct sm *sm)
{
    return sm->slots_done - 1;
}

struct warp *sm_warp(const struct sm *sm, unsigned slot)
{
    return slot < MAX_WARPS ? sm->slot[slot].w : NULL;
}

uint64_t sm_warp_age(const struct sm *sm, unsigned slot)
{
    return slot < MAX_WARPS ? sm->slot[slot].age : 0;
}

const struct dinst *sm_warp_next(const struct sm *sm, unsigned slot)
{
    return slot < MAX_WARPS && (sm->has_inst >> slot & 1) ? sm->slot[slot].next : NULL;
}

/* --- time --- */

static bool is_slot(const struct sm *sm, unsigned slot, const char *what)
{
    if (UNLIKELY(slot >= (unsigned)sm->cfg->warps))
        breach_note(sm->seams.l1.breach, SEAMS, "%s a slot that no warp has: %u of %d (sm.warps)",
                    what, slot, (int)sm->cfg->warps);
    return slot < (unsigned)sm->cfg->warps;
}

void sm_hold(struct sm *sm, unsigned slot, cycle_t until)
{
    if (!is_slot(sm, slot, "hold() of"))
        return;
    sm->held |= UINT64_C(1) << slot;
    sm->slot[slot].held_until = until;
}

void sm_let_go(struct sm *sm, unsigned slot)
{
    if (!is_slot(sm, slot, "let_go() of"))
        return;
    const uint64_t bit = UINT64_C(1) << slot;
    if (!(sm->held & bit))
        return;
    sm->held &= ~bit;
    sm->leaving &= ~bit;
    sm_look(sm, slot);
}

void sm_look(struct sm *sm, unsigned slot)
{
    if (UNLIKELY(sm->is_asking)) {
        breach_note(sm->seams.l1.breach, SEAM_issue,
                    "look() or let_go() from within precede() or partner(), which change nothing");
        return;
    }
    if (!is_slot(sm, slot, "look() at"))
        return;
    const uint64_t bit = UINT64_C(1) << slot;
    if ((sm->live & bit) && !(sm->deferred & bit))
        sm_look_at_warp(sm, slot);
}

void sm_end_holds(struct sm *sm, cycle_t now)
{
    for (uint64_t m = sm->held; m; m &= m - 1)
        if (sm->slot[first_of(m)].held_until <= now)
            sm_let_go(sm, first_of(m));
}

cycle_t sm_next_hold(const struct sm *sm)
{
    cycle_t next = CYCLE_NEVER;
    for (uint64_t m = sm->held; m; m &= m - 1)
        if (sm->slot[first_of(m)].held_until < next)
            next = sm->slot[first_of(m)].held_until;
    return next;
}

/* --- registers --- */

static const struct lane_ref *register_of(const struct dinst *d, unsigned k)
{
    return d->fn && k < d->nregs ? &d->fn->fn->regs[d->regs[k] - d->fn->regs] : NULL;
}

static unsigned bits_of(const struct lane_ref *r)
{
    return r->bytes ? 8u * r->bytes : 1;
}

unsigned sm_register_read(const struct warp *w, const struct dinst *d, unsigned k, uint64_t *values)
{
    const struct lane_ref *r = register_of(d, k);
    for (unsigned l = 0; r && l < WARP_LANES; l++)
        values[l] = lane_u64(r, w->base, l);
    return r ? bits_of(r) : 0;
}

unsigned sm_register_write(struct warp *w, const struct dinst *d, unsigned k, uint32_t mask,
                           const uint64_t *values)
{
    const struct lane_ref *r = register_of(d, k);
    if (!r)
        return 0;
    FOR_LANES (l, mask)
        lane_set_u64(r, w->base, l, values[l]);
    return bits_of(r);
}

/* --- moves --- */

/* One instruction a register, made when it is first asked for. */
struct moves {
    struct arena arena;
    struct u64map by_register;
};

static struct dinst *move_new(struct sm *sm, const struct dinst *d, unsigned k, unsigned n)
{
    struct dinst *m = arena_array(&sm->moves->arena, struct dinst, 1);
    uint32_t *regs = arena_array(&sm->moves->arena, uint32_t, 2);
    regs[0] = regs[1] = n ? d->regs[k] : 0;
    *m = (struct dinst){.fn = n ? d->fn : NULL,
                        .parts = 1,
                        .regs = regs,
                        .latency = (uint16_t)sm_cfg_latency(sm->cfg, OP_CLASS_alu),
                        .initiation = (uint16_t)sm_cfg_initiation(sm->cfg, OP_CLASS_alu),
                        .ndst = (uint8_t)n,
                        .nsrc = (uint8_t)n,
                        .nregs = (uint8_t)(2 * n),
                        .pipe = PIPE_SP,
                        .unit = UNIT_SP,
                        .class = OP_CLASS_alu};
    return m;
}

/* Whether `m` is what sm_move() gives for these. */
static bool is_that_move(const struct dinst *m, const struct dinst *d, unsigned k, const void *by)
{
    const bool has_one = register_of(d, k) != NULL;
    return m->by == by && m->ndst == has_one &&
           (!has_one || (m->fn == d->fn && m->regs[0] == d->regs[k]));
}

const struct dinst *sm_move(struct sm *sm, const struct dinst *d, unsigned k, const void *by)
{
    const struct lane_ref *r = register_of(d, k);
    if (!sm->moves)
        sm->moves = xcalloc(1, sizeof *sm->moves);
    uint64_t key = (uintptr_t)r ^ ((uint64_t)(uintptr_t)by << 20); /* of another: the next one */
    for (const uint64_t *known; (known = u64map_get(&sm->moves->by_register, key)); key++) {
        const struct dinst *m = (const struct dinst *)(uintptr_t)*known;
        if (is_that_move(m, d, k, by))
            return m;
    }
    struct dinst *m = move_new(sm, d, k, r ? 1 : 0);
    m->by = by;
    u64map_put(&sm->moves->by_register, key, (uintptr_t)m);
    return m;
}

void sm_drop_moves(struct sm *sm)
{
    if (!sm->moves)
        return;
    u64map_free(&sm->moves->by_register);
    arena_free(&sm->moves->arena);
    free(sm->moves);
    sm->moves = NULL;
}
