/* Speed of a saturated and of an idle network: network cycles a second of host time. */
#include "base/rng.h"
#include "noc/noc_traffic.h"

#include <stdio.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const char *name, int topology, int64_t vcs, uint32_t flits, double offered)
{
    struct noc_cfg cfg;
    conf_defaults(noc_fields, noc_nfields, &cfg);
    cfg.topology = topology;
    cfg.vcs = vcs;
    uint32_t nodes = noc_cfg_nodes(&cfg);
    struct noc_traffic t = {.nsrc = nodes,
                            .ndst = nodes,
                            .flits = flits,
                            .packets_a_cycle = offered / flits,
                            .warmup = 1000,
                            .measure = 20000,
                            .seed = 1};
    struct noc_traffic_result r;
    double start = cpu_seconds();
    noc_traffic_run(&cfg, &t, &r);
    double s = cpu_seconds() - start;
    printf("%-10s %lld vcs %u flits, offered %.3f, accepted %.3f: %9.1f K cycles/s\n", name,
           (long long)vcs, flits, offered, r.accepted_flits, (double)r.cycles / s / 1e3);
}

static void drop(void *self, const struct noc_packet *p, cycle_t now)
{
    (void)p;
    (void)now;
    (*(uint64_t *)self)++;
}

/* Every source always has something to send: as full as the network gets. */
static void run_full(int64_t vcs, uint32_t flits)
{
    static const struct noc_client_ops ops = {drop, NULL};
    struct noc_cfg cfg;
    conf_defaults(noc_fields, noc_nfields, &cfg);
    cfg.vcs = vcs;
    uint64_t packets = 0;
    struct noc *n = noc_new(&cfg, &ops, &packets);
    struct rng rng = {1};
    double start = 0;
    const cycle_t warmup = 2000, cycles = 50000;
    for (cycle_t now = 0; now < warmup + cycles; now++) {
        if (now == warmup)
            start = cpu_seconds();
        for (uint32_t i = 0; i < 64; i++)
            if (noc_can_send(n, i, 0))
                noc_send(n, now, i, rng_below(&rng, 64), 0, flits, NULL);
        noc_tick(n, now);
    }
    double s = cpu_seconds() - start;
    printf("mesh 8x8   %lld vcs %u flits, sources always full, accepted %.3f: %9.1f K cycles/s, "
           "%.1f M flit hops/s\n",
           (long long)vcs, flits, (double)packets * flits / (double)(warmup + cycles) / 64,
           (double)cycles / s / 1e3, (double)noc_stats(n)->hops / s / 1e6);
    noc_free(n);
}

int main(void)
{
    run_full(2, 1);
    run_full(2, 5);
    run_full(1, 1);
    run("mesh 8x8", NOC_MESH, 2, 1, 0.6);
    run("mesh 8x8", NOC_MESH, 2, 5, 0.6);
    run("mesh 8x8", NOC_MESH, 1, 1, 0.6);
    run("mesh 8x8", NOC_MESH, 2, 1, 0.2);
    run("mesh 8x8", NOC_MESH, 2, 1, 0.001);
    run("crossbar", NOC_CROSSBAR, 1, 1, 0.9);
    run("crossbar", NOC_CROSSBAR, 2, 5, 0.9);
    return 0;
}
