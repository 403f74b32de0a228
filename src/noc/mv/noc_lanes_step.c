/* The mesh's cycle on vectors as wide as the host has them. */
#include "base/cpu.h"
#include "noc/noc_lanes.h"

#if defined(__AVX512BW__)
enum { VEC_LANES = 32 };
#elif defined(__AVX2__)
enum { VEC_LANES = 16 };
#else
enum { VEC_LANES = 8 };
#endif

typedef uint16_t vec __attribute__((vector_size(2 * VEC_LANES)));

/* All ones where x is not zero. */
NOC_INLINE vec nonzero(vec x)
{
    return (vec)(x != 0);
}

/* All ones where bit `bit` of x is set. */
NOC_INLINE vec spread(vec x, unsigned bit)
{
    return -((x >> bit) & 1);
}

NOC_INLINE vec choose(vec condition, vec a, vec b)
{
    return (a & condition) | (b & ~condition);
}

/* The first set bit at or after the pointer, wrapping round, alone; 0 of 0. */
NOC_INLINE vec round_robin(vec mask, vec after)
{
    vec later = mask & after;
    vec from = choose(nonzero(later), later, mask);
    return from & -from;
}

NOC_INLINE vec load(const lane_mask *p, size_t at)
{
    return *(const vec *)(p + at);
}

NOC_INLINE void store(lane_mask *p, size_t at, vec v)
{
    *(vec *)(p + at) = v;
}

/* What one vector of routers decides; outputs are [port]. */
struct step {
    vec sure[MESH_PORTS], all[MESH_PORTS];
    vec allocated; /* input vcs that got an output vc with credits */
    vec any_sure;  /* union of sure */
};

struct sizes {
    unsigned vcs;
    bool speculative;
    lane_mask class_of[LANES_VCS_MAX]; /* input vcs that may use that vc */
    lane_mask ports;                   /* bit 0 of every port */
};

/* Virtual channel allocation at one output, and who bids for it in this cycle. */
NOC_INLINE void output_step(struct noc_lanes *l, size_t at, unsigned o, const struct sizes *z,
                            vec nonempty, vec *unowned_all, vec open_all, vec *second,
                            struct step *s, vec *va_seconds)
{
    vec want = load(l->want[o], at), active = load(l->active[o], at);
    vec grant[LANES_VCS_MAX], open[LANES_VCS_MAX], bids = want ^ want;
    s->sure[o] = want ^ want;
    for (unsigned v = 0; v < z->vcs; v++) {
        unsigned bit = o * z->vcs + v;
        vec unowned = spread(*unowned_all, bit);
        vec asking = want & z->class_of[v] & unowned;
        open[v] = spread(open_all, bit);
        grant[v] = round_robin(asking, load(l->va_after[o][v], at));
        bids |= asking & open[v];
        vec owners = z->vcs == 1 ? active : active & (v ? *second : ~*second);
        s->sure[o] |= owners & open[v] & nonempty;
    }
    s->all[o] = s->sure[o] | (z->speculative ? bids : want ^ want);
    if (z->vcs == 2) { /* an input vc chosen by both takes the one its pointer is at */
        vec both = grant[0] & grant[1], second_first = load(l->va_second[o], at);
        grant[0] &= ~(both & second_first);
        grant[1] &= ~(both & ~second_first);
    }
    vec got = want ^ want;
    for (unsigned v = 0; v < z->vcs; v++) {
        vec won = nonzero(grant[v]), below = grant[v] - 1;
        vec old = load(l->va_after[o][v], at);
        store(l->va_after[o][v], at, choose(won, ~(grant[v] | below), old));
        *unowned_all &= ~(won & (lane_mask)(1u << (o * z->vcs + v)));
        s->allocated |= grant[v] & open[v];
        got |= grant[v];
    }
    if (z->vcs == 2) {
        *second = (*second & ~got) | grant[1];
        va_seconds[o] = grant[0]; /* their pointer moves on to this output's second vc */
    }
    s->any_sure |= s->sure[o];
    store(l->want[o], at, want & ~got);
    store(l->active[o], at, active | got);
}

/* The accept pointers of input vcs that got something leave where they were. */
NOC_INLINE void va_accept_update(struct noc_lanes *l, size_t at, vec got_all, const vec *va_seconds)
{
    for (unsigned o = 0; o < MESH_PORTS; o++)
        store(l->va_second[o], at, (load(l->va_second[o], at) & ~got_all) | va_seconds[o]);
}

/* Each input port takes, of the outputs that granted it, the first from its pointer on. */
NOC_INLINE void accept_step(struct noc_lanes *l, size_t at, const vec *granted, vec *accepted)
{
    vec pointer[MESH_PORTS], taken_all = granted[0] ^ granted[0];
    for (unsigned o = 0; o < MESH_PORTS; o++) {
        pointer[o] = load(l->sa_accept[o], at);
        accepted[o] = taken_all;
    }
    for (unsigned k = 0; k < MESH_PORTS; k++) {
        vec left = pointer[k];
        for (unsigned i = 0; i < MESH_PORTS; i++) {
            unsigned o = (k + i) % MESH_PORTS;
            vec take = granted[o] & left;
            accepted[o] |= take;
            left &= ~take;
        }
    }
    for (unsigned o = 0; o < MESH_PORTS; o++)
        taken_all |= accepted[o];
    for (unsigned o = 0; o < MESH_PORTS; o++) {
        unsigned before = (o + MESH_PORTS - 1) % MESH_PORTS;
        store(l->sa_accept[o], at, (pointer[o] & ~taken_all) | accepted[before]);
    }
}

/* Among the bidding vcs of each matched input port one sends. */
NOC_INLINE vec label_step(struct noc_lanes *l, size_t at, vec bids, const struct sizes *z)
{
    if (z->vcs == 1)
        return bids;
    vec low = bids & z->ports, high = (bids >> 1) & z->ports, both = low & high;
    vec next = load(l->vc_next, at);
    vec take_high = (both & next) | (high & ~low), take_low = (both & ~next) | (low & ~high);
    store(l->vc_next, at, (next & ~(take_high | take_low)) | take_low);
    return take_low | (take_high << 1);
}

NOC_INLINE void vector_step(struct noc_lanes *l, size_t at, const struct sizes *z)
{
    struct step s;
    vec granted[MESH_PORTS], accepted[MESH_PORTS], va_seconds[MESH_PORTS];
    vec nonempty = load(l->nonempty, at), open = load(l->open, at);
    vec unowned = load(l->unowned, at), second = load(l->second, at), zero = open ^ open;
    vec want_before = zero, want_after = zero;
    s.allocated = s.any_sure = zero;
    for (unsigned o = 0; o < MESH_PORTS; o++) {
        want_before |= load(l->want[o], at);
        va_seconds[o] = zero;
        output_step(l, at, o, z, nonempty, &unowned, open, &second, &s, va_seconds);
        want_after |= load(l->want[o], at);
    }
    if (z->vcs == 2)
        va_accept_update(l, at, want_before & ~want_after, va_seconds);
    store(l->unowned, at, unowned);
    store(l->second, at, second);
    for (unsigned o = 0; o < MESH_PORTS; o++) {
        vec one = round_robin(s.all[o], load(l->sa_after[o], at));
        granted[o] = z->vcs == 1 ? one : (one | (one >> 1)) & z->ports;
    }
    accept_step(l, at, granted, accepted);
    vec bids = zero;
    for (unsigned o = 0; o < MESH_PORTS; o++) {
        vec port = accepted[o], whole = z->vcs == 1 ? port : port | (port << 1);
        vec sure = s.sure[o] & whole;
        bids |= choose(nonzero(sure), sure, s.all[o] & whole);
        vec after = ~((port << z->vcs) - 1);
        store(l->sa_after[o], at, choose(nonzero(port), after, load(l->sa_after[o], at)));
    }
    vec win = label_step(l, at, bids, z);
    vec send = win & (s.any_sure | s.allocated);
    store(l->send, at, send);
    store(l->lost, at, win & ~send);
}

NOC_INLINE void head_arrived(struct noc *n, uint32_t router, unsigned invc, flit_t f)
{
    struct router *r = &n->routers[router];
    unsigned out = r->route[flit_dst(f)];
    r->in[invc].out = (uint16_t)out;
    n->lanes->want[out][router] |= (lane_mask)(1u << invc);
}

NOC_INLINE void flit_send(struct noc *n, uint32_t router, unsigned invc, cycle_t now, unsigned vcs)
{
    struct noc_lanes *l = n->lanes;
    struct router *r = &n->routers[router];
    struct invc *in = &r->in[invc];
    lane_mask bit = (lane_mask)(1u << invc);
    unsigned out = in->out, v = vcs == 1 ? 0 : l->second[router] >> invc & 1, ovc = out * vcs + v;
    const flit_t *ring = r->flits + (size_t)invc * n->ring;
    unsigned head = in->head, len = in->len - 1u;
    flit_t f = ring[head];
    head = (head + 1) & (n->ring - 1);
    in->head = (uint8_t)head;
    in->len = (uint8_t)len;
    if (!len)
        l->nonempty[router] &= (lane_mask)~bit;
    if (!--r->out[ovc].credits)
        l->open[router] &= (lane_mask) ~(1u << ovc);
    if (UNLIKELY(n->probe->ctx))
        noc_hop_probe(n, r, out, f, now);
    noc_event_flit(n, now + n->flit_delay, r->to[out], v, f);
    noc_event_credit(n, now + n->credit_delay, r->from[invc / vcs], invc % vcs);
    if (!(f & FLIT_TAIL))
        return;
    l->unowned[router] |= (lane_mask)(1u << ovc);
    l->active[out][router] &= (lane_mask)~bit;
    l->second[router] &= (lane_mask)~bit;
    in->state = INVC_IDLE;
    if (len) {
        in->state = INVC_WAITING;
        head_arrived(n, router, invc, ring[head]);
    }
}

NOC_INLINE void lanes_step(struct noc *n, cycle_t now, unsigned vcs)
{
    struct noc_lanes *l = n->lanes;
    struct sizes z = {.vcs = vcs, .speculative = n->speculative};
    for (unsigned v = 0; v < vcs; v++)
        z.class_of[v] = (lane_mask)n->class_mask[n->vc_class[v]][0];
    for (unsigned p = 0; p < MESH_PORTS; p++)
        z.ports |= (lane_mask)(1u << (p * vcs));
    uint64_t sent = 0, lost = 0;
    for (size_t at = 0; at < l->n; at += VEC_LANES)
        vector_step(l, at, &z);
    for (uint32_t i = 0; i < n->nrouters; i++) {
        for (unsigned left = l->send[i]; left; left &= left - 1, sent++)
            flit_send(n, i, (unsigned)__builtin_ctz(left), now, vcs);
        for (unsigned left = l->lost[i]; left; left &= left - 1)
            lost++;
    }
    n->stats.hops += sent;
    n->stats.sa_lost += lost;
}

static void step(struct noc *n, cycle_t now)
{
    if (n->vcs == 1)
        lanes_step(n, now, 1);
    else
        lanes_step(n, now, 2);
}

NOC_INLINE void flit_arrive(struct noc *n, const struct flit_event *e)
{
    struct router *r = &n->routers[e->index];
    struct invc *in = &r->in[e->vc];
    r->flits[e->vc * n->ring + ((in->head + in->len) & (n->ring - 1))] = e->flit;
    in->len++;
    n->lanes->nonempty[e->index] |= (lane_mask)(1u << e->vc);
    if (in->state == INVC_IDLE) {
        in->state = INVC_WAITING; /* or active: the masks know */
        head_arrived(n, e->index, e->vc, e->flit);
    }
}

static void arrivals(struct noc *n, size_t slot)
{
    for (uint32_t i = 0; i < n->nflits[slot]; i++) {
        const struct flit_event *e = &n->flit_wheel[slot][i];
        if (e->index >= n->nrouters)
            noc_node_flit(n, e);
        else
            flit_arrive(n, e);
    }
    for (uint32_t i = 0; i < n->ncredits[slot]; i++) {
        const struct credit_event *e = &n->credit_wheel[slot][i];
        if (e->index >= n->nrouters)
            n->nodes[e->index - n->nrouters].vcs[e->vc].credits++;
        else if (!n->routers[e->index].out[e->vc].credits++)
            n->lanes->open[e->index] |= (lane_mask)(1u << e->vc);
    }
}

extern const struct noc_lanes_ops MV(noc_lanes_ops);
const struct noc_lanes_ops MV(noc_lanes_ops) = {step, arrivals};
