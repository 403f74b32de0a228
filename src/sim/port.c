/* Making ports, and who is woken when one is no longer empty or full. */
#include "sim/sim_int.h"

#include <string.h>

static void port_init(struct port *p, const char *name, uint32_t latency, uint32_t credit,
                      uint32_t depth)
{
    assert(latency >= 1 && credit >= 1 && depth >= 1);
    uint32_t cap = 1;
    while (cap < depth)
        cap *= 2;
    p->slots = xcalloc(cap, sizeof *p->slots);
    p->mask = cap - 1;
    p->depth = depth;
    p->latency_cycles = latency;
    p->credit_cycles = credit;
    p->out_period = p->in_period = 1;
    p->is_noted = true; /* until partitions are known */
    p->name = name;
}

struct port *port_new(const char *name, uint32_t latency, uint32_t depth)
{
    struct port *p = xalloc_aligned(64, sizeof *p);
    port_init(p, xstrdup(name), latency, 1, depth);
    return p;
}

void port_free(struct port *p)
{
    if (!p)
        return;
    free((char *)p->name);
    free(p->slots);
    free(p);
}

struct port *sim_add_port(struct sim *s, const char *name, struct component *producer,
                          struct component *consumer, uint32_t latency, uint32_t credit,
                          uint32_t depth)
{
    assert(!s->prepared);
    struct port *p = xalloc_aligned(64, sizeof *p);
    port_init(p, xstrdup(name), latency, credit, depth);
    p->producer = producer;
    p->consumer = consumer;
    vec_push(&s->ports, p);
    return p;
}

void port_wake_consumer(struct port *p, cycle_t ready)
{
    component_wake(p->consumer, ready);
}

void port_wake_producer(struct port *p, cycle_t freed)
{
    p->starved = false;
    component_wake(p->producer, freed);
}

/* Something has crossed to another partition. */
void port_note(struct port *p)
{
    struct partition *part = p->producer->part;
    p->is_noted = true;
    part->noted[part->nnoted++] = p;
}

cycle_t port_hides_until(const struct port *p, cycle_t now)
{
    if (!p->consumer || p->local || !p->consumer->part)
        return now + 1;
    const cycle_t end = p->consumer->part->end / p->consumer->clock->period;
    return end > now ? end : now + 1;
}
