/* One line that names what holds a run back: the limit (limits.def) that did so for most of the
 * time, the numbers that show it, and what twice of it would gain. */
#include "gpu/report_int.h"

#include <stdarg.h>
#include <string.h>

/* Lanes that execute, below which it is divergence that a full pipe is full of. */
#define FEW_LANES 0.6

static double limit_get(const struct stats *st, enum limit k, const char *what)
{
    char key[64];
    snprintf(key, sizeof key, "limits.%s_%s", limit_keys[k], what);
    return fact_get(st, key);
}

/* --- what it is --- */

static enum limit longest(const struct stats *st)
{
    enum limit best = LIMIT_work;
    for (enum limit k = 0; k < LIMITS; k++)
        if (limit_get(st, k, "cycles") > limit_get(st, best, "cycles"))
            best = k;
    return best;
}

/* Atomics fill ports, lookups or the ALU: whichever is fullest is what to double for them. */
static enum limit doubled_for(const struct stats *st, enum limit k)
{
    static const enum limit parts[] = {LIMIT_noc_request, LIMIT_noc_reply, LIMIT_l2_lookup,
                                       LIMIT_l2_data};
    enum limit best = k;
    for (unsigned i = 0; k == LIMIT_atomics && i < ARRAY_LEN(parts); i++)
        if (limit_get(st, parts[i], "used") > limit_get(st, best, "used"))
            best = parts[i];
    return best;
}

bool report_is_divergent(enum limit k, double warp_inst, double thread_inst, double divergences)
{
    const bool is_of_lanes =
        k <= LIMIT_tensor || k == LIMIT_collectors || k == LIMIT_dependences || k == LIMIT_fetch;
    return is_of_lanes && divergences > 0 && thread_inst < FEW_LANES * 32 * warp_inst;
}

/* --- what twice of it would save --- */

/* Half of the latencies that can be set, of a miss's whole way. */
static double latency_saved(const struct report_facts *f, const struct machine *m,
                            const struct stats *st)
{
    const double l2 = m->gpu.core_mhz / m->gpu.l2_mhz, l1 = (double)m->l1.latency;
    const double dram = stat_ratio(fact_get(st, "load_stages.from_dram"), f->misses);
    const double set = l1 + l2 * ((double)m->l2.latency + dram * (double)m->mc.latency_in);
    const double all = l1 + f->miss_latency;
    return f->misses > 0 ? 0.5 * (set < all ? set : all) / all : 0;
}

/* Half of the pipes' latencies; an instruction also takes this long from issue to pipe and from
 * pipe to the next issue. */
static double dependence_saved(const struct machine *m)
{
    const double around = 6, pipe = (double)(m->sm.iadd_latency + m->sm.fmad_latency) / 2;
    return 0.5 * pipe / (pipe + around);
}

static double fetch_saved(const struct machine *m)
{
    const double l2 = (double)m->l2.latency * m->gpu.core_mhz / m->gpu.l2_mhz;
    return 0.3 * l2 / (l2 + 4 * (double)m->gpu.port_cycles + 16);
}

static double cycles_saved(const struct report_facts *f, const struct machine *m,
                           const struct stats *st, enum limit k)
{
    const double share = k == LIMIT_latency       ? latency_saved(f, m, st)
                         : k == LIMIT_dependences ? dependence_saved(m)
                         : k == LIMIT_fetch       ? fetch_saved(m)
                                                  : -1;
    return share < 0 ? limit_get(st, k, "saved") : share * limit_get(st, k, "cycles");
}

/* --- in words --- */

static void say(struct report_facts *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(struct report_facts *f, const char *fmt, ...)
{
    const size_t at = strlen(f->bottleneck);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->bottleneck + at, sizeof f->bottleneck - at, fmt, ap);
    va_end(ap);
}

static void say_resource(struct report_facts *f, const struct machine *m, const struct stats *st,
                         enum limit k)
{
    const struct report_limit *l = &f->limit;
    if (k == LIMIT_dram_bus)
        say(f, ": %.3g of %.3g GB/s; the fullest channel's bus%s", f->dram_rate * 1e-9,
            f->dram_peak * 1e-9,
            m->dram.queues == DRAM_QUEUES_SLOTS ? " (with gaps between columns)" : "");
    else if (k == LIMIT_atomics)
        say(f, ": %.3g a cycle in the L2; %s", stat_ratio(fact_get(st, "l2.atomics"), f->cycles),
            limit_names[doubled_for(st, k)]);
    else
        say(f, ":");
    say(f, " %.0f%% used, and full for %.0f%% of the time", 100 * l->used, 100 * l->time_share);
}

static void say_waiting(struct report_facts *f, const struct machine *m, enum limit k)
{
    const double time = 100 * f->limit.time_share;
    const long long warps = (long long)m->sm.warps;
    if (k == LIMIT_work)
        say(f, ": SMs have blocks %.0f%% of the time; %.0f%% of it is lost so", 100 * f->busy,
            time);
    else if (k == LIMIT_l2_misses)
        say(f,
            ": an L1 miss spends %.0f of its %.0f cycles in the L2, whose %lld misses a slice "
            "are all under way; loads wait so %.0f%% of the time",
            f->stages[2], f->miss_latency, (long long)m->l2.mshrs, time);
    else if (k == LIMIT_l1_misses)
        say(f, ": an L1 can have %lld, each takes %.0f cycles; loads wait so %.0f%% of the time",
            (long long)m->l1.mshrs, f->miss_latency, time);
    else if (k == LIMIT_latency)
        say(f,
            ": a load takes %.0f cycles and %.1f of %lld warps cannot hide it; nothing is full "
            "for %.0f%% of the time",
            f->load_latency, f->occupancy_warps, warps, time);
    else
        say(f, ": %.0f%% of the time, with %.1f of %lld warps", time, f->occupancy_warps, warps);
}

static void say_gain(struct report_facts *f, enum limit k)
{
    const struct report_limit *l = &f->limit;
    const bool is_latency = k == LIMIT_latency || k == LIMIT_dependences || k == LIMIT_fetch;
    if (!l->gain)
        return;
    say(f, "; with %s of it ", is_latency ? "half" : "twice");
    if (l->ndoubled == 1)
        say(f, "(%s) ", l->doubled[0]);
    if (l->gain < 1.02)
        say(f, "alone hardly faster");
    else
        say(f, "about %.2f times as fast", l->gain);
}

static void say_divergence(struct report_facts *f, const struct stats *st, enum limit k)
{
    say(f,
        "divergence: %.1f of 32 lanes execute, lanes parted at %.0f branches; so %s held it back "
        "for %.0f%% of the time",
        stat_ratio(f->thread_inst, f->warp_inst), fact_get(st, "sm.divergences"), limit_names[k],
        100 * f->limit.time_share);
}

void report_bottleneck(struct report_facts *f, const struct machine *m, const struct stats *st)
{
    struct report_limit *l = &f->limit;
    if (!f->cycles)
        return;
    const enum limit k = longest(st), part = doubled_for(st, k);
    *l = (struct report_limit){.key = limit_keys[k],
                               .time_share = limit_get(st, k, "cycles") / f->cycles,
                               .used = limit_get(st, part, "used") / f->cycles};
    if (report_is_divergent(k, f->warp_inst, f->thread_inst, fact_get(st, "sm.divergences"))) {
        l->key = "divergence";
        say_divergence(f, st, k);
        return;
    }
    l->ndoubled = report_double(m, part, l->doubled, ARRAY_LEN(l->doubled));
    if (l->ndoubled)
        l->gain = f->cycles / (f->cycles - cycles_saved(f, m, st, k));
    say(f, "%s", limit_names[k]);
    if (k <= LIMIT_dram_rows)
        say_resource(f, m, st, k);
    else
        say_waiting(f, m, k);
    say_gain(f, k);
}
