/* The network's cycle. */
#include "noc/noc_lanes.h"
#include "noc/noc_xbar.h"

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
    free(n->takers);
    free(n->taken_next);
    free(n->showing);
    vec_free(&n->free_packets);
    free(n->packets);
    free(n->packet_dst);
    free(n);
}

bool noc_can_send(const struct noc *n, uint32_t node, uint32_t class)
{
    return source_has_room(n, &n->nodes[node].sources[class]);
}

static uint32_t packet_new(struct noc *n)
{
    if (!n->free_packets.len) {
        uint32_t more = n->npackets ? n->npackets : 256;
        n->packets = xrealloc(n->packets, (n->npackets + more) * sizeof *n->packets);
        n->packet_dst = xrealloc(n->packet_dst, (n->npackets + more) * sizeof *n->packet_dst);
        for (uint32_t i = more; i-- > 0;)
            vec_push(&n->free_packets, n->npackets + i);
        n->npackets += more;
    }
    return vec_pop(&n->free_packets);
}

void noc_send(struct noc *n, cycle_t now, uint32_t src, uint32_t dst, uint32_t class,
              uint32_t flits, void *payload)
{
    assert_often(src < n->nnodes && dst < n->nnodes && class < (uint32_t)n->cfg.classes && flits);
    struct source *s = &n->nodes[src].sources[class];
    uint32_t id = packet_new(n);
    n->packets[id] = (struct noc_packet){.src = (uint16_t)src,
                                         .dst = (uint16_t)dst,
                                         .flits = (uint16_t)flits,
                                         .class = (uint8_t) class,
                                         .created = now,
                                         .payload = payload};
    n->packet_dst[id] = (uint16_t)dst;
    vec_push(&s->queue, id);
    n->nodes[src].waiting++;
    n->queued++;
    n->stats.packets_in++;
    n->injecting_nodes[src / 64] |= 1ull << (src % 64);
}

static void arrivals(struct noc *n, cycle_t now)
{
    struct wheel_slot *w = noc_slot(n, now);
    for (uint32_t i = 0; i < w->nflits[END_NODE]; i++)
        noc_node_flit(n, &w->flits[END_NODE][i]);
    for (uint32_t i = 0; i < w->ncredits[END_NODE]; i++) {
        uint32_t where = w->credits[END_NODE][i].where, node = where_index(where);
        n->nodes[node].vcs[where_vc(where)].credits++;
        n->injecting_nodes[node / 64] |= 1ull << (node % 64);
    }
    noc_routers_arrivals(n, w, now);
    for (int k = 0; k < END_KINDS; k++)
        w->nflits[k] = w->ncredits[k] = 0;
}

/* A node that could not inject is asked again when a credit or a new packet comes. */
static void nodes_step(struct noc *n, cycle_t now)
{
    for (uint32_t w = 0; w < (n->nnodes + 63) / 64; w++) {
        for (uint64_t left = n->ejecting_nodes[w]; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            noc_node_eject(n, i, now);
            if (!n->nodes[i].ejecting)
                n->ejecting_nodes[w] &= ~(left & -left);
        }
        for (uint64_t left = n->injecting_nodes[w]; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (!noc_node_inject(n, i, now) || !n->nodes[i].waiting)
                n->injecting_nodes[w] &= ~(left & -left);
        }
    }
}

cycle_t noc_tick(struct noc *n, cycle_t now)
{
    if (!n->started)
        n->first = now;
    n->started = true;
    n->stats.cycles = now + 1 - n->first;
    if (n->xbar)
        noc_xbar_arrivals(n, now);
    else
        arrivals(n, now);
    cycle_t next = n->bindings.len ? noc_ports_take(n, now) : CYCLE_NEVER;
    if (n->xbar) {
        noc_xbar_step(n, now);
    } else {
        nodes_step(n, now);
        noc_routers_step(n, now);
    }
    if (n->in_flight)
        n->events_until = now + n->credit_delay + 1;
    return n->queued || now < n->events_until ? now + 1 : next;
}

const struct noc_stats *noc_stats(const struct noc *n)
{
    return &n->stats;
}

const struct noc_port_flits *noc_port_flits(const struct noc *n, uint32_t node)
{
    return &n->nodes[node].flits;
}

uint64_t noc_in_flight(const struct noc *n)
{
    return n->in_flight;
}

void noc_add_probe(struct noc *n, struct probe *probe)
{
    probe_add(&n->probe, probe);
}

void noc_dump(const struct noc *n, FILE *out)
{
    fprintf(out, "  %" PRIu64 " flits inside, %" PRIu64 " packets in source queues\n", n->in_flight,
            n->queued);
    for (uint32_t i = 0; i < n->nrouters; i++)
        for (uint32_t v = 0; v < n->invcs; v++) {
            static const char *const states[] = {"idle", "routing", "waits or sends", "sends"};
            struct invc in = n->lanes  ? noc_lanes_invc(n, i, v)
                             : n->xbar ? noc_xbar_invc(n, v)
                                       : n->routers[i].in[v];
            if (in.len)
                fprintf(out, "  router %u input %u vc %u: %u flits, %s, output %u\n", i, v / n->vcs,
                        v % n->vcs, in.len, states[in.state], in.out);
        }
    for (uint32_t i = 0; i < n->nnodes; i++) {
        const uint32_t ejecting = n->xbar ? n->xbar->out[i].ring.len : n->nodes[i].ejecting;
        if (n->nodes[i].waiting || ejecting)
            fprintf(out, "  node %u: %u packets wait to enter, %u flits wait to leave\n", i,
                    n->nodes[i].waiting, ejecting);
    }
}
