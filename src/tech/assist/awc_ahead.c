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

/* One instruction, measured if it is an access; what is alike is known from then on. */
static bool execute(struct awc *c, struct sm *sm, struct awt_row *row, uint32_t pc, cycle_t now)
{
    const struct routine *r = row->in->r;
    struct awc_context *x = &c->contexts[r->id];
    const struct dinst *d = &r->entry->code[pc];
    const bool is_alike = routine_is_alike(r, pc);
    struct extra_done *done = &row->done[row->nahead++];
    if (is_alike && r->has_places)
        x->places[pc] = ldst_find_place(&x->ahead, d->x, warp_top(&x->ahead)->mask);
    if (!extra_execute(sm, &row->x, d, now, done))
        return false;
    done->pc = pc;
    if (is_alike)
        x->known[pc] = *done;
    return true;
}

/* Instructions from `pc` on that go on behind each other, and of which all is known but bytes and
 * predicates. */
static uint32_t known_from(const struct awc_context *x, const struct awt_row *row, uint32_t pc)
{
    const struct split *s = warp_top(row->x.w);
    const uint32_t most = AHEAD_MOST - row->nahead;
    uint32_t n = 0;
    for (; n < most && pc + n != s->rpc; n++) {
        const struct dinst *d = &row->fn->code[pc + n];
        if (d->x->kind == X_CTRL || d->x->kind == X_MEET ||
            (d->unit == UNIT_MEM && x->known[pc + n].mask != s->mask))
            break;
    }
    return n;
}

static bool go_on(struct awc_context *x, struct awt_row *row, uint32_t pc, uint32_t n)
{
    struct extra_done *done = &row->done[row->nahead];
    uint32_t masks[AHEAD_MOST];
    if (!warp_step_on(&x->ahead, n, x->places + pc, masks))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct extra_done *known = &x->known[pc + i];
        done[i] = (struct extra_done){pc + i, masks[i], known->cycles, known->conflicts};
    }
    row->nahead = (uint8_t)(row->nahead + n);
    return true;
}

/* False: it did not come to its end, by a fault or because it needs too many instructions. */
static bool run(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    struct awc_context *x = &c->contexts[row->in->r->id];
    for (const struct xinst *next; (next = warp_peek(row->x.w));) {
        const uint32_t pc = (uint32_t)(next - row->fn->fn->code);
        if (awc_is_end(row, &row->fn->code[pc])) {
            awc_forms_end(row);
            return true;
        }
        if (row->nahead == AHEAD_MOST)
            return false;
        const uint32_t n = known_from(x, row, pc);
        if (!(n ? go_on(x, row, pc, n) : execute(c, sm, row, pc, now)))
            return false;
    }
    return row->x.w->state == WARP_DONE;
}

static const struct awc_windows windows_ahead = {0, 2 * AWC_LINE};

/* With all that an instance is given. */
static void start(struct awc *c, struct awt_row *row)
{
    const struct routine *r = row->in->r;
    struct awc_context *x = &c->contexts[r->id];
    struct warp *w = &x->ahead;
    awc_fill_params(c, row->in, &windows_ahead, x->params);
    if (!warp_restart(w, x->cta, r->decl.mask)) {
        warp_start(w, x->cta, 0, 0, WARP_LANES);
        w->live &= r->decl.mask;
        warp_top(w)->mask = w->live;
    }
    awc_forms_begin(row, windows_ahead.line);
}

static bool run_first(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    start(c, row);
    if (!run(c, sm, row, now) || !row->nahead)
        return false;
    c->contexts[row->in->r->id].is_known = row->in->r->repeats;
    return true;
}

/* Once more, all but bytes and predicates being as it was the first time. */
static bool run_again(struct awc_context *x, struct awt_row *row)
{
    warp_rewind(&x->ahead);
    awc_forms_give_mask(row);
    if (!go_on(x, row, 0, row->fn->returns_from))
        return false;
    awc_forms_end(row);
    return true;
}

/* What is looked at behind the instance moves to the row's windows: others go ahead before that. */
static void keep_results(const struct awc *c, const struct awt_row *row)
{
    const struct awc_windows to = awc_windows_of(c, row), from = windows_ahead;
    char *shared = c->shared[row->in->r->module];
    memcpy(shared + to.line + AWC_LINE, c->windows_ahead + from.line + AWC_LINE, AWC_LINE);
    memcpy(shared + to.result, c->windows_ahead + from.result, sizeof(uint32_t));
}

/* With nothing but the windows in its block's memory: what touches anything else is a fault. */
static bool run_apart(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    struct awc_context *x = &c->contexts[row->in->r->id];
    struct cta *cta = x->cta;
    char *const shared = cta->shared;
    const uint32_t bytes = cta->shared_bytes;
    cta->shared = c->windows_ahead;
    cta->shared_bytes = cta->shared_limit = AWC_WINDOWS;
    const bool ok = LIKELY(x->is_known) ? run_again(x, row) : run_first(c, sm, row, now);
    cta->shared = shared;
    cta->shared_bytes = cta->shared_limit = bytes;
    return ok;
}

/* A fault is found once more when its instruction is issued. */
bool awc_go_ahead(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const struct instance *in = row->in;
    struct awc_context *x = &c->contexts[in->r->id];
    awc_load_line(in, c->windows_ahead + windows_ahead.line);
    row->x.w = &x->ahead;
    x->grid.params = x->params;
    if (run_apart(c, sm, row, now)) {
        if (in->job.kind == CODEC_STORE || c->verify)
            keep_results(c, row);
        return true;
    }
    x->is_stepped = true;
    x->grid.fault = (struct fault){0};
    row->nahead = 0;
    return false;
}
