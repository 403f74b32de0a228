#include "tech/caba/awc_int.h"

#include <string.h>

/* --- making one --- */

static uint32_t windows_at(const struct awc *c, uint32_t module)
{
    return (uint32_t)align_up(c->aws->modules[module].shared_bytes, AWC_LINE);
}

static uint32_t shared_bytes(const struct awc *c, uint32_t module)
{
    return windows_at(c, module) + (uint32_t)c->cfg->awt_entries * (2 * AWC_LINE + 16);
}

uint32_t awc_window(const struct awc *c, const struct awt_row *row)
{
    return windows_at(c, row->in->r->module) + (uint32_t)(row - c->rows) * 2 * AWC_LINE;
}

uint32_t awc_result(const struct awc *c, const struct awt_row *row)
{
    return windows_at(c, row->in->r->module) + (uint32_t)c->cfg->awt_entries * 2 * AWC_LINE +
           (uint32_t)(row - c->rows) * 16;
}

/* A block of as many warps as there are rows, on the module's memory; each warp is started when a
 * row begins to use it. */
static void make_context(struct awc *c, struct awc_context *x, const struct routine *r)
{
    x->launch =
        (struct launch){.kernel = r->kernel, .grid = {1, 1, 1}, .block = {WARP_LANES, 1, 1}};
    grid_init(&x->grid, c->aws->dev, &x->launch);
    x->grid.smid = c->sm;
    x->grid.shared_bytes = 0;
    x->grid.nwarps = (uint32_t)c->cfg->awt_entries;
    x->cta = cta_new(&x->grid);
    const uint32_t n = x->cta->nwarps;
    x->cta->nwarps = 0;
    cta_start(x->cta, &x->grid, 0);
    x->cta->nwarps = n;
    free(x->cta->shared);
    x->cta->shared = c->shared[r->module];
    x->cta->shared_bytes = x->cta->shared_limit = shared_bytes(c, r->module);
    x->next_at = r->decl.every;
}

/* Routines of one group use the same registers of a warp, one at a time: all that decode, and with
 * them or apart all that encode; every other routine has its own. */
static uint32_t group_of(const struct awc *c, const struct routine *r)
{
    const enum routine_on on = r->decl.on;
    for (uint32_t i = 0; i < r->id; i++) {
        const enum routine_on other = c->aws->routines[i].decl.on;
        const bool are_codecs =
            (on == ON_FILL || on == ON_STORE_LINE) && (other == ON_FILL || other == ON_STORE_LINE);
        if (are_codecs && (on == other || c->cfg->share_registers))
            return i;
    }
    return r->id;
}

struct awc *awc_new(const struct aws *aws, const struct assist_cfg *cfg, uint32_t sm)
{
    struct awc *c = xcalloc(1, sizeof *c);
    c->aws = aws;
    c->cfg = cfg;
    c->sm_cfg = aws->sm;
    c->sm = sm;
    c->rows = xcalloc((size_t)cfg->awt_entries, sizeof *c->rows);
    c->shared = xcalloc(aws->nmodules, sizeof *c->shared);
    for (uint32_t i = 0; i < aws->nmodules; i++) {
        c->shared[i] = xalloc_aligned(AWC_LINE, align_up(shared_bytes(c, i), AWC_LINE));
        memset(c->shared[i], 0, shared_bytes(c, i));
    }
    memo_init(&c->memo, aws);
    c->contexts = xcalloc(aws->nroutines, sizeof *c->contexts);
    for (uint32_t i = 0; i < aws->nroutines; i++)
        make_context(c, &c->contexts[i], &aws->routines[i]);
    for (uint32_t i = 0; i < aws->nroutines; i++)
        c->contexts[i].group = group_of(c, &aws->routines[i]);
    return c;
}

static void free_list(struct instance_list *l)
{
    for (struct instance *in = l->head, *next; in; in = next) {
        next = in->next;
        free(in);
    }
}

void awc_free(struct awc *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->aws->nroutines; i++) {
        c->contexts[i].cta->shared = NULL; /* the module's */
        cta_free(c->contexts[i].cta);
    }
    for (uint32_t i = 0; i < c->aws->nmodules; i++)
        free(c->shared[i]);
    for (uint64_t m = c->used; m; m &= m - 1)
        free(c->rows[__builtin_ctzll(m)].in);
    free_list(&c->inbox);
    free_list(&c->waiting);
    vec_free(&c->done);
    memo_free(&c->memo);
    free(c->shared);
    free(c->contexts);
    free(c->rows);
    free(c);
}

const struct assist_stats *awc_stats(const struct awc *c)
{
    return &c->stats;
}

const void *awc_shared(const struct awc *c, uint32_t module)
{
    return c->shared[module];
}

/* --- triggers --- */

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

static uint32_t registers_of(const struct instance *in)
{
    return in->r->kernel->regs * WARP_LANES;
}

/* From now on its parent stays, and waits for it if it is blocking. A store is not worth keeping a
 * warp for that has ended, if there are registers elsewhere. */
static void attach(struct awc *c, struct sm *sm, struct instance *in)
{
    in->on_spares = in->is_job && !instance_is_high(in) && c->cfg->spare_registers &&
                    registers_of(in) <= extra_spare_registers(sm);
    in->holds = !in->on_spares && !in->r->decl.when_memory_idle && extra_hold(sm, in->slot);
    in->on_spares |= in->r->decl.on_spares;
    if (in->holds && instance_is_high(in) && !c->blockers[in->slot]++)
        extra_block(sm, in->slot, true);
}

static void detach(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    if (!in->holds)
        return;
    if (instance_is_high(in) && !--c->blockers[in->slot])
        extra_block(sm, in->slot, false);
    extra_release(sm, in->slot, now);
}

static void put_waiting(struct awc *c, struct instance *in)
{
    instance_append(&c->waiting, in);
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
    put_waiting(c, in);
}

/* The warp of a job from the L1: nobody waits for a write-back or a prefetch, any warp will do. A
 * store may have left its warp already, and another instruction may have its number: then that
 * one's warp is charged (DEVIATIONS.md). */
static unsigned parent_of(struct awc *c, const struct sm *sm, const struct codec_job *job)
{
    if (job->kind != CODEC_STORE && job->slot != CODEC_NO_SLOT)
        return job->slot;
    if (job->kind == CODEC_STORE && job->store != UINT32_MAX)
        return extra_slot_of(sm, job->store);
    const unsigned slot = c->slot_turn;
    c->slot_turn = (c->slot_turn + 1) % (unsigned)c->sm_cfg->warps;
    return slot;
}

static void resolve_inbox(struct awc *c, struct sm *sm)
{
    struct instance *next;
    for (struct instance *in = c->inbox.head; in; in = next) {
        next = in->next;
        in->slot = parent_of(c, sm, &in->job);
        attach(c, sm, in);
        put_waiting(c, in);
    }
    c->inbox = (struct instance_list){0};
}

/* --- rows --- */

static void fill_params(struct awc *c, struct awt_row *row)
{
    const struct instance *in = row->in;
    const struct routine *r = in->r;
    const uint32_t window = awc_window(c, row);
    const uint64_t values[] = {
        [PARAM_SRC] = window,
        [PARAM_DST] = window + AWC_LINE,
        [PARAM_RESULT] = awc_result(c, row),
        [PARAM_ADDR] = in->addr,
        [PARAM_WARP] = in->slot,
        [PARAM_MASK] = in->mask,
        [PARAM_VALUE] = in->value,
        [PARAM_SM] = c->sm,
        [PARAM_INST] = in->inst,
        [PARAM_DISTANCE] = (uint64_t)c->cfg->prefetch_distance,
        [PARAM_REGION] = in->value,
        [PARAM_ENTRIES] = c->memo.entries,
        [PARAM_KEEP] = UINT64_C(0xffffffff) << (32 - c->cfg->memo_bits),
    };
    const void *const lanes[] = {[PARAM_ADDRS - PARAM_LANES] = in->addrs,
                                 [PARAM_IN0 - PARAM_LANES] = in->addrs,
                                 [PARAM_IN1 - PARAM_LANES] = in->addrs + WARP_LANES / 2,
                                 [PARAM_OUT0 - PARAM_LANES] = in->raw};
    for (unsigned i = 0; i < r->nparams; i++) {
        const unsigned what = r->params[i].what;
        memcpy(row->params + r->params[i].offset,
               what >= PARAM_LANES ? lanes[what - PARAM_LANES] : &values[what], r->params[i].bytes);
    }
}

static uint64_t *group_active(struct awc *c, const struct instance *in)
{
    return &c->contexts[c->contexts[in->r->id].group].active;
}

void awc_release_registers(struct awc *c, struct awt_row *row)
{
    if (row->has_registers)
        *group_active(c, row->in) &= ~(UINT64_C(1) << row->in->slot);
    if (row->has_spare)
        c->spares_used -= registers_of(row->in);
    if (row->has_spare && row->in->r->decl.on_spares)
        c->contexts[row->in->r->id].on_spares &= ~(UINT64_C(1) << row->in->slot);
    c->may_start |= row->has_registers || row->has_spare;
    row->has_registers = row->has_spare = false;
}

static bool is_free(struct awc *c, const struct instance *in)
{
    return !c->is_bare && !in->on_spares && !(*group_active(c, in) >> in->slot & 1);
}

static void take_registers(struct awc *c, struct awt_row *row)
{
    row->has_registers = is_free(c, row->in);
    row->has_spare = !row->has_registers;
    if (row->has_registers)
        *group_active(c, row->in) |= UINT64_C(1) << row->in->slot;
    else
        c->spares_used += registers_of(row->in);
    c->stats.on_spares += row->has_spare;
    if (row->in->r->decl.on_spares)
        c->contexts[row->in->r->id].on_spares |= UINT64_C(1) << row->in->slot;
}

static void start(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    const unsigned k = (unsigned)__builtin_ctzll(~c->used);
    const uint64_t bit = UINT64_C(1) << k;
    struct awt_row *row = &c->rows[k];
    struct awc_context *x = &c->contexts[in->r->id];
    struct warp *w = &x->cta->warps[k];
    in->started = now;
    *row = (struct awt_row){.in = in, .fn = in->r->entry};
    take_registers(c, row);
    row->x = (struct extra_warp){.w = w, .code = in->r->code, .slot = (uint16_t)in->slot};
    warp_start(w, x->cta, k, 0, WARP_LANES);
    w->live &= in->r->decl.mask;
    warp_top(w)->mask = w->live;
    if (in->is_job)
        awc_load_line(in, c->shared[in->r->module] + awc_window(c, row));
    fill_params(c, row);
    c->used |= bit;
    if (instance_is_high(in))
        c->high |= bit;
    c->of_sched[sm_scheduler_of(sm, in->slot)] |= bit;
    extra_note(sm, now, true, in->r->id, k);
}

static uint64_t all_rows(const struct awc *c)
{
    return c->cfg->awt_entries == 64 ? UINT64_MAX : (UINT64_C(1) << c->cfg->awt_entries) - 1;
}

void awc_flush(struct awc *c, struct awt_row *row)
{
    c->stats.flushed += row->nstaged;
    if (instance_is_high(row->in))
        c->slot_staged[row->x.slot] = (uint8_t)(c->slot_staged[row->x.slot] - row->nstaged);
    else
        c->low_staged = (uint16_t)(c->low_staged - row->nstaged);
    row->nstaged = 0;
}

/* The row is free; its instance ends, or goes on with another routine. */
static void finish(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const uint64_t bit = UINT64_C(1) << (row - c->rows);
    struct instance *in = row->in;
    const char *shared = c->shared[in->r->module];
    uint32_t result;
    memcpy(&result, shared + awc_result(c, row), sizeof result);
    extra_note(sm, now, false, in->r->id, (unsigned)(row - c->rows));
    awc_release_registers(c, row);
    c->used &= ~bit;
    c->high &= ~bit;
    c->of_sched[sm_scheduler_of(sm, in->slot)] &= ~bit;
    c->may_start = true;
    c->stats.active_cycles += now - in->started;
    if (in->is_job && !row->is_killed &&
        awc_finish_job(c, sm, row, shared + awc_window(c, row) + AWC_LINE, result)) {
        put_waiting(c, in);
        return;
    }
    if (in->is_job && row->is_killed)
        awc_drop_job(c, in);
    if (in->region && !row->is_killed)
        awc_memo_finish(c, sm, in, shared + awc_window(c, row) + AWC_LINE, result, now);
    ++*(row->is_killed ? &c->stats.killed : &c->stats.finished);
    c->stats.instance_cycles += now - in->triggered;
    detach(c, sm, in, now);
    free(in);
}

static void kill(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    awc_flush(c, row);
    row->has_ended = row->is_killed = true;
    if (!row->x.inflight)
        finish(c, sm, row, now);
}

static bool fits_spares(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return c->spares_used + registers_of(in) <= extra_spare_registers(sm);
}

/* Instances that keep `in` from its registers go, if nobody waits for them: they may be throttled
 * for as long as `in` does not run. Where there are only spare registers, as many as it needs. */
static void drop_low(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    for (uint64_t m = c->used & ~c->high; m && !(c->is_bare && fits_spares(c, sm, in));
         m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        const bool is_in_the_way = c->is_bare ? row->has_spare && row->in->is_job
                                              : row->x.slot == in->slot && row->has_registers &&
                                                    group_active(c, row->in) == group_active(c, in);
        if (is_in_the_way && !row->has_ended)
            kill(c, sm, row, now);
    }
}

/* On its warp's registers, on spare ones, or on those of an instance that does not block. */
static bool can_start(struct awc *c, struct sm *sm, const struct instance *in, cycle_t now)
{
    if (in->r->decl.on_spares)
        return !(c->contexts[in->r->id].on_spares >> in->slot & 1) &&
               (!c->spares_used || !c->cfg->count_registers || fits_spares(c, sm, in));
    if (is_free(c, in))
        return true;
    if (in->is_job && c->cfg->spare_registers && fits_spares(c, sm, in))
        return true;
    if (instance_is_high(in))
        drop_low(c, sm, in, now);
    return c->is_bare ? fits_spares(c, sm, in) : is_free(c, in);
}

/* A store's job leaves the waiting list for nothing. */
static void drop_waiting(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    awc_drop_job(c, in);
    c->waiting_low--;
    c->contexts[in->r->id].nwaiting--;
    c->stats.killed++;
    c->stats.instance_cycles += now - in->triggered;
    detach(c, sm, in, now);
    free(in);
}

/* The table is full: a store gives its row to what a warp waits for. */
static void drop_a_store(struct awc *c, struct sm *sm, cycle_t now)
{
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job && !row->has_ended) {
            kill(c, sm, row, now);
            return;
        }
    }
}

/* In order, past those whose registers are in use. */
static void start_waiting(struct awc *c, struct sm *sm, cycle_t now)
{
    struct instance_list rest = {0};
    struct instance *next;
    c->may_start = false;
    for (struct instance *in = c->waiting.head; in; in = next) {
        next = in->next;
        if (c->used == all_rows(c) && instance_is_high(in))
            drop_a_store(c, sm, now);
        if (in->is_job && in->on_spares && registers_of(in) > extra_spare_registers(sm)) {
            drop_waiting(c, sm, in, now);
        } else if (c->used != all_rows(c) && awc_memo_is_ready(c, sm, in) &&
                   can_start(c, sm, in, now)) {
            c->waiting_low -= !instance_is_high(in);
            c->contexts[in->r->id].nwaiting--;
            start(c, sm, in, now);
            c->has_moved = true;
        } else {
            c->stats.waited += in->is_new;
            in->is_new = false;
            instance_append(&rest, in);
        }
    }
    c->waiting = rest;
}

static void retired(void *self, struct sm *sm, struct extra_warp *x, cycle_t now)
{
    struct awc *c = self;
    struct awt_row *row = (struct awt_row *)(void *)x;
    c->is_quiet = false;
    if (row->has_ended && !x->inflight)
        finish(c, sm, row, now);
}

/* --- every cycle --- */

/* Instances of low priority whose parent has ended are of no use to anybody. */
static void kill_orphans(struct awc *c, struct sm *sm, cycle_t now)
{
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job || row->has_ended || !extra_has_exited(sm, row->x.slot))
            continue;
        kill(c, sm, row, now);
    }
}

/* Nothing is left that compression could be hidden behind: stores leave raw, and the kernel ends.
 */
static void drop_stores(struct awc *c, struct sm *sm, cycle_t now)
{
    struct instance_list rest = {0};
    struct instance *next;
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job && !row->has_ended)
            kill(c, sm, row, now);
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

static bool has_ready(const struct awc *c)
{
    for (uint64_t m = c->used; m; m &= m - 1) {
        const struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->nstaged && extra_is_ready(&row->x, row->staged[0]))
            return true;
    }
    return false;
}

static void deploy(void *self, struct sm *sm, cycle_t now)
{
    struct awc *c = self;
    resolve_inbox(c, sm);
    if (c->cfg->kill_at_exit)
        kill_orphans(c, sm, now);
    if (((c->used & ~c->high) || c->waiting_low) && !extra_has_program(sm))
        drop_stores(c, sm, now);
    if (c->may_start)
        start_waiting(c, sm, now);
    awc_measure(c, sm, now);
    awc_deploy_next(c);
    const bool is_held_back = c->is_throttled && (c->used & ~c->high);
    c->stats.throttled_cycles += is_held_back;
    c->is_quiet = !c->has_moved && !is_held_back && !has_ready(c);
    c->has_moved = false;
}

static bool is_pending(const void *self)
{
    const struct awc *c = self;
    return !c->is_quiet && (c->used || c->waiting.len || c->inbox.len);
}

static uint32_t extra_registers(const void *self, const struct kernel *k)
{
    const struct awc *c = self;
    if (c->registers)
        return c->registers(c->registers_ctx, k);
    return c->cfg->count_registers ? aws_registers(c->aws, c->cfg->share_registers) : 0;
}

void awc_bind_registers(struct awc *c,
                        uint32_t (*registers)(const void *ctx, const struct kernel *k),
                        const void *ctx)
{
    c->registers = registers;
    c->registers_ctx = ctx;
}

void awc_set_bare(struct awc *c, bool is_bare)
{
    c->is_bare = is_bare;
}

static const char *routine_name(const void *self, uint32_t number)
{
    const struct awc *c = self;
    return c->aws->routines[number].name;
}

struct warp_source awc_source(struct awc *c)
{
    return (struct warp_source){.issue_first = awc_issue_first,
                                .issue_idle = awc_issue_idle,
                                .is_pending = is_pending,
                                .extra_registers = extra_registers,
                                .self = c,
                                .has_warps = true,
                                .deploy = deploy,
                                .retired = retired,
                                .events = awc_events(c),
                                .event = awc_event,
                                .name = routine_name};
}
