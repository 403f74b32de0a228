/* Warps that go in pairs (issue_policy.partner): the leader is fetched, scheduled and issued; its
 * follower executes the same instruction in the same issue, reads and writes registers of its own,
 * or sits out while it is elsewhere. Both keep their scoreboards and their stacks. */
#include "sm/sm_int.h"

enum { MAX_PAIR_SOURCES = 128 }; /* a bank's queue must have room for those of both */

static uint64_t bit_of(int slot)
{
    return UINT64_C(1) << slot;
}

/* Executed where no SM runs, or with loads and stores of its own around it: by one warp. */
static bool goes_in_pairs(const struct dinst *d)
{
    return !d->x->is_deferred && !d->nloads && !d->nstores && d->nsrc <= MAX_PAIR_SOURCES;
}

/* Who is to follow, as the policy says. */
static int ask_partner(struct sm *sm, unsigned slot)
{
    const struct issue_policy *policy = sm->seams.issue;
    sm->is_asking = true;
    const int p = policy->partner(policy->self, sm, slot);
    sm->is_asking = false;
    if (LIKELY(p >= NO_PARTNER && p < (int)sm->cfg->warps && p != (int)slot))
        return p;
    breach_note(sm->seams.l1.breach, SEAM_issue,
                "partner() of slot %u gives neither another one below sm.warps (%d) nor -1: %d",
                slot, (int)sm->cfg->warps, p);
    return NO_PARTNER;
}

static bool may_follow(const struct sm *sm, unsigned slot, int p)
{
    if (p == NO_PARTNER || sm_subcore_of(sm, (unsigned)p) != sm_subcore_of(sm, slot))
        return false;
    const struct warp_slot *f = &sm->slot[p];
    return (sm->live & ~sm->deferred & bit_of(p)) && !f->nowed &&
           (f->partner == NO_PARTNER || f->partner == (int)slot);
}

static void begin(struct sm *sm, unsigned slot, int p)
{
    sm->slot[slot].partner = (int8_t)p;
    sm->slot[p].partner = (int8_t)slot;
    sm->slot[p].ib_len = 0;
    sm->follows |= bit_of(p);
    sm->has_inst &= ~bit_of(p);
    sm->has_buffer &= ~bit_of(p);
    sm->hazard &= ~bit_of(p);
    sm->barrier &= ~bit_of(p);
}

int pair_of(const struct sm *sm, unsigned slot)
{
    return sm->slot[slot].is_joined ? sm->slot[slot].partner : NO_PARTNER;
}

void pair_part(struct sm *sm, unsigned slot)
{
    const int p = sm->slot[slot].partner;
    if (p == NO_PARTNER)
        return;
    struct warp *w = sm->slot[p].w;
    sm->slot[slot].partner = sm->slot[p].partner = NO_PARTNER;
    sm->slot[slot].is_joined = false;
    sm->follows &= ~bit_of(p);
    warp_peek(w);
    if (w->state != WARP_DONE)
        sm_go_to_warp(sm, (unsigned)p);
    sm_look_at_warp(sm, (unsigned)p);
}

void pair_wait(struct sm *sm, unsigned slot)
{
    const int p = sm->slot[slot].partner;
    if (p != NO_PARTNER && warp_peek(sm->slot[p].w))
        pair_part(sm, slot);
}

void pair_look(struct sm *sm, unsigned slot, const struct dinst *d)
{
    struct warp_slot *ws = &sm->slot[slot];
    int p = goes_in_pairs(d) ? ask_partner(sm, slot) : NO_PARTNER;
    if (!may_follow(sm, slot, p))
        p = NO_PARTNER;
    if (ws->partner != p) {
        pair_part(sm, slot);
        if (p != NO_PARTNER)
            begin(sm, slot, p);
    }
    ws->is_joined = p != NO_PARTNER && warp_peek(sm->slot[p].w) == d->x;
}

bool pair_is_free(const struct sm *sm, unsigned slot, const struct dinst *d)
{
    const struct warp_slot *ws = &sm->slot[slot];
    if (ws->partner == NO_PARTNER)
        return true;
    const uint64_t p = bit_of(ws->partner);
    if (sm->fetching & p) /* from before it followed */
        return false;
    return !ws->is_joined ||
           (!(sm->fenced & p) && scoreboard_is_free(sm, (unsigned)ws->partner, d));
}

void pair_look_again(struct sm *sm, uint64_t followers)
{
    for (uint64_t m = followers & sm->follows; m; m &= m - 1) {
        const unsigned leader = (unsigned)sm->slot[first_of(m)].partner;
        if (sm->has_inst >> leader & 1)
            sm_look_at_warp(sm, leader);
        else if (sm->barrier >> leader & 1)
            pair_wait(sm, leader);
    }
}
