/* The assist warp's instructions: values, and the way into the pipeline. */
#include "tech/rmt/rmt_int.h"

#include <string.h>

/* --- values --- */

char *rmt_register(const struct rmt_warp *v, uint32_t reg)
{
    return v->x.w->regs + v->frame->reg_off + v->code->fn->fn->regs[reg].off;
}

static char *mine(const struct rmt_warp *v, uint32_t reg)
{
    return v->regs + v->code->fn->fn->regs[reg].off;
}

static uint32_t predicate(const char *at)
{
    uint32_t p;
    memcpy(&p, at, sizeof p);
    return p;
}

static void copy_lanes(char *to, const char *from, unsigned bytes, uint32_t mask)
{
    if (!bytes) {
        const uint32_t p = (predicate(to) & ~mask) | (predicate(from) & mask);
        memcpy(to, &p, sizeof p);
        return;
    }
    FOR_LANES (l, mask)
        lane_copy_wide(to + (size_t)l * bytes, from + (size_t)l * bytes, bytes);
}

bool rmt_same(const struct rmt_warp *v, uint32_t reg)
{
    const char *a = rmt_register(v, reg), *b = mine(v, reg);
    const unsigned bytes = v->code->fn->fn->regs[reg].bytes;
    if (!bytes)
        return !((predicate(a) ^ predicate(b)) & v->lanes[reg]);
    FOR_LANES (l, v->lanes[reg])
        if (memcmp(a + (size_t)l * bytes, b + (size_t)l * bytes, bytes) != 0)
            return false;
    return true;
}

void rmt_take_over(struct rmt_warp *v, uint32_t reg, uint32_t mask)
{
    copy_lanes(mine(v, reg), rmt_register(v, reg), v->code->fn->fn->regs[reg].bytes, mask);
    v->lanes[reg] |= mask;
    v->covered[reg] &= ~mask;
}

void rmt_restore(struct rmt_warp *v, uint32_t reg)
{
    copy_lanes(rmt_register(v, reg), mine(v, reg), v->code->fn->fn->regs[reg].bytes, v->lanes[reg]);
}

void rmt_mark(struct rmt_warp *v, uint32_t reg)
{
    v->ncompare += !v->is_written[reg];
    v->is_written[reg] = true;
}

static uint32_t lanes_of(const struct rmt_warp *v, const struct rmt_entry *e)
{
    const struct xinst *x = e->d->x;
    const uint32_t p = x->has_guard ? predicate(v->regs + x->guard_off) : UINT32_MAX;
    return e->active & (x->has_guard && x->guard_neg ? ~p : p);
}

/* Special registers are the hardware's: both have them. */
void rmt_execute(struct rmt *r, struct rmt_warp *v, const struct rmt_entry *e)
{
    const struct xinst *x = e->d->x;
    const uint32_t mask = lanes_of(v, e);
    char *base[LANE_BASES];
    memcpy(base, v->x.w->base, sizeof base);
    base[LANE_REGS] = v->regs;
    base[LANE_CONST] = v->code->fn->fn->consts;
    if (mask)
        x->lane.fn(&x->lane, base, mask);
    for (unsigned k = 0; k < e->d->ndst; k++) {
        v->lanes[e->d->regs[k] - v->code->first] |= mask;
        rmt_mark(v, e->d->regs[k] - v->code->first);
    }
    r->stats.covered++;
}

/* --- the way into the pipeline --- */

static bool can_go(const struct sm *sm, const struct rmt_warp *v, const struct dinst *d)
{
    return extra_is_ready(&v->x, d) && extra_has_room(sm, &v->x, d);
}

/* One register whose value has come. While it waited, nobody could read it. */
static bool issue_copy(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    for (size_t i = 0; i < v->copies.len; i++) {
        const struct rmt_copy c = v->copies.data[i];
        uint8_t *pending = &v->x.pending[(v->code->first + c.reg) % EXTRA_SCOREBOARD];
        if ((c.is_late && warp_is_deferred(v->x.w)) ||
            !extra_is_written(sm, v->x.slot, v->code->fn->fn, c.reg) ||
            !extra_has_room(sm, &v->x, &v->code->copies[c.reg]))
            continue;
        if (c.is_late)
            rmt_take_over(v, c.reg, c.mask);
        --*pending;
        memmove(&v->copies.data[i], &v->copies.data[i + 1],
                (--v->copies.len - i) * sizeof *v->copies.data);
        extra_send(sm, &v->x, &v->code->copies[c.reg], c.mask, now);
        r->stats.copied++;
        return true;
    }
    return false;
}

static bool issue_again(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    const struct rmt_entry e = v->queue.data[v->at];
    if (!can_go(sm, v, e.d))
        return false;
    const uint32_t mask = lanes_of(v, &e);
    rmt_execute(r, v, &e);
    if (++v->at == v->queue.len)
        v->at = v->queue.len = 0;
    extra_send(sm, &v->x, e.d, mask, now);
    return true;
}

static bool issue_compare(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    for (uint32_t k = 0; k < v->code->nregs; k++) {
        if (!v->is_written[k] || !can_go(sm, v, &v->code->compares[k]) ||
            !extra_is_written(sm, v->x.slot, v->code->fn->fn, k))
            continue;
        v->is_written[k] = false;
        v->ncompare--;
        v->ncompared++;
        r->stats.compared++;
        if (!rmt_same(v, k)) {
            v->differs = true;
            r->stats.differences++;
        }
        extra_send(sm, &v->x, &v->code->compares[k], v->lanes[k], now);
        return true;
    }
    return false;
}

static bool issue_slot(struct rmt *r, struct sm *sm, struct rmt_warp *v, cycle_t now)
{
    if (v->copies.len && issue_copy(r, sm, v, now))
        return true;
    if (v->queue.len)
        return issue_again(r, sm, v, now);
    return v->phase == RMT_COMPARE && v->ncompare && issue_compare(r, sm, v, now);
}

static bool issue_of(struct rmt *r, struct sm *sm, uint64_t slots, unsigned sched, cycle_t now)
{
    const uint64_t some = slots & r->of_sched[sched];
    const uint64_t behind = UINT64_MAX << r->turn[sched], parts[] = {behind, ~behind};
    for (unsigned i = 0; some && i < ARRAY_LEN(parts); i++)
        for (uint64_t m = some & parts[i]; m; m &= m - 1) {
            const unsigned slot = (unsigned)__builtin_ctzll(m);
            if (!issue_slot(r, sm, &r->warps[slot], now))
                continue;
            r->turn[sched] = (slot + 1) % RMT_SLOTS;
            return true;
        }
    return false;
}

bool rmt_issue_first(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct rmt *r = self;
    return issue_of(r, sm, r->first, sched, now);
}

bool rmt_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct rmt *r = self;
    return issue_of(r, sm, r->busy & ~r->first, sched, now);
}
