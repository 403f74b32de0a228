/* Speed of a saturated and of an idle network: network cycles a second of host time. */
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

int main(void)
{
    run("mesh 8x8", NOC_MESH, 2, 1, 0.6);
    run("mesh 8x8", NOC_MESH, 2, 5, 0.6);
    run("mesh 8x8", NOC_MESH, 1, 1, 0.6);
    run("mesh 8x8", NOC_MESH, 2, 1, 0.2);
    run("mesh 8x8", NOC_MESH, 2, 1, 0.001);
    run("crossbar", NOC_CROSSBAR, 1, 1, 0.9);
    run("crossbar", NOC_CROSSBAR, 2, 5, 0.9);
    return 0;
}
