/* Instances of codecs are executed when they start, on one warp and in one window for all of an
 * SM's rows: they stay in the host's caches, which those of every row would not, and the next
 * instance of the routine finds there what is the same for all. */
#include "tech/assist/awc_int.h"

#include "exec/step.h"

#include <string.h>

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

/* With all that an instance is given. */
static void start(struct awc *c, struct awt_row *row, const struct awc_windows *at)
{
    const struct routine *r = row->in->r;
    struct awc_context *x = &c->contexts[r->id];
    struct warp *w = &x->ahead;
    awc_fill_params(c, row->in, at, x->params);
    if (!warp_restart(w, x->cta, r->decl.mask)) {
        warp_start(w, x->cta, 0, 0, WARP_LANES);
        w->live &= r->decl.mask;
        warp_top(w)->mask = w->live;
    }
    awc_forms_begin(row, at->line);
}

/* From an instance that has just come to its end. */
static void learn(struct awc_context *x, const struct awt_row *row)
{
    for (unsigned i = 0; i < row->nahead; i++) {
        x->known[i] = row->done[i];
        if (row->in->r->alike >> i & 1)
            x->places[i] = ldst_find_place(&x->ahead, row->fn->code[i].x, row->done[i].mask);
    }
    x->is_known = true;
}

static bool run_first(struct awc *c, struct sm *sm, struct awt_row *row,
                      const struct awc_windows *at, cycle_t now)
{
    struct awc_context *x = &c->contexts[row->in->r->id];
    start(c, row, at);
    if (!run(c, sm, row, now) || !row->nahead)
        return false;
    if (row->in->r->repeats)
        learn(x, row);
    return true;
}

/* Once more, all but bytes and predicates being as it was the first time. */
static bool run_again(struct awc_context *x, struct awt_row *row)
{
    const uint32_t n = row->fn->returns_from;
    uint32_t masks[AHEAD_MOST];
    warp_rewind(&x->ahead);
    awc_forms_give_mask(row);
    if (!warp_step_on(&x->ahead, n, x->places, masks))
        return false;
    for (uint32_t pc = 0; pc < n; pc++) {
        row->done[pc] = x->known[pc];
        row->done[pc].mask = masks[pc];
    }
    row->nahead = (uint8_t)n;
    awc_forms_end(row);
    return true;
}

/* What is looked at behind the instance moves to the row's windows: others go ahead before that. */
static void keep_results(const struct awc *c, const struct awt_row *row,
                         const struct awc_windows *from)
{
    const struct awc_windows to = awc_windows_of(c, row);
    char *shared = c->shared[row->in->r->module];
    memcpy(shared + to.line + AWC_LINE, shared + from->line + AWC_LINE, AWC_LINE);
    memcpy(shared + to.result, shared + from->result, sizeof(uint32_t));
}

/* A fault is found once more when its instruction is issued. */
bool awc_go_ahead(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const struct instance *in = row->in;
    struct awc_context *x = &c->contexts[in->r->id];
    const struct awc_windows at = awc_windows_ahead(c, in->r->module);
    awc_load_line(in, c->shared[in->r->module] + at.line);
    row->x.w = &x->ahead;
    x->grid.params = x->params;
    if (LIKELY(x->is_known) ? run_again(x, row) : run_first(c, sm, row, &at, now)) {
        if (in->job.kind == CODEC_STORE || c->verify)
            keep_results(c, row, &at);
        return true;
    }
    x->is_stepped = true;
    x->grid.fault = (struct fault){0};
    row->nahead = 0;
    return false;
}
