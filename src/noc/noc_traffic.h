/* Reference traffic for a network: open-loop Bernoulli sources with unbounded queues, as other
 * simulators were measured (tests/data/reference/README.md), for validation, benchmarks, tests. */
#ifndef NOC_NOC_TRAFFIC_H
#define NOC_NOC_TRAFFIC_H

#include "noc/noc.h"

struct noc_traffic {
    uint32_t nsrc, ndst;
    const uint16_t *src, *dst; /* NULL: all nodes; a source may draw itself as destination */
    uint32_t flits;            /* of each packet */
    double packets_a_cycle;    /* of each source */
    cycle_t warmup, measure;
    cycle_t drain_max; /* give up on packets of the measured time after this many cycles */
    uint64_t seed;
};

struct noc_traffic_result {
    uint64_t packets; /* created in the measured time and delivered */
    double packet_latency, network_latency;
    double accepted_flits; /* in the measured time, a source and cycle */
    double routers;        /* passed by a packet, average */
    bool drained;          /* every packet of the measured time arrived */
    cycle_t cycles;
};

void noc_traffic_run(const struct noc_cfg *cfg, const struct noc_traffic *t,
                     struct noc_traffic_result *out);

#endif
