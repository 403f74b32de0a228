/* Instances before they begin: from their trigger to a row of the table, or to nothing. */
#include "tech/assist/awc_int.h"

#include <stddef.h>
#include <string.h>

struct instance *instance_new(struct awc *c, bool is_job)
{
    struct instance *in = c->free_instances;
    if (!in)
        return xcalloc(1, sizeof *in);
    c->free_instances = in->next;
    memset(in, 0, is_job ? offsetof(struct instance, addrs) : sizeof *in);
    return in;
}

void instance_free(struct awc *c, struct instance *in)
{
    if (!in->is_job) /* a job finds none */
        memset(in->addrs, 0, sizeof in->addrs);
    in->next = c->free_instances;
    c->free_instances = in;
}

void instance_append(struct instance_list *l, struct instance *in)
{
    in->next = NULL;
    if (l->head)
        l->tail->next = in;
    else
        l->head = in;
    l->tail = in;
    l->len++;
}

/* Its parent would go on without what it makes. */
static bool is_awaited(const struct awc *c, const struct instance *in)
{
    return instance_is_high(in) && !(in->job.is_unawaited && !c->cfg->block_unawaited);
}

/* From now on its parent stays, and waits for it if it is blocking. A store is not worth keeping a
 * warp for that has ended, if there are registers elsewhere. */
static void attach(struct awc *c, struct sm *sm, struct instance *in)
{
    in->on_spares = in->is_job && !instance_is_high(in) && c->cfg->spare_registers &&
                    instance_registers(in) <= extra_spare_registers(sm);
    in->holds = !in->on_spares && !in->r->decl.when_memory_idle && extra_hold(sm, in->slot);
    in->on_spares |= in->r->decl.on_spares;
    if (in->holds && is_awaited(c, in) && !c->blockers[in->slot]++)
        extra_block(sm, in->slot, true);
}

void awc_detach(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    if (!in->holds)
        return;
    if (is_awaited(c, in) && !--c->blockers[in->slot])
        extra_block(sm, in->slot, false);
    extra_release(sm, in->slot, now);
}

void awc_put_waiting(struct awc *c, struct instance *in)
{
    instance_append(&c->waiting, in);
    in->is_unseen = true;
    c->waiting_low += !instance_is_high(in);
    c->contexts[in->r->id].nwaiting++;
    c->may_start = true;
    c->is_quiet = false;
}

void awc_trigger(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    in->triggered = now;
    in->is_new = true;
    c->is_quiet = false;
    if (in->slot == NO_SLOT) {
        instance_append(&c->inbox, in);
        return;
    }
    attach(c, sm, in);
    awc_put_waiting(c, in);
}

/* The warp of a job from the L1: nobody waits for a write-back or a prefetch, any warp will do. */
static unsigned parent_of(struct awc *c, const struct codec_job *job)
{
    if (job->slot != CODEC_NO_SLOT)
        return job->slot;
    const unsigned slot = c->slot_turn;
    c->slot_turn = (c->slot_turn + 1) % (unsigned)c->sm_cfg->warps;
    return slot;
}

/* What the blocks leave of shared memory, besides what is there for results of regions. */
static void measure_room(struct awc *c, const struct sm *sm)
{
    const uint64_t spare = c->has_lookup ? 0 : extra_spare_shared(sm) / AWC_LINE;
    c->spare_seen = extra_spare_shared(sm);
    c->spare_lines = spare < c->room.shared_lines ? (uint32_t)spare : c->room.shared_lines;
}

void awc_resolve_inbox(struct awc *c, struct sm *sm)
{
    struct instance *next;
    for (struct instance *in = c->inbox.head; in; in = next) {
        next = in->next;
        in->slot = parent_of(c, &in->job);
        attach(c, sm, in);
        awc_put_waiting(c, in);
    }
    c->inbox = (struct instance_list){0};
    measure_room(c, sm);
}

/* --- the way into the table --- */

static bool fits_spares(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return c->spares_used + instance_registers(in) <= extra_spare_registers(sm);
}

/* Instances that keep `in` from its registers go, if nobody waits for them: they may be throttled
 * for as long as `in` does not run. Where there are only spare registers, as many as it needs. */
static void drop_low(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    const bool is_bare = awc_is_bare(c, sm, in);
    for (uint64_t m = c->used & ~c->high; m && !(is_bare && fits_spares(c, sm, in)); m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        const bool is_in_the_way =
            is_bare ? row->has_spare && row->in->is_job
                    : row->x.slot == in->slot && row->has_registers &&
                          awc_group_active(c, row->in) == awc_group_active(c, in);
        if (is_in_the_way && !row->has_ended)
            awc_row_kill(c, sm, row, now);
    }
}

/* On its warp's registers, on spare ones, or on those of an instance that does not block. */
static bool can_start(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    if (in->r->decl.on_spares)
        return !(c->contexts[in->r->id].on_spares >> in->slot & 1) &&
               (!c->spares_used || !c->cfg->count_registers || fits_spares(c, sm, in));
    if (awc_is_free(c, sm, in) || (c->is_alone && in->is_job))
        return true;
    if (in->is_job && c->cfg->spare_registers && fits_spares(c, sm, in))
        return true;
    if (instance_is_high(in))
        drop_low(c, sm, in, now);
    return awc_is_bare(c, sm, in) ? fits_spares(c, sm, in) : awc_is_free(c, sm, in);
}

/* A store's job leaves the waiting list for nothing. */
static void drop_waiting(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    awc_drop_job(c, in);
    c->waiting_low--;
    c->contexts[in->r->id].nwaiting--;
    c->stats.killed++;
    c->stats.instance_cycles += now - in->triggered;
    awc_detach(c, sm, in, now);
    instance_free(c, in);
}

/* The table is full: a store gives its row to what a warp waits for. */
static void drop_a_store(struct awc *c, struct sm *sm, cycle_t now)
{
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job && !row->has_ended) {
            awc_row_kill(c, sm, row, now);
            return;
        }
    }
}

/* A job that was looked at before and finds nothing changed that it waits for. A store whose form
 * is open takes the one that has won meanwhile. */
static bool is_as_before(struct awc *c, const struct instance *in, uint64_t freed_slots)
{
    return in->is_job && !in->is_unseen && !c->has_changed &&
           !((freed_slots | c->freed_slots) >> in->slot & 1) && !awc_is_full(c) && !c->is_bare &&
           (instance_is_high(in) || !awc_forms_has_won(c, in));
}

/* A store that has no registers but spare ones; and whether it can begin on them. */
static bool is_for_spares(const struct awc *c, const struct instance *in)
{
    return in->on_spares && in->is_job && !c->is_alone;
}

static bool lacks_spares(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return !instance_is_high(in) && !in->r->decl.on_spares && !fits_spares(c, sm, in);
}

/* Of what has changed since the last look at what waits: the slots; true if it is more. */
static bool take_changes(struct awc *c, const struct sm *sm, uint64_t *freed_slots)
{
    const bool has_changed = c->has_changed || c->spares_seen != extra_spare_registers(sm);
    *freed_slots = c->freed_slots;
    c->spares_seen = extra_spare_registers(sm);
    c->freed_slots = 0;
    c->has_changed = false;
    return has_changed;
}

/* True: it waits no longer. */
static bool start_one(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    if (awc_is_full(c) && instance_is_high(in))
        drop_a_store(c, sm, now);
    awc_forms_choose_again(c, in);
    if (is_for_spares(c, in)) {
        if (instance_registers(in) > extra_spare_registers(sm)) {
            drop_waiting(c, sm, in, now);
            return true;
        }
        if (lacks_spares(c, sm, in))
            return false;
    }
    if (awc_is_full(c) || !awc_memo_is_ready(c, sm, in) || !can_start(c, sm, in, now))
        return false;
    c->waiting_low -= !instance_is_high(in);
    c->contexts[in->r->id].nwaiting--;
    awc_row_start(c, sm, in, now);
    c->has_moved = true;
    return true;
}

/* In order, past those whose registers are in use. It is seldom that something waits. */
__attribute__((noinline)) void awc_start_waiting(struct awc *c, struct sm *sm, cycle_t now)
{
    struct instance **link = &c->waiting.head, *last = NULL;
    uint64_t freed_slots;
    const bool has_changed = take_changes(c, sm, &freed_slots);
    c->may_start = false;
    for (struct instance *in; (in = *link);) {
        struct instance *next = in->next;
        if ((has_changed || !is_as_before(c, in, freed_slots)) && start_one(c, sm, in, now)) {
            *link = next;
            c->waiting.len--;
            continue;
        }
        c->stats.waited += in->is_new;
        in->is_new = in->is_unseen = false;
        last = in;
        link = &in->next;
    }
    c->waiting.tail = last;
}

/* Nothing is left that compression could be hidden behind: stores leave raw, and the kernel ends.
 */
void awc_drop_stores(struct awc *c, struct sm *sm, cycle_t now)
{
    struct instance_list rest = {0};
    struct instance *next;
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job && !row->has_ended)
            awc_row_kill(c, sm, row, now);
    }
    for (struct instance *in = c->waiting.head; in; in = next) {
        next = in->next;
        if (instance_is_high(in) || !in->is_job)
            instance_append(&rest, in);
        else
            drop_waiting(c, sm, in, now);
    }
    c->waiting = rest;
    c->has_moved = true;
}
