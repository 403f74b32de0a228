/* Instances of codecs are executed when they start, on one warp for all of an SM's rows: its
 * registers stay in the host's caches, which those of every row would not. */
#include "tech/assist/awc_int.h"

/* Windows of all rows lie alike to the banks. */
static bool has_even_banks(const struct awc *c)
{
    return 2 * AWC_LINE / 4 % c->sm_cfg->shared_banks == 0;
}

bool awc_can_go_ahead(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return in->is_job && in->r->can_go_ahead && !c->contexts[in->r->id].is_stepped &&
           extra_is_unwatched(sm) && has_even_banks(c);
}

/* The instruction at `pc`, as it was before if that is known. */
static bool execute(struct awc *c, struct sm *sm, struct awt_row *row, uint32_t pc, cycle_t now)
{
    const struct routine *r = row->in->r;
    struct extra_done *known = &c->contexts[r->id].known[pc], *done = &row->done[row->nahead++];
    const bool is_alike = pc < 64 && (r->alike >> pc & 1);
    const bool is_known = is_alike && known->mask == warp_top(row->x.w)->mask;
    if (!extra_execute(sm, &row->x, &r->entry->code[pc], now, is_known ? known : NULL, done))
        return false;
    done->pc = pc;
    if (is_alike)
        *known = *done;
    return true;
}

/* False: it did not come to its end, by a fault or because it needs too many instructions. */
static bool run(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    for (const struct xinst *next; (next = warp_peek(row->x.w));) {
        const uint32_t pc = (uint32_t)(next - row->fn->fn->code);
        if (awc_is_end(row, &row->fn->code[pc])) {
            awc_forms_end(row);
            return true;
        }
        if (row->nahead == AHEAD_MOST || !execute(c, sm, row, pc, now))
            return false;
    }
    return row->x.w->state == WARP_DONE;
}

/* A fault is found once more when its instruction is issued. */
bool awc_go_ahead(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    struct awc_context *x = &c->contexts[row->in->r->id];
    x->grid.params = row->params;
    if (run(c, sm, row, now) && row->nahead)
        return true;
    x->is_stepped = true;
    x->grid.fault = (struct fault){0};
    row->nahead = 0;
    return false;
}
