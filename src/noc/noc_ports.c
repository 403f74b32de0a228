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

void noc_bind(struct noc *n, uint32_t node, uint32_t class, bool reply, struct port *in,
              struct port *out)
{
    struct binding *b = xcalloc(1, sizeof *b);
    *b = (struct binding){in, out, (uint16_t)node, (uint8_t) class, reply};
    n->client = &ports_ops;
    n->client_self = n;
    vec_push(&n->bindings, b);
    if (in)
        vec_push(&n->takers, b);
    n->bound[node * (uint32_t)n->cfg.classes + class] = b;
}

/* Takes what the ports show into the source queues; returns when a port has more. */
cycle_t noc_ports_take(struct noc *n, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    for (size_t i = 0; i < n->takers.len; i++) {
        const struct binding *b = n->takers.data[i];
        const struct source *s = &n->nodes[b->node].sources[b->class];
        if (port_is_empty(b->in))
            continue;
        while (port_peek(b->in, now) && source_has_room(n, s)) {
            struct mem_req *req = port_pop(b->in, now);
            mem_req_stamp(req, b->reply ? MEM_AT_L2_OUT : MEM_AT_NOC_IN, now);
            noc_send(n, now, b->node, b->reply ? req->src : req->dst, b->class,
                     noc_cfg_flits(&n->cfg, req->wire_bytes), req);
        }
        const cycle_t more = port_peek(b->in, now) ? now + 1 : port_next(b->in);
        next = more < next ? more : next;
    }
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
