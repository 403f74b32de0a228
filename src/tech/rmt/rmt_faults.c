/* Faults in registers of the program, and what becomes of them. Nothing here tells a comparison
 * where to look. */
#include "tech/rmt/rmt_int.h"

const char *const rmt_fault_names[] = {"result", "register", NULL};

/* --- injecting --- */

static void flip(struct rmt *r, struct rmt_warp *v, uint32_t reg, uint32_t lanes)
{
    const struct lane_ref *at = &v->code->fn->fn->regs[reg];
    uint32_t skip = rng_below(&r->rng, (uint32_t)__builtin_popcount(lanes));
    for (; skip; skip--)
        lanes &= lanes - 1;
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const uint32_t bit = at->bytes ? rng_below(&r->rng, 8u * at->bytes) : lane;
    char *p = rmt_register(v, reg) + (size_t)lane * at->bytes + bit / 8;
    *p = (char)(*p ^ 1 << bit % 8);
}

/* A register that covered code has written, in one of these lanes; false: none was drawn. */
static bool draw_register(struct rmt *r, const struct rmt_warp *v, uint32_t *reg, uint32_t *lanes)
{
    for (unsigned tries = 0; tries < 64; tries++) {
        *reg = rng_below(&r->rng, v->code->nregs);
        if (v->covered[*reg] & *lanes) {
            *lanes &= v->covered[*reg];
            return true;
        }
    }
    return false;
}

void rmt_inject(struct rmt *r, struct rmt_warp *v, const struct dinst *d, uint32_t mask,
                cycle_t now)
{
    r->next_fault -= r->next_fault > 0;
    if (!r->faults_left || r->next_fault || v->fault.is_open || !mask)
        return;
    uint32_t reg = d->regs[rng_below(&r->rng, d->ndst)] - v->code->first;
    if (r->cfg->fault_in == RMT_REGISTER && !draw_register(r, v, &reg, &mask))
        return;
    flip(r, v, reg, mask);
    v->fault = (struct rmt_fault){true, reg, now};
    r->faults_left--;
    r->next_fault = 1 + rng_below(&r->rng, 2 * (uint32_t)r->cfg->fault_every - 1);
    r->stats.injected++;
}

/* --- what becomes of them --- */

/* Whether the next instruction, which is not covered, reads something wrong. */
static bool leaves(const struct rmt_warp *v)
{
    const struct dinst *d = v->next;
    for (unsigned k = d->ndst; k < d->nregs; k++)
        if (!rmt_same(v, d->regs[k] - v->code->first))
            return true;
    return false;
}

static bool has_traces(const struct rmt_warp *v)
{
    for (uint32_t k = 0; k < v->code->nregs; k++)
        if (!rmt_same(v, k))
            return true;
    return false;
}

static void end_fault(struct rmt_warp *v, uint64_t *as)
{
    ++*as;
    v->fault.is_open = false;
}

void rmt_judge(struct rmt *r, struct rmt_warp *v, cycle_t now)
{
    if (v->differs && v->fault.is_open) {
        hist_add(&r->stats.latency, now - v->fault.at);
        end_fault(v, &r->stats.detected);
    } else if (v->differs) {
        r->stats.unexplained++;
    } else if (v->fault.is_open && leaves(v)) {
        end_fault(v, &r->stats.missed);
    } else if (v->fault.is_open && !has_traces(v)) {
        end_fault(v, &r->stats.masked);
    }
}

void rmt_close_fault(struct rmt *r, struct rmt_warp *v)
{
    if (v->fault.is_open)
        end_fault(v, &r->stats.masked);
}
