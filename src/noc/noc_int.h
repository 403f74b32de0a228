/* Private to src/noc and its tests. */
#ifndef NOC_NOC_INT_H
#define NOC_NOC_INT_H

#include "base/vec.h"
#include "noc/noc.h"

#define NOC_INLINE static inline __attribute__((always_inline))

/* A flit is its packet's index and two marks. */
typedef uint32_t flit_t;
enum { FLIT_TAIL = 1, FLIT_HEAD = 2, FLIT_PACKET = 2 };

static inline flit_t flit_make(uint32_t packet, bool head, bool tail)
{
    return packet << FLIT_PACKET | (head ? FLIT_HEAD : 0) | (tail ? FLIT_TAIL : 0);
}

enum { VC_NONE = UINT16_MAX, WORDS_MAX = 16, STAGES_BEFORE_LINK = 2, WHEEL_MAX = 32 };

/* Mesh ports: neighbours at greater and smaller x, greater and smaller y, then the node. */
enum mesh_port { MESH_EAST, MESH_WEST, MESH_SOUTH, MESH_NORTH, MESH_LOCAL, MESH_PORTS };

enum invc_state { INVC_IDLE, INVC_ROUTING, INVC_WAITING, INVC_ACTIVE };

struct invc {
    uint8_t state;
    uint8_t head, len; /* of its ring of flits */
    uint16_t out;      /* port, from INVC_WAITING on */
    uint16_t ovc;      /* output port * vcs + vc, when INVC_ACTIVE */
    uint16_t accept;   /* iSLIP pointer of the virtual channel allocator */
};

struct outvc {
    uint16_t owner; /* input vc whose packet holds it, or VC_NONE */
    uint16_t credits;
    uint16_t grant; /* iSLIP pointer of the virtual channel allocator */
};

struct inport {
    uint16_t accept; /* iSLIP pointer of the switch allocator */
    uint8_t vc_next; /* round robin among its virtual channels */
};

/* Where a port leads: a router or a node, and vc 0 there. */
struct far_end {
    uint16_t index, vc;
    uint16_t kind; /* enum end_kind */
};

enum end_kind { END_ROUTER, END_NODE, END_KINDS };

/* Sets of input vcs, output vcs and ports are bit masks of noc.words words. */
struct router {
    uint64_t *nonempty; /* input vcs that hold flits */
    uint64_t *credited; /* active input vcs whose output vc has credits */
    uint64_t *unowned;  /* output vcs that no packet holds */
    uint64_t *open;     /* output vcs with credits */
    uint64_t *work;     /* outputs with waiting or owning input vcs */
    uint64_t *want;     /* [ports]: input vcs that wait for a vc of that output */
    uint64_t *active;   /* [ports]: input vcs that own a vc of that output */
    uint32_t flits_held, routing;
    struct invc *in;        /* [ports * vcs] */
    struct outvc *out;      /* [ports * vcs] */
    struct inport *inports; /* [ports] */
    uint16_t *grant;        /* [ports]: iSLIP pointer of the switch allocator */
    struct far_end *to;     /* [ports] */
    struct far_end *from;   /* [ports]: who gets the credits */
    flit_t *flits;          /* [ports * vcs][ring] */
    uint16_t *route;        /* [nodes]: output port */
    cycle_t *routed_at;     /* [ports * vcs]: INVC_ROUTING: when it may ask for a vc */
    void *block;            /* the memory of all of these */
};

/* One class of a node's source. */
struct source {
    VEC(uint32_t) queue; /* packets; `first` is the oldest */
    size_t first;
    uint16_t sent;    /* flits of the first packet */
    uint16_t vc;      /* its virtual channel */
    uint16_t last_vc; /* where the last packet went, or VC_NONE */
};

struct node_vc {
    uint16_t credits;
    bool busy;
    flit_t *ejected; /* ring of flits that wait to leave */
    uint8_t head, len;
};

struct node {
    struct far_end router;  /* its port there */
    struct source *sources; /* [classes] */
    struct node_vc *vcs;    /* [vcs of all classes] */
    uint8_t last_class, eject_next;
    struct noc_port_flits flits;
    uint32_t waiting, ejecting; /* packets in source queues; flits that wait to leave */
};

/* `where`: the router or node, and from bit 16 on its input vc. */
struct flit_event {
    uint32_t where;
    flit_t flit;
};

struct credit_event {
    uint32_t where;
};

static inline uint32_t where_index(uint32_t where)
{
    return where & 0xffff;
}

static inline uint32_t where_vc(uint32_t where)
{
    return where >> 16;
}

/* What arrives in one cycle, at routers and at nodes: at most one flit and a few credits a link. */
struct wheel_slot {
    struct flit_event *flits[END_KINDS];
    struct credit_event *credits[END_KINDS];
    uint32_t nflits[END_KINDS], ncredits[END_KINDS];
};

struct va_grant {
    uint16_t invc, ovc;
};

struct sa_grant {
    uint16_t invc, out;
    bool speculative;
};

/* What a router's allocators decided in this cycle. */
struct noc_decisions {
    struct va_grant *va; /* [invcs] */
    struct sa_grant *sa; /* [ports] */
    unsigned nva, nsa;
};

struct binding {
    struct port *in, *out;
    uint16_t node;
    uint8_t class;
    bool reply;
};

/* A binding whose port is taken from, with what that needs. */
struct taker {
    struct port *in;
    const struct source *source;
    uint16_t node;
    uint8_t class;
    bool reply;
};

struct noc {
    struct noc_cfg cfg;
    const struct noc_client_ops *client;
    void *client_self;
    const struct probe *probe;
    uint32_t nnodes, nrouters, ports, vcs, invcs; /* vcs: of all classes; invcs = ports * vcs */
    uint32_t words, ring;
    uint32_t flit_delay, credit_delay; /* from a switch grant to the far end */
    bool speculative;
    uint8_t vc_class[32];
    uint16_t *port_of, *vc_of;         /* [invcs]: tables, since dividing is slow */
    uint64_t class_mask[4][WORDS_MAX]; /* input vcs of a class */
    struct router *routers;
    struct noc_lanes *lanes; /* a mesh whose routers step together, or NULL */
    struct noc_xbar *xbar;   /* a crossbar of one virtual channel, or NULL */
    struct node *nodes;
    struct noc_packet *packets;
    uint32_t npackets;
    VEC(uint32_t) free_packets;
    struct wheel_slot wheel[WHEEL_MAX]; /* used: as many slots as the longest wire needs */
    uint32_t wheel_mask;
    uint16_t *packet_dst; /* [npackets]: beside packets, since routers need only this */
    struct noc_decisions decisions;
    uint64_t *sure, *all, *offers; /* [ports][words]: the switch allocator's scratch */
    uint64_t in_flight, queued;
    cycle_t events_until;      /* nothing is on a wire after this cycle */
    uint64_t *busy_routers;    /* bit masks from here on */
    uint64_t *ejecting_nodes;  /* nodes that hold flits to leave */
    uint64_t *injecting_nodes; /* nodes with packets that may find a credit */
    VEC(struct binding *) bindings;
    struct taker *takers; /* of those: with a port to take from */
    cycle_t *taken_next;  /* [ntakers]: when its port shows something, of what is known of it */
    uint32_t *showing;    /* those whose ports show something some time, in order */
    uint32_t ntakers, nshowing;
    cycle_t look_at;        /* ports that were found empty may show something from then on */
    cycle_t take_next;      /* the least of taken_next */
    struct binding **bound; /* [nodes * classes] */
    bool started;
    cycle_t first;
    struct noc_stats stats;
};

void noc_build(struct noc *n);
void noc_teardown(struct noc *n);
/* One cycle of every router that holds flits. */
void noc_routers_step(struct noc *n, cycle_t now);
void noc_routers_arrivals(struct noc *n, const struct wheel_slot *w, cycle_t now);
/* A node's two sides. */
bool noc_node_inject(struct noc *n, uint32_t node, cycle_t now);
void noc_node_eject(struct noc *n, uint32_t node, cycle_t now);
void noc_node_flit(struct noc *n, const struct flit_event *e);
/* The packet's last flit has left. */
void noc_packet_deliver(struct noc *n, uint32_t id, cycle_t now);
void noc_hop_probe(const struct noc *n, uint32_t router, unsigned out, flit_t f, cycle_t now);
/* Takes what the ports show into the source queues; returns when a port has more. */
cycle_t noc_ports_take(struct noc *n, cycle_t now);

static inline struct wheel_slot *noc_slot(struct noc *n, cycle_t at)
{
    return &n->wheel[at & n->wheel_mask];
}

static inline void slot_add_flit(struct wheel_slot *w, enum end_kind kind, uint32_t where,
                                 flit_t flit)
{
    w->flits[kind][w->nflits[kind]++] = (struct flit_event){where, flit};
}

static inline void slot_add_credit(struct wheel_slot *w, enum end_kind kind, uint32_t where)
{
    w->credits[kind][w->ncredits[kind]++] = (struct credit_event){where};
}

static inline void noc_event_flit(struct noc *n, cycle_t at, struct far_end to, uint32_t vc,
                                  flit_t flit)
{
    slot_add_flit(noc_slot(n, at), to.kind, to.index | (to.vc + vc) << 16, flit);
}

static inline void noc_event_credit(struct noc *n, cycle_t at, struct far_end to, uint32_t vc)
{
    slot_add_credit(noc_slot(n, at), to.kind, to.index | (to.vc + vc) << 16);
}

static inline bool source_has_room(const struct noc *n, const struct source *s)
{
    return !n->cfg.source_packets || s->queue.len - s->first < (size_t)n->cfg.source_packets;
}

static inline uint32_t flit_dst(const struct noc *n, flit_t f)
{
    return n->packet_dst[f >> FLIT_PACKET];
}

static inline const struct noc_packet *flit_packet(const struct noc *n, flit_t f)
{
    return &n->packets[f >> FLIT_PACKET];
}

#endif
