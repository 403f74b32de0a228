/* A checked load: its registers' values against those of their groups' anchors. */
#include "ptx/isa.h"
#include "tech/lnl/lnl_int.h"

/* What the comparisons of one load have found. */
struct finding {
    enum lnl_verdict worst;
    uint32_t differ; /* bits in which a lane's value differs from its anchor's */
};

static enum lnl_value value_of(const struct lnl_load *load)
{
    const enum ptx_type t = (enum ptx_type)load->type;
    return ptx_type_is_float(t)    ? LNL_VALUE_F32
           : ptx_type_is_signed(t) ? LNL_VALUE_S32
                                   : LNL_VALUE_U32;
}

/* A narrow register's sign reaches as far as the register. */
static uint32_t extend(uint32_t word, const struct lnl_load *load)
{
    const unsigned bits = ptx_type_bits((enum ptx_type)load->type);
    const unsigned up = bits < 32 ? 32 - bits : 0;
    return ptx_type_is_signed((enum ptx_type)load->type) ? (uint32_t)((int32_t)(word << up) >> up)
                                                         : word << up >> up;
}

static void read_register(const struct lane_ref *r, char *const *base, const struct lnl_load *load,
                          uint32_t *words)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        words[l] = extend((uint32_t)lane_u64(r, base, l), load);
}

static void compare_register(const struct lnl_sm *m, const struct lnl_load *load, unsigned n,
                             const uint32_t *lanes, uint32_t mask, struct finding *f)
{
    const uint32_t anchors = lnl_anchors(mask, n);
    const enum lnl_value what = value_of(load);
    uint32_t a = 0;
    FOR_LANES (l, mask) {
        const uint32_t b = lanes[l];
        if (anchors >> l & 1)
            a = b;
        const enum lnl_verdict v = load->is_absolute && m->g->unit.test != LNL_TEST_BITS
                                       ? lnl_compare_absolute(&m->g->unit, what, a, b)
                                       : lnl_compare(&m->g->unit, a, b);
        if (!(anchors >> l & 1) && v > f->worst)
            f->worst = v;
        f->differ |= a ^ b;
    }
}

/* Figure 3.4: `equal` upper bits, 32 of all. */
static void count_first_bit(struct lnl_stats *st, unsigned equal)
{
    uint64_t *const by[] = {&st->differ_7,  &st->differ_8,  &st->differ_9,
                            &st->differ_10, &st->differ_11, &st->differ_12};
    hist_add(&st->first_bit, equal);
    if (equal == 32)
        st->equal++;
    else if (equal >= 12)
        ++*(equal < 16 ? &st->differ_16 : &st->differ_more);
    else
        ++*by[equal < 7 ? 0 : equal - 6];
}

static void count(struct lnl_stats *st, const struct finding *f, unsigned registers,
                  unsigned drop_bits)
{
    uint64_t *const by[LNL_VERDICTS] = {&st->similar, &st->fail_threshold, &st->fail_exponent,
                                        &st->fail_sign};
    st->checked++;
    st->checked_registers += registers;
    ++*by[f->worst];
    if (f->worst != LNL_SIMILAR)
        return;
    count_first_bit(st, f->differ ? (unsigned)__builtin_clz(f->differ) : 32);
    st->bitwise_similar += !((uint64_t)f->differ >> drop_bits);
}

uint32_t lnl_check_load(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e)
{
    const struct lnl_marks *marks = &s->func->marks;
    const uint32_t pc = lnl_pc(e->d);
    const struct dfunc *fn = e->d->fn;
    for (uint32_t i = s->inst->load; i < marks->nloads && marks->loads[i].pc == pc; i++) {
        const struct lnl_load *load = &marks->loads[i];
        struct finding f = {
            lnl_unit_passes_none(&m->g->unit, load->is_absolute) ? LNL_FAIL_THRESHOLD : LNL_SIMILAR,
            0};
        uint32_t words[WARP_LANES];
        s->levels[load->entry] = (struct lnl_levels){{0}};
        s->varied[load->entry] = (struct lnl_varied){0};
        for (unsigned k = 0; k < e->d->ndst; k++) {
            read_register(&fn->fn->regs[e->d->regs[k] - fn->regs], e->base, load, words);
            compare_register(m, load, s->groups.n, words, e->mask, &f);
            if (UNLIKELY(m->g->cfg->errors))
                lnl_errors_load(s, load, words, e->mask);
            if (m->g->design.uses & LNL_USE_ADAPT)
                lnl_adapt_load(m, s, load, value_of(load), words, e->mask);
        }
        count(&m->stats, &f, e->d->ndst, (unsigned)m->g->cfg->drop_bits);
        const bool is_similar = f.worst == LNL_SIMILAR ||
                                (m->g->design.uses & LNL_USE_ADAPT); /* decided at the START */
        lnl_history_note(&s->history, load->entry, is_similar, load->uses, e->mask);
    }
    const uint32_t cycles = (uint32_t)m->g->cfg->check_cycles;
    return cycles ? cycles + e->d->ndst - 1u : 0;
}
