/* What warps do in loops that have a slice, and when helpers begin and end. */
#include "tech/precompute/precompute_int.h"

#include "sm/sm.h"

void precompute_free(struct precompute *p)
{
    for (unsigned i = 0; i < PRE_SLOTS; i++)
        warp_free(&p->helpers[i].w);
    pre_codes_free(p);
}

/* The slice of the loop that ends with the instruction, or NULL. */
static const struct pre_slice *slice_ending(const struct pre_code *c, const struct dinst *d,
                                            uint32_t *number)
{
    const uint32_t pc = (uint32_t)(d - c->fn->code);
    for (*number = 0; *number < c->slices.n; ++*number)
        if (c->slices.at[*number].to == pc)
            return &c->slices.at[*number];
    return NULL;
}

/* The warp is at the begin of the loop again. */
static void go_around(struct precompute *p, struct sm *sm, unsigned slot, struct pre_code *c,
                      uint32_t number, cycle_t now)
{
    struct pre_helper *h = &p->helpers[slot];
    const struct pre_slice *s = &c->slices.at[number];
    const bool may_help = pre_trial_step(&c->trials[number], p->cfg, &p->stats,
                                         (struct pre_moment){now, sm_stats(sm)->lsu_stall});
    p->stats.iterations++;
    if (h->is_on && h->slice == s && ++h->main > h->done + 1 && !h->is_ending) {
        p->stats.behind++;
        pre_helper_end(h);
    }
    if (h->is_on && !may_help)
        pre_helper_end(h);
    if (!h->is_on && may_help)
        pre_helper_begin(p, sm, slot, c, s);
}

/* The warp is elsewhere. */
static bool has_left(const struct pre_helper *h, struct warp *w)
{
    if (!w->depth)
        return true;
    const struct split *top = warp_top(w);
    return top->frame->fn == h->code->fn->fn &&
           (top->pc < h->slice->from || top->pc > h->slice->to);
}

void precompute_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    struct precompute *p = self;
    struct pre_helper *h = &p->helpers[t->slot];
    struct warp *w = extra_parent(sm, t->slot);
    uint32_t number;
    if (!(t->d->flags & DINST_CONTROL) || !t->d->fn || warp_is_deferred(w))
        return;
    if (h->is_on && !h->is_ending && has_left(h, w)) {
        p->stats.left++;
        pre_helper_end(h);
    }
    if (!w->depth)
        return;
    struct pre_code *c = pre_code_of(p, t->d->fn);
    const struct pre_slice *s = slice_ending(c, t->d, &number);
    if (s && warp_top(w)->frame->fn == c->fn->fn && warp_top(w)->pc == s->from)
        go_around(p, sm, t->slot, c, number, now);
}

void precompute_deploy(void *self, struct sm *sm, cycle_t now)
{
    struct precompute *p = self;
    for (uint64_t m = p->on; m; m &= m - 1) {
        struct pre_helper *h = &p->helpers[__builtin_ctzll(m)];
        if (h->is_ending && !h->x.inflight)
            pre_helper_release(p, sm, h, now);
    }
}

bool precompute_is_pending(const void *self)
{
    return ((const struct precompute *)self)->on != 0;
}
