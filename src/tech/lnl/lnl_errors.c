/* lnl.errors (Figure 3.2): how far values that precise regions store differ within groups, by how
 * far those that they have loaded do. */
#include "ptx/isa.h"
#include "tech/lnl/lnl_int.h"

#include <math.h>
#include <string.h>

/* Of the anchor's, at most 1. */
static double relative(double a, double b)
{
    const double error = a == b ? 0 : a == 0 ? 1 : fabs((a - b) / a);
    return error < 1 ? error : 1; /* what is no number, too */
}

/* The mean over lanes that are no anchors, and over bytes where there are some. */
static double spread_of(enum lnl_format format, unsigned n, uint32_t mask, const uint32_t *words)
{
    const unsigned bytes = lnl_values_in(format);
    const uint32_t anchors = lnl_anchors(mask, n);
    double sum = 0;
    uint32_t a = 0;
    FOR_LANES (l, mask) {
        if (anchors >> l & 1)
            a = words[l];
        for (unsigned k = 0; k < bytes; k++)
            sum += relative(lnl_value_at(format, a, k), lnl_value_at(format, words[l], k));
    }
    return sum / (bytes * (double)lanes_in(mask & ~anchors));
}

static bool has_others(uint32_t mask, unsigned n)
{
    return mask & ~lnl_anchors(mask, n);
}

void lnl_errors_load(struct lnl_slot *s, const struct lnl_load *load, const uint32_t *words,
                     uint32_t mask)
{
    const enum ptx_type t = (enum ptx_type)load->type;
    const enum lnl_format format = ptx_type_is_float(t)    ? LNL_F32
                                   : ptx_type_is_signed(t) ? LNL_S32
                                                           : LNL_U32;
    const double error =
        has_others(mask, s->groups.n) ? spread_of(format, s->groups.n, mask, words) : 0;
    if (error > s->loaded[load->entry])
        s->loaded[load->entry] = error;
}

void lnl_errors_begin(struct lnl_slot *s, uint32_t loads)
{
    s->loaded_error = 0;
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        if ((loads >> i & 1) && s->loaded[i] > s->loaded_error)
            s->loaded_error = s->loaded[i];
    memset(s->loaded, 0, sizeof s->loaded);
}

void lnl_errors_store(struct lnl_sm *m, const struct lnl_slot *s, const struct rf_event *e)
{
    static const double bounds[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
    struct lnl_stats *st = &m->stats;
    uint64_t *const stores[] = {&st->loaded_1,  &st->loaded_2,  &st->loaded_5,   &st->loaded_10,
                                &st->loaded_20, &st->loaded_50, &st->loaded_more};
    uint64_t *const errors[] = {&st->stored_1,  &st->stored_2,  &st->stored_5,   &st->stored_10,
                                &st->stored_20, &st->stored_50, &st->stored_more};
    uint32_t room[WARP_LANES];
    if (!has_others(e->mask, s->groups.n))
        return;
    const double error = spread_of((enum lnl_format)s->inst->format, s->groups.n, e->mask,
                                   lane_words(&e->d->x->mem.regs[0], e->base, room));
    unsigned k = 0;
    while (k < ARRAY_LEN(bounds) && s->loaded_error >= bounds[k])
        k++;
    ++*stores[k];
    *errors[k] += (uint64_t)(error * 10000 + 0.5);
    st->stored_below += error < s->loaded_error;
}
