/* A helper: its registers, its way through the slice, its instructions. */
#include "tech/precompute/precompute_int.h"

#include "exec/grid.h"

#include <stdlib.h>
#include <string.h>

/* --- begin and end --- */

static uint64_t registers_of(const struct pre_slice *s)
{
    return (uint64_t)s->words * WARP_LANES;
}

/* Values as the warp has them now; that they take a move each, when they are written, is time. */
static void copy_inputs(struct pre_helper *h, struct warp *main)
{
    const struct lane_ref *regs = h->code->fn->fn->regs;
    warp_use_frame(main);
    warp_use_frame(&h->w);
    for (uint32_t i = 0; i < h->slice->ninputs; i++) {
        const struct lane_ref *r = &regs[h->slice->inputs[i]];
        memcpy(lane_at(r, h->w.base), lane_at(r, main->base),
               r->bytes ? (size_t)r->bytes * WARP_LANES : sizeof(uint32_t));
    }
}

void pre_helper_begin(struct precompute *p, struct sm *sm, unsigned slot, struct pre_code *c,
                      const struct pre_slice *s)
{
    struct pre_helper *h = &p->helpers[slot];
    struct warp *main = extra_parent(sm, slot);
    if (p->registers + registers_of(s) > extra_spare_registers(sm)) {
        p->stats.no_registers++;
        return;
    }
    if (!extra_hold(sm, slot))
        return;
    warp_free(&h->w);
    *h = (struct pre_helper){.is_on = true, .code = c, .slice = s};
    h->w = (struct warp){.cta = main->cta,
                         .grid = main->grid,
                         .all = main->all,
                         .live = main->all,
                         .lanes = UINT32_MAX,
                         .first_thread = main->first_thread,
                         .id = main->id};
    memcpy(h->w.base, main->base, sizeof h->w.base);
    warp_push(&h->w, warp_frame_new(&h->w, c->fn->fn, NULL, NULL), s->from, PTX_NO_PC,
              warp_top(main)->mask);
    h->x.w = &h->w;
    h->x.slot = (uint16_t)slot;
    copy_inputs(h, main);
    p->registers += registers_of(s);
    p->on |= UINT64_C(1) << slot;
    p->of_sched[sm_scheduler_of(sm, slot)] |= UINT64_C(1) << slot;
    p->stats.helpers++;
}

void pre_helper_end(struct pre_helper *h)
{
    h->is_ending = true;
}

void pre_helper_release(struct precompute *p, struct sm *sm, struct pre_helper *h, cycle_t now)
{
    const uint64_t bit = UINT64_C(1) << h->x.slot;
    p->on &= ~bit;
    p->registers -= registers_of(h->slice);
    h->is_on = false;
    extra_release(sm, h->x.slot, now);
}

/* --- its way --- */

/* The next instruction of the slice; NULL: it has left the loop. What lies between takes no time,
 * since the routine does not have it. */
static const struct dinst *next_of(struct pre_helper *h)
{
    const struct pre_slice *s = h->slice;
    for (uint32_t n = 0; n <= 2 * (s->to - s->from); n++) {
        if (!warp_peek(&h->w))
            return NULL;
        struct split *top = warp_top(&h->w);
        if (top->pc < s->from || top->pc > s->to)
            return NULL;
        if (s->has[top->pc - s->from])
            return &h->code->fn->code[top->pc];
        top->pc++;
    }
    return NULL;
}

/* Lanes of a load whose bytes are there. */
static uint32_t lanes_in_memory(struct pre_helper *h, const struct xinst *x)
{
    const struct devmem *mem = h->w.grid->dev->mem;
    const uint64_t bytes = (uint64_t)x->mem.bytes * x->mem.nregs;
    const uint32_t active = warp_top(&h->w)->mask;
    addr_t addr[WARP_LANES];
    uint32_t lanes = 0;
    if (x->space == PTX_SPACE_PARAM)
        return UINT32_MAX;
    warp_use_frame(&h->w);
    warp_addresses(&h->w, &x->mem.addr, x->mem.imm, addr);
    FOR_LANES (l, active)
        if (addr[l] % bytes == 0 && devmem_find(mem, addr[l], bytes))
            lanes |= 1u << l;
    return lanes;
}

/* --- issue --- */

static bool issue_move(struct precompute *p, struct sm *sm, struct pre_helper *h, cycle_t now)
{
    const uint32_t reg = h->slice->inputs[h->moved];
    const struct dinst *d = &h->code->moves[reg];
    if (!extra_is_written(sm, h->x.slot, h->code->fn->fn, reg) || !extra_has_room(sm, &h->x, d))
        return false;
    h->moved++;
    extra_send(sm, &h->x, d, warp_top(&h->w)->mask, now);
    p->stats.helper_inst++;
    return true;
}

/* An iteration ends where the slice's last branch goes back. */
static void count_iteration(struct precompute *p, struct pre_helper *h, const struct dinst *d)
{
    const struct pre_slice *s = h->slice;
    if (d != &h->code->fn->code[s->to] || !warp_peek(&h->w) || warp_top(&h->w)->pc != s->from)
        return;
    h->done++;
    p->stats.helper_iterations++;
}

static bool issue_next(struct precompute *p, struct sm *sm, struct pre_helper *h, cycle_t now)
{
    const struct dinst *d = next_of(h);
    if (!d) {
        p->stats.left++;
        pre_helper_end(h);
        return false;
    }
    if (!extra_is_ready(&h->x, d) || !extra_has_room(sm, &h->x, d))
        return false;
    if (d->flags & DINST_LOAD) {
        const uint32_t active = warp_top(&h->w)->mask;
        h->w.lanes = lanes_in_memory(h, d->x);
        p->stats.wild_lanes += lanes_in(active & ~h->w.lanes);
        p->stats.helper_loads++;
    }
    const bool is_ok = extra_issue(sm, &h->x, d, now);
    h->w.lanes = UINT32_MAX;
    p->stats.helper_inst++;
    if (is_ok)
        count_iteration(p, h, d);
    return is_ok;
}

static bool issue_helper(struct precompute *p, struct sm *sm, struct pre_helper *h, cycle_t now)
{
    if (h->is_ending || h->done >= h->main + (uint64_t)p->cfg->ahead)
        return false;
    return h->moved < h->slice->ninputs ? issue_move(p, sm, h, now) : issue_next(p, sm, h, now);
}

bool precompute_issue_idle(void *self, struct sm *sm, unsigned sched, cycle_t now)
{
    struct precompute *p = self;
    const uint64_t some = p->on & p->of_sched[sched];
    const uint64_t behind = UINT64_MAX << p->turn[sched], parts[] = {behind, ~behind};
    for (unsigned i = 0; some && i < ARRAY_LEN(parts); i++)
        for (uint64_t m = some & parts[i]; m; m &= m - 1) {
            const unsigned slot = (unsigned)__builtin_ctzll(m);
            if (!issue_helper(p, sm, &p->helpers[slot], now))
                continue;
            p->turn[sched] = (slot + 1) % PRE_SLOTS;
            return true;
        }
    return false;
}
