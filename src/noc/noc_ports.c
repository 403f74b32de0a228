/* A network between ports, as a component. */
#include "noc/noc_int.h"

static void ports_deliver(void *self, const struct noc_packet *p, cycle_t now)
{
    struct noc *n = self;
    struct mem_req *req = p->payload;
    const struct binding *b = n->bound[p->dst * (uint32_t)n->cfg.classes + p->class];
    port_push(b->out, now, req);
}

static bool ports_ready(void *self, uint32_t node, uint32_t class, cycle_t now)
{
    struct noc *n = self;
    return port_can_push(n->bound[node * (uint32_t)n->cfg.classes + class]->out, now);
}

static const struct noc_client_ops ports_ops = {ports_deliver, ports_ready};

static void taker_add(struct noc *n, const struct binding *b)
{
    n->takers = xrealloc(n->takers, (n->ntakers + 1) * sizeof *n->takers);
    n->taken_next = xrealloc(n->taken_next, (n->ntakers + 1) * sizeof *n->taken_next);
    n->showing = xrealloc(n->showing, (n->ntakers + 1) * sizeof *n->showing);
    n->takers[n->ntakers++] = (struct taker){.in = b->in,
                                             .source = &n->nodes[b->node].sources[b->class],
                                             .node = b->node,
                                             .class = b->class,
                                             .reply = b->reply};
}

void noc_bind(struct noc *n, uint32_t node, uint32_t class, bool reply, struct port *in,
              struct port *out)
{
    struct binding *b = xcalloc(1, sizeof *b);
    *b = (struct binding){in, out, (uint16_t)node, (uint8_t) class, reply};
    n->client = &ports_ops;
    n->client_self = n;
    vec_push(&n->bindings, b);
    if (in)
        taker_add(n, b);
    n->bound[node * (uint32_t)n->cfg.classes + class] = b;
}

/* Takes what the port shows into the source queue; returns when it has more. */
static cycle_t port_take(struct noc *n, const struct taker *t, cycle_t now)
{
    while (port_peek(t->in, now) && source_has_room(n, t->source)) {
        struct mem_req *req = port_pop(t->in, now);
        mem_req_stamp(req, t->reply ? MEM_AT_L2_OUT : MEM_AT_NOC_IN, now);
        noc_send(n, now, t->node, t->reply ? req->src : req->dst, t->class,
                 noc_cfg_flits(&n->cfg, req->wire_bytes), req);
    }
    return port_peek(t->in, now) ? now + 1 : port_next(t->in);
}

/* What was pushed since the ports were looked at last. */
static void look_at_ports(struct noc *n, cycle_t now)
{
    n->nshowing = 0;
    n->look_at = n->ntakers ? port_hides_until(n->takers[0].in, now) : CYCLE_NEVER;
    for (uint32_t i = 0; i < n->ntakers; i++) {
        const struct port *in = n->takers[i].in;
        if (in->local) /* the others are as the first, or it is: all have one consumer */
            n->look_at = now + 1;
        n->taken_next[i] = port_next(in);
        n->showing[n->nshowing] = i;
        n->nshowing += n->taken_next[i] != CYCLE_NEVER;
    }
}

cycle_t noc_ports_take(struct noc *n, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    if (now >= n->look_at)
        look_at_ports(n, now);
    else if (now < n->take_next)
        return n->take_next;
    for (uint32_t k = 0; k < n->nshowing; k++) {
        const uint32_t i = n->showing[k];
        if (n->taken_next[i] <= now)
            n->taken_next[i] = port_take(n, &n->takers[i], now);
        next = n->taken_next[i] < next ? n->taken_next[i] : next;
    }
    n->take_next = next;
    return next;
}

static cycle_t component_tick(void *self, cycle_t now)
{
    return noc_tick(self, now);
}

static void component_dump(const void *self, FILE *out)
{
    noc_dump(self, out);
}

const struct component_ops noc_component_ops = {component_tick, component_dump};
