/* The cycle of a crossbar of one virtual channel. */
#include "noc/noc_xbar.h"

#include "noc/noc_masks.h"

#include <stdlib.h>

/* --- making one --- */

static void *carve(char *block, size_t *used, size_t n, size_t size)
{
    void *p = block ? block + *used : NULL;
    *used += align_up(n * size, 8);
    return p;
}

static size_t xbar_carve(const struct noc *n, struct noc_xbar *x, char *block)
{
    const size_t ports = n->ports, words = n->words;
    size_t used = 0;
    x->work = carve(block, &used, words, sizeof(uint64_t));
    x->ejecting = carve(block, &used, words, sizeof(uint64_t));
    x->sends = carve(block, &used, words, sizeof(uint64_t));
    x->want = carve(block, &used, ports * words, sizeof(uint64_t));
    x->in = carve(block, &used, ports, sizeof *x->in);
    x->out = carve(block, &used, ports, sizeof *x->out);
    for (uint32_t i = 0; i <= n->wheel_mask; i++) {
        struct xbar_slot *s = &x->wheel[i];
        s->in = carve(block, &used, words, sizeof(uint64_t));
        s->out = carve(block, &used, words, sizeof(uint64_t));
        s->node_credits = carve(block, &used, words, sizeof(uint64_t));
        s->router_credits = carve(block, &used, words, sizeof(uint64_t));
        s->nrouter_credits = carve(block, &used, ports, sizeof(uint8_t));
    }
    x->in_flits = carve(block, &used, ports * n->ring, sizeof(flit_t));
    x->out_flits = carve(block, &used, ports * n->ring, sizeof(flit_t));
    return used;
}

struct noc_xbar *noc_xbar_new(const struct noc *n)
{
    if (n->cfg.topology != NOC_CROSSBAR || n->vcs != 1 || n->cfg.routing_cycles)
        return NULL;
    struct noc_xbar *x = xcalloc(1, sizeof *x);
    x->block = xalloc_aligned(64, xbar_carve(n, x, NULL));
    xbar_carve(n, x, x->block);
    for (uint32_t i = 0; i < n->ports; i++) {
        x->in[i].credits = x->out[i].credits = (uint16_t)n->cfg.vc_flits;
        x->out[i].owner = VC_NONE;
    }
    return x;
}

void noc_xbar_free(struct noc_xbar *x)
{
    if (x)
        free(x->block);
    free(x);
}

struct invc noc_xbar_invc(const struct noc *n, uint32_t port)
{
    const struct xbar_in *in = &n->xbar->in[port];
    return (struct invc){.state = in->is_owner   ? INVC_ACTIVE
                                  : in->is_taken ? INVC_WAITING
                                                 : INVC_IDLE,
                         .len = in->ring.len,
                         .out = in->out};
}

/* --- rings --- */

NOC_INLINE void ring_put(flit_t *flits, struct xbar_ring *r, unsigned port, uint32_t ring, flit_t f)
{
    flits[port * ring + r->tail] = f;
    r->tail = (uint8_t)((r->tail + 1) & (ring - 1));
}

NOC_INLINE void ring_take(struct xbar_ring *r, uint32_t ring)
{
    r->head = (uint8_t)((r->head + 1) & (ring - 1));
    r->len--;
}

/* --- what arrives --- */

/* The front of the input is a new head. */
NOC_INLINE void ask(struct noc *n, struct noc_xbar *x, unsigned port, unsigned words)
{
    struct xbar_in *in = &x->in[port];
    const unsigned out = flit_dst(n, x->in_flits[port * n->ring + in->ring.head]);
    in->is_taken = true;
    in->out = (uint16_t)out;
    mask_set(x->want + (size_t)out * words, port, words);
    mask_set(x->work, out, words);
}

NOC_INLINE void arrive(struct noc *n, cycle_t now, unsigned words)
{
    struct noc_xbar *x = n->xbar;
    struct xbar_slot *s = &x->wheel[now & n->wheel_mask];
    FOR_EACH_BIT (i, s->out, words)
        x->out[i].ring.len++;
    FOR_EACH_BIT (i, s->node_credits, words)
        x->in[i].credits++;
    FOR_EACH_BIT (i, s->in, words) {
        x->in[i].ring.len++;
        x->held++;
        if (!x->in[i].is_taken)
            ask(n, x, (unsigned)i, words);
    }
    FOR_EACH_BIT (i, s->router_credits, words) {
        x->out[i].credits = (uint16_t)(x->out[i].credits + s->nrouter_credits[i]);
        s->nrouter_credits[i] = 0;
    }
    for (unsigned w = 0; w < words; w++) {
        x->ejecting[w] |= s->out[w];
        n->injecting_nodes[w] |= s->node_credits[w];
        s->in[w] = s->out[w] = s->node_credits[w] = s->router_credits[w] = 0;
    }
}

void noc_xbar_arrivals(struct noc *n, cycle_t now)
{
    if (n->words == 1)
        arrive(n, now, 1);
    else
        arrive(n, now, n->words);
}

/* --- nodes --- */

/* Takes the oldest flit of a node unless its packet may not leave yet. */
NOC_INLINE bool leave(struct noc *n, struct noc_xbar *x, unsigned port, cycle_t now, unsigned words)
{
    struct xbar_out *o = &x->out[port];
    const flit_t f = x->out_flits[port * n->ring + o->ring.head];
    if ((f & FLIT_TAIL) && n->client->ready && !n->client->ready(n->client_self, port, 0, now)) {
        n->stats.eject_stalls++;
        return false;
    }
    struct xbar_slot *s = &x->wheel[(now + n->credit_delay) & n->wheel_mask];
    ring_take(&o->ring, n->ring);
    n->in_flight--;
    n->stats.flits_out++;
    n->nodes[port].flits.out++;
    mask_set(s->router_credits, port, words);
    s->nrouter_credits[port]++;
    if (f & FLIT_TAIL)
        noc_packet_deliver(n, f >> FLIT_PACKET, now);
    return true;
}

NOC_INLINE void eject(struct noc *n, struct noc_xbar *x, unsigned port, cycle_t now, unsigned words)
{
    const struct xbar_ring *r = &x->out[port].ring;
    for (int64_t k = 0; k < n->cfg.eject_flits && r->len; k++)
        if (!leave(n, x, port, now, words))
            return;
    if (!r->len)
        mask_clear(x->ejecting, port, words);
}

/* One flit; false when there is no more to do before a credit or a packet comes. */
NOC_INLINE bool inject(struct noc *n, struct noc_xbar *x, unsigned port, cycle_t now,
                       unsigned words)
{
    struct node *nd = &n->nodes[port];
    struct source *s = nd->sources;
    struct xbar_in *in = &x->in[port];
    if (s->first == s->queue.len || !in->credits)
        return false;
    const uint32_t id = s->queue.data[s->first];
    struct noc_packet *p = &n->packets[id];
    const bool head = !s->sent, tail = ++s->sent == p->flits;
    if (head)
        p->entered = now;
    ring_put(x->in_flits, &in->ring, port, n->ring, flit_make(id, head, tail));
    mask_set(x->wheel[(now + n->credit_delay) & n->wheel_mask].in, port, words);
    in->credits--;
    n->stats.flits_in++;
    nd->flits.in++;
    n->in_flight++;
    if (!tail)
        return true;
    s->sent = 0;
    n->queued--;
    if (++s->first == s->queue.len)
        s->first = s->queue.len = 0;
    return --nd->waiting != 0;
}

/* --- router --- */

/* Both allocators for an output, and what they decide about it: the input that gets the output, and
 * the one that bids for the switch, which without an owner is a guess. */
NOC_INLINE void decide(struct noc *n, struct noc_xbar *x, unsigned out, unsigned words)
{
    struct xbar_out *o = &x->out[out];
    uint64_t *want = x->want + (size_t)out * words;
    unsigned in = o->owner;
    if (in != VC_NONE) {
        if (!x->in[in].ring.len || !o->credits)
            return;
    } else {
        if (!mask_any(want, words)) {
            mask_clear(x->work, out, words);
            return;
        }
        const unsigned owner = mask_round_robin(want, o->va_grant, words);
        if (n->speculative && o->credits)
            in = mask_round_robin(want, o->sa_grant, words);
        o->va_grant = (uint16_t)(owner + 1 == n->ports ? 0 : owner + 1);
        o->owner = (uint16_t)owner;
        x->in[owner].is_owner = true;
        mask_clear(want, owner, words);
        if (in == VC_NONE)
            return;
    }
    o->sa_grant = (uint16_t)(in + 1 == n->ports ? 0 : in + 1);
    mask_set(x->sends, in, words);
}

/* The front flit of the input goes through the switch. */
NOC_INLINE void send(struct noc *n, struct noc_xbar *x, unsigned port, cycle_t now, unsigned words)
{
    struct xbar_in *in = &x->in[port];
    struct xbar_out *o = &x->out[in->out];
    const flit_t f = x->in_flits[port * n->ring + in->ring.head];
    ring_take(&in->ring, n->ring);
    o->credits--;
    if (UNLIKELY(n->probe->ctx))
        noc_hop_probe(n, 0, in->out, f, now);
    ring_put(x->out_flits, &o->ring, in->out, n->ring, f);
    mask_set(x->wheel[(now + n->flit_delay) & n->wheel_mask].out, in->out, words);
    mask_set(x->wheel[(now + n->credit_delay) & n->wheel_mask].node_credits, port, words);
    if (!(f & FLIT_TAIL))
        return;
    o->owner = VC_NONE;
    in->is_owner = in->is_taken = false;
    if (in->ring.len)
        ask(n, x, port, words);
}

NOC_INLINE void route(struct noc *n, struct noc_xbar *x, cycle_t now, unsigned words)
{
    unsigned sent = 0;
    for (unsigned w = 0; w < words; w++)
        x->sends[w] = 0;
    FOR_EACH_BIT (o, x->work, words)
        decide(n, x, (unsigned)o, words);
    FOR_EACH_BIT (in, x->sends, words) {
        if (!x->in[in].is_owner) {
            n->stats.sa_lost++;
            continue;
        }
        send(n, x, (unsigned)in, now, words);
        sent++;
    }
    x->held -= sent;
    n->stats.hops += sent;
}

NOC_INLINE void step(struct noc *n, cycle_t now, unsigned words)
{
    struct noc_xbar *x = n->xbar;
    FOR_EACH_BIT (i, x->ejecting, words)
        eject(n, x, (unsigned)i, now, words);
    FOR_EACH_BIT (i, n->injecting_nodes, words)
        if (!inject(n, x, (unsigned)i, now, words))
            mask_clear(n->injecting_nodes, (unsigned)i, words);
    if (x->held)
        route(n, x, now, words);
}

void noc_xbar_step(struct noc *n, cycle_t now)
{
    if (n->words == 1)
        step(n, now, 1);
    else
        step(n, now, n->words);
}
