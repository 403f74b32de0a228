/* lnl.sectors: what lanes that were skipped would have loaded is not fetched. A load of a region
 * touches the sectors of its anchors if its warp is approximated, and is asked for by them; if not,
 * it touches those of all lanes, and nothing changes. */
#include "mem/l1.h"
#include "tech/lnl/lnl_int.h"

static bool is_inside(const struct lnl_requests *q, const struct l1_access *a)
{
    const struct lnl_plan *p = a->slot < LNL_SLOTS ? q->m->slots[a->slot].plan : NULL;
    return p && a->kind == MEM_READ && !a->is_prefetch && a->load < p->nloads &&
           p->is_inside[a->load];
}

static uint16_t ask(const void *self, const struct line_view *v)
{
    const struct lnl_requests *q = self;
    const uint16_t asked = q->inner.ask(q->inner.self, v);
    return is_inside(q, v->access) ? asked & v->missing : asked;
}

static void sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct lnl_requests *q = self;
    if (is_inside(q, v->access))
        q->m->stats.sectors_skipped +=
            (uint64_t)__builtin_popcount(q->inner.ask(q->inner.self, v) & (uint16_t)~asked);
    q->inner.sent(q->inner.self, v, asked, now);
}

struct request_policy lnl_request_policy(struct lnl_requests *q)
{
    struct request_policy p = request_policy_wrap(&q->inner);
    p.ask = ask;
    p.sent = sent;
    return p;
}
