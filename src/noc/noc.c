/* The network's cycle. */
#include "noc/noc_lanes.h"

#include <inttypes.h>
#include <stdlib.h>

struct noc *noc_new(const struct noc_cfg *cfg, const struct noc_client_ops *ops, void *client)
{
    struct noc *n = xcalloc(1, sizeof *n);
    struct err err;
    if (!noc_cfg_check(cfg, &err))
        panic("%s", err.msg);
    n->cfg = *cfg;
    n->client = ops;
    n->client_self = client;
    n->probe = &probe_null;
    noc_build(n);
    return n;
}

void noc_free(struct noc *n)
{
    if (!n)
        return;
    noc_teardown(n);
    for (size_t i = 0; i < n->bindings.len; i++)
        free(n->bindings.data[i]);
    vec_free(&n->bindings);
    vec_free(&n->free_packets);
    free(n->packets);
    free(n);
}

bool noc_can_send(const struct noc *n, uint32_t node, uint32_t class)
{
    const struct source *s = &n->nodes[node].sources[class];
    return !n->cfg.source_packets || s->queue.len - s->first < (size_t)n->cfg.source_packets;
}

static uint32_t packet_new(struct noc *n)
{
    if (!n->free_packets.len) {
        uint32_t more = n->npackets ? n->npackets : 256;
        n->packets = xrealloc(n->packets, (n->npackets + more) * sizeof *n->packets);
        for (uint32_t i = more; i-- > 0;)
            vec_push(&n->free_packets, n->npackets + i);
        n->npackets += more;
    }
    return vec_pop(&n->free_packets);
}

void noc_send(struct noc *n, cycle_t now, uint32_t src, uint32_t dst, uint32_t class,
              uint32_t flits, void *payload)
{
    assert(src < n->nnodes && dst < n->nnodes && class < (uint32_t)n->cfg.classes && flits);
    struct source *s = &n->nodes[src].sources[class];
    uint32_t id = packet_new(n);
    n->packets[id] = (struct noc_packet){.src = (uint16_t)src,
                                         .dst = (uint16_t)dst,
                                         .flits = (uint16_t)flits,
                                         .class = (uint8_t) class,
                                         .created = now,
                                         .payload = payload};
    vec_push(&s->queue, id);
    n->nodes[src].waiting++;
    n->queued++;
    n->stats.packets_in++;
    n->busy_nodes[src / 64] |= 1ull << (src % 64);
}

static void arrivals(struct noc *n, cycle_t now)
{
    size_t slot = now % WHEEL_MAX;
    if (n->lanes)
        n->lanes->ops->arrivals(n, slot);
    for (uint32_t i = 0; !n->lanes && i < n->nflits[slot]; i++)
        noc_flit_arrive(n, &n->flit_wheel[slot][i], now);
    for (uint32_t i = 0; !n->lanes && i < n->ncredits[slot]; i++)
        noc_credit_arrive(n, &n->credit_wheel[slot][i]);
    n->events -= n->nflits[slot] + n->ncredits[slot];
    n->nflits[slot] = n->ncredits[slot] = 0;
}

static void nodes_step(struct noc *n, cycle_t now)
{
    for (uint32_t w = 0; w < (n->nnodes + 63) / 64; w++)
        for (uint64_t left = n->busy_nodes[w]; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            struct node *nd = &n->nodes[i];
            if (nd->ejecting)
                noc_node_eject(n, i, now);
            if (nd->waiting)
                noc_node_inject(n, i, now);
            if (!nd->ejecting && !nd->waiting)
                n->busy_nodes[w] &= ~(1ull << (i % 64));
        }
}

cycle_t noc_tick(struct noc *n, cycle_t now)
{
    if (!n->started)
        n->first = now;
    n->started = true;
    n->stats.cycles = now + 1 - n->first;
    arrivals(n, now);
    cycle_t next = n->bindings.len ? noc_ports_take(n, now) : CYCLE_NEVER;
    nodes_step(n, now);
    noc_routers_step(n, now);
    /* credits on their way matter only to flits, so an empty network may sleep through them */
    return n->in_flight || n->queued || n->events ? now + 1 : next;
}

const struct noc_stats *noc_stats(const struct noc *n)
{
    return &n->stats;
}

uint64_t noc_in_flight(const struct noc *n)
{
    return n->in_flight;
}

void noc_set_probe(struct noc *n, const struct probe *probe)
{
    n->probe = probe;
}

void noc_dump(const struct noc *n, FILE *out)
{
    fprintf(out, "  %" PRIu64 " flits inside, %" PRIu64 " packets in source queues\n", n->in_flight,
            n->queued);
    for (uint32_t i = 0; i < n->nrouters; i++)
        for (uint32_t v = 0; v < n->invcs; v++) {
            static const char *const states[] = {"idle", "routing", "waits for a vc", "active"};
            const struct invc *in = &n->routers[i].in[v];
            if (in->len)
                fprintf(out, "  router %u input %u vc %u: %u flits, %s, output %u\n", i, v / n->vcs,
                        v % n->vcs, in->len, states[in->state], in->out);
        }
    for (uint32_t i = 0; i < n->nnodes; i++)
        if (n->nodes[i].waiting || n->nodes[i].ejecting)
            fprintf(out, "  node %u: %u packets wait to enter, %u flits wait to leave\n", i,
                    n->nodes[i].waiting, n->nodes[i].ejecting);
}
