/* What warps do, and when they have to wait for their assist warps. */
#include "tech/rmt/rmt_int.h"

#include <stdlib.h>
#include <string.h>

/* --- making one --- */

bool rmt_is_bare(const struct rmt_bare *b, const struct kernel *k)
{
    for (size_t i = 0; i < b->kernels.len; i++)
        if (b->kernels.data[i] == k)
            return true;
    return false;
}

void rmt_init(struct rmt *r, const struct rmt_cfg *cfg, const struct sm_cfg *sm_cfg,
              const struct rmt_bare *bare, uint32_t sm)
{
    *r = (struct rmt){
        .cfg = cfg, .sm_cfg = sm_cfg, .bare = bare, .faults_left = (uint64_t)cfg->faults};
    r->rng.state = (uint64_t)cfg->fault_seed << 32 | sm;
    r->next_fault = 1 + rng_below(&r->rng, 2 * (uint32_t)cfg->fault_every - 1);
}

static void free_registers(struct rmt_warp *v)
{
    free(v->regs);
    free(v->lanes);
    free(v->covered);
    free(v->is_written);
    vec_free(&v->queue);
    vec_free(&v->copies);
}

void rmt_free(struct rmt *r)
{
    for (unsigned i = 0; i < RMT_SLOTS; i++)
        free_registers(&r->warps[i]);
    rmt_codes_free(r);
}

bool rmt_launch(struct rmt *r)
{
    for (unsigned i = 0; i < RMT_SLOTS; i++)
        if (r->warps[i].code)
            return false;
    rmt_codes_free(r);
    return true;
}

/* --- a warp's begin and end --- */

static void begin_warp(struct rmt *r, struct sm *sm, unsigned slot, const struct dfunc *fn)
{
    struct rmt_warp *v = &r->warps[slot];
    free_registers(v);
    *v = (struct rmt_warp){.code = rmt_code_of(r, fn)};
    v->x.w = extra_parent(sm, slot);
    v->x.slot = (uint16_t)slot;
    v->frame = warp_top(v->x.w)->frame;
    const uint32_t n = v->code->nregs + 1;
    v->regs = xalloc_aligned(128, align_up(fn->fn->frame_bytes + 128, 128));
    memset(v->regs, 0, fn->fn->frame_bytes);
    v->lanes = xcalloc(n, sizeof *v->lanes);
    v->covered = xcalloc(n, sizeof *v->covered);
    v->is_written = xcalloc(n, sizeof *v->is_written);
    r->of_sched[sm_scheduler_of(sm, slot)] |= UINT64_C(1) << slot;
}

static void end_warp(struct rmt *r, struct rmt_warp *v)
{
    rmt_close_fault(r, v);
    v->code = NULL;
}

/* --- checks --- */

static bool is_on_its_way(const struct rmt_warp *v, uint32_t reg)
{
    for (size_t i = 0; i < v->copies.len; i++)
        if (v->copies.data[i].reg == reg)
            return true;
    return false;
}

/* What is compared before `next` may go: what was written, and what it reads. */
static void choose_registers(const struct rmt *r, struct rmt_warp *v)
{
    const struct dinst *d = v->next;
    const uint32_t pc = (uint32_t)(d - v->code->fn->code);
    for (uint32_t k = 0; !r->cfg->compare_dead && k < v->code->nregs; k++)
        if (v->is_written[k] && !rmt_is_live(v->code, k, pc)) {
            v->is_written[k] = false;
            v->ncompare--;
        }
    for (unsigned k = d->ndst; k < d->nregs; k++) {
        const uint32_t reg = d->regs[k] - v->code->first;
        if (v->lanes[reg] && !is_on_its_way(v, reg))
            rmt_mark(v, reg);
    }
    v->ncompared = 0;
}

static void end_check(struct rmt *r, struct rmt_warp *v, cycle_t now)
{
    rmt_judge(r, v, now);
    for (uint32_t k = 0; v->differs && k < v->code->nregs; k++)
        if (!rmt_same(v, k)) {
            rmt_restore(v, k);
            r->stats.restored++;
        }
    v->differs = false;
}

/* The warp is between two instructions: what comes next, and whether it is to be checked first. */
static void look_ahead(struct rmt *r, struct sm *sm, struct rmt_warp *v)
{
    struct warp *w = v->x.w;
    const struct xinst *x = warp_is_deferred(w) ? NULL : warp_peek(w);
    v->expected = x;
    v->is_ending = !x && w->state == WARP_DONE && extra_hold(sm, v->x.slot);
    v->is_away = !x && !v->is_ending;
    if (v->is_ending)
        v->copies.len = 0;
    if (!x || warp_top(w)->frame != v->frame)
        return;
    const uint32_t pc = (uint32_t)(x - v->code->fn->fn->code);
    v->active = warp_top(w)->mask;
    if (v->code->is_covered[pc])
        return;
    v->next = &v->code->fn->code[pc];
    v->phase = RMT_DRAIN;
    r->stats.checks++;
}

/* The warp that waited for others may have been let go by them. */
static bool is_back(const struct rmt_warp *v)
{
    for (size_t i = 0; i < v->copies.len; i++)
        if (v->copies.data[i].is_late)
            return false;
    return !warp_is_deferred(v->x.w) && v->x.w->state != WARP_BLOCKED;
}

/* As far as it goes without an instruction of the assist warp. */
static void go_on(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    if (v->is_away && is_back(v))
        look_ahead(r, sm, v);
    if (v->phase == RMT_DRAIN && !v->queue.len) {
        choose_registers(r, v);
        v->phase = RMT_COMPARE;
    }
    if (v->phase == RMT_COMPARE && !v->ncompare && !(v->ncompared && v->x.inflight)) {
        end_check(r, v, now);
        v->phase = RMT_FREE;
    }
    v->is_full &= v->queue.len - v->at > (size_t)r->cfg->queue / 2;
}

/* --- waiting --- */

static void block(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    v->is_blocked = true;
    v->since = now;
    r->stats.waits += v->phase != RMT_FREE;
    r->first |= UINT64_C(1) << v->x.slot;
    extra_block(sm, v->x.slot, true);
}

static void let_go(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    v->is_blocked = false;
    r->stats.wait_cycles += now - v->since;
    r->first &= ~(UINT64_C(1) << v->x.slot);
    extra_block(sm, v->x.slot, false);
}

static void settle(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    const uint64_t bit = UINT64_C(1) << v->x.slot;
    go_on(r, sm, v, now);
    const bool has_to_wait = v->phase != RMT_FREE || v->is_full || v->is_away;
    if (has_to_wait && !v->is_blocked)
        block(r, sm, v, now);
    if (!has_to_wait && v->is_blocked)
        let_go(r, sm, v, now);
    const bool is_busy = v->is_blocked || v->queue.len || v->copies.len || v->x.inflight;
    r->busy = is_busy ? r->busy | bit : r->busy & ~bit;
    if (!v->is_ending || is_busy)
        return;
    const unsigned slot = v->x.slot;
    end_warp(r, v);
    extra_release(sm, slot, now);
}

void rmt_deploy(void *self, struct sm *sm, cycle_t now)
{
    struct rmt *r = self;
    for (uint64_t m = r->busy; m; m &= m - 1)
        settle(r, sm, &r->warps[__builtin_ctzll(m)], now);
}

bool rmt_is_pending(const void *self)
{
    return ((const struct rmt *)self)->busy != 0;
}

/* --- what warps do --- */

/* Outside of time: only where what was to come was not foreseen. */
static void catch_up(struct rmt *r, struct rmt_warp *v)
{
    for (; v->at < v->queue.len; v->at++)
        rmt_execute(r, v, &v->queue.data[v->at]);
    v->at = v->queue.len = 0;
}

/* The registers come from the warp, when they are written there. */
static void copy(struct rmt *r, struct rmt_warp *v, const struct dinst *d, uint32_t mask)
{
    const bool is_late = warp_is_deferred(v->x.w);
    catch_up(r, v);
    for (unsigned k = 0; mask && k < d->ndst; k++) {
        const uint32_t reg = d->regs[k] - v->code->first;
        if (!is_late)
            rmt_take_over(v, reg, mask);
        vec_push(&v->copies, ((struct rmt_copy){reg, mask, is_late}));
        v->x.pending[d->regs[k] % EXTRA_SCOREBOARD]++;
    }
    r->stats.uncovered++;
}

static void execute_again(struct rmt *r, struct rmt_warp *v, const struct dinst *d, uint32_t active,
                          uint32_t mask, cycle_t now)
{
    const struct rmt_entry e = {d, active};
    if (!d->parts && v->at == v->queue.len)
        rmt_execute(r, v, &e);
    else
        vec_push(&v->queue, e);
    for (unsigned k = 0; k < d->ndst; k++)
        v->covered[d->regs[k] - v->code->first] |= mask;
    if (v->queue.len - v->at >= (size_t)r->cfg->queue && !v->is_full) {
        v->is_full = true;
        r->stats.full++;
    }
    rmt_inject(r, v, d, mask, now);
}

static void record(struct rmt *r, struct rmt_warp *v, const struct extra_trigger *t, cycle_t now)
{
    const struct dinst *d = t->d;
    const bool is_foreseen = v->expected == d->x;
    if (v->code->is_covered[d - v->code->fn->code] && (is_foreseen || !d->x->has_guard))
        execute_again(r, v, d, is_foreseen ? v->active : t->mask, t->mask, now);
    else
        copy(r, v, d, d->flags & DINST_CONTROL ? 0 : t->mask);
}

/* A function that was called has returned: its caller's registers have its results. */
static void record_return(struct rmt *r, struct rmt_warp *v, uint32_t mask)
{
    const struct split *top = warp_top(v->x.w);
    r->stats.uncovered++;
    if (top->frame == v->frame && top->pc)
        copy(r, v, &v->code->fn->code[top->pc - 1], mask);
}

void rmt_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    struct rmt *r = self;
    struct rmt_warp *v = &r->warps[t->slot];
    struct warp *w = extra_parent(sm, t->slot);
    /* one that ends with its first instruction has nothing to compare */
    if (!v->code && (!w->depth || rmt_is_bare(r->bare, w->grid->kernel)))
        return;
    if (!v->code)
        begin_warp(r, sm, t->slot, t->d->fn);
    if (t->d->fn == v->code->fn)
        record(r, v, t, now);
    else if (!warp_is_deferred(w) && w->depth)
        record_return(r, v, t->mask);
    look_ahead(r, sm, v);
    settle(r, sm, v, now);
}
