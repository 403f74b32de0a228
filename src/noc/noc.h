/* An interconnect, to the flit: a 2D mesh of routers or one crossbar.
 *
 * Wormhole switching with virtual channels and credits. A router has input buffers, a virtual
 * channel allocator and a switch allocator (both iSLIP, round robin pointers that move on accepted
 * grants), and takes two cycles (allocation, then switch traversal) plus the link; route
 * computation or the lack of speculation add one each. A virtual channel may be given to the next
 * packet before it has drained. Mesh routes go in x first, then in y. Entering and leaving cost two
 * cycles: a packet of f flits over l links takes 5 + 3 l + f - 1 cycles in an idle network.
 *
 * Nodes are numbered y * width + x in a mesh, 0 to nodes - 1 at a crossbar. A packet belongs to a
 * class; classes have virtual channels of their own, so that replies never wait for requests. */
#ifndef NOC_NOC_H
#define NOC_NOC_H

#include "conf/conf.h"
#include "mem/mem_req.h"
#include "noc/noc_stats.h"
#include "sim/port.h"
#include "sim/probe.h"

extern const char *const noc_topology_names[];
enum noc_topology { NOC_MESH, NOC_CROSSBAR };

struct noc_cfg {
#define ROWS_FILE "noc/noc_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field noc_fields[];
extern const size_t noc_nfields;

bool noc_cfg_check(const struct noc_cfg *cfg, struct err *err);
uint32_t noc_cfg_nodes(const struct noc_cfg *cfg);
/* Flits of a packet with `payload` bytes. */
uint32_t noc_cfg_flits(const struct noc_cfg *cfg, uint32_t payload);

struct noc_packet {
    uint16_t src, dst;
    uint16_t flits;
    uint8_t class;
    cycle_t created, entered;
    void *payload;
};

/* Who takes packets. `ready` may refuse (NULL: never): the packet then stays in the network. */
struct noc_client_ops {
    void (*deliver)(void *self, const struct noc_packet *p, cycle_t now);
    bool (*ready)(void *self, uint32_t node, uint32_t class, cycle_t now);
};

struct noc;

/* Without `ops` every node must be bound to ports before the first tick. */
struct noc *noc_new(const struct noc_cfg *cfg, const struct noc_client_ops *ops, void *client);
void noc_free(struct noc *n);

bool noc_can_send(const struct noc *n, uint32_t node, uint32_t class);
/* Puts a packet into the node's source queue at cycle `now`, before the tick of that cycle. */
void noc_send(struct noc *n, cycle_t now, uint32_t src, uint32_t dst, uint32_t class,
              uint32_t flits, void *payload);

/* Between ports of struct mem_req *: what comes in at `node` in `class` travels to req->dst, or if
 * `reply` back to req->src, with wire_bytes of payload, and comes out of that node's port. */
void noc_bind(struct noc *n, uint32_t node, uint32_t class, bool reply, struct port *in,
              struct port *out);

/* One cycle; returns the next cycle of interest. */
cycle_t noc_tick(struct noc *n, cycle_t now);
void noc_dump(const struct noc *n, FILE *out);
extern const struct component_ops noc_component_ops;

const struct noc_stats *noc_stats(const struct noc *n);
/* Flits that have entered and left at a node. */
struct noc_port_flits {
    uint64_t in, out;
};
const struct noc_port_flits *noc_port_flits(const struct noc *n, uint32_t node);
/* Flits inside, source queues not counted. */
uint64_t noc_in_flight(const struct noc *n);

/* Events: a flit leaves a router (a = router * 256 + output, b = packet's source * 65536 + dest).
 */
enum noc_event { NOC_HOP };
void noc_add_probe(struct noc *n, struct probe *probe);

#endif
