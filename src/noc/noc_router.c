/* A router's cycle: virtual channel allocation and switch allocation side by side on the state at
 * the cycle's start, then both take effect. The step is compiled for one word of mask and one or
 * two virtual channels, where loops over words and channels vanish, and once for any number. */
#include "noc/noc_lanes.h"
#include "noc/noc_masks.h"

/* A router's parts as locals, so that a store to one does not make the compiler fetch the others
 * again; and the sizes, which are constants where the step is specialised. */
struct view {
    struct noc *n;
    struct router *r;
    struct invc *in;
    struct outvc *out;
    struct inport *inports;
    uint16_t *grant;
    uint64_t *nonempty, *credited, *unowned, *open, *work, *want, *active;
    uint64_t *sure, *all, *offers;
    struct va_grant *va;
    struct sa_grant *sa;
    unsigned words, vcs, ports, ring;
    bool one_class, speculative;
};

NOC_INLINE struct view view_of(struct noc *n, struct router *r, unsigned words, unsigned vcs,
                               bool one_class)
{
    return (struct view){
        n,           r,           r->in,      r->out,    r->inports,      r->grant,
        r->nonempty, r->credited, r->unowned, r->open,   r->work,         r->want,
        r->active,   n->sure,     n->all,     n->offers, n->decisions.va, n->decisions.sa,
        words,       vcs,         n->ports,   n->ring,   one_class,       n->speculative};
}

NOC_INLINE unsigned port_of(const struct view *x, unsigned invc)
{
    return x->vcs <= 2 ? invc / x->vcs : x->n->port_of[invc];
}

NOC_INLINE unsigned vc_of(const struct view *x, unsigned invc)
{
    return x->vcs <= 2 ? invc % x->vcs : x->n->vc_of[invc];
}

/* Input vcs of `mask` that may use vc `v`. */
NOC_INLINE uint64_t of_class(const struct view *x, uint64_t mask, unsigned v, unsigned word)
{
    return x->one_class ? mask : mask & x->n->class_mask[x->n->vc_class[v]][word];
}

/* Grants: each free vc of `out` chooses a waiting input vc. Accepts: an input vc chosen by several
 * takes the first from its pointer on. Returns how many decisions were added. */
NOC_INLINE unsigned va_port(const struct view *x, unsigned out, uint32_t unowned,
                            struct va_grant *to)
{
    const uint64_t *want = x->want + (size_t)out * x->words;
    const struct outvc *ov = &x->out[out * x->vcs];
    uint16_t chosen[32];
    unsigned found = 0;
    for (unsigned v = 0; v < x->vcs; v++) {
        uint64_t asking[WORDS_MAX];
        chosen[v] = VC_NONE;
        for (unsigned w = 0; w < x->words; w++)
            asking[w] = of_class(x, want[w], v, w);
        if ((unowned >> v & 1) && mask_any(asking, x->words))
            chosen[v] = (uint16_t)mask_round_robin(asking, ov[v].grant, x->words);
    }
    for (unsigned v = 0; v < x->vcs; v++) {
        if (chosen[v] == VC_NONE)
            continue;
        uint64_t offers = 0;
        for (unsigned k = 0; k < x->vcs; k++)
            offers |= (uint64_t)(chosen[k] == chosen[v]) << k;
        unsigned accept = x->in[chosen[v]].accept - out * x->vcs; /* outside the port: large */
        if (mask_round_robin(&offers, accept < x->vcs ? accept : 0, 1) == v)
            to[found++] = (struct va_grant){chosen[v], (uint16_t)(out * x->vcs + v)};
    }
    return found;
}

/* Who bids for `out`: active input vcs with flits and credits surely, and (speculation) those that
 * wait for a vc while one of their class with credits is free. */
NOC_INLINE bool sa_requests(const struct view *x, unsigned out, uint32_t usable)
{
    const uint64_t *want = x->want + (size_t)out * x->words;
    const uint64_t *active = x->active + (size_t)out * x->words;
    uint64_t *sure = x->sure + (size_t)out * x->words, *all = x->all + (size_t)out * x->words;
    uint64_t any = 0;
    for (unsigned w = 0; w < x->words; w++) {
        uint64_t s = active[w] & x->nonempty[w] & x->credited[w], a = s;
        if (x->one_class)
            a |= x->speculative && usable ? want[w] : 0;
        else
            for (unsigned v = 0; x->speculative && v < x->vcs; v++)
                a |= usable >> v & 1 ? of_class(x, want[w], v, w) : 0;
        sure[w] = s;
        all[w] = a;
        any |= a;
    }
    return any;
}

/* Among an input port's bidding vcs: sure ones first, then round robin. */
NOC_INLINE struct sa_grant sa_choose(const struct view *x, unsigned in, unsigned out)
{
    size_t at = (size_t)out * x->words;
    uint64_t bids = mask_bits(x->sure + at, in * x->vcs, x->vcs, x->words);
    bool speculative = !bids;
    if (!bids)
        bids = mask_bits(x->all + at, in * x->vcs, x->vcs, x->words);
    unsigned v = x->vcs == 1 ? 0 : mask_round_robin(&bids, x->inports[in].vc_next, 1);
    return (struct sa_grant){(uint16_t)(in * x->vcs + v), (uint16_t)out, speculative};
}

/* Grants and accepts of one iteration; matched ports leave `bidding` and enter `matched`. Returns
 * how many decisions were added. */
NOC_INLINE unsigned sa_iterate(const struct view *x, uint64_t *bidding, uint64_t *matched,
                               bool first, struct sa_grant *to)
{
    uint64_t granted[WORDS_MAX];
    unsigned found = 0;
    for (unsigned w = 0; w < x->words; w++)
        granted[w] = 0;
    FOR_EACH_BIT (o, bidding, x->words) {
        uint64_t free_in[WORDS_MAX];
        for (unsigned w = 0; w < x->words; w++)
            free_in[w] = x->all[o * x->words + w] & ~matched[w];
        if (!first && !mask_any(free_in, x->words))
            continue;
        unsigned in = port_of(x, mask_round_robin(free_in, x->grant[o] * x->vcs, x->words));
        uint64_t *offers = x->offers + (size_t)in * x->words;
        if (!(granted[in / 64] >> (in % 64) & 1))
            for (unsigned w = 0; w < x->words; w++)
                offers[w] = 0;
        mask_set(granted, in, x->words);
        mask_set(offers, (unsigned)o, x->words);
    }
    FOR_EACH_BIT (in, granted, x->words) {
        unsigned o = mask_round_robin(x->offers + in * x->words, x->inports[in].accept, x->words);
        to[found++] = sa_choose(x, (unsigned)in, o);
        if (first) {
            x->grant[o] = (uint16_t)(in + 1 == x->ports ? 0 : in + 1);
            x->inports[in].accept = (uint16_t)(o + 1 == x->ports ? 0 : o + 1);
        }
        mask_clear(bidding, o, x->words);
        for (unsigned v = 0; v < x->vcs; v++)
            mask_set(matched, (unsigned)in * x->vcs + v, x->words);
    }
    return found;
}

/* The front of `invc` is a new head: it asks for a vc of its output from cycle `from` on. */
NOC_INLINE void head_arrived(struct noc *n, struct router *r, unsigned invc, flit_t f, cycle_t from,
                             unsigned words)
{
    struct invc *in = &r->in[invc];
    unsigned out = r->route[flit_dst(n, f)];
    in->out = (uint16_t)out;
    if (UNLIKELY(n->cfg.routing_cycles)) {
        in->state = INVC_ROUTING;
        r->routed_at[invc] = from + (cycle_t)n->cfg.routing_cycles;
        r->routing++;
        return;
    }
    in->state = INVC_WAITING;
    mask_set(r->want + (size_t)out * words, invc, words);
    mask_set(r->work, out, words);
}

void noc_hop_probe(const struct noc *n, uint32_t router, unsigned out, flit_t f, cycle_t now)
{
    const struct noc_packet *p = flit_packet(n, f);
    probe_fire(n->probe, now, NOC_HOP, (uint64_t)router * 256 + out,
               (uint64_t)p->src << 16 | p->dst);
}

/* The front flit of `invc` goes through the switch. */
NOC_INLINE void flit_send(const struct view *x, unsigned invc, cycle_t now)
{
    struct noc *n = x->n;
    struct router *r = x->r;
    struct invc *in = &x->in[invc];
    unsigned ovc = in->ovc, out = in->out, head = in->head, len = in->len - 1u;
    const flit_t *ring = r->flits + (size_t)invc * x->ring;
    flit_t f = ring[head];
    head = (head + 1) & (x->ring - 1);
    in->head = (uint8_t)head;
    in->len = (uint8_t)len;
    if (!len)
        mask_clear(x->nonempty, invc, x->words);
    if (!--x->out[ovc].credits) {
        mask_clear(x->open, ovc, x->words);
        mask_clear(x->credited, invc, x->words);
    }
    if (UNLIKELY(n->probe->ctx))
        noc_hop_probe(n, (uint32_t)(r - n->routers), out, f, now);
    noc_event_flit(n, now + n->flit_delay, r->to[out], vc_of(x, ovc), f);
    noc_event_credit(n, now + n->credit_delay, r->from[port_of(x, invc)], vc_of(x, invc));
    if (!(f & FLIT_TAIL))
        return;
    x->out[ovc].owner = VC_NONE;
    mask_set(x->unowned, ovc, x->words);
    mask_clear(x->active + (size_t)out * x->words, invc, x->words);
    mask_clear(x->credited, invc, x->words);
    in->state = INVC_IDLE;
    if (len)
        head_arrived(n, r, invc, ring[head], now + 1, x->words);
}

NOC_INLINE void va_apply(const struct view *x, unsigned count)
{
    unsigned last = x->ports * x->vcs - 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned invc = x->va[i].invc, ovc = x->va[i].ovc;
        struct invc *in = &x->in[invc];
        struct outvc *ov = &x->out[ovc];
        unsigned out = in->out;
        ov->grant = (uint16_t)(invc == last ? 0 : invc + 1);
        ov->owner = (uint16_t)invc;
        in->accept = (uint16_t)(ovc == last ? 0 : ovc + 1);
        in->ovc = (uint16_t)ovc;
        in->state = INVC_ACTIVE;
        mask_clear(x->unowned, ovc, x->words);
        mask_clear(x->want + (size_t)out * x->words, invc, x->words);
        mask_set(x->active + (size_t)out * x->words, invc, x->words);
        if (ov->credits)
            mask_set(x->credited, invc, x->words);
    }
}

NOC_INLINE void sa_apply(const struct view *x, unsigned count, cycle_t now)
{
    unsigned sent = 0;
    for (unsigned i = 0; i < count; i++) {
        struct sa_grant g = x->sa[i];
        const struct invc *in = &x->in[g.invc];
        unsigned next = vc_of(x, g.invc) + 1;
        x->inports[port_of(x, g.invc)].vc_next = (uint8_t)(next == x->vcs ? 0 : next);
        if (g.speculative && (in->state != INVC_ACTIVE || !x->out[in->ovc].credits))
            continue;
        flit_send(x, g.invc, now);
        sent++;
    }
    x->r->flits_held -= sent;
    x->n->stats.hops += sent;
    x->n->stats.sa_lost += count - sent;
}

static void routing_finish(struct noc *n, struct router *r, cycle_t now)
{
    for (unsigned i = 0; i < n->invcs; i++) {
        struct invc *in = &r->in[i];
        if (in->state != INVC_ROUTING || r->routed_at[i] > now)
            continue;
        in->state = INVC_WAITING;
        r->routing--;
        mask_set(r->want + (size_t)in->out * n->words, i, n->words);
        mask_set(r->work, in->out, n->words);
    }
}

NOC_INLINE void router_step(const struct view *x, cycle_t now)
{
    uint64_t bidding[WORDS_MAX], matched[WORDS_MAX];
    unsigned nva = 0, nsa = 0;
    for (unsigned w = 0; w < x->words; w++)
        bidding[w] = matched[w] = 0;
    FOR_EACH_BIT (o, x->work, x->words) {
        unsigned at = (unsigned)o * x->vcs;
        uint32_t unowned = mask_bits(x->unowned, at, x->vcs, x->words);
        uint32_t usable = unowned & mask_bits(x->open, at, x->vcs, x->words);
        bool waiting = mask_any(x->want + o * x->words, x->words);
        if (waiting && unowned)
            nva += va_port(x, (unsigned)o, unowned, x->va + nva);
        if (sa_requests(x, (unsigned)o, usable))
            mask_set(bidding, (unsigned)o, x->words);
        else if (!waiting && !mask_any(x->active + o * x->words, x->words))
            mask_clear(x->work, (unsigned)o, x->words);
    }
    nsa = sa_iterate(x, bidding, matched, true, x->sa);
    for (int64_t i = 1; i < x->n->cfg.islip_iterations; i++)
        nsa += sa_iterate(x, bidding, matched, false, x->sa + nsa);
    va_apply(x, nva);
    sa_apply(x, nsa, now);
}

/* Both allocators for output `out`; the input that may send enters `granted`. Returns how many
 * decisions about virtual channels were added. */
NOC_INLINE unsigned single_port(const struct view *x, unsigned out, uint64_t *granted,
                                struct va_grant *to)
{
    const uint64_t *want = x->want + (size_t)out * x->words;
    const struct outvc *ov = &x->out[out];
    const bool is_owned = ov->owner != VC_NONE;
    unsigned in = ov->owner, found = 0;
    if (is_owned) {
        if (!mask_bits(x->nonempty, in, 1, x->words) || !mask_bits(x->credited, in, 1, x->words))
            return 0;
    } else {
        if (!mask_any(want, x->words)) {
            mask_clear(x->work, out, x->words);
            return 0;
        }
        to[found++] =
            (struct va_grant){(uint16_t)mask_round_robin(want, ov->grant, x->words), (uint16_t)out};
        if (!x->speculative || !ov->credits)
            return found;
        in = mask_round_robin(want, x->grant[out], x->words);
    }
    x->grant[out] = (uint16_t)(in + 1 == x->ports ? 0 : in + 1);
    x->sa[in] = (struct sa_grant){(uint16_t)in, (uint16_t)out, !is_owned};
    mask_set(granted, in, x->words);
    return found;
}

/* With one virtual channel an input asks for one output, and an output that a packet holds is asked
 * by that packet alone: who is granted accepts, and a second iteration would find nobody. */
NOC_INLINE void single_step(const struct view *x, cycle_t now)
{
    uint64_t granted[WORDS_MAX];
    unsigned nva = 0, nsa = 0;
    for (unsigned w = 0; w < x->words; w++)
        granted[w] = 0;
    FOR_EACH_BIT (o, x->work, x->words)
        nva += single_port(x, (unsigned)o, granted, x->va + nva);
    FOR_EACH_BIT (in, granted, x->words) /* in the order of inputs, close together */
        x->sa[nsa++] = x->sa[in];
    va_apply(x, nva);
    sa_apply(x, nsa, now);
}

NOC_INLINE void routers_step(struct noc *n, cycle_t now, unsigned words, unsigned vcs,
                             bool one_class)
{
    for (uint32_t w = 0; w < (n->nrouters + 63) / 64; w++)
        for (uint64_t left = n->busy_routers[w]; left; left &= left - 1) {
            struct router *r = &n->routers[w * 64 + (uint32_t)__builtin_ctzll(left)];
            struct view x = view_of(n, r, words, vcs, one_class);
            if (UNLIKELY(r->routing))
                routing_finish(n, r, now);
            if (vcs == 1)
                single_step(&x, now);
            else
                router_step(&x, now);
            if (!r->flits_held)
                n->busy_routers[w] &= ~(left & -left);
        }
}

void noc_routers_step(struct noc *n, cycle_t now)
{
    bool one_class = n->cfg.classes == 1;
    if (n->lanes)
        n->lanes->ops->step(n, now);
    else if (n->words == 1 && n->vcs == 1)
        routers_step(n, now, 1, 1, true);
    else if (n->vcs == 1)
        routers_step(n, now, n->words, 1, true);
    else if (n->words == 1 && n->vcs == 2 && one_class)
        routers_step(n, now, 1, 2, true);
    else
        routers_step(n, now, n->words, n->vcs, one_class);
}

static void flit_arrive(struct noc *n, const struct flit_event *e, cycle_t now)
{
    uint32_t index = where_index(e->where), vc = where_vc(e->where);
    struct router *r = &n->routers[index];
    struct invc *in = &r->in[vc];
    r->flits[vc * n->ring + ((in->head + in->len) & (n->ring - 1))] = e->flit;
    in->len++;
    r->flits_held++;
    mask_set(r->nonempty, vc, n->words);
    n->busy_routers[index / 64] |= 1ull << (index % 64);
    if (in->state == INVC_IDLE)
        head_arrived(n, r, vc, e->flit, now, n->words);
}

static void credit_arrive(struct noc *n, uint32_t where)
{
    struct router *r = &n->routers[where_index(where)];
    struct outvc *ov = &r->out[where_vc(where)];
    if (ov->credits++)
        return;
    mask_set(r->open, where_vc(where), n->words);
    if (ov->owner != VC_NONE)
        mask_set(r->credited, ov->owner, n->words);
}

void noc_routers_arrivals(struct noc *n, const struct wheel_slot *w, cycle_t now)
{
    if (n->lanes) {
        n->lanes->ops->arrivals(n, w);
        return;
    }
    for (uint32_t i = 0; i < w->nflits[END_ROUTER]; i++)
        flit_arrive(n, &w->flits[END_ROUTER][i], now);
    for (uint32_t i = 0; i < w->ncredits[END_ROUTER]; i++)
        credit_arrive(n, w->credits[END_ROUTER][i].where);
}
