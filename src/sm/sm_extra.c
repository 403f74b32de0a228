/* Issue of foreign instructions: what they share with the program's and what they have by
 * themselves. */
#include "sm/sm_extra.h"

#include "sm/send.h"

unsigned sm_schedulers(const struct sm *sm)
{
    return sm->nsched;
}

unsigned sm_scheduler_of(const struct sm *sm, unsigned slot)
{
    const unsigned n = (unsigned)sm->cfg->subcores, in_turn = slot % sm->nsched;
    return in_turn % n * (unsigned)sm->cfg->schedulers + in_turn / n;
}

const struct dinst *extra_next(struct extra_warp *x)
{
    const struct xinst *i = warp_peek(x->w);
    if (!i)
        return NULL;
    const struct xfunc *fn = warp_top(x->w)->frame->fn;
    return &decoded_func(x->code, fn)->code[i - fn->code];
}

/* Its registers as sets, or NULL. What writes one finds it free, so that a set of those on their
 * way is enough. */
static const struct dmasks *masks_of(const struct dinst *d)
{
    const struct dfunc *fn = d->fn;
    return fn && fn->masks ? &fn->masks[d->pc] : NULL;
}

bool extra_is_ready(const struct extra_warp *x, const struct dinst *d)
{
    const struct dmasks *m = masks_of(d);
    if (m)
        return !(x->busy & m->all);
    for (unsigned k = 0; k < d->nregs; k++)
        if (x->pending[d->regs[k] % EXTRA_SCOREBOARD])
            return false;
    return true;
}

bool extra_is_writing(const struct extra_warp *x)
{
    return x->writes;
}

bool extra_has_room(const struct sm *sm, const struct extra_warp *x, const struct dinst *d)
{
    const struct subcore *sub = &sm->sub[sm_subcore_of(sm, x->slot)];
    return (d->pipe == PIPE_AUX ? sub->nport : sm_taken(sm, sub))[d->pipe] < sm->ports[d->pipe];
}

static void reserve(struct extra_warp *x, const struct dinst *d)
{
    const struct dmasks *m = masks_of(d);
    x->writes = (uint16_t)(x->writes + d->ndst);
    if (LIKELY(m))
        x->busy |= m->written;
    else
        for (unsigned k = 0; k < d->ndst; k++)
            x->pending[d->regs[k] % EXTRA_SCOREBOARD]++;
}

static void release(struct extra_warp *x, const struct dinst *d)
{
    const struct dmasks *m = masks_of(d);
    x->writes = (uint16_t)(x->writes - d->ndst);
    if (LIKELY(m)) {
        assert_often((x->busy & m->written) == m->written);
        x->busy &= ~m->written;
        return;
    }
    for (unsigned k = 0; k < d->ndst; k++) {
        assert(x->pending[d->regs[k] % EXTRA_SCOREBOARD]);
        x->pending[d->regs[k] % EXTRA_SCOREBOARD]--;
    }
}

/* What sm->step says was executed. */
SM_INLINE uint16_t send(struct sm *sm, struct extra_warp *x, const struct dinst *d, cycle_t now)
{
    uint16_t i = send_step(sm, x->slot, x->w, d, now, true);
    sm->stats.extra_inst++;
    sm->stats.extra_thread_inst += lanes_in(sm->step.mask);
    sm->fl[i].extra = x;
    x->inflight++;
    reserve(x, d);
    return i;
}

bool extra_issue(struct sm *sm, struct extra_warp *x, const struct dinst *d, cycle_t now)
{
    if (!warp_step(x->w, sm->effects, now, &sm->step)) {
        sm_stop(sm, x->w);
        return false;
    }
    const uint16_t i = send(sm, x, d, now);
    if (d->unit == UNIT_MEM)
        lsu_resolve(sm, i, &sm->step);
    return true;
}

SM_INLINE uint16_t send_as(struct sm *sm, struct extra_warp *x, const struct dinst *d,
                           uint32_t mask, cycle_t now)
{
    sm->step.x = d->x;
    sm->step.active = sm->step.mask = mask;
    sm->step.naccesses = 0;
    return send(sm, x, d, now);
}

void extra_send(struct sm *sm, struct extra_warp *x, const struct dinst *d, uint32_t mask,
                cycle_t now)
{
    assert(d->unit != UNIT_MEM);
    send_as(sm, x, d, mask, now);
}

bool extra_is_unwatched(const struct sm *sm)
{
    return !(sm->asked & (WANT_COST | WANT_INITIATION | WANT_BANK));
}

bool extra_execute(struct sm *sm, struct extra_warp *x, const struct dinst *d, cycle_t now,
                   struct extra_done *out)
{
    const bool is_measured = d->unit == UNIT_MEM;
    struct step *s = &sm->step;
    if (!(is_measured ? warp_step(x->w, sm->effects, now, s)
                      : warp_step_unseen(x->w, sm->effects, now, s)))
        return false;
    *out = (struct extra_done){.mask = s->mask};
    if (is_measured)
        lsu_measure_shared(sm, s, out);
    return true;
}

void extra_issue_done(struct sm *sm, struct extra_warp *x, const struct dinst *d,
                      const struct extra_done *done, cycle_t now)
{
    const uint16_t i = send_as(sm, x, d, done->mask, now);
    if (d->unit == UNIT_MEM)
        lsu_resolve_shared(sm, i, done);
}

void sm_extra_retire(struct sm *sm, uint16_t i, cycle_t now)
{
    const struct dinst *d = sm->fl[i].d;
    struct extra_warp *x = sm->fl[i].extra;
    release(x, d);
    x->inflight--;
    inflight_put(sm, i);
    sm->seams.warps->retired(sm->seams.warps->self, sm, x, now);
}

void extra_block(struct sm *sm, unsigned slot, bool is_blocked)
{
    const uint64_t bit = UINT64_C(1) << slot;
    sm->blocked = is_blocked ? sm->blocked | bit : sm->blocked & ~bit;
}

bool extra_hold(struct sm *sm, unsigned slot)
{
    const uint64_t bit = UINT64_C(1) << slot;
    if (!((sm->live | sm->ending) & bit))
        return false;
    sm->slot[slot].inflight++;
    return true;
}

void extra_release(struct sm *sm, unsigned slot, cycle_t now)
{
    if (!--sm->slot[slot].inflight && (sm->ending >> slot & 1))
        sm_end_warp(sm, slot, now);
}

struct warp *extra_parent(const struct sm *sm, unsigned slot)
{
    return sm->slot[slot].w;
}

bool extra_is_written(const struct sm *sm, unsigned slot, const struct xfunc *fn, uint32_t reg)
{
    const uint32_t number = decoded_func(sm->slot[slot].code, fn)->regs + reg;
    return !sm->pending[slot][number % SCOREBOARD];
}

void extra_jump(struct sm *sm, unsigned slot, uint32_t pc)
{
    warp_top(sm->slot[slot].w)->pc = pc;
    sm_look_at_warp(sm, slot);
}

void extra_stop(struct sm *sm, struct warp *w)
{
    sm_stop(sm, w);
}

uint64_t extra_spare_shared(const struct sm *sm)
{
    return sm->shared_spare;
}

uint32_t extra_mshrs(const struct sm *sm)
{
    return l1_mshrs_used(sm->data);
}

bool extra_has_program(const struct sm *sm)
{
    return (sm->live | sm->coming) != 0;
}

void extra_delay_end(struct sm *sm, cycle_t now)
{
    if (!sm->cta_set && sm->launches) {
        sm->launches->ended.end = now;
        sm_note(sm, SM_NOTE_ENDED);
    }
}

uint64_t extra_spare_registers(const struct sm *sm)
{
    return sm->regs_spare;
}

bool extra_has_exited(const struct sm *sm, unsigned slot)
{
    return sm->ending >> slot & 1;
}

void extra_note(struct sm *sm, cycle_t now, bool begins, uint64_t number, unsigned row)
{
    probe_fire(sm->probe, now, begins ? SM_EXTRA_BEGIN : SM_EXTRA_END, number, row);
}

void extra_fault(struct sm *sm, struct extra_warp *x)
{
    sm_stop(sm, x->w);
}

static void tell_miss(void *ctx, cycle_t now, uint32_t event, uint64_t line, uint64_t token)
{
    struct sm *sm = ctx;
    const struct inflight *f = &sm->fl[token];
    const struct warp_source *s = sm->seams.warps;
    const struct extra_trigger t = {
        .event = EXTRA_MISS, .slot = f->slot, .mask = f->mask, .addr = line, .d = f->d};
    (void)event;
    if (!f->extra) /* a source is not told of its own */
        s->event(s->self, sm, &t, now);
}

void sm_extra_listen(struct sm *sm)
{
    if (!(sm->seams.warps->events & EXTRA_MISS))
        return;
    sm->miss_probe = (struct probe){tell_miss, sm, NULL};
    l1_add_miss_probe(sm->data, &sm->miss_probe);
}
