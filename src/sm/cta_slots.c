/* Blocks on an SM: what they need, where their warps go, when they end. */
#include "exec/oob.h"
#include "sm/sm_int.h"

#include <stdlib.h>
#include <string.h>

struct cta_need cta_need_of(const struct sm_cfg *cfg, const struct sm_kernel *k, uint32_t extra)
{
    struct cta_need n = {.warps = k->root->nwarps,
                         .threads = k->root->nwarps * WARP_LANES,
                         .shared_bytes = k->root->shared_bytes};
    uint64_t warp_registers =
        align_up(((uint64_t)k->registers + extra) * WARP_LANES, (uint64_t)cfg->register_unit);
    n.registers = warp_registers * n.warps;
    return n;
}

uint32_t sm_extra_registers(const struct sm *sm, const struct sm_kernel *k)
{
    return sm->seams.warps->extra_registers(sm->seams.warps->self, k->root->kernel);
}

static uint64_t all_slots(const struct sm_cfg *cfg)
{
    return cfg->warps == 64 ? UINT64_MAX : (UINT64_C(1) << cfg->warps) - 1;
}

static uint64_t free_slots(const struct sm *sm)
{
    return all_slots(sm->cfg) & ~(sm->live | sm->ending | sm->coming);
}

uint32_t sm_capacity(const struct sm_cfg *cfg, const struct sm_kernel *k, uint32_t extra)
{
    struct cta_need n = cta_need_of(cfg, k, extra);
    uint64_t fit = (uint64_t)cfg->ctas,
             by[] = {
                 n.registers ? cfg->registers / n.registers : fit,
                 n.shared_bytes ? cfg->shared_bytes / n.shared_bytes : fit,
                 (uint64_t)cfg->threads / n.threads,
                 (uint64_t)cfg->warps / n.warps,
             };
    for (unsigned i = 0; i < ARRAY_LEN(by); i++)
        fit = by[i] < fit ? by[i] : fit;
    return (uint32_t)fit;
}

/* What shared memory takes of the two together for a kernel. */
static uint64_t carveout(const struct sm_cfg *cfg, const struct sm_kernel *k, uint32_t blocks)
{
    const uint64_t of_block = cta_need_of(cfg, k, 0).shared_bytes;
    const uint64_t need = of_block ? blocks * (of_block + (uint64_t)cfg->block_reserve) : 0;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < cfg->carveouts.len; i++) {
        const uint64_t bytes = (uint64_t)cfg->carveouts.at[i] << 10;
        if (bytes >= need)
            return bytes;
        largest = bytes;
    }
    return largest;
}

void sm_share(struct sm *sm, const struct sm_kernel *k, uint32_t blocks)
{
    const uint64_t all = (uint64_t)sm->cfg->unified_bytes;
    if (all)
        l1_use(sm->data, all - carveout(sm->cfg, k, blocks));
}

bool sm_can_take(const struct sm *sm, const struct sm_kernel *k)
{
    struct cta_need n = cta_need_of(sm->cfg, k, sm_extra_registers(sm, k));
    return (uint32_t)__builtin_popcount(sm->cta_set) < (uint32_t)sm->cfg->ctas &&
           n.registers <= sm->regs_free && n.shared_bytes <= sm->shared_free &&
           n.threads <= sm->threads_free &&
           n.warps <= (uint32_t)__builtin_popcountll(free_slots(sm));
}

cycle_t sm_oldest_block(const struct sm *sm)
{
    cycle_t oldest = CYCLE_NEVER;
    for (uint32_t m = sm->cta_set; m; m &= m - 1) {
        const cycle_t begin = sm->ctas[__builtin_ctz(m)].begin;
        oldest = begin < oldest ? begin : oldest;
    }
    return oldest;
}

static struct sm_launch *launch_of(struct sm *sm, const struct sm_kernel *k)
{
    for (struct sm_launch *l = sm->launches; l; l = l->next)
        if (l->kernel == k)
            return l;
    struct sm_launch *l = xcalloc(1, sizeof *l);
    l->sm = sm;
    l->grid = *k->root;
    l->grid.smid = sm->id;
    l->grid.root = k->root;
    l->grid.children = NULL;
    l->grid.oob_log = NULL;
    l->kernel = k;
    l->next = sm->launches;
    sm->launches = l;
    return l;
}

static void fill_slot(struct sm *sm, unsigned slot, unsigned cta, struct warp *w)
{
    const struct decoded *code = sm->ctas[cta].launch->kernel->code;
    sm->slot[slot] = (struct warp_slot){.w = w,
                                        .fn = decoded_func(code, warp_top(w)->frame->fn),
                                        .pc = warp_top(w)->pc,
                                        .cta = (uint8_t)cta,
                                        .age = sm->next_age++,
                                        .code = code,
                                        .partner = NO_PARTNER};
    sm->ctas[cta].warps |= UINT64_C(1) << slot;
    sm->ctas[cta].live++;
}

/* The first `n` slots that are free. */
static uint64_t slots_for(const struct sm *sm, uint32_t n)
{
    const uint64_t idle = free_slots(sm);
    uint64_t rest = idle;
    for (; n; n--)
        rest &= rest - 1;
    return idle & ~rest;
}

void sm_take(struct sm *sm, const struct sm_kernel *k, uint64_t number, cycle_t now)
{
    const uint32_t extra = sm_extra_registers(sm, k);
    const struct cta_need n = cta_need_of(sm->cfg, k, extra);
    const unsigned cta = (unsigned)__builtin_ctz(~sm->cta_set);
    const uint64_t slots = slots_for(sm, n.warps);
    sm->ctas[cta] = (struct cta_slot){
        .kernel = k, .number = number, .warps = slots, .begin = now, .registers = n.registers};
    sm->cta_set |= UINT32_C(1) << cta;
    sm->unmade |= UINT32_C(1) << cta;
    sm->coming |= slots;
    sm->stats.warps += n.warps;
    sm->regs_free -= n.registers;
    sm->shared_free -= n.shared_bytes;
    sm->threads_free -= n.threads;
    const uint64_t most = sm_capacity(sm->cfg, k, extra);
    sm->regs_spare = (uint64_t)sm->cfg->registers - most * n.registers;
    sm->shared_spare = (uint64_t)sm->cfg->shared_bytes - most * n.shared_bytes;
    component_wake(sm->component, now);
}

static void make_block(struct sm *sm, unsigned cta)
{
    struct cta_slot *c = &sm->ctas[cta];
    struct sm_launch *l = c->launch = launch_of(sm, c->kernel);
    c->cta = l->nspares ? l->spares[--l->nspares] : cta_new(&l->grid);
    cta_start(c->cta, &l->grid, c->number);
    probe_fire(sm->probe, c->begin, SM_BLOCK_BEGIN, c->number, cta);
    uint64_t slots = c->warps;
    for (uint32_t i = 0; slots; i++, slots &= slots - 1) {
        const unsigned slot = first_of(slots);
        fill_slot(sm, slot, cta, &c->cta->warps[i]);
        if (UNLIKELY(sm->asked & WANT_WARPS))
            sm->seams.registers->start(sm->seams.registers->self, slot, &c->cta->warps[i],
                                       (uint32_t)(c->registers / c->cta->nwarps / WARP_LANES));
        probe_fire(sm->probe, c->begin, SM_WARP_BEGIN, c->number * 64 + i, slot);
    }
}

/* In the order in which they were taken, which is that of their places: no block ends between. */
void sm_make_blocks(struct sm *sm)
{
    for (; sm->unmade; sm->unmade &= sm->unmade - 1)
        make_block(sm, (unsigned)__builtin_ctz(sm->unmade));
}

void sm_start_blocks(struct sm *sm, cycle_t now)
{
    for (uint32_t m = sm->cta_set; m; m &= m - 1) {
        const struct cta_slot *c = &sm->ctas[__builtin_ctz(m)];
        if (c->begin > now || !(c->warps & sm->coming))
            continue;
        sm_count_to(sm, now);
        sm->live |= c->warps & sm->coming;
        sm->coming &= ~c->warps;
        sm->regs_used += c->registers;
    }
}

cycle_t sm_next_block(const struct sm *sm)
{
    cycle_t next = CYCLE_NEVER;
    for (uint32_t m = sm->coming ? sm->cta_set : 0; m; m &= m - 1) {
        const struct cta_slot *c = &sm->ctas[__builtin_ctz(m)];
        if ((c->warps & sm->coming) && c->begin < next)
            next = c->begin;
    }
    return next;
}

static void count_ended(struct sm *sm, struct sm_launch *l, const struct cta *c)
{
    sm_note(sm, SM_NOTE_ENDED);
    for (uint32_t i = 0; i < c->nwarps; i++) {
        l->ended.warp_inst += c->warps[i].ninst;
        l->ended.thread_inst += c->warps[i].nthread_inst;
    }
    l->ended.blocks++;
}

/* The slot of a warp of the block; MAX_WARPS: its warp has ended and left it. */
static unsigned slot_of(const struct sm *sm, const struct cta_slot *c, const struct warp *w)
{
    for (uint64_t m = c->warps; m; m &= m - 1)
        if (sm->slot[first_of(m)].w == w)
            return first_of(m);
    return MAX_WARPS;
}

bool sm_can_follow_block(const struct sm *sm, unsigned cta)
{
    const struct cta_slot *c = &sm->ctas[cta];
    int needed = 0;
    for (uint32_t i = 0; i < c->cta->nwarps; i++)
        needed += slot_of(sm, c, &c->cta->warps[i]) == MAX_WARPS;
    return needed <= __builtin_popcountll(free_slots(sm));
}

void sm_follow_block(struct sm *sm, unsigned cta, uint64_t number)
{
    struct cta_slot *c = &sm->ctas[cta];
    count_ended(sm, c->launch, c->cta);
    cta_start(c->cta, &c->launch->grid, number);
    for (uint32_t i = 0; i < c->cta->nwarps; i++) {
        unsigned slot = slot_of(sm, c, &c->cta->warps[i]);
        if (slot == MAX_WARPS) {
            slot = first_of(free_slots(sm));
            fill_slot(sm, slot, cta, &c->cta->warps[i]);
        }
        sm->ending &= ~(UINT64_C(1) << slot);
        sm->live |= UINT64_C(1) << slot;
        sm->slot[slot].age = sm->next_age++;
    }
}

static void end_cta(struct sm *sm, unsigned cta, cycle_t now)
{
    struct cta_slot *c = &sm->ctas[cta];
    probe_fire(sm->probe, now, SM_BLOCK_END, c->cta->number, cta);
    struct sm_launch *l = c->launch;
    const struct cta_need n = cta_need_of(sm->cfg, l->kernel, 0);
    sm->regs_free += c->registers;
    sm->regs_used -= c->registers;
    sm->shared_free += n.shared_bytes;
    sm->threads_free += n.threads;
    l->spares[l->nspares++] = c->cta;
    count_ended(sm, l, c->cta);
    *c = (struct cta_slot){0};
    sm->cta_set &= ~(UINT32_C(1) << cta);
    l->ended.end = now + 1;
    sm->stats.ctas++;
}

void sm_end_warp(struct sm *sm, unsigned slot, cycle_t now)
{
    const uint64_t bit = UINT64_C(1) << slot;
    unsigned cta = sm->slot[slot].cta;
    probe_fire(sm->probe, now, SM_WARP_END, sm->ctas[cta].cta->number * 64 + sm->slot[slot].w->id,
               slot);
    sm_count_to(sm, now);
    sm->ending &= ~bit;
    sm->hazard &= ~bit;
    sm->turning &= ~bit;
    sm->held &= ~bit;
    sm->leaving &= ~bit;
    sm->slot[slot].w = NULL;
    sm_note(sm, SM_NOTE_ROOM);
    if (UNLIKELY(sm->asked & WANT_WARPS))
        sm->seams.registers->end(sm->seams.registers->self, slot);
    sm->ctas[cta].warps &= ~bit;
    if (--sm->ctas[cta].live)
        return;
    end_cta(sm, cta, now);
}

struct sm_ended sm_kernel_ended(struct sm *sm, const struct sm_kernel *k)
{
    for (struct sm_launch *l = sm->launches; l; l = l->next)
        if (l->kernel == k) {
            struct sm_ended e = l->ended;
            l->ended = (struct sm_ended){.end = e.end};
            return e;
        }
    return (struct sm_ended){0};
}

void sm_give_findings(struct sm *sm)
{
    for (struct sm_launch *l = sm->launches; l; l = l->next)
        oob_merge(l->grid.root, &l->grid);
}

void sm_drop_launches(struct sm *sm)
{
    for (struct sm_launch *l = sm->launches, *next; l; l = next) {
        next = l->next;
        for (uint32_t i = 0; i < l->nspares; i++)
            cta_free(l->spares[i]);
        oob_log_free(l->grid.oob_log);
        free(l);
    }
    sm->launches = NULL;
}
