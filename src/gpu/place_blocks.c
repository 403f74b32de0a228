/* Which SM gets a block at a meeting. Those that are full are not asked. */
#include "gpu/gpu_int.h"

/* Whether the SM may have got room since it refused what is left of all kernels. */
static bool is_worth_asking(const struct gpu *g, uint32_t sm)
{
    return !g->is_full[sm] || (g->notes[sm] & SM_NOTE_ROOM) || g->may_vary;
}

/* A block of the first kernel that has one left and fits. */
static bool place_block(struct gpu *g, uint32_t i, cycle_t at)
{
    if (!is_worth_asking(g, i))
        return false;
    struct sm *sm = g->sms[i];
    g->notes[i] &= (uint8_t)~SM_NOTE_ROOM;
    for (size_t k = 0; k < g->batch->n; k++) {
        struct run *r = &g->batch->runs[k];
        if (!blocks_are_left(&r->blocks) || !sm_can_take(sm, &r->kernel))
            continue;
        sm_take(sm, &r->kernel, blocks_take(&r->blocks), at);
        g->is_full[i] = false;
        return true;
    }
    g->is_full[i] = true;
    return false;
}

static bool has_blocks(const struct batch *b)
{
    for (size_t k = 0; k < b->n; k++)
        if (blocks_are_left(&b->runs[k].blocks))
            return true;
    return false;
}

/* SMs in turn, so many blocks a cycle on all of them together. */
static void place_blocks_slowly(struct gpu *g, cycle_t now)
{
    const uint64_t rate = (uint64_t)g->m->gpu.blocks_per_cycle;
    const uint64_t most = rate * (uint64_t)g->m->gpu.port_cycles;
    uint32_t refused = 0;
    for (uint64_t n = 0; n < most && refused < g->nsms && has_blocks(g->batch);) {
        const bool is_placed = place_block(g, g->next_sm, now + n / rate);
        n += is_placed;
        refused = is_placed ? 0 : refused + 1;
        g->next_sm = (g->next_sm + 1) % g->nsms;
    }
}

/* One block an SM and cycle, SMs in turn, for as many cycles as there are until the next meeting.
 */
void gpu_place_blocks(struct gpu *g, cycle_t now)
{
    const struct batch *b = g->batch;
    if (now < b->first || !has_blocks(b))
        return;
    if (g->m->gpu.blocks_per_cycle) {
        place_blocks_slowly(g, now);
        return;
    }
    for (cycle_t c = 0; c < (cycle_t)g->m->gpu.port_cycles && has_blocks(b); c++) {
        bool any = false;
        for (uint32_t k = 0; k < g->nsms; k++)
            any |= place_block(g, (g->next_sm + k) % g->nsms, now + c);
        if (!any)
            return;
    }
    g->next_sm = (g->next_sm + 1) % g->nsms;
}
