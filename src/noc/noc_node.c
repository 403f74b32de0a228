/* A node's two sides: the source queue and the place where packets leave. */
#include "noc/noc_int.h"

/* A free virtual channel with credits, after the one used last. */
static unsigned vc_choose(const struct noc *n, const struct node *nd, unsigned class)
{
    const struct source *s = &nd->sources[class];
    unsigned per = (unsigned)n->cfg.vcs, base = class * per;
    for (unsigned i = 1; i <= per; i++) {
        unsigned vc = s->last_vc == VC_NONE ? base : s->last_vc + i;
        vc = vc >= base + per ? vc - per : vc;
        if (!nd->vcs[vc].busy && nd->vcs[vc].credits)
            return vc;
    }
    return VC_NONE;
}

static bool flit_enter(struct noc *n, uint32_t node, unsigned class, cycle_t now)
{
    struct node *nd = &n->nodes[node];
    struct source *s = &nd->sources[class];
    if (s->first == s->queue.len)
        return false;
    uint32_t id = s->queue.data[s->first];
    struct noc_packet *p = &n->packets[id];
    if (!s->sent) {
        s->vc = (uint16_t)vc_choose(n, nd, class);
        if (s->vc == VC_NONE)
            return false;
        p->entered = now;
        s->last_vc = s->vc;
        nd->vcs[s->vc].busy = true;
    }
    if (!nd->vcs[s->vc].credits)
        return false;
    bool head = !s->sent, tail = ++s->sent == p->flits;
    flit_t f = flit_make(id, head, tail);
    noc_event_flit(n, now + n->credit_delay, nd->router, s->vc, f); /* no switch to cross */
    nd->vcs[s->vc].credits--;
    n->stats.flits_in++;
    nd->flits.in++;
    n->in_flight++;
    if (tail) {
        nd->vcs[s->vc].busy = false;
        s->sent = 0;
        nd->waiting--;
        n->queued--;
        if (++s->first == s->queue.len)
            s->first = s->queue.len = 0;
    }
    return true;
}

/* One flit a cycle, classes in turn; false when nothing could enter. */
bool noc_node_inject(struct noc *n, uint32_t node, cycle_t now)
{
    struct node *nd = &n->nodes[node];
    unsigned classes = (unsigned)n->cfg.classes;
    for (unsigned i = 1; i <= classes; i++) {
        unsigned class = nd->last_class + i;
        class = class >= classes ? class - classes : class;
        if (flit_enter(n, node, class, now)) {
            nd->last_class = (uint8_t) class;
            return true;
        }
    }
    return false;
}

void noc_packet_deliver(struct noc *n, uint32_t id, cycle_t now)
{
    struct noc_packet *p = &n->packets[id];
    n->stats.packets_out++;
    n->stats.bytes += (uint64_t)p->flits * (uint64_t)n->cfg.flit_bytes;
    hist_add(&n->stats.packet_latency, now - p->created);
    hist_add(&n->stats.network_latency, now - p->entered);
    n->client->deliver(n->client_self, p, now);
    vec_push(&n->free_packets, id);
}

/* A flit has come to its node. */
void noc_node_flit(struct noc *n, const struct flit_event *e)
{
    uint32_t node = where_index(e->where);
    struct node_vc *nv = &n->nodes[node].vcs[where_vc(e->where)];
    nv->ejected[(nv->head + nv->len++) & (n->ring - 1)] = e->flit;
    n->nodes[node].ejecting++;
    n->ejecting_nodes[node / 64] |= 1ull << (node % 64);
}

/* Takes the oldest flit of one virtual channel unless its packet may not leave yet. */
static bool flit_leave(struct noc *n, uint32_t node, unsigned vc, cycle_t now)
{
    struct node *nd = &n->nodes[node];
    struct node_vc *nv = &nd->vcs[vc];
    unsigned class = n->vc_class[vc];
    if (!nv->len)
        return false;
    flit_t f = nv->ejected[nv->head];
    if ((f & FLIT_TAIL) && n->client->ready &&
        !n->client->ready(n->client_self, node, class, now)) {
        n->stats.eject_stalls++;
        return false;
    }
    nv->head = (uint8_t)((nv->head + 1) & (n->ring - 1));
    nv->len--;
    nd->ejecting--;
    n->in_flight--;
    n->stats.flits_out++;
    nd->flits.out++;
    noc_event_credit(n, now + n->credit_delay, nd->router, vc);
    if (f & FLIT_TAIL)
        noc_packet_deliver(n, f >> FLIT_PACKET, now);
    return true;
}

void noc_node_eject(struct noc *n, uint32_t node, cycle_t now)
{
    struct node *nd = &n->nodes[node];
    int64_t left = n->cfg.eject_flits;
    for (unsigned i = 0; i < n->vcs && left && nd->ejecting; i++) {
        unsigned vc = nd->eject_next + i;
        vc = vc < n->vcs ? vc : vc - n->vcs;
        while (left && flit_leave(n, node, vc, now))
            left--;
    }
    nd->eject_next = (uint8_t)(nd->eject_next + 1u < n->vcs ? nd->eject_next + 1 : 0);
}
