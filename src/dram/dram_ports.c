/* A channel between two ports, as a component. */
#include "dram/dram_int.h"

static struct mem_req *ports_peek(void *self, cycle_t now)
{
    return port_peek(((struct dram *)self)->in, now);
}

static void ports_pop(void *self, cycle_t now)
{
    port_pop(((struct dram *)self)->in, now);
}

static void ports_done(void *self, struct mem_req *req, cycle_t now)
{
    port_push(((struct dram *)self)->out, now, req);
}

static bool ports_ready(void *self, cycle_t now)
{
    return port_can_push(((struct dram *)self)->out, now);
}

static const struct dram_client_ops ports_ops = {ports_peek, ports_pop, ports_done, ports_ready};

void dram_bind(struct dram *d, struct port *in, struct port *out)
{
    d->client = &ports_ops;
    d->client_self = d;
    d->in = in;
    d->out = out;
}

static cycle_t component_tick(void *self, cycle_t now)
{
    struct dram *d = self;
    cycle_t next = dram_tick(d, now), more = port_next(d->in);
    return more > now && more < next ? more : next;
}

static void component_dump(const void *self, FILE *out)
{
    dram_dump(self, out);
}

const struct component_ops dram_component_ops = {component_tick, component_dump};
