/* How long a turn is, when a block that only asks memory gives way, and where reads have turns
 * of their own. */
#include "exec/turns.h"

#include "base/exact.h"
#include "exec/groups.h"

#include <stdlib.h>

/* A warp runs this long before the next warp of its block has its turn; and in a launch in which
 * blocks have been seen to wait for each other. */
#define TURN       (UINT64_C(1) << 12)
#define SHORT_TURN (UINT64_C(1) << 8)
/* A loop that waits has no more branches than this. */
#define SPIN_BRANCHES 64u
/* A warp pauses at every access to shared memory that is marked while it is so close behind a
 * barrier; then they are this part of the way apart, and at last so many instructions. */
#define PAUSE_CLOSE UINT64_C(256)
#define PAUSE_PART  8u
#define PAUSE_MOST  UINT64_C(512)
/* So many blocks without a race, or so many reads of every warp in long ones, and nobody looks for
 * one any more in this launch. */
#define WATCHED_BLOCKS 4u
#define WATCHED_READS  1024u

void turns_begin(struct grid *g)
{
    g->turn = TURN;
    g->watched_blocks = g->kernel->has_rereads && g->nwarps > 1 ? WATCHED_BLOCKS : 0;
    g->watched_reads = WATCHED_READS;
}

void turns_end(struct grid *g)
{
    free(g->seen);
    g->seen = NULL;
    g->seen_bytes = 0;
}

/* --- waiting for others --- */

/* Where a warp is; what its registers hold is in grid.seen. */
struct place {
    const struct frame *frame;
    uint32_t pc, mask, depth;
};

/* Frames are large: a copy, and a comparison that ends at the first difference, cost a part of what
 * a sum over all of them does. */
static void keep_regs(const struct warp *w, const struct frame *f)
{
    struct grid *g = w->grid;
    const uint32_t bytes = f->fn->frame_bytes;
    if (g->seen_bytes < bytes) {
        g->seen_bytes = bytes;
        g->seen = xrealloc(g->seen, bytes);
    }
    exact_copy_all(g->seen, w->regs + f->reg_off, bytes);
}

static bool has_kept_regs(const struct warp *w, const struct frame *f)
{
    return exact_is_same(w->regs + f->reg_off, w->grid->seen, f->fn->frame_bytes);
}

static bool is_at(struct warp *w, const struct place *p)
{
    const struct split *s = warp_top(w);
    return w->depth == p->depth && s->pc == p->pc && s->mask == p->mask && s->frame == p->frame;
}

/* Runs a loop once more: a warp that comes back to the same place with the same registers waits for
 * somebody else to write to memory. What it does meanwhile counts as usual. */
static enum warp_stop look_whether_it_spins(struct warp *w, bool *spins)
{
    const struct split *s = warp_top(w);
    const struct place here = {s->frame, s->pc, s->mask, w->depth};
    enum warp_stop stop = WARP_STOP_BUDGET;
    keep_regs(w, here.frame);
    for (unsigned k = 0; k < SPIN_BRANCHES && stop == WARP_STOP_BUDGET; k++) {
        stop = warp_run(w, 1);
        if (stop == WARP_STOP_BUDGET && is_at(w, &here)) {
            *spins = has_kept_regs(w, here.frame);
            break;
        }
    }
    return stop;
}

/* --- races --- */

/* Warps leave a barrier together, so what comes soon behind it has the order of the code: one of
 * them rarely gets ahead of another by a large part of the way. */
static bool pauses(struct warp *w)
{
    const uint64_t way = w->ninst - w->met_at, since = w->ninst - w->paused_at;
    if (w->grid->nwarps == 1 ||
        (way > PAUSE_CLOSE && since < PAUSE_MOST && since < way / PAUSE_PART))
        return false;
    w->paused_at = w->turn_end = w->ninst;
    return true;
}

bool turn_ends_at(struct warp *w, const struct xinst *x, uint32_t mask)
{
    if (!(x->ends_turn & TURN_REREAD) || !w->grid->watched_blocks)
        return x->ends_turn & TURN_SHARED && pauses(w);
    w->reread =
        lane_u64(&x->mem.addr, w->base, (unsigned)__builtin_ctz(mask)) + (uint64_t)x->mem.imm;
    w->turn_end = w->ninst;
    return true;
}

/* Whether two warps are about to write what both have just read. */
static bool is_race(const struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++)
        for (uint32_t k = 0; c->warps[i].reread && k < i; k++)
            if (c->warps[i].reread == c->warps[k].reread)
                return true;
    return false;
}

static void watch_races(struct cta *c)
{
    struct grid *g = c->grid;
    bool any = false;
    c->has_race = c->has_race || is_race(c);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        any |= c->warps[i].reread != 0;
        c->warps[i].reread = 0;
    }
    if (any && !c->has_race && !--g->watched_reads)
        g->watched_blocks = 0;
}

static void note_block_end(struct cta *c)
{
    struct grid *g = c->grid;
    if (g->watched_blocks && !c->has_race)
        g->watched_blocks--;
}

/* --- turns --- */

/* What a round, one turn for every warp that can run, has shown. */
struct round {
    bool any_alive, any_ran, only_spins;
    uint64_t ran;
};

static bool run_round(struct cta *c, struct round *r)
{
    struct grid *g = c->grid;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        if (w->state == WARP_DONE)
            continue;
        r->any_alive = true;
        if (w->state == WARP_BLOCKED)
            continue;
        r->any_ran = true;
        uint64_t before = w->ninst;
        bool spins = false;
        g->turn_from = before;
        enum warp_stop stop = warp_run(w, g->turn);
        if (stop == WARP_STOP_BUDGET && r->only_spins && w->paused_at != w->ninst)
            stop = look_whether_it_spins(w, &spins);
        r->only_spins = r->only_spins && spins;
        r->ran += w->ninst - before;
        g->clock += w->ninst - before;
        if (stop == WARP_STOP_FAULT)
            return false;
    }
    return true;
}

static void fault_deadlock(struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        if (w->state != WARP_BLOCKED || !w->depth)
            continue;
        if (group_fault_deadlock(w))
            return;
        struct split *s = warp_top(w);
        const struct cta_barrier *b = &c->barriers[s->barrier];
        warp_fault(w, &s->frame->fn->code[s->pc], (unsigned)__builtin_ctz(s->mask),
                   FAULT_LAUNCH_TIMEOUT,
                   "deadlock: barrier %u has %u of %u threads, and no other can come", s->barrier,
                   b->lanes, b->expected ? b->expected : c->live_threads);
        return;
    }
}

static bool has_ended(const struct cta *c)
{
    for (uint32_t i = 0; i < c->nwarps; i++)
        if (c->warps[i].state != WARP_DONE)
            return false;
    return true;
}

static enum cta_stop end_block(struct cta *c)
{
    note_block_end(c);
    return CTA_DONE;
}

enum cta_stop cta_run(struct cta *c, uint64_t quantum)
{
    struct grid *g = c->grid;
    uint64_t ran = 0;
    for (uint32_t n = 1; ran < quantum; n++) {
        /* Looking costs something: after 1, 2, 4, ... rounds. */
        struct round r = {.only_spins = g->kernel->may_spin && !(n & (n - 1))};
        if (!run_round(c, &r))
            return CTA_FAULT;
        ran += r.ran;
        if (g->watched_blocks)
            watch_races(c);
        if (!r.any_alive)
            return end_block(c);
        if (!r.any_ran) {
            fault_deadlock(c);
            return CTA_FAULT;
        }
        if (r.only_spins) {
            g->turn = SHORT_TURN;
            c->rounds = !g->launch->is_cooperative;
            return CTA_PAUSED;
        }
        if (n == c->rounds) {
            c->rounds += c->rounds / 4 + 1;
            return CTA_PAUSED;
        }
    }
    /* Its last warp may have ended with the quantum: at a limit no other turn comes to see it. */
    return has_ended(c) ? end_block(c) : CTA_PAUSED;
}
