/* %clock, %clock64, %globaltimer.
 *
 * Clocks count warp instructions of the grid: time that is the same in every run. A loop that does
 * nothing but wait for a clock would take as many instructions as it waits for; there the clock
 * runs ahead, by a sixteenth of the time that the warp has waited so far. */
#include "exec/grid.h"
#include "exec/lower.h"
#include "exec/memory_lanes.h"

enum { SPIN_INSTS = 16, SPIN_PATIENCE = 1024, SPIN_SHARE = 16 };

static uint64_t time_of(const struct warp *w)
{
    return w->grid->clock + w->grid->clock_ahead + (w->ninst - w->grid->turn_from);
}

static void give_time(struct warp *w, const struct xinst *x, uint32_t mask)
{
    const uint64_t now = time_of(w) >> (unsigned)x->op.imm;
    const struct lane_ref *d = &x->op.refs[0];
    if (LIKELY(!d->none && d->bytes))
        w->grid->lanes->fill(lane_at(d, w->base), d->bytes, now, mask);
    else
        FOR_LANES (l, mask)
            lane_set_u64(d, w->base, l, now);
}

static bool op_clock(struct warp *w, const struct xinst *x, uint32_t mask)
{
    give_time(w, x, mask);
    return true;
}

/* In a loop that only waits. On a machine that keeps time, time is the machine's. */
static bool op_clock_spin(struct warp *w, const struct xinst *x, uint32_t mask)
{
    struct clock_spin *s = &w->grid->spin;
    const uint64_t now = time_of(w);
    if (s->at != x || s->warp != w || w->ninst - s->ninst > SPIN_INSTS)
        *s = (struct clock_spin){.at = x, .warp = w, .since = now};
    s->ninst = w->ninst;
    if (!w->step && now - s->since > SPIN_PATIENCE)
        w->grid->clock_ahead += (now - s->since) / SPIN_SHARE;
    give_time(w, x, mask);
    return true;
}

static bool reads_clock(const struct ptx_inst *i)
{
    return i->op == PTX_OP_MOV && i->nops == 2 && i->ops[1].kind == PTX_OPND_SREG &&
           sreg_is_dynamic((enum ptx_sreg)i->ops[1].sreg);
}

/* Whether instruction `at` is the only clock of a short loop that touches nothing but registers. */
static bool only_waits(const struct ptx_func *f, uint32_t at)
{
    uint32_t last = at;
    while (last < f->ninsts && last < at + SPIN_INSTS && f->insts[last].op != PTX_OP_BRA)
        last++;
    if (last == f->ninsts || f->insts[last].op != PTX_OP_BRA || f->insts[last].nops != 1 ||
        f->insts[last].ops[0].kind != PTX_OPND_LABEL)
        return false;
    const uint32_t first = f->insts[last].ops[0].pc;
    if (first > at || last - first >= SPIN_INSTS)
        return false;
    for (uint32_t n = first; n < last; n++)
        if (ptx_inst_unit(&f->insts[n]) != PTX_UNIT_ALU || (n != at && reads_clock(&f->insts[n])))
            return false;
    return true;
}

bool lower_clock(struct lower *lo, const struct ptx_inst *i, struct xinst *x)
{
    const enum ptx_sreg s = (enum ptx_sreg)i->ops[1].sreg;
    const bool is_high = s == PTX_SREG_CLOCK_HI || s == PTX_SREG_GLOBALTIMER_HI;
    x->kind = X_OP;
    x->op.fn = only_waits(lo->src, (uint32_t)(i - lo->src->insts)) ? op_clock_spin : op_clock;
    x->op.refs = arena_array(lo->arena, struct lane_ref, 1);
    x->op.nrefs = 1;
    x->op.imm = is_high ? 32 : 0;
    return lower_dest(lo, &i->ops[0], &x->op.refs[0]);
}
