/* The Assist Warp Table: instances from their start to their end, and their registers. */
#include "tech/assist/awc_int.h"

#include <stdlib.h>
#include <string.h>

void awc_fill_params(const struct awc *c, const struct instance *in, const struct awc_windows *at,
                     char *params)
{
    const struct routine *r = in->r;
    const uint64_t values[] = {
        [PARAM_SRC] = at->line,
        [PARAM_DST] = at->line + AWC_LINE,
        [PARAM_RESULT] = at->result,
        [PARAM_ADDR] = in->addr,
        [PARAM_WARP] = in->slot,
        [PARAM_MASK] = in->mask,
        [PARAM_VALUE] = in->value,
        [PARAM_SM] = c->sm,
        [PARAM_INST] = in->inst,
        [PARAM_DISTANCE] = (uint64_t)c->cfg->prefetch_distance,
        [PARAM_REGION] = in->value,
        [PARAM_ENTRIES] = c->memo.entries,
        [PARAM_KEEP] = UINT64_C(0xffffffff) << (32 - c->cfg->memo_bits),
    };
    const void *const lanes[] = {[PARAM_ADDRS - PARAM_LANES] = in->addrs,
                                 [PARAM_IN0 - PARAM_LANES] = in->addrs,
                                 [PARAM_IN1 - PARAM_LANES] = in->addrs + WARP_LANES / 2,
                                 [PARAM_OUT0 - PARAM_LANES] = in->raw};
    for (unsigned i = 0; i < r->nparams; i++) {
        const unsigned what = r->params[i].what;
        memcpy(params + r->params[i].offset,
               what >= PARAM_LANES ? lanes[what - PARAM_LANES] : &values[what], r->params[i].bytes);
    }
}

uint64_t *awc_group_active(struct awc *c, const struct instance *in)
{
    return &c->contexts[c->contexts[in->r->id].group].active;
}

void awc_release_registers(struct awc *c, struct awt_row *row)
{
    if (row->has_registers)
        *awc_group_active(c, row->in) &= ~(UINT64_C(1) << row->in->slot);
    if (row->has_spare)
        c->spares_used -= instance_registers(row->in);
    if (row->has_spare && row->in->r->decl.on_spares)
        c->contexts[row->in->r->id].on_spares &= ~(UINT64_C(1) << row->in->slot);
    c->may_start |= row->has_registers || row->has_spare;
    c->freed_slots |= (uint64_t)row->has_registers << row->in->slot;
    c->has_changed |= row->has_spare;
    row->has_registers = row->has_spare = false;
}

bool awc_is_free(struct awc *c, const struct sm *sm, const struct instance *in)
{
    return !awc_is_bare(c, sm, in) && !in->on_spares && !(*awc_group_active(c, in) >> in->slot & 1);
}

static void take_registers(struct awc *c, const struct sm *sm, struct awt_row *row)
{
    row->has_registers = awc_is_free(c, sm, row->in);
    row->has_spare = !row->has_registers;
    if (row->has_registers)
        *awc_group_active(c, row->in) |= UINT64_C(1) << row->in->slot;
    else
        c->spares_used += instance_registers(row->in);
    c->stats.on_spares += row->has_spare;
    if (row->in->r->decl.on_spares)
        c->contexts[row->in->r->id].on_spares |= UINT64_C(1) << row->in->slot;
}

/* What is on its way to its registers has come to an end with the instance before. */
static void clear_row(struct awt_row *row, struct instance *in)
{
    row->in = in;
    row->fn = in->r->entry;
    row->pc = 0;
    row->nstaged = row->nahead = row->nissued = 0;
    row->has_begun = row->has_ended = row->is_killed = false;
    row->x.code = in->r->code;
    row->x.slot = (uint16_t)in->slot;
    assert_often(!row->x.inflight && !row->x.writes);
}

/* Its instructions are executed as they are issued. */
static void begin(struct awc *c, struct awt_row *row)
{
    const struct routine *r = row->in->r;
    const struct awc_windows at = awc_windows_of(c, row);
    struct warp *w = &c->warps[row - c->rows];
    if (row->in->is_job)
        awc_load_line(row->in, c->shared[r->module] + at.line);
    awc_fill_params(c, row->in, &at, row->params);
    row->x.w = w;
    warp_start(w, c->contexts[r->id].cta, (uint32_t)(row - c->rows), 0, WARP_LANES);
    w->live &= r->decl.mask;
    warp_top(w)->mask = w->live;
    awc_forms_begin(row, at.line);
}

void awc_row_start(struct awc *c, struct sm *sm, struct instance *in, cycle_t now)
{
    const unsigned k = (unsigned)__builtin_ctzll(~c->used);
    const uint64_t bit = UINT64_C(1) << k;
    struct awt_row *row = &c->rows[k];
    in->started = now;
    in->began = in->began ? in->began : now;
    clear_row(row, in);
    take_registers(c, sm, row);
    if (!awc_can_go_ahead(c, sm, in) || !awc_go_ahead(c, sm, row, now))
        begin(c, row);
    c->used |= bit;
    if (instance_is_high(in)) {
        c->high |= bit;
        c->slot_rows[in->slot] |= bit;
    }
    c->of_sched[sm_scheduler_of(sm, in->slot)] |= bit;
    extra_note(sm, now, true, in->r->id, k);
}

void awc_flush(struct awc *c, struct awt_row *row)
{
    c->stats.flushed += row->nstaged;
    if (instance_is_high(row->in)) {
        c->slot_staged[row->x.slot] = (uint8_t)(c->slot_staged[row->x.slot] - row->nstaged);
        c->full &= ~c->slot_rows[row->x.slot];
    } else {
        c->low_staged = (uint16_t)(c->low_staged - row->nstaged);
    }
    row->nstaged = 0;
    c->staged &= ~awc_row_bit(row);
    awc_look_again(c, row);
}

char *awc_results(const struct awc *c, const struct awt_row *row, uint32_t *result)
{
    const struct awc_windows at = awc_windows_of(c, row);
    char *shared = c->shared[row->in->r->module];
    memcpy(result, shared + at.result, sizeof *result);
    return shared + at.line + AWC_LINE;
}

/* The row is free; its instance ends, or goes on with another routine. */
static void finish(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    const uint64_t bit = awc_row_bit(row);
    struct instance *in = row->in;
    extra_note(sm, now, false, in->r->id, (unsigned)(row - c->rows));
    awc_release_registers(c, row);
    c->has_changed |= awc_is_full(c);
    c->used &= ~bit;
    c->high &= ~bit;
    c->stuck &= ~bit;
    c->ended &= ~bit;
    c->full &= ~bit;
    c->slot_rows[in->slot] &= ~bit;
    const uint64_t rest = instance_is_high(in) ? c->slot_rows[in->slot] : c->used & ~c->high;
    c->stuck &= ~(awc_is_only(rest) ? rest : 0); /* it has its part of the buffer alone now */
    c->of_sched[sm_scheduler_of(sm, in->slot)] &= ~bit;
    c->may_start = true;
    c->stats.active_cycles += now - in->started;
    if (in->is_job && !row->is_killed && awc_finish_job(c, sm, row)) {
        awc_put_waiting(c, in);
        return;
    }
    if (in->is_job && row->is_killed)
        awc_drop_job(c, in);
    if (in->region && !row->is_killed)
        awc_memo_finish(c, sm, row, now);
    if (in->is_job && in->job.kind == CODEC_STORE)
        extra_delay_end(sm, now);
    if (in->r->decl.on == ON_INTERRUPT)
        hist_add(&c->interrupt_stats.served, now - in->value);
    ++*(row->is_killed ? &c->stats.killed : &c->stats.finished);
    c->stats.instance_cycles += now - in->triggered;
    awc_detach(c, sm, in, now);
    instance_free(c, in);
}

void awc_row_kill(struct awc *c, struct sm *sm, struct awt_row *row, cycle_t now)
{
    awc_flush(c, row);
    row->has_ended = row->is_killed = true;
    c->ended |= awc_row_bit(row);
    if (!row->x.inflight)
        finish(c, sm, row, now);
}

void awc_retired(void *self, struct sm *sm, struct extra_warp *x, cycle_t now)
{
    struct awc *c = self;
    struct awt_row *row = awc_row_of(x);
    c->is_quiet = false;
    awc_look_at_written(c, row);
    if (row->has_ended && !x->inflight)
        finish(c, sm, row, now);
}

/* Instances of low priority whose parent has ended are of no use to anybody. */
void awc_kill_orphans(struct awc *c, struct sm *sm, cycle_t now)
{
    for (uint64_t m = c->used & ~c->high; m; m &= m - 1) {
        struct awt_row *row = &c->rows[__builtin_ctzll(m)];
        if (row->in->is_job || row->has_ended || !extra_has_exited(sm, row->x.slot))
            continue;
        awc_row_kill(c, sm, row, now);
    }
}
