/* The core as a component: what a tick does, and how the parts hang together. */
#include "a64/core_int.h"

#include <inttypes.h>
#include <stdlib.h>

const struct conf_field a64_core_fields[] = {
#define ROWS_FILE   "a64/core_cfg.def"
#define ROWS_STRUCT a64_core_cfg
#include "parsim/rows_entries.h"
};
const size_t a64_core_nfields = ARRAY_LEN(a64_core_fields);

#define ROWS_FILE   "a64/core_stats.def"
#define ROWS_STRUCT a64_core_stats
#include "parsim/rows_formulas.h"

const struct stat_row a64_core_stat_rows[] = {
#define ROWS_FILE   "a64/core_stats.def"
#define ROWS_STRUCT a64_core_stats
#include "parsim/rows_entries.h"
};
const size_t a64_core_nstat_rows = ARRAY_LEN(a64_core_stat_rows);

bool a64_core_cfg_check(const struct a64_core_cfg *c, struct err *err)
{
    const struct {
        const char *name;
        int64_t value;
    } powers[] = {{"local_entries", c->local_entries},
                  {"global_entries", c->global_entries},
                  {"btb", c->btb},
                  {"prefetch_sets", c->prefetch_sets}};
    for (unsigned i = 0; i < ARRAY_LEN(powers); i++)
        if (!is_pow2((uint64_t)powers[i].value))
            return err_set(err, "core.%s: %lld is not a power of two", powers[i].name,
                           (long long)powers[i].value);
    return true;
}

/* --- made and wired --- */

static uint64_t clock_ns(void *ctx)
{
    const struct a64_core *c = ctx;
    return (c->issue.behind - (c->issue.behind > 0)) * 1000 / (uint64_t)c->cfg.mhz;
}

static struct bpred_cfg bpred_cfg_of(const struct a64_core_cfg *c)
{
    return (struct bpred_cfg){(unsigned)c->local_entries, (unsigned)c->global_entries,
                              (unsigned)c->btb, (unsigned)c->btb_tag, (unsigned)c->return_stack};
}

/* The data cache is asked in the cycle of issue, a cycle before the access is at its port. */
static struct l1 *data_cache(struct a64_core *c, const struct l1_cfg *cfg)
{
    struct l1_cfg l1 = *cfg;
    l1.latency += 1;
    c->l1d_latency = (unsigned)l1.latency;
    return l1_new(&l1, &c->pool, 0, &l1_seams_null);
}

struct a64_core *a64_core_new(const struct a64_core_parts *p)
{
    struct a64_core *c = xalloc_aligned(64, sizeof *c);
    const struct bpred_cfg bpred = bpred_cfg_of(p->cfg);
    c->cfg = *p->cfg;
    c->timing = c->ops.timing = *p->timing;
    c->process = p->process;
    c->memo = p->process->cpu.memo;
    c->map = *p->map;
    c->line_bytes = (unsigned)p->l1d->line_bytes;
    c->l1i_latency = (unsigned)p->l1i->latency;
    c->l1i = l1_new(p->l1i, &c->pool, 0, &l1_seams_null);
    c->lsu.l1d = data_cache(c, p->l1d);
    c->front.line = CORE_UNKNOWN;
    c->front.limit = UINT64_MAX;
    bpred_init(&c->bpred, &bpred);
    stride_init(&c->lsu.stride, (unsigned)p->cfg->prefetch_sets, (unsigned)p->cfg->prefetch_degree,
                c->line_bytes);
    if (c->memo)
        memo_time_init(&c->memo_time, c->memo);
    c->process->clock = clock_ns;
    c->process->clock_ctx = c;
    return c;
}

void a64_core_free(struct a64_core *c)
{
    if (!c)
        return;
    c->process->clock = NULL;
    memo_time_free(&c->memo_time);
    stride_free(&c->lsu.stride);
    bpred_free(&c->bpred);
    frames_free(&c->frames);
    a64_ops_free(&c->ops);
    l1_free(c->l1i);
    l1_free(c->lsu.l1d);
    mem_req_pool_free(&c->pool);
    free(c);
}

void a64_core_bind(struct a64_core *c, unsigned slice, struct port *to, struct port *from)
{
    c->to[slice] = to;
    c->from[slice] = from;
    c->nslices = slice + 1 > c->nslices ? slice + 1 : c->nslices;
}

void a64_core_bind_sim(struct a64_core *c, struct sim *sim, const struct component *self)
{
    c->sim = sim;
    c->self = self;
}

void a64_core_limit(struct a64_core *c, uint64_t instructions)
{
    c->front.limit = instructions ? instructions : UINT64_MAX;
}

void a64_core_watch(struct a64_core *c, void (*fn)(void *ctx, bool is_begin), void *ctx)
{
    c->watch = fn;
    c->watch_ctx = ctx;
}

void a64_core_observe(struct a64_core *c,
                      void (*fn)(void *ctx, uint64_t pc, cycle_t issue, const struct a64_op *op),
                      void *ctx)
{
    c->observe = fn;
    c->observe_ctx = ctx;
}

bool a64_core_is_done(const struct a64_core *c)
{
    return c->is_done;
}

const struct a64_core_stats *a64_core_stats(const struct a64_core *c)
{
    return &c->stats;
}

const struct l1_stats *a64_core_l1i_stats(const struct a64_core *c)
{
    return l1_stats(c->l1i);
}

const struct l1_stats *a64_core_l1d_stats(const struct a64_core *c)
{
    return l1_stats(c->lsu.l1d);
}

/* --- a tick --- */

static void earlier(cycle_t *next, cycle_t at)
{
    if (at < *next)
        *next = at;
}

/* When the next reply can be seen: nothing else runs within a tick, so that nothing comes before.
 */
static void look_for_replies(struct a64_core *c)
{
    c->reply_at = CYCLE_NEVER;
    for (unsigned i = 0; i < c->nslices; i++)
        earlier(&c->reply_at, port_next(c->from[i]));
}

static void take_replies(struct a64_core *c, cycle_t now)
{
    struct mem_req *r;
    for (unsigned i = 0; i < c->nslices; i++)
        while ((r = port_pop(c->from[i], now))) {
            c->lsu.is_stirred |= r->owner == c->lsu.l1d;
            c->alone_until = 0;
            l1_fill(r->owner, now, r);
        }
    look_for_replies(c);
}

static void send_requests(struct a64_core *c, struct l1 *l1, cycle_t now)
{
    for (struct mem_req *r; (r = l1_peek_req(l1, now));) {
        const uint32_t slice = interleave_slice(&c->map, r->addr);
        c->alone_until = 0; /* to find no room wakes, too */
        if (!port_can_push(c->to[slice], now))
            return;
        l1_pop_req(l1, now);
        r->dst = (uint16_t)slice;
        port_push(c->to[slice], now, r);
    }
}

static cycle_t next_tick(struct a64_core *c, cycle_t now)
{
    cycle_t next = c->wake;
    if (c->front.line_asked)
        earlier(&next, core_line_next(c, now));
    earlier(&next, core_lsu_next(c, now));
    earlier(&next, c->reply_at);
    if (c->lsu.len || c->lsu.nahead)
        earlier(&next, now + 1);
    return next > now ? next : now + 1;
}

/* Fetches and issues until something must be waited for. */
static void advance(struct a64_core *c)
{
    c->wake = CYCLE_NEVER;
    core_fetch(c);
    while (core_issue(c) && core_fetch(c))
        ;
}

/* All of a cycle; CYCLE_NEVER: it was the last. */
static cycle_t step(struct a64_core *c, cycle_t now)
{
    c->now = now;
    if (now >= c->reply_at)
        take_replies(c, now);
    if (c->front.line_asked)
        core_line_collect(c, now);
    core_lsu_collect(c, now);
    if (c->memo)
        c->memo->now = now;
    advance(c);
    core_lsu_submit(c, now);
    if (c->front.line_asked)
        send_requests(c, c->l1i, now);
    if (c->lsu.is_stirred)
        send_requests(c, c->lsu.l1d, now);
    if (c->front.is_ended && c->front.issued == c->front.fetched) {
        c->is_done = true;
        sim_stop(c->sim);
        return CYCLE_NEVER;
    }
    return next_tick(c, now);
}

static cycle_t core_tick(void *self, cycle_t now)
{
    struct a64_core *c = self;
    if (c->is_done)
        return CYCLE_NEVER;
    c->alone_until = 0;
    look_for_replies(c);
    for (;;) {
        const cycle_t next = step(c, now);
        if (!c->alone_until)
            c->alone_until = component_alone_until(c->sim, c->self);
        if (next >= c->alone_until) {
            component_went_on(c->sim, c->self, now);
            return next;
        }
        now = next;
    }
}

static void core_dump(const void *self, FILE *out)
{
    const struct a64_core *c = self;
    fprintf(out,
            "  core: pc 0x%" PRIx64 ", %" PRIu64
            " instructions wait to issue, %u loads (%u missed) and %u stores "
            "are on their way\n",
            c->process->cpu.pc, c->front.fetched - c->front.issued, c->lsu.nloads, c->lsu.nmisses,
            c->lsu.nstores);
    l1_dump(c->l1i, out);
    l1_dump(c->lsu.l1d, out);
}

const struct component_ops a64_core_component_ops = {core_tick, core_dump};
