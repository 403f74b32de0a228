/* A crossbar of one virtual channel, which is what our machines have. Private to src/noc.
 *
 * An input asks for one output, an output is held by one packet at a time. Flits are written where
 * they will be read when they are sent, since credits keep the place free; what a cycle brings is
 * then a set of ports in a wheel. Decisions and counts are those of noc_router.c and noc_node.c. */
#ifndef NOC_NOC_XBAR_H
#define NOC_NOC_XBAR_H

#include "noc/noc_int.h"

/* A ring of flits: from `head` on, `len` of them have arrived, the others are on the wire. */
struct xbar_ring {
    uint8_t head, len, tail;
};

struct xbar_in {
    struct xbar_ring ring;
    bool is_taken; /* a packet passes, or waits for its output */
    bool is_owner; /* of that output */
    uint16_t out;
    uint16_t credits; /* of the node, for this input */
};

struct xbar_out {
    struct xbar_ring ring; /* at the node */
    uint16_t owner;        /* the input whose packet holds it, or VC_NONE */
    uint16_t credits;
    uint16_t va_grant, sa_grant; /* round robin pointers of the two allocators */
};

/* What arrives in one cycle: sets of ports. */
struct xbar_slot {
    uint64_t *in, *out;       /* that get a flit */
    uint64_t *node_credits;   /* whose nodes get a credit */
    uint64_t *router_credits; /* outputs that get some */
    uint8_t *nrouter_credits; /* [ports] */
};

struct noc_xbar {
    struct xbar_in *in;   /* [ports] */
    struct xbar_out *out; /* [ports] */
    uint64_t *want;       /* [ports]: inputs that wait for that output */
    uint64_t *work;       /* outputs that inputs wait for or hold */
    uint64_t *ejecting;   /* outputs whose nodes hold flits */
    uint64_t *sends;      /* scratch: inputs that were granted the switch */
    flit_t *in_flits;     /* [ports][ring] */
    flit_t *out_flits;
    uint32_t held; /* flits that have arrived at inputs */
    struct xbar_slot wheel[WHEEL_MAX];
    void *block; /* the memory of all of these */
};

/* NULL when the configuration needs the general routers. */
struct noc_xbar *noc_xbar_new(const struct noc *n);
void noc_xbar_free(struct noc_xbar *x);
void noc_xbar_arrivals(struct noc *n, cycle_t now);
/* Nodes and router. */
void noc_xbar_step(struct noc *n, cycle_t now);
/* For a dump or a test. */
struct invc noc_xbar_invc(const struct noc *n, uint32_t port);

#endif
