/* All routers of a mesh at once. Private to src/noc.
 *
 * A mesh router with one or two virtual channels has at most ten input vcs, so any set of them fits
 * 16 bits, and the same set of every router is a vector of 16-bit lanes. Both allocators then are
 * straight-line vector code over the whole mesh, with round robin pointers kept as masks ("bits at
 * or after the pointer"). Decisions are the same, bit for bit, as in noc_router.c. */
#ifndef NOC_NOC_LANES_H
#define NOC_NOC_LANES_H

#include "noc/noc_int.h"

typedef uint16_t lane_mask; /* of input vcs, of output vcs, or of ports (bit port * vcs) */

enum { LANES_VCS_MAX = 2, LANES_A_VECTOR = 32 /* of the widest host */ };

/* An input vc's ring of flits. A flit in the ring carries its output port in its low bits. */
struct lane_vc {
    uint8_t head, len;
};

enum { LANE_OUT_BITS = 3, LANE_OUT = (1 << LANE_OUT_BITS) - 1 };

struct lane_place {
    int8_t x, y;
};

struct noc_lanes_ops {
    void (*step)(struct noc *n, cycle_t now);
    void (*arrivals)(struct noc *n, const struct wheel_slot *w);
};

struct noc_lanes {
    uint32_t n; /* routers, rounded up to whole vectors */
    /* each [n], one value a router */
    lane_mask *nonempty, *unowned, *open;
    lane_mask *taken;  /* input vcs that a packet passes through, from head to tail */
    lane_mask *second; /* active input vcs that own the second vc of their output */
    lane_mask *want[MESH_PORTS], *active[MESH_PORTS];
    lane_mask *va_after[MESH_PORTS][LANES_VCS_MAX]; /* grant pointer of each output vc */
    lane_mask *va_second[MESH_PORTS]; /* input vcs whose accept pointer is at this second vc */
    lane_mask *sa_after[MESH_PORTS];  /* grant pointer of each output */
    lane_mask *sa_accept[MESH_PORTS]; /* input ports whose accept pointer is at this output */
    lane_mask *vc_next;               /* input ports whose next vc is the second */
    lane_mask *send;                  /* the cycle's decision: input vcs that send */
    lane_mask *lost;                  /* and those whose grant speculation wasted */
    const struct noc_lanes_ops *ops;
    /* [router][input vc], [router][output vc], [router][input vc][ring] */
    struct lane_vc *vc;
    uint8_t *credits;
    flit_t *flits;
    struct lane_place *place;    /* of each router and its node */
    uint32_t (*far)[MESH_PORTS]; /* [router]: the other end's index and, from bit 16 on, vc 0 */
    uint32_t ring;
    void *block;
};

/* NULL when the configuration needs the general routers. */
struct noc_lanes *noc_lanes_new(const struct noc *n);
/* For a dump or a test. */
struct invc noc_lanes_invc(const struct noc *n, uint32_t router, uint32_t invc);
void noc_lanes_free(struct noc_lanes *l);

#endif
