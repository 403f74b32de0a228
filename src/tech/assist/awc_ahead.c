/* Straight routines are executed when they start, on one warp for all of an SM's rows: its
 * registers stay in the host's caches, which those of every row would not. */
#include "tech/assist/awc_int.h"

/* Windows of all rows lie alike to the banks. */
static bool has_even_banks(const struct awc *c)
{
    return 2 * AWC_LINE / 4 % c->sm_cfg->shared_banks == 0;
}

bool awc_can_go_ahead(const struct awc *c, const struct sm *sm, const struct instance *in)
{
    return in->is_job && in->r->nstraight && !c->contexts[in->r->id].is_stepped &&
           extra_is_unwatched(sm) && has_even_banks(c);
}

static bool execute(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const struct routine *r = row->in->r;
    struct extra_done *known = c->contexts[r->id].known;
    for (unsigned pc = 0; pc < r->nstraight; pc++) {
        const bool is_alike = r->alike >> pc & 1;
        if (!extra_execute(sm, &row->x, &r->entry->code[pc], now,
                           is_alike && known[pc].mask ? &known[pc] : NULL, &row->done[pc]))
            return false;
        if (is_alike)
            known[pc] = row->done[pc];
    }
    return true;
}

/* A fault is found once more when its instruction is issued. */
bool awc_go_ahead(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    struct awc_context *x = &c->contexts[row->in->r->id];
    x->grid.params = row->params;
    if (!execute(c, sm, row, now)) {
        x->is_stepped = true;
        x->grid.fault = (struct fault){0};
        return false;
    }
    awc_forms_end(row);
    row->is_ahead = true;
    return true;
}
