/* The mesh's cycle on vectors as wide as the host has them. */
#include "base/cpu.h"
#include "noc/noc_lanes.h"

#include <string.h>

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

/* The scalar part has no branch that depends on traffic: what may or may not happen is a bit that
 * is shifted into place. */

/* In x first, then in y; by a table of the two signs, since a branch would be a guess. */
NOC_INLINE unsigned route(const struct noc_lanes *l, uint32_t router, uint32_t dst)
{
    static const uint8_t by_sign[3][3] = {{MESH_WEST, MESH_WEST, MESH_WEST},
                                          {MESH_NORTH, MESH_LOCAL, MESH_SOUTH},
                                          {MESH_EAST, MESH_EAST, MESH_EAST}};
    struct lane_place to = l->place[dst], at = l->place[router];
    return by_sign[1 + (to.x > at.x) - (to.x < at.x)][1 + (to.y > at.y) - (to.y < at.y)];
}

/* The front flit of `invc` goes through the switch. */
NOC_INLINE void flit_send(const struct noc *n, const struct noc_lanes *l, uint32_t router,
                          unsigned invc, struct wheel_slot *flits, struct wheel_slot *credits_back,
                          cycle_t now, unsigned vcs)
{
    uint32_t at = router * MESH_PORTS * vcs, port = invc / vcs;
    struct lane_vc c = l->vc[at + invc];
    const flit_t *ring = l->flits + (size_t)(at + invc) * l->ring;
    unsigned head = (c.head + 1u) & (l->ring - 1), left = c.len - 1u;
    flit_t f = ring[c.head], next = ring[head]; /* next is stale when nothing is left */
    unsigned out = f & LANE_OUT, tail = f >> LANE_OUT_BITS & FLIT_TAIL, more = left != 0;
    unsigned v = vcs == 1 ? 0 : l->second[router] >> invc & 1, ovc = out * vcs + v;
    unsigned credits = --l->credits[at + ovc];
    if (UNLIKELY(n->probe->ctx))
        noc_hop_probe(n, router, out, f >> LANE_OUT_BITS, now);
    slot_add_flit(flits, out == MESH_LOCAL ? END_NODE : END_ROUTER, l->far[router][out] + (v << 16),
                  f >> LANE_OUT_BITS);
    slot_add_credit(credits_back, port == MESH_LOCAL ? END_NODE : END_ROUTER,
                    l->far[router][port] + (invc % vcs << 16));
    l->vc[at + invc] = (struct lane_vc){(uint8_t)head, (uint8_t)left};
    l->nonempty[router] &= (lane_mask) ~(!more << invc);
    l->open[router] &= (lane_mask) ~(!credits << ovc);
    l->unowned[router] |= (lane_mask)(tail << ovc);
    l->active[out][router] &= (lane_mask) ~(tail << invc);
    l->second[router] &= (lane_mask) ~(tail << invc);
    l->taken[router] &= (lane_mask) ~((tail & !more) << invc);
    l->want[next & LANE_OUT][router] |= (lane_mask)((tail & more) << invc);
}

NOC_INLINE void flit_arrive(const struct noc *n, const struct noc_lanes *l, struct flit_event e,
                            unsigned vcs)
{
    uint32_t router = where_index(e.where), invc = where_vc(e.where);
    uint32_t at = router * MESH_PORTS * vcs + invc;
    struct lane_vc c = l->vc[at];
    unsigned out = route(l, router, flit_dst(n, e.flit)), fresh = ~l->taken[router] >> invc & 1;
    l->flits[at * l->ring + ((c.head + c.len) & (l->ring - 1))] = e.flit << LANE_OUT_BITS | out;
    l->vc[at].len = (uint8_t)(c.len + 1);
    l->nonempty[router] |= (lane_mask)(1u << invc);
    l->taken[router] |= (lane_mask)(1u << invc);
    l->want[out][router] |= (lane_mask)(fresh << invc);
}

NOC_INLINE void lanes_step(struct noc *n, cycle_t now, unsigned vcs)
{
    struct noc_lanes copy = *n->lanes, *l = &copy; /* nothing that is stored can change it */
    struct sizes z = {.vcs = vcs, .speculative = n->speculative};
    for (unsigned v = 0; v < vcs; v++)
        z.class_of[v] = (lane_mask)n->class_mask[n->vc_class[v]][0];
    for (unsigned p = 0; p < MESH_PORTS; p++)
        z.ports |= (lane_mask)(1u << (p * vcs));
    struct wheel_slot *flits = noc_slot(n, now + n->flit_delay);
    struct wheel_slot *credits_back = noc_slot(n, now + n->credit_delay);
    uint64_t sent = 0, lost = 0;
    for (size_t at = 0; at < l->n; at += VEC_LANES)
        vector_step(l, at, &z);
    for (uint32_t i = 0; i < l->n; i += 4) { /* four routers' masks as one word */
        uint64_t left, wasted;
        memcpy(&left, &l->send[i], sizeof left);
        memcpy(&wasted, &l->lost[i], sizeof wasted);
        lost += (uint64_t)__builtin_popcountll(wasted);
        for (; left; left &= left - 1, sent++) {
            unsigned bit = (unsigned)__builtin_ctzll(left);
            flit_send(n, l, i + bit / 16, bit % 16, flits, credits_back, now, vcs);
        }
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

NOC_INLINE void lanes_arrivals(struct noc *n, const struct wheel_slot *w, unsigned vcs)
{
    const struct noc_lanes copy = *n->lanes, *l = &copy;
    for (uint32_t i = 0; i < w->nflits[END_ROUTER]; i++)
        flit_arrive(n, l, w->flits[END_ROUTER][i], vcs);
    for (uint32_t i = 0; i < w->ncredits[END_ROUTER]; i++) {
        uint32_t where = w->credits[END_ROUTER][i].where, router = where_index(where);
        l->credits[router * MESH_PORTS * vcs + where_vc(where)]++;
        l->open[router] |= (lane_mask)(1u << where_vc(where));
    }
}

static void arrivals(struct noc *n, const struct wheel_slot *w)
{
    if (n->vcs == 1)
        lanes_arrivals(n, w, 1);
    else
        lanes_arrivals(n, w, 2);
}

extern const struct noc_lanes_ops MV(noc_lanes_ops);
const struct noc_lanes_ops MV(noc_lanes_ops) = {step, arrivals};
