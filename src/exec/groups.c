/* Who has come to a meeting, and what each has brought. */
#include "exec/groups.h"

#include "exec/grid.h"

#include <string.h>

/* --- an exchange --- */

static uint32_t *words_at(const struct lane_ref *r, char *const *base)
{
    return (uint32_t *)(void *)lane_at(r, base);
}

/* The lower words of an operand, copied; nearly all operands have 32 bits. */
static void copy_words(const struct group_op *o, const struct lane_ref *r, char *const *base,
                       uint32_t lanes, uint32_t *to)
{
    if (LIKELY(r->bytes == sizeof *to))
        o->lanes->copy(to, words_at(r, base), lanes);
    else
        FOR_LANES (l, lanes)
            to[l] = (uint32_t)lane_u64(r, base, l);
}

static const uint32_t *upper_words(const struct lane_ref *r, char *const *base, uint32_t lanes,
                                   uint32_t *room)
{
    if (r->bytes <= sizeof *room)
        return NULL;
    FOR_LANES (l, lanes)
        room[l] = (uint32_t)(lane_u64(r, base, l) >> 32);
    return room;
}

/* Lanes of one of several splits bring theirs. */
static void bring(struct exchange *e, const struct group_op *o, char *const *base, uint32_t lanes)
{
    e->sources |= lanes;
    if (o->a.none)
        return;
    if (!o->a.bytes) {
        e->preds |= lane_pred(&o->a, base) & lanes;
        return;
    }
    copy_words(o, &o->a, base, lanes, e->room[0]);
    e->a = e->room[0];
    e->high = upper_words(&o->a, base, lanes, e->room[1]);
    if (!o->b.none) {
        copy_words(o, &o->b, base, lanes, e->room[2]);
        copy_words(o, &o->c, base, lanes, e->room[3]);
        e->b = e->room[2];
        e->c = e->room[3];
    }
}

/* All lanes of the group are in one split. */
static void see(struct exchange *e, const struct group_op *o, char *const *base)
{
    if (o->a.none)
        return;
    if (!o->a.bytes) {
        e->preds = lane_pred(&o->a, base) & e->sources;
        return;
    }
    e->a = lane_words(&o->a, base, e->room[0]);
    e->high = upper_words(&o->a, base, e->sources, e->room[1]);
    if (!o->b.none && !o->shfl_from) {
        e->b = lane_words(&o->b, base, e->room[2]);
        e->c = lane_words(&o->c, base, e->room[3]);
    }
}

static void take_pred(const struct lane_ref *r, char *const *base, uint32_t lanes, uint32_t v)
{
    uint32_t *to = words_at(r, base);
    *to = (*to & ~lanes) | (v & lanes);
}

static void take(const struct exchange *e, const struct group_op *o, char *const *base,
                 uint32_t lanes)
{
    if (!o->p.none)
        take_pred(&o->p, base, lanes, e->q);
    if (o->d.none)
        return;
    if (!o->d.bytes)
        take_pred(&o->d, base, lanes, e->q);
    else if (LIKELY(o->d.bytes == sizeof *e->d))
        o->lanes->copy(words_at(&o->d, base), e->d, lanes);
    else
        FOR_LANES (l, lanes)
            lane_set_u64(&o->d, base, l, e->d[l]);
}

/* The whole group executes the instruction at once. `sources` are lanes that can be read. */
static void exchange_here(const struct group_op *o, char *const *base, uint32_t group,
                          uint32_t sources)
{
    struct exchange e; /* its rooms are left as they are: they are large */
    e.group = group;
    e.sources = sources;
    e.preds = e.q = 0;
    e.b = e.c = NULL;
    see(&e, o, base);
    o->compute(o, &e);
    take(&e, o, base, group);
}

bool group_here(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct group_op *o = x->op.data;
    exchange_here(o, w->base, mask, o->b.none ? mask : UINT32_MAX);
    return true;
}

/* --- lanes that wait --- */

static const struct group_op *op_of(const struct split *s)
{
    return s->frame->fn->code[s->pc].op.data;
}

/* Whether lanes at these two instructions can be one group: PTX asks for the same qualifiers. */
static bool is_same_kind(const struct group_op *a, const struct group_op *b)
{
    return a->compute == b->compute && a->mode == b->mode && a->type == b->type;
}

static bool waits_with(const struct split *s, const struct group_op *o, uint32_t members)
{
    return s->wait == SPLIT_AT_GROUP && s->members == members && is_same_kind(op_of(s), o);
}

/* The group exchanges among the lanes that have come, and all of them go on. */
static void release(struct warp *w, const struct group_op *o, uint32_t members)
{
    struct exchange e = {0};
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct split *s = &w->stack[i];
        if (!waits_with(s, o, members))
            continue;
        char *base[LANE_BASES];
        warp_frame_base(w, s->frame, base);
        bring(&e, op_of(s), base, s->mask);
    }
    e.group = e.sources;
    o->compute(o, &e);
    for (uint32_t i = 0; i < w->depth; i++) {
        struct split *s = &w->stack[i];
        if (!waits_with(s, o, members))
            continue;
        char *base[LANE_BASES];
        warp_frame_base(w, s->frame, base);
        take(&e, op_of(s), base, s->mask);
        s->wait = SPLIT_RUNS;
        s->pc++;
    }
}

/* Lanes of the group that have come. */
static uint32_t arrived(const struct warp *w, const struct group_op *o, uint32_t members)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < w->depth; i++)
        if (waits_with(&w->stack[i], o, members))
            lanes |= w->stack[i].mask;
    return lanes;
}

static void check(struct warp *w, const struct group_op *o, uint32_t members)
{
    if (!(members & w->live & ~arrived(w, o, members)))
        release(w, o, members);
}

void group_check_all(struct warp *w)
{
    for (uint32_t i = 0; i < w->depth; i++)
        if (w->stack[i].wait == SPLIT_AT_GROUP && w->stack[i].mask)
            check(w, op_of(&w->stack[i]), w->stack[i].members);
}

bool group_fault_deadlock(struct warp *w)
{
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct split *s = &w->stack[i];
        if (s->wait != SPLIT_AT_GROUP)
            continue;
        uint32_t missing = s->members & w->live & ~arrived(w, op_of(s), s->members);
        warp_fault(w, &s->frame->fn->code[s->pc], (unsigned)__builtin_ctz(s->mask),
                   FAULT_LAUNCH_TIMEOUT,
                   "deadlock: of the member mask 0x%x the lanes 0x%x do not come to an instruction "
                   "of this kind with this mask, and no other can move",
                   s->members, missing);
        return true;
    }
    return false;
}

/* --- arriving --- */

/* The lanes of `mask` in the group of its first lane. */
static uint32_t first_group(const struct warp *w, const struct group_op *o, uint32_t mask,
                            uint32_t *members)
{
    *members = (uint32_t)lane_u64(&o->members, w->base, (unsigned)__builtin_ctz(mask));
    if (o->members.sel == LANE_CONST)
        return mask;
    uint32_t room[WARP_LANES];
    return mask & o->lanes->equal(lane_words(&o->members, w->base, room), *members);
}

/* Whether lanes named by the group are elsewhere. */
static bool is_incomplete(const struct warp *w, uint32_t group, uint32_t members)
{
    return (members & w->live & ~group) != 0;
}

/* A lane outside the mask that it names. An H200 minds where its group has to wait, or the warp is
 * not all here; else it takes the lane into the group. */
static uint32_t outsiders(const struct warp *w, uint32_t mask, uint32_t group, uint32_t members)
{
    return mask != w->live || is_incomplete(w, group, members) ? group & ~members : 0;
}

/* The lanes that execute an instruction, by group. */
struct parting {
    unsigned n;
    bool all_complete;
    struct {
        uint32_t lanes, members;
    } group[WARP_LANES];
};

static void part_lanes(const struct warp *w, const struct group_op *o, uint32_t mask,
                       struct parting *p)
{
    uint32_t lanes, members;
    p->n = 0;
    p->all_complete = true;
    for (uint32_t left = mask; left; left &= ~lanes) {
        lanes = first_group(w, o, left, &members);
        p->group[p->n].lanes = lanes;
        p->group[p->n++].members = members;
        p->all_complete &= !is_incomplete(w, lanes, members);
    }
}

static bool has_no_outsiders(struct warp *w, const struct xinst *x, uint32_t mask,
                             const struct parting *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        const uint32_t members = p->group[i].members;
        const uint32_t bad = outsiders(w, mask, p->group[i].lanes, members);
        if (bad)
            return warp_fault(w, x, (unsigned)__builtin_ctz(bad), FAULT_ILLEGAL_INSTRUCTION,
                              "the thread is not in the member mask 0x%x that it names", members);
    }
    return true;
}

/* `group`, lanes of `all`, waits as a split of its own, which meets the rest behind the
 * instruction. */
static void wait_for_others(struct warp *w, uint32_t at, const struct split *all, uint32_t group,
                            uint32_t members)
{
    if (group == all->mask) {
        w->stack[at] = *all;
    } else {
        warp_push(w, all->frame, all->pc, all->pc + 1, group);
        at = w->depth - 1;
    }
    w->stack[at].wait = SPLIT_AT_GROUP;
    w->stack[at].members = members;
}

/* More than one group, or one whose members are elsewhere. Lanes that execute a shfl together read
 * each other across groups, as on an H200, if no group has to wait. */
static bool meet_by_group(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct group_op *o = x->op.data;
    const uint32_t at = w->depth - 1;
    const struct split all = w->stack[at];
    struct parting p;
    part_lanes(w, o, mask, &p);
    if (!has_no_outsiders(w, x, mask, &p))
        return false;
    const uint32_t together = p.all_complete ? mask : 0;
    w->stack[at].pc++;
    if (together && o->reads_across) {
        exchange_here(o, w->base, mask, mask);
        return true;
    }
    for (unsigned i = 0; i < p.n; i++) {
        const uint32_t group = p.group[i].lanes, members = p.group[i].members;
        if (!is_incomplete(w, group, members)) {
            exchange_here(o, w->base, group, group | together);
            continue;
        }
        wait_for_others(w, at, &all, group, members);
        check(w, o, members);
    }
    return true;
}

bool group_meet(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const struct group_op *o = x->op.data;
    uint32_t members, group = first_group(w, o, mask, &members);
    if (UNLIKELY(group != mask || is_incomplete(w, group, members) ||
                 outsiders(w, mask, group, members)))
        return meet_by_group(w, x, mask);
    exchange_here(o, w->base, mask, mask);
    warp_top(w)->pc++;
    return true;
}
