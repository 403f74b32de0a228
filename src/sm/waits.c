/* What each warp of an SM waits for, and whose instruction is to blame: of a register that is not
 * there the one that writes it, of a busy load/store unit the one that is in it, else its own. */
#include "sm/sm_int.h"

#include <string.h>

/* Instructions in flight, oldest first found by `issued`. */
struct flying {
    const struct sm *sm;
    uint64_t is_free[UINT16_MAX / 64 + 1];
};

static void find_free(struct flying *v)
{
    memset(v->is_free, 0, sizeof v->is_free);
    for (uint16_t i = v->sm->fl_free; i != NO_INFLIGHT; i = v->sm->fl[i].next)
        v->is_free[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool writes_what(const struct dinst *by, const struct dinst *d)
{
    for (unsigned k = 0; k < by->ndst; k++)
        for (unsigned j = 0; j < d->nregs; j++)
            if (by->regs[k] % SCOREBOARD == d->regs[j] % SCOREBOARD)
                return true;
    return false;
}

/* The oldest instruction of the warp that writes what `d` needs; NULL: none is in flight. */
static const struct dinst *writer_of(const struct flying *v, unsigned slot, const struct dinst *d)
{
    const struct inflight *oldest = NULL;
    for (uint32_t i = 0; i < v->sm->nfl; i++) {
        const struct inflight *f = &v->sm->fl[i];
        if (v->is_free[i / 64] >> (i % 64) & 1 || f->slot != slot || f->extra)
            continue;
        if (writes_what(f->d, d) && (!oldest || f->issued < oldest->issued))
            oldest = f;
    }
    return oldest ? oldest->d : NULL;
}

static enum sm_wait wait_for(const struct dinst *writer)
{
    return writer->pipe != PIPE_MEM ? SM_WAIT_result
           : dinst_loads(writer) && !(writer->x && writer->x->space == PTX_SPACE_SHARED)
               ? SM_WAIT_load
               : SM_WAIT_shared;
}

/* Where the warp stands: its next instruction, or, `is_late`, the one that it cannot leave, which
 * is its next (a barrier) or has been executed. */
static const struct dinst *stands_at(const struct warp_slot *ws, bool is_late)
{
    if (!ws->w->depth)
        return NULL;
    const struct split *s = warp_top(ws->w);
    const struct dfunc *fn = decoded_func(ws->code, s->frame->fn);
    const struct dinst *d = fn && s->pc < fn->ncode ? &fn->code[s->pc] : NULL;
    return is_late && d && s->pc && !(d->flags & DINST_BARRIER) ? d - 1 : d;
}

/* Ready; but is there room? */
static enum sm_wait wait_ready(const struct sm *sm, unsigned slot, const struct dinst **blame)
{
    const struct subcore *sub = &sm->sub[sm_subcore_of(sm, slot)];
    if (sm_with_room(sm, sub) >> slot & 1)
        return SM_WAIT_issue;
    if (!(sm->wants[PIPE_MEM] >> slot & 1))
        return SM_WAIT_pipe;
    if (sm->lsu.entry != NO_INFLIGHT && !sm->fl[sm->lsu.entry].extra)
        *blame = sm->fl[sm->lsu.entry].d;
    return sm->lsu.is_blocked ? SM_WAIT_refused : SM_WAIT_lsu;
}

static enum sm_wait wait_of(const struct flying *v, unsigned slot, const struct dinst **blame)
{
    const struct sm *sm = v->sm;
    const struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    if ((sm->barrier | sm->leaving | sm->fenced | sm->deferred) & bit) {
        *blame = stands_at(ws, true);
        return (sm->barrier | sm->leaving) & bit ? SM_WAIT_barrier : SM_WAIT_order;
    }
    *blame = sm->has_inst & bit ? ws->next : stands_at(ws, false);
    if (!(sm->has_inst & bit) || !*blame)
        return SM_WAIT_fetch;
    if ((sm->held | sm->blocked) & bit)
        return SM_WAIT_held;
    if (sm->ready & bit)
        return wait_ready(sm, slot, blame);
    const struct dinst *writer = writer_of(v, slot, *blame);
    if (!writer)
        return SM_WAIT_result;
    *blame = writer;
    return wait_for(writer);
}

void sm_each_wait(const struct sm *sm, void (*fn)(void *ctx, const struct dinst *d, enum sm_wait),
                  void *ctx)
{
    struct flying v = {.sm = sm};
    const uint64_t live = sm->live & ~sm->coming;
    if (!live)
        return;
    find_free(&v);
    for (uint64_t m = live; m; m &= m - 1) {
        const struct dinst *blame = NULL;
        const enum sm_wait why = wait_of(&v, first_of(m), &blame);
        if (blame && blame->x)
            fn(ctx, blame, why);
    }
}

const struct dinst *sm_inst_of(const struct sm *sm, uint32_t token)
{
    return token < sm->nfl && !sm->fl[token].extra ? sm->fl[token].d : NULL;
}
