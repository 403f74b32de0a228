/* Packets drawn by a fixed seed, and latencies of those in the measured time. */
#include "noc/noc_traffic.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

struct driver {
    const struct noc_traffic *t;
    const struct noc_cfg *cfg;
    struct noc *noc;
    struct rng rng;
    double log_miss;  /* log of the chance that a cycle has no new packet */
    cycle_t *next;    /* [nsrc]: when each source makes its next packet */
    cycle_t from, to; /* the measured time */
    uint64_t created, arrived, packet_cycles, network_cycles, flits, routers;
};

/* Cycles to the next success of a Bernoulli trial a cycle. */
static cycle_t draw_gap(struct driver *g)
{
    double u = 1.0 - rng_unit(&g->rng);
    double gap = g->log_miss < 0 ? floor(log(u) / g->log_miss) : 0;
    return 1 + (gap < 1e15 ? (cycle_t)gap : (cycle_t)1e15);
}

static bool measured(const struct driver *g, cycle_t created)
{
    return created >= g->from && created < g->to;
}

static uint32_t distance(const struct driver *g, uint32_t a, uint32_t b)
{
    if (g->cfg->topology != NOC_MESH)
        return 0;
    int w = (int)g->cfg->width;
    return (uint32_t)(abs((int)a % w - (int)b % w) + abs((int)a / w - (int)b / w));
}

static void driver_deliver(void *self, const struct noc_packet *p, cycle_t now)
{
    struct driver *g = self;
    if (now >= g->from && now < g->to)
        g->flits += p->flits;
    if (!measured(g, p->created))
        return;
    g->arrived++;
    g->packet_cycles += now - p->created;
    g->network_cycles += now - p->entered;
    g->routers += distance(g, p->src, p->dst) + 1;
}

static const struct noc_client_ops driver_ops = {driver_deliver, NULL};

static void sources_step(struct driver *g, cycle_t now)
{
    const struct noc_traffic *t = g->t;
    for (uint32_t i = 0; i < t->nsrc; i++) {
        if (g->next[i] != now)
            continue;
        uint32_t d = rng_below(&g->rng, t->ndst);
        noc_send(g->noc, now, t->src ? t->src[i] : i, t->dst ? t->dst[d] : d, 0, t->flits, NULL);
        g->created += measured(g, now);
        g->next[i] = now + draw_gap(g);
    }
}

void noc_traffic_run(const struct noc_cfg *cfg, const struct noc_traffic *t,
                     struct noc_traffic_result *out)
{
    struct noc_cfg unbounded = *cfg;
    unbounded.source_packets = 0;
    struct driver g = {.t = t,
                       .cfg = cfg,
                       .rng = {t->seed},
                       .log_miss = log1p(-t->packets_a_cycle),
                       .from = t->warmup,
                       .to = t->warmup + t->measure};
    g.noc = noc_new(&unbounded, &driver_ops, &g);
    g.next = xcalloc(t->nsrc, sizeof *g.next);
    for (uint32_t i = 0; i < t->nsrc; i++)
        g.next[i] = draw_gap(&g) - 1;
    cycle_t now = 0;
    while (now < g.to || (g.arrived < g.created && now < g.to + t->drain_max)) {
        sources_step(&g, now);
        noc_tick(g.noc, now++);
    }
    double n = g.arrived ? (double)g.arrived : 1;
    *out = (struct noc_traffic_result){
        .packets = g.arrived,
        .packet_latency = (double)g.packet_cycles / n,
        .network_latency = (double)g.network_cycles / n,
        .accepted_flits = (double)g.flits / ((double)t->measure * t->nsrc),
        .routers = (double)g.routers / n,
        .drained = g.arrived == g.created,
        .cycles = now,
    };
    noc_free(g.noc);
    free(g.next);
}
