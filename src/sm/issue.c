/* Issue: each scheduler picks a warp whose next instruction can go, and executes it. */
#include "sm/send.h"
#include "sm/sm_policy.h"

/* --- one instruction --- */

static bool changes_cta(const struct dinst *d)
{
    return (d->flags & (DINST_BARRIER | DINST_CONTROL)) != 0;
}

uint16_t sm_send(struct sm *sm, unsigned slot, struct warp *w, const struct dinst *d, cycle_t now,
                 bool is_extra)
{
    return send_step(sm, slot, w, d, now, is_extra);
}

/* What the warp waits for, or will. */
static void owe_memory(struct sm *sm, unsigned slot, const struct dinst *d)
{
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    if (d->flags & (DINST_STORE | DINST_ATOMIC))
        ws->stores++;
    if (dinst_loads(d)) {
        ws->loads++;
        sm->loading |= bit;
    }
    if ((d->flags & DINST_FENCE) && ws->stores)
        sm->fenced |= bit;
}

void sm_send_memory(struct sm *sm, unsigned slot, uint16_t i)
{
    const struct inflight *f = &sm->fl[i];
    owe_memory(sm, slot, f->d);
    if (UNLIKELY(f->slot2 != NO_PARTNER))
        owe_memory(sm, (unsigned)f->slot2, f->d);
    if (!warp_is_deferred(sm->slot[slot].w))
        lsu_resolve(sm, i, &sm->step);
}

/* Of those that can part lanes and keep them all. */
static bool is_branch(const struct dinst *d)
{
    return (d->flags & DINST_CONTROL) && d->x->src &&
           (d->x->src->op == PTX_OP_BRA || d->x->src->op == PTX_OP_BRX);
}

/* Executes the warp's next, `d`. False: a fault has stopped the SM. */
SM_INLINE bool execute(struct sm *sm, unsigned slot, const struct dinst *d, cycle_t now,
                       struct step *s, bool *has_split)
{
    struct warp *w = sm->slot[slot].w;
    const uint32_t lanes = is_branch(d) ? warp_top(w)->mask : 0;
    probe_fire(sm->inst_probe, now, 0, (uint64_t)(uintptr_t)w, (uint64_t)(uintptr_t)d);
    if (!(LIKELY(!sm->asked) ? warp_step(w, sm->effects, now, s)
                             : asked_step(sm, slot, d, now, s))) {
        sm_stop(sm, w);
        return false;
    }
    *has_split = lanes && warp_top(w)->mask != lanes;
    sm->stats.divergences += *has_split;
    return true;
}

static bool is_global(const struct step *s)
{
    for (unsigned k = 0; k < s->naccesses; k++)
        if (s->access[k].space == PTX_SPACE_GLOBAL)
            return true;
    return false;
}

/* What the program's instruction has done, to whom wants to know. */
static void tell(struct sm *sm, unsigned slot, const struct dinst *d, const struct step *s,
                 bool has_split, cycle_t now)
{
    const struct warp_source *extra = sm->seams.warps;
    const bool is_plain = !(d->flags & (DINST_ATOMIC | DINST_CONST | DINST_TEXTURE));
    const bool is_memory = is_plain && (d->flags & (DINST_LOAD | DINST_STORE)) &&
                           !warp_is_deferred(sm->slot[slot].w) && is_global(s);
    const uint32_t happened = EXTRA_ISSUE | (has_split ? EXTRA_SPLIT : 0u) |
                              (!is_memory              ? 0u
                               : d->flags & DINST_LOAD ? EXTRA_LOAD
                                                       : EXTRA_STORE);
    const struct step_access *a = &s->access[0];
    for (uint32_t m = happened & extra->events; m; m &= m - 1) {
        const struct extra_trigger t = {
            .event = (enum extra_event)(m & -m),
            .slot = slot,
            .mask = s->mask,
            .addr = is_memory ? a->addr[__builtin_ctz(a->mask)] : 0,
            .addrs = is_memory ? a->addr : NULL,
            .addr_mask = is_memory ? a->mask : 0,
            .d = d,
        };
        extra->event(extra->self, sm, &t, now);
    }
}

/* The follower executes what its leader has just sent as `i`. */
SM_COLD static bool join(struct sm *sm, unsigned slot, uint16_t i, cycle_t now)
{
    const struct dinst *d = sm->fl[i].d;
    struct warp_slot *ws = &sm->slot[slot];
    bool has_split;
    if (!execute(sm, slot, d, now, &sm->step2, &has_split))
        return false;
    sm->fl[i].slot2 = (int16_t)slot;
    sm->fl[i].to_read *= 2;
    count_inst(sm, d, sm->step2.mask);
    if (sm->asked & (WANT_COST | WANT_INITIATION | WANT_BANK))
        asked_cost(sm, i, slot, ws->w, &sm->step2, false);
    ws->inflight++;
    scoreboard_reserve(sm, slot, d);
    if (sm->seams.warps->events)
        tell(sm, slot, d, &sm->step2, has_split, now);
    return true;
}

/* Conditional instructions that no lane wants are issued all the same. */
static void count_skipped(struct sm *sm, struct sched *s, unsigned slot, const struct dinst *d,
                          uint32_t lanes, cycle_t now)
{
    const struct split *top = warp_top(sm->slot[slot].w);
    if (top->mask != lanes || top->frame->fn->code + top->pc == d->x + 1)
        return;
    sm->stats.warp_inst += d->skips;
    sm->stats.sp_inst += d->skips;
    s->free_at = (s->free_at > now ? s->free_at : now) + d->skips;
}

/* Executes what takes no time: instructions that are parts of others, until one that is not. */
static void issue_free(struct sm *sm, struct sched *s, unsigned slot, cycle_t now)
{
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    while ((sm->has_inst & sm->ready & bit) && !ws->next->parts && !sm->faulted) {
        const struct dinst *d = ws->next;
        const uint32_t lanes = warp_top(ws->w)->mask;
        bool has_split;
        if (!execute(sm, slot, d, now, &sm->step, &has_split))
            return;
        if (UNLIKELY(sm->asked & WANT_FOLDED))
            asked_folded(sm, slot, d, &sm->step);
        ws->ib_at++;
        if (!--ws->ib_len)
            sm->has_buffer &= ~bit;
        sm->has_inst &= ~bit;
        if (d->skips && !has_split && ws->w->depth)
            count_skipped(sm, s, slot, d, lanes, now);
        sm_look_at_warp(sm, slot);
        if (changes_cta(d))
            sm_look_at_cta(sm, ws->cta);
        if (UNLIKELY(sm->seams.warps->events))
            tell(sm, slot, d, &sm->step, has_split, now);
    }
}

/* Of all of a block. */
static bool is_barrier(const struct dinst *d)
{
    return (d->flags & DINST_BARRIER) && d->x->src && !ptx_inst_has(d->x->src, PTX_M_WARP) &&
           !ptx_inst_has(d->x->src, PTX_M_ARRIVE);
}

/* Nobody waits for others any more, but that is not known yet. */
static void leave_barrier(struct sm *sm, unsigned slot)
{
    sm_hold(sm, slot, sm->barrier_free + (cycle_t)sm->cfg->barrier_latency);
    sm->leaving |= UINT64_C(1) << slot;
}

/* A warp has come to a barrier. If it was the last, it waits with the others until that is known.
 */
static void arrive(struct sm *sm, unsigned slot, cycle_t now)
{
    sm->barrier_free =
        (sm->barrier_free > now ? sm->barrier_free : now) + (cycle_t)sm->cfg->barrier_initiation;
    if (sm->slot[slot].w->state == WARP_READY)
        leave_barrier(sm, slot);
}

static void issue_one(struct sm *sm, unsigned slot, cycle_t now)
{
    struct warp_slot *ws = &sm->slot[slot];
    const struct dinst *d = ws->next;
    if (UNLIKELY(d->flags & DINST_SPILL)) {
        spill_issue(sm, slot, now);
        return;
    }
    if (UNLIKELY(sm->asked & WANT_PRECEDE) && d != ws->ib[ws->ib_at]) {
        asked_issue_first(sm, slot, now);
        return;
    }
    const uint32_t local = UNLIKELY(d->spills) ? warp_top(ws->w)->frame->local_off : 0;
    const uint64_t bit = UINT64_C(1) << slot;
    bool has_split;
    if (!execute(sm, slot, d, now, &sm->step, &has_split))
        return;
    ws->ib_at++;
    if (!--ws->ib_len)
        sm->has_buffer &= ~bit;
    uint16_t i = sm_send(sm, slot, ws->w, d, now, false);
    if (UNLIKELY(ws->is_joined) && !join(sm, (unsigned)ws->partner, i, now))
        return;
    ws->inflight++;
    scoreboard_reserve(sm, slot, d);
    sm->has_inst &= ~bit;
    if (UNLIKELY(d->spills))
        spill_owe(sm, slot, d, local);
    if (d->pipe == PIPE_MEM)
        sm_send_memory(sm, slot, i);
    if (warp_is_deferred(ws->w)) {
        sm->deferred |= bit;
        ws->deferred = d->pipe == PIPE_MEM ? i : NO_INFLIGHT;
    } else {
        sm_look_at_warp(sm, slot);
    }
    if (UNLIKELY(sm->cfg->barrier_latency) && is_barrier(d))
        arrive(sm, slot, now);
    if (changes_cta(d))
        sm_look_at_cta(sm, ws->cta);
    if (UNLIKELY(sm->seams.warps->events))
        tell(sm, slot, d, &sm->step, has_split, now);
}

void sm_look_at_cta(struct sm *sm, unsigned cta)
{
    for (uint64_t m = sm->ctas[cta].warps & sm->barrier; m; m &= m - 1) {
        unsigned slot = first_of(m);
        if (sm->slot[slot].w->state != WARP_READY)
            continue;
        if (sm->cfg->barrier_latency)
            leave_barrier(sm, slot);
        sm_look_at_warp(sm, slot);
    }
    if (UNLIKELY(sm->follows))
        pair_look_again(sm, sm->ctas[cta].warps);
}

/* The same where an instruction of PTX can be several or none. */
static enum stall issue_machine(struct sm *sm, struct sched *s, unsigned slot, cycle_t now)
{
    const struct dinst *d = sm->slot[slot].next;
    if (d->parts) {
        s->free_at = now + d->parts;
        issue_one(sm, slot, now);
    }
    if (!sm->faulted)
        issue_free(sm, s, slot, now);
    return s->free_at > now ? STALL_ACTIVE : STALL_IDLE;
}

/* --- a scheduler's cycle --- */

static enum stall idle_of(const struct sm *sm, uint64_t slots)
{
    return slots & sm->fetching                  ? STALL_FETCH
           : slots & (sm->barrier | sm->leaving) ? STALL_BARRIER
           : slots & (sm->deferred | sm->fenced) ? STALL_ORDER
                                                 : STALL_IDLE;
}

static enum stall stall_of(const struct sm *sm, uint64_t slots, uint64_t valid, uint64_t ready)
{
    if (ready && !(ready & sm->wants[PIPE_MEM]))
        return STALL_COMPUTE;
    if (ready)
        return sm->lsu.is_blocked ? STALL_REFUSED : STALL_MEMORY;
    valid &= ~sm->leaving;
    if (valid)
        return valid & ~sm->loading ? STALL_DATA : STALL_LOAD;
    return idle_of(sm, slots);
}

static void count_slots(struct sm *sm, enum stall why, uint64_t n)
{
#define AT(name) offsetof(struct sm_stats, name)
    static const uint16_t whole[STALLS] = {
        AT(issue_active), AT(issue_compute_stall), AT(issue_memory_stall), AT(issue_data_stall),
        AT(issue_idle),   AT(issue_memory_stall),  AT(issue_data_stall),   AT(issue_idle),
        AT(issue_idle),   AT(issue_idle)};
    static const uint16_t kind[STALLS] = {
        [STALL_REFUSED] = AT(stall_refused), [STALL_LOAD] = AT(stall_load),
        [STALL_FETCH] = AT(stall_fetch),     [STALL_BARRIER] = AT(stall_barrier),
        [STALL_ORDER] = AT(stall_order),
    };
#undef AT
    *sm_counter(sm, whole[why]) += n;
    if (why > STALL_IDLE)
        *sm_counter(sm, kind[why]) += n;
}

/* Of the slots that can issue, whom the technique bound there picks; MAX_WARPS: it lets none. */
SM_COLD static unsigned pick_asked(struct sm *sm, struct sched *s, unsigned number, uint64_t can)
{
    const struct sched_policy *p = sm->seams.schedulers;
    can &= p->narrow(p->self, sm, number, can);
    if (!can)
        return MAX_WARPS;
    const int slot = p->pick(p->self, sm, number, can);
    if (slot >= 0 && slot < MAX_WARPS && (can >> slot & 1))
        return (unsigned)slot;
    if (slot != -1)
        breach_note(sm->seams.l1.breach, SEAM_schedulers,
                    "pick() gives neither one of `can` (%#llx) nor -1: %d", (unsigned long long)can,
                    slot);
    return s->ops->pick(sm, s, can);
}

SM_INLINE enum stall schedule(struct sm *sm, struct subcore *sub, struct sched *s, unsigned number,
                              uint32_t offers, cycle_t now)
{
    const struct warp_source *extra = sm->seams.warps;
    if (UNLIKELY(s->free_at > now))
        return STALL_ACTIVE;
    if ((offers >> number & 1) && extra->issue_first(extra->self, sm, number, now))
        return STALL_ACTIVE;
    uint64_t valid = s->mask & sm->has_inst & ~(sm->barrier | sm->deferred | sm->fenced);
    uint64_t ready = valid & sm->ready & ~(sm->blocked | sm->held);
    uint64_t can = ready ? ready & sm_with_room(sm, sub) : 0;
    if (s->ops->narrow)
        can = s->ops->narrow(sm, s, valid, can);
    if (can) {
        unsigned slot = LIKELY(!(sm->asked & WANT_PICK)) ? s->ops->pick(sm, s, can)
                                                         : pick_asked(sm, s, number, can);
        if (UNLIKELY(slot == MAX_WARPS))
            return STALL_IDLE;
        s->last = slot;
        if (UNLIKELY(sm->cfg->code == CODE_MACHINE))
            return issue_machine(sm, s, slot, now);
        issue_one(sm, slot, now);
        return STALL_ACTIVE;
    }
    if ((offers >> (number + WARPS_IDLE_BIT) & 1) &&
        extra->issue_idle(extra->self, sm, number, now))
        return STALL_ACTIVE;
    return stall_of(sm, s->mask, valid, ready);
}

static_assert(MAX_SUBCORES * MAX_SCHEDULERS <= WARPS_IDLE_BIT, "a bit a scheduler");

/* What the source of extra warps offers the schedulers in this cycle, if it has something to do. */
static uint32_t offers_of(const struct sm *sm)
{
    const struct warp_source *w = sm->seams.warps;
    return w->offers ? w->offers(w->self) : UINT32_MAX;
}

void sm_issue(struct sm *sm, cycle_t now)
{
    const unsigned n = sm->nsched;
    const bool has_extra = sm_has_extra(sm);
    const uint32_t offers = UNLIKELY(has_extra) ? offers_of(sm) : 0;
    if (sm->hazard)
        sm_flush_hazards(sm, now);
    unsigned j = sm->issue_turn;
    for (unsigned k = 0; k < n && !sm->faulted; k++) {
        struct sched *s = sm->scheds[j].s;
        s->stall = (uint8_t)schedule(sm, sm->scheds[j].sub, s, j, offers, now);
        count_slots(sm, (enum stall)s->stall, 1);
        if (++j == n)
            j = 0;
    }
    if (UNLIKELY(sm->held))
        asked_held(sm, 1);
    if (UNLIKELY(has_extra) && !sm->faulted)
        sm->seams.warps->deploy(sm->seams.warps->self, sm, now);
    sm->issue_turn = sm->issue_turn + 1 < n ? sm->issue_turn + 1 : 0;
}

void sm_note_stalls(struct sm *sm)
{
    for (unsigned j = 0; j < sm->nsched; j++) {
        struct sched *s = sm->scheds[j].s;
        uint64_t valid = s->mask & sm->has_inst & ~(sm->barrier | sm->deferred | sm->fenced);
        s->stall =
            (uint8_t)stall_of(sm, s->mask, valid, valid & sm->ready & ~(sm->blocked | sm->held));
    }
}

void sm_count_unissued(struct sm *sm, uint64_t cycles)
{
    const unsigned n = sm->nsched;
    for (unsigned j = 0; j < n; j++)
        count_slots(sm, (enum stall)sm->scheds[j].s->stall, cycles);
    if (UNLIKELY(sm->held))
        asked_held(sm, cycles);
    const uint64_t turn = sm->issue_turn + cycles;
    sm->issue_turn = (unsigned)(turn < n ? turn : turn < 2 * n ? turn - n : turn % n);
}
