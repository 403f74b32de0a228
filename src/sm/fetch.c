/* Fetch and decode: one warp a cycle asks the instruction cache for what its buffer can hold; the
 * path is assumed to go straight on, and the buffer is flushed when it did not. */
#include "sm/sm_int.h"

static uint64_t code_addr(const struct sm *sm, const struct dfunc *fn, uint32_t pc)
{
    return fn->addr + (uint64_t)pc * (uint64_t)sm->cfg->instruction_bytes;
}

/* Where in its line of the instruction cache the address is. */
static uint32_t line_offset(const struct sm *sm, uint64_t addr)
{
    return (uint32_t)addr & (sm->inst_line - 1);
}

static uint32_t sector_of(const struct sm *sm, uint64_t addr)
{
    return line_offset(sm, addr) >> sm->sector_shift;
}

/* Lines behind `addr` of the same function, so that straight code does not wait for each. */
static void ask_ahead(struct sm *sm, const struct dfunc *fn, uint64_t addr, cycle_t now)
{
    const uint64_t end = fn->addr + (uint64_t)fn->ncode * (uint64_t)sm->cfg->instruction_bytes;
    uint64_t line = addr & ~(uint64_t)(sm->inst_line - 1);
    for (int64_t k = 0; k < sm->cfg->fetch_ahead; k++) {
        line += sm->inst_line;
        if (line >= end || !l1_can_accept(sm->inst, now, line))
            return;
        l1_submit(sm->inst, now,
                  &(struct l1_access){.addr = line,
                                      .bytes = (uint32_t)sm->cfg->instruction_bytes,
                                      .sectors = (uint16_t)((1u << sm->inst_line / sm->sector) - 1),
                                      .kind = MEM_READ,
                                      .space = MEM_INST,
                                      .is_prefetch = true});
    }
}

static void end_turns(struct sm *sm, cycle_t now)
{
    for (uint64_t m = sm->turning; m; m &= m - 1)
        if (sm->slot[first_of(m)].turned_at <= now)
            sm->turning &= ~(m & -m);
}

void sm_fetch(struct sm *sm, cycle_t now)
{
    if (UNLIKELY(sm->turning))
        end_turns(sm, now);
    uint64_t want = sm->live & ~(sm->fetching | sm->has_buffer | sm->follows | sm->turning);
    if (!want)
        return;
    unsigned slot = next_from(want, sm->fetch_turn);
    const struct warp_slot *ws = &sm->slot[slot];
    uint64_t addr = code_addr(sm, ws->fn, ws->pc);
    if (!l1_can_accept(sm->inst, now, addr))
        return;
    l1_submit(sm->inst, now,
              &(struct l1_access){.addr = addr,
                                  .bytes = (uint32_t)sm->cfg->instruction_bytes,
                                  .sectors = (uint16_t)(1u << sector_of(sm, addr)),
                                  .kind = MEM_READ,
                                  .space = MEM_INST,
                                  .token = slot});
    if (sm->cfg->fetch_ahead)
        ask_ahead(sm, ws->fn, addr, now);
    sm->lsu.due = 0;
    sm->fetching |= UINT64_C(1) << slot;
    sm->fetch_turn = slot + 1;
    sm->stats.fetches++;
}

void sm_decode(struct sm *sm, cycle_t now)
{
    uint32_t slot;
    if (!l1_pop_done(sm->inst, now, &slot))
        return;
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    sm->fetching &= ~bit;
    assert(sm->live & bit);            /* a warp that ends has a buffer, or had: it did not fetch */
    if (UNLIKELY(sm->follows & bit)) { /* since it has asked */
        pair_look_again(sm, bit);
        return;
    }
    uint64_t addr = code_addr(sm, ws->fn, ws->pc);
    uint32_t in_line =
        (sm->inst_line - line_offset(sm, addr)) / (uint32_t)sm->cfg->instruction_bytes;
    uint32_t n = ws->fn->ncode - ws->pc;
    n = n < in_line ? n : in_line;
    n = n < (uint32_t)sm->cfg->ibuffer ? n : (uint32_t)sm->cfg->ibuffer;
    for (uint32_t k = 0; k < n; k++)
        ws->ib[k] = &ws->fn->code[ws->pc + k];
    ws->ib_at = 0;
    ws->ib_len = (uint8_t)n;
    ws->pc += n;
    if (ws->pc >= ws->fn->ncode)
        ws->pc = ws->fn->ncode - 1;
    sm->has_buffer |= bit;
    if (!((sm->barrier | sm->deferred) & bit))
        sm_look_at_warp(sm, slot);
    if (UNLIKELY(sm->ending & bit) &&
        !ws->inflight) /* it has gone forward (sm_forward.h) to its end */
        sm_end_warp(sm, slot, now);
}

void sm_go_to_warp(struct sm *sm, unsigned slot)
{
    struct warp_slot *ws = &sm->slot[slot];
    const struct split *s = warp_top(ws->w);
    if (ws->fn->fn != s->frame->fn)
        ws->fn = decoded_func(ws->code, s->frame->fn);
    ws->pc = s->pc;
    ws->ib_len = 0;
    ws->nloaded = 0;
    sm->has_buffer &= ~(UINT64_C(1) << slot);
}

void sm_flush_hazards(struct sm *sm, cycle_t now)
{
    for (uint64_t m = sm->hazard; m; m &= m - 1) {
        sm_go_to_warp(sm, first_of(m));
        sm->slot[first_of(m)].turned_at = now + (cycle_t)sm->cfg->branch_cycles;
        sm->stats.flushes++;
    }
    if (sm->cfg->branch_cycles)
        sm->turning |= sm->hazard;
    sm->hazard = 0;
}

SM_INLINE void offer(struct sm *sm, unsigned slot, const struct dinst *d)
{
    const uint64_t bit = UINT64_C(1) << slot;
    struct warp_slot *ws = &sm->slot[slot];
    ws->next = d;
    sm->has_inst |= bit;
    for (unsigned p = 0; p < PIPES; p++)
        sm->wants[p] &= ~bit;
    sm->wants[d->pipe] |= bit;
    if (sm_can_go(sm, slot, d)) {
        sm->ready |= bit;
        sm_warm_registers(ws, d);
    } else
        sm->ready &= ~bit;
}

/* For sm_warm(). */
static void remember_place(struct warp_slot *ws)
{
    struct warp *w = ws->w;
    if (!w->depth)
        return;
    ws->split = warp_top(w);
    ws->frame = warp_top(w)->frame;
    ws->regs = w->base[LANE_REGS];
}

/* The buffer's first after those that are jumped over, if `x` is in it. */
static const struct dinst *skip_to(struct warp_slot *ws, const struct xinst *x)
{
    for (unsigned k = 1; k < ws->ib_len; k++)
        if (ws->ib[ws->ib_at + k]->x == x) {
            ws->ib_at = (uint8_t)(ws->ib_at + k);
            ws->ib_len = (uint8_t)(ws->ib_len - k);
            break;
        }
    return ws->ib[ws->ib_at];
}

void sm_look_at_warp(struct sm *sm, unsigned slot)
{
    struct warp_slot *ws = &sm->slot[slot];
    const uint64_t bit = UINT64_C(1) << slot;
    if (UNLIKELY(sm->follows & bit)) {
        pair_look_again(sm, bit);
        return;
    }
    if (UNLIKELY(ws->nowed)) {
        offer(sm, slot, ws->owed);
        return;
    }
    const struct xinst *x = warp_peek(ws->w);
    remember_place(ws);
    sm->has_inst &= ~bit;
    sm->barrier &= ~bit;
    if (!x) {
        if (ws->w->state == WARP_DONE) {
            sm->live &= ~bit;
            sm->ending |= bit;
            sm->has_buffer &= ~bit;
            assert(!(sm->fetching & bit));
            pair_part(sm, slot);
        } else {
            sm->barrier |= bit;
            if (UNLIKELY(sm->follows))
                pair_wait(sm, slot);
        }
        return;
    }
    if (!(sm->has_buffer & bit))
        return;
    const struct dinst *d = ws->ib[ws->ib_at];
    if (d->x != x && sm->cfg->code == CODE_MACHINE) /* a branch over what is in the buffer */
        d = skip_to(ws, x);
    if (d->x != x) {
        sm->hazard |= bit;
        return;
    }
    const struct dinst *next = LIKELY(!d->nloads) ? d : spill_before(ws, d);
    if (UNLIKELY(sm->asked & (WANT_PRECEDE | WANT_PARTNER)))
        next = asked_next(sm, slot, next);
    offer(sm, slot, next);
}
