/* Making a controller, its cycle, and the SM's seam. */
#include "tech/assist/awc_int.h"

#include <string.h>

/* --- making one --- */

static uint32_t windows_at(const struct awc *c, uint32_t module)
{
    return (uint32_t)align_up(c->aws->modules[module].shared_bytes, AWC_LINE);
}

static uint32_t shared_bytes(const struct awc *c, uint32_t module)
{
    return windows_at(c, module) + (uint32_t)c->cfg->awt_entries * AWC_WINDOWS;
}

struct awc_windows awc_windows_of(const struct awc *c, const struct awt_row *row)
{
    const uint32_t at = windows_at(c, row->in->r->module), n = (uint32_t)c->cfg->awt_entries,
                   number = (uint32_t)(row - c->rows);
    return (struct awc_windows){at + number * 2 * AWC_LINE, at + n * 2 * AWC_LINE + number * 16};
}

/* A block on the module's memory. Its warp is that of the row which uses it, started then: rows
 * have one for all routines, since the host's caches could not hold one for each. */
static void make_context(struct awc *c, struct awc_context *x, const struct routine *r)
{
    x->launch =
        (struct launch){.kernel = r->kernel, .grid = {1, 1, 1}, .block = {WARP_LANES, 1, 1}};
    grid_init(&x->grid, c->aws->dev, &x->launch);
    x->grid.smid = c->sm;
    x->grid.shared_bytes = 0;
    x->grid.nwarps = 0;
    x->cta = cta_new(&x->grid);
    cta_start(x->cta, &x->grid, 0);
    free(x->cta->shared);
    x->cta->shared = c->shared[r->module];
    x->cta->shared_bytes = x->cta->shared_limit = shared_bytes(c, r->module);
    x->known = xcalloc(r->entry->ncode, sizeof *x->known);
    x->places = xcalloc(r->entry->ncode, sizeof *x->places);
    x->params = xcalloc(1, AWS_PARAM_BYTES);
    c->has_interrupts |= r->decl.on == ON_INTERRUPT;
    x->next_at = r->decl.on == ON_INTERRUPT ? awc_interrupt_cycles(c, r) : r->decl.every;
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

static struct awt_row *rows_new(size_t n)
{
    struct awt_row *rows = xalloc_aligned(_Alignof(struct awt_row), n * sizeof *rows);
    char *params = xcalloc(n, AWS_PARAM_BYTES);
    memset(rows, 0, n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i].bit = UINT64_C(1) << i;
        rows[i].params = params + i * AWS_PARAM_BYTES;
    }
    return rows;
}

static void rows_free(struct awt_row *rows)
{
    free(rows->params);
    free(rows);
}

struct awc *awc_new(const struct aws *aws, const struct assist_cfg *cfg, uint32_t sm)
{
    struct awc *c = xalloc_aligned(_Alignof(struct awc), sizeof *c);
    c->aws = aws;
    c->cfg = cfg;
    c->sm_cfg = aws->sm;
    c->nrows = (unsigned)cfg->awt_entries;
    c->all_rows = UINT64_MAX >> (64 - c->nrows);
    c->ibuffer = (unsigned)aws->sm->ibuffer;
    c->deploy_width = (unsigned)cfg->deploy_width;
    c->low_entries = (unsigned)cfg->awb_low_entries;
    c->nsched = (uint32_t)(aws->sm->subcores * aws->sm->schedulers);
    c->measure_at = cfg->throttle ? (cycle_t)cfg->throttle_window : CYCLE_NEVER;
    c->sm = sm;
    c->rows = rows_new((size_t)cfg->awt_entries);
    c->warps = xcalloc((size_t)cfg->awt_entries, sizeof *c->warps);
    c->shared = xcalloc(aws->nmodules, sizeof *c->shared);
    for (uint32_t i = 0; i < aws->nmodules; i++) {
        c->shared[i] = xalloc_aligned(AWC_LINE, align_up(shared_bytes(c, i), AWC_LINE));
        memset(c->shared[i], 0, shared_bytes(c, i));
    }
    memo_init(&c->memo, aws);
    awc_forms_init(c);
    c->has_lookup = c->memo.lookup != NULL;
    c->contexts = xcalloc(aws->nroutines, sizeof *c->contexts);
    for (uint32_t i = 0; i < aws->nroutines; i++)
        make_context(c, &c->contexts[i], &aws->routines[i]);
    for (uint32_t i = 0; i < aws->nroutines; i++)
        c->contexts[i].group = group_of(c, &aws->routines[i]);
    return c;
}

static void free_list(struct instance *first)
{
    for (struct instance *in = first, *next; in; in = next) {
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
        free(c->contexts[i].known);
        free(c->contexts[i].places);
        free(c->contexts[i].params);
        warp_free(&c->contexts[i].ahead);
    }
    for (uint32_t i = 0; i < c->aws->nmodules; i++)
        free(c->shared[i]);
    for (uint64_t m = c->used; m; m &= m - 1)
        free(c->rows[__builtin_ctzll(m)].in);
    for (int64_t i = 0; i < c->cfg->awt_entries; i++)
        warp_free(&c->warps[i]);
    free_list(c->inbox.head);
    free_list(c->waiting.head);
    free_list(c->free_instances);
    vec_free(&c->done);
    vec_free(&c->held);
    memo_free(&c->memo);
    free(c->shared);
    free(c->contexts);
    rows_free(c->rows);
    free(c->warps);
    free(c);
}

const struct assist_stats *awc_stats(const struct awc *c)
{
    return &c->stats;
}

const struct assist_codec_stats *awc_codec_stats(const struct awc *c)
{
    return &c->codec_stats;
}

const struct assist_interrupt_stats *awc_interrupt_stats(const struct awc *c)
{
    return &c->interrupt_stats;
}

const void *awc_shared(const struct awc *c, uint32_t module)
{
    return c->shared[module];
}

/* --- every cycle --- */

/* Rows with something staged that may be ready. */
static uint64_t may_issue(const struct awc *c)
{
    return c->used & c->staged & ~c->unready;
}

static bool has_ready(const struct awc *c)
{
    for (uint64_t m = may_issue(c); m; m &= m - 1) {
        const struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (extra_is_ready_at(&row->x, row->fn, awc_row_first(row)))
            return true;
    }
    return false;
}

/* What issue does to one row concerns its own scheduler alone. */
static uint32_t offers(const void *self)
{
    const struct awc *c = self;
    const uint64_t rows = may_issue(c);
    const uint64_t high = rows & c->high, low = rows ^ high;
    uint32_t set = 0;
    for (unsigned j = 0; high && j < c->nsched; j++)
        set |= (uint32_t)((high & c->of_sched[j]) != 0) << j;
    for (unsigned j = 0; UNLIKELY(low) && j < c->nsched; j++)
        set |= (uint32_t)((low & c->of_sched[j]) != 0) << (j + WARPS_IDLE_BIT);
    return set;
}

/* Stores are held, and no program is there whose writes could join them. */
static bool is_over(const struct awc *c)
{
    return c->held_at < c->held.len && c->host && !extra_has_program(c->host);
}

/* Stores that still wait are stored raw: nothing is left that compression could be hidden behind.
 */
static bool is_too_late(const struct awc *c, cycle_t now)
{
    return c->is_alone && !c->cfg->finish_stores &&
           now >= c->alone_since + (cycle_t)c->cfg->finish_cycles &&
           ((c->used & ~c->high) || c->waiting_low);
}

/* What happens seldom, where something of it is due in this cycle. */
static __attribute__((noinline)) void tidy(struct awc *c, struct sm *sm, cycle_t now)
{
    if (is_over(c))
        awc_release_held(c, now, true);
    awc_resolve_inbox(c, sm);
    if (c->cfg->kill_at_exit)
        awc_kill_orphans(c, sm, now);
    if (is_too_late(c, now))
        awc_drop_stores(c, sm, now);
}

/* No program is on the SM, or one is again. */
static __attribute__((noinline)) void change_alone(struct awc *c, bool is_alone, cycle_t now)
{
    c->is_alone = is_alone;
    if (!is_alone)
        return;
    c->alone_since = now;
    c->may_start = c->has_changed = true; /* all registers are free, and all buffers */
    c->stuck = 0;
}

static void deploy(void *self, struct sm *sm, cycle_t now)
{
    struct awc *c = self;
    const bool is_alone = !extra_has_program(sm);
    c->host = sm;
    if (is_alone != c->is_alone)
        change_alone(c, is_alone, now);
    if (c->inbox.head || is_alone || c->cfg->kill_at_exit ||
        c->spare_seen != extra_spare_shared(sm))
        tidy(c, sm, now);
    if (c->may_start && c->waiting.head)
        awc_start_waiting(c, sm, now);
    if (now >= c->measure_at)
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
    return (!c->is_quiet && (c->used || c->waiting.len || c->inbox.len)) || is_over(c);
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
    c->has_changed = true;
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
                                .offers = offers,
                                .extra_registers = extra_registers,
                                .self = c,
                                .has_warps = true,
                                .deploy = deploy,
                                .retired = awc_retired,
                                .events = awc_events(c),
                                .event = awc_event,
                                .name = routine_name};
}
