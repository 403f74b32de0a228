/* A window is what happened between two looks. The share of each resource's capacity that was used
 * is that of its fullest instance (a channel, a slice, a port) or, for parts of an SM, the mean
 * over SMs with blocks. If a resource was as full as it gets, it held the machine back for the
 * whole window, and twice of it would have ended the window when the next fullest is full, at best
 * in half the time. Else the window is shared out by what the issue slots did. */
#include "gpu/limits.h"

#include "gpu/gpu_int.h"

#include <stdlib.h>
#include <string.h>

const char *const limit_names[LIMITS] = {
#define LIMIT(id, name, help) name,
#include "gpu/limits.def"
#undef LIMIT
};
const char *const limit_keys[LIMITS] = {
#define LIMIT(id, name, help) #id,
#include "gpu/limits.def"
#undef LIMIT
};

#define STAT(member, id, unit, help)                                                   \
    {#id "_" #member,                                                                  \
     STAT_COUNTER,                                                                     \
     (uint32_t)(offsetof(struct limit_stats, member) + LIMIT_##id * sizeof(uint64_t)), \
     unit,                                                                             \
     help,                                                                             \
     NULL},
const struct stat_row limit_stat_rows[] = {
#define LIMIT(id, name, help) STAT(cycles, id, "cycles", help)
#include "gpu/limits.def"
#undef LIMIT
#define LIMIT(id, name, help) STAT(saved, id, "cycles", "of them saved by twice of it")
#include "gpu/limits.def"
#undef LIMIT
#define LIMIT(id, name, help) STAT(used, id, "cycles", "it was in use")
#include "gpu/limits.def"
#undef LIMIT
};
const size_t limit_nstat_rows = ARRAY_LEN(limit_stat_rows);

/* --- what was seen --- */

/* Sums over the SMs. */
enum sm_sum {
    SM_BUSY,
    SM_ACTIVE,
    SM_COMPUTE,
    SM_MEMORY,
    SM_REFUSED,
    SM_DATA,
    SM_LOAD,
    SM_FETCH,
    SM_BARRIER,
    SM_ORDER,
    SM_SP,
    SM_SFU,
    SM_DP,
    SM_TENSOR,
    SM_LSU,
    SM_CONFLICTS,
    SM_L1_LATE, /* cycles that the L1s' oldest accesses waited, for want of room for misses */
    SM_SUMS
};

struct slice_seen {
    uint64_t requests, data, alu, atomics, late, refusals, misses;
};

struct channel_seen {
    uint64_t bus, rows, waits; /* cycles in use, activates, cycles lost between columns */
};

struct limits {
    struct limit_stats stats;
    double cycles[LIMITS], saved[LIMITS], used[LIMITS]; /* the same, not rounded */
    cycle_t at;
    uint64_t sms[SM_SUMS];
    struct slice_seen *slices;
    struct channel_seen *channels;
    struct noc_port_flits *ports[2];
};

struct window {
    double cycles;
    double used[LIMITS];     /* share of the capacity, of resources */
    double full[LIMITS];     /* the same; 1: as full as it gets */
    double sm[SM_SUMS];      /* SM_BUSY: share of the SMs' cycles; others: a busy SM's cycle */
    double atomics;          /* share of the requests at the fullest slice */
    double l2_late, l1_late; /* share of the time that they waited for want of room for misses */
    double waits;            /* of LIMIT_dram_bus: what is lost between columns */
};

static void sum_sm(const struct sm *sm, uint64_t sum[SM_SUMS])
{
    const struct sm_stats *s = sm_stats(sm);
    const struct l1_stats *l1 = sm_cache_stats(sm, SM_CACHE_DATA);
    const uint64_t misses = l1->fail_mshr + l1->fail_merge + l1->fail_way;
    sum[SM_BUSY] += s->busy_cycles;
    sum[SM_ACTIVE] += s->issue_active;
    sum[SM_COMPUTE] += s->issue_compute_stall;
    sum[SM_MEMORY] += s->issue_memory_stall - s->stall_refused;
    sum[SM_REFUSED] += s->stall_refused;
    sum[SM_DATA] += s->issue_data_stall - s->stall_load;
    sum[SM_LOAD] += s->stall_load;
    sum[SM_FETCH] += s->stall_fetch;
    sum[SM_BARRIER] += s->stall_barrier;
    sum[SM_ORDER] += s->stall_order;
    sum[SM_SP] += s->sp_busy;
    sum[SM_SFU] += s->sfu_busy;
    sum[SM_DP] += s->dp_busy;
    sum[SM_TENSOR] += s->tensor_busy;
    sum[SM_LSU] += s->accesses + s->shared_inst + s->shared_conflicts;
    sum[SM_CONFLICTS] += s->shared_conflicts;
    sum[SM_L1_LATE] += misses ? l1->stall_cycles * misses / (misses + l1->fail_queue) : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Of a window that begins now nothing is used; `w` NULL: only remember. */
static void see_sms(struct limits *l, const struct gpu *g, struct window *w)
{
    uint64_t now[SM_SUMS] = {0};
    for (uint32_t i = 0; i < g->nsms; i++)
        sum_sm(g->sms[i], now);
    for (unsigned k = 0; w && k < SM_SUMS; k++)
        w->sm[k] = now[k] > l->sms[k] ? (double)(now[k] - l->sms[k]) : 0;
    memcpy(l->sms, now, sizeof now);
    if (!w)
        return;
    const struct sm_cfg *c = &g->m->sm;
    const double busy = w->sm[SM_BUSY], slots = busy * (double)(c->subcores * c->schedulers);
    const double units = busy * (double)c->subcores;
    for (unsigned k = SM_ACTIVE; k <= SM_ORDER; k++)
        w->sm[k] = stat_ratio(w->sm[k], slots);
    w->used[LIMIT_issue] = w->sm[SM_ACTIVE];
    w->used[LIMIT_sp] = stat_ratio(w->sm[SM_SP], units * (double)(c->sp_units + c->int_units));
    w->used[LIMIT_sfu] = stat_ratio(w->sm[SM_SFU], units * (double)c->sfu_units);
    w->used[LIMIT_dp] = stat_ratio(w->sm[SM_DP], units * (double)c->dp_units);
    w->used[LIMIT_tensor] = stat_ratio(w->sm[SM_TENSOR], units * (double)c->tensor_units);
    w->used[LIMIT_lsu] = stat_ratio(w->sm[SM_LSU], busy);
    w->used[LIMIT_conflicts] = stat_ratio(w->sm[SM_CONFLICTS], busy);
    w->l1_late = stat_ratio(w->sm[SM_L1_LATE], busy);
    w->sm[SM_BUSY] = stat_ratio(busy, w->cycles * g->nsms);
}

static struct slice_seen slice_of(const struct l2 *l2)
{
    const struct l2_stats *s = l2_stats(l2);
    const uint64_t misses = s->fail_mshr + s->fail_merge + s->fail_way;
    return (struct slice_seen){.requests = s->requests,
                               .data = s->data_busy,
                               .alu = s->atomic_busy,
                               .atomics = s->atomics,
                               .late = s->stall_cycles,
                               .refusals = misses + s->fail_memory + s->fail_reply + s->fail_port,
                               .misses = misses};
}

static void see_slices(struct limits *l, const struct gpu *g, struct window *w)
{
    const double cycles = w ? w->cycles * g->m->gpu.l2_mhz / g->m->gpu.core_mhz : 1;
    for (uint32_t i = 0; i < g->nslices; i++) {
        const struct slice_seen was = l->slices[i], is = slice_of(g->l2[i]);
        l->slices[i] = is;
        if (!w)
            continue;
        const double requests = (double)(is.requests - was.requests) / cycles;
        const double late = (double)(is.late - was.late) / cycles;
        const double misses =
            stat_ratio((double)(is.misses - was.misses), (double)(is.refusals - was.refusals));
        if (requests > w->used[LIMIT_l2_lookup])
            w->atomics = (double)(is.atomics - was.atomics) / cycles / requests;
        w->used[LIMIT_l2_lookup] = larger(w->used[LIMIT_l2_lookup], requests);
        w->used[LIMIT_l2_data] =
            larger(w->used[LIMIT_l2_data], (double)(is.data - was.data) / cycles);
        w->used[LIMIT_atomics] =
            larger(w->used[LIMIT_atomics], (double)(is.alu - was.alu) / cycles);
        w->l2_late = larger(w->l2_late, late * misses);
    }
}

static void see_channels(struct limits *l, const struct gpu *g, struct window *w)
{
    const struct dram_cfg *d = &g->m->dram_resolved;
    const double mhz = g->m->gpu.dram_mhz * g->m->dram.bandwidth_scale;
    const double cycles =
        (w ? w->cycles * mhz / g->m->gpu.core_mhz : 1) * (double)d->pseudo_channels;
    const double spacing = larger((double)d->t_rrd_s, (double)d->t_faw / 4);
    for (uint32_t i = 0; i < g->nchannels; i++) {
        const struct dram_stats *s = dram_stats(g->dram[i]);
        const struct channel_seen was = l->channels[i],
                                  is = {s->bus_busy, s->act, dram_bus_waits(g->dram[i])};
        l->channels[i] = is;
        if (!w)
            continue;
        const double bus = (double)(is.bus - was.bus) / cycles;
        const double rows = (double)(is.rows - was.rows) * spacing / cycles;
        const double waits = bus > rows ? (double)(is.waits - was.waits) / cycles : 0;
        w->waits = larger(w->waits, waits);
        w->used[LIMIT_dram_bus] = larger(w->used[LIMIT_dram_bus], bus + waits);
        w->used[LIMIT_dram_rows] = larger(w->used[LIMIT_dram_rows], rows);
    }
}

/* Requests enter at SMs and leave at slices, replies the other way round. */
static void see_ports(struct limits *l, const struct gpu *g, struct window *w)
{
    const double cycles = w ? w->cycles * g->m->gpu.noc_mhz / g->m->gpu.core_mhz : 1;
    const double ejected = cycles * (double)g->m->noc.eject_flits;
    for (unsigned net = 0; net < 2 && g->noc[net]; net++) {
        for (uint32_t i = 0; i < g->nsms + g->nslices; i++) {
            const bool is_sm = i < g->nsms;
            const uint32_t node = is_sm ? g->sm_nodes[i] : g->slice_nodes[i - g->nsms];
            const struct noc_port_flits was = l->ports[net][i],
                                        is = *noc_port_flits(g->noc[net], node);
            l->ports[net][i] = is;
            if (!w)
                continue;
            double *in = &w->used[is_sm ? LIMIT_noc_request : LIMIT_noc_reply];
            double *out = &w->used[is_sm ? LIMIT_noc_reply : LIMIT_noc_request];
            *in = larger(*in, (double)(is.in - was.in) / cycles);
            *out = larger(*out, (double)(is.out - was.out) / ejected);
        }
    }
}

/* --- whose window it was --- */

/* Of the capacity: what is left of it beyond the use at which queues grow without end. */
static const double ceiling[LIMITS] = {
    [LIMIT_issue] = 0.95,       [LIMIT_sp] = 0.95,        [LIMIT_sfu] = 0.95,
    [LIMIT_dp] = 0.95,          [LIMIT_tensor] = 0.95,    [LIMIT_lsu] = 0.95,
    [LIMIT_noc_request] = 0.92, [LIMIT_noc_reply] = 0.92, [LIMIT_l2_lookup] = 0.95,
    [LIMIT_l2_data] = 0.95,     [LIMIT_atomics] = 0.95,   [LIMIT_dram_bus] = 0.92,
    [LIMIT_dram_rows] = 0.95,
};
#define FULL  0.9 /* of that */
#define OFTEN 0.5 /* of the time that misses waited for room */

/* Some do not come alone: with rows banks are full, behind the L2's misses those of the L1s, and
 * more schedulers share the same ports. Of what they could save, this much was seen. */
static double seen_of(enum limit who)
{
    return who == LIMIT_issue       ? 0.4
           : who == LIMIT_dram_rows ? 0.5
           : who == LIMIT_l2_misses ? 0.6
                                    : 1;
}

static void credit(struct limits *l, enum limit who, double cycles, double saved)
{
    l->cycles[who] += cycles;
    l->saved[who] += cycles * seen_of(who) * (saved > 0.5 ? 0.5 : saved > 0 ? saved : 0);
}

/* The resource whose port or pipe was full may have been full of something else. */
static enum limit cause_of(const struct window *w, enum limit full)
{
    const bool at_l2 = full == LIMIT_noc_request || full == LIMIT_noc_reply ||
                       full == LIMIT_l2_lookup || full == LIMIT_l2_data;
    if (at_l2 && w->atomics >= 0.5)
        return LIMIT_atomics;
    if (full == LIMIT_lsu && w->used[LIMIT_conflicts] >= 0.5 * w->used[LIMIT_lsu])
        return LIMIT_conflicts;
    return full;
}

static void share_out(struct limits *l, const struct window *w, double fullest)
{
    const double busy = w->cycles * w->sm[SM_BUSY], *s = w->sm;
    const enum limit waits = w->l2_late >= OFTEN   ? LIMIT_l2_misses
                             : w->l1_late >= OFTEN ? LIMIT_l1_misses
                                                   : LIMIT_latency;
    const double loads = s[SM_LOAD] + s[SM_REFUSED], left = 1 - fullest;
    double rest = 1 - s[SM_ACTIVE];
    for (unsigned k = SM_COMPUTE; k <= SM_ORDER; k++)
        rest -= s[k];
    credit(l, waits, busy * loads, left);
    credit(l, LIMIT_collectors, busy * s[SM_COMPUTE], left);
    credit(l, cause_of(w, LIMIT_lsu), busy * s[SM_MEMORY], left);
    credit(l, LIMIT_dependences, busy * s[SM_DATA], left);
    credit(l, LIMIT_fetch, busy * s[SM_FETCH], left);
    credit(l, LIMIT_barriers, busy * s[SM_BARRIER], left);
    credit(l, LIMIT_order, busy * s[SM_ORDER], left);
    credit(l, LIMIT_work, w->cycles - busy + busy * larger(rest, 0), left);
}

static void judge(struct limits *l, const struct window *w)
{
    enum limit first = LIMIT_issue, second = LIMITS;
    for (enum limit k = 1; k <= LIMIT_dram_rows; k++) {
        const bool is_first = w->full[k] > w->full[first];
        if (is_first || second == LIMITS || w->full[k] > w->full[second])
            second = is_first ? first : k;
        first = is_first ? k : first;
    }
    if (w->full[first] < FULL) {
        share_out(l, w, w->full[first]);
        return;
    }
    const enum limit cause = cause_of(w, first);
    double saved = 1 - w->full[second];
    if (cause == LIMIT_conflicts)
        saved =
            larger(0, saved < 0.5 ? saved : 0.5) * w->used[LIMIT_conflicts] / w->used[LIMIT_lsu];
    if (cause == LIMIT_dram_bus && w->waits > 0 && w->l2_late >= OFTEN)
        saved *= seen_of(LIMIT_l2_misses); /* those are all under way, too */
    credit(l, cause, w->cycles, saved);
}

/* --- looks --- */

static void see(struct limits *l, const struct gpu *g, struct window *w, cycle_t now)
{
    l->at = now;
    see_sms(l, g, w);
    see_slices(l, g, w);
    see_channels(l, g, w);
    see_ports(l, g, w);
}

void limits_begin(struct limits *l, const struct gpu *g, cycle_t now)
{
    see(l, g, NULL, now);
}

void limits_look(struct limits *l, const struct gpu *g, cycle_t now)
{
    if (now <= l->at)
        return;
    struct window w = {.cycles = (double)(now - l->at)};
    see(l, g, &w, now);
    for (enum limit k = 0; k < LIMITS; k++) {
        w.full[k] = ceiling[k] > 0 ? w.used[k] / ceiling[k] : 0;
        l->used[k] += w.used[k] * w.cycles;
    }
    judge(l, &w);
    for (enum limit k = 0; k < LIMITS; k++) {
        l->stats.cycles[k] = (uint64_t)(l->cycles[k] + 0.5);
        l->stats.saved[k] = (uint64_t)(l->saved[k] + 0.5);
        l->stats.used[k] = (uint64_t)(l->used[k] + 0.5);
    }
}

struct limits *limits_new(const struct gpu *g)
{
    struct limits *l = xcalloc(1, sizeof *l);
    l->slices = xcalloc(g->nslices, sizeof *l->slices);
    l->channels = xcalloc(g->nchannels, sizeof *l->channels);
    for (unsigned net = 0; net < 2; net++)
        l->ports[net] = xcalloc(g->nsms + g->nslices, sizeof *l->ports[net]);
    return l;
}

void limits_free(struct limits *l)
{
    if (!l)
        return;
    free(l->slices);
    free(l->channels);
    free(l->ports[0]);
    free(l->ports[1]);
    free(l);
}

const struct limit_stats *limits_stats(const struct limits *l)
{
    return &l->stats;
}
