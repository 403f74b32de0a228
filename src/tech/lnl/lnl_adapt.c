/* lnl-adaptive on an SM: loads by level, sampled regions, the setting of those that follow. */
#include "tech/lnl/lnl_int.h"

#include <math.h>
#include <string.h>

static bool is_similar(const struct lnl_sm *m, unsigned level, const struct lnl_load *load,
                       enum lnl_value what, uint32_t a, uint32_t b)
{
    const struct lnl_unit *u = &m->g->levels[level];
    return (load->is_absolute ? lnl_compare_absolute(u, what, a, b) : lnl_compare(u, a, b)) ==
           LNL_SIMILAR;
}

void lnl_adapt_load(const struct lnl_sm *m, struct lnl_slot *s, const struct lnl_load *load,
                    enum lnl_value what, const uint32_t *words, uint32_t mask)
{
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        const uint32_t anchors = lnl_anchors(mask, lnl_size_at(j));
        uint8_t *level = &s->levels[load->entry].at[j];
        uint32_t a = 0;
        FOR_LANES (l, mask) {
            if (anchors >> l & 1)
                a = words[l];
            else
                while (*level < LNL_LEVELS && !is_similar(m, *level, load, what, a, words[l]))
                    ++*level;
        }
    }
}

/* By name and place of the region, so that a kernel finds again what it has learnt. */
static struct lnl_control *control_of(struct lnl_sm *m, const struct lnl_area *a)
{
    const struct ptx_func *f = a->func->marks.f;
    unsigned k = 0;
    while (k < m->ncontrols &&
           (m->controls[k].line != a->line || strcmp(m->controls[k].name, f->name) != 0))
        k++;
    if (k == m->ncontrols) {
        k = k < LNL_CONTROLS ? m->ncontrols++ : LNL_CONTROLS - 1; /* the last: anew */
        struct lnl_learnt *new = &m->controls[k];
        lnl_control_init(&new->control);
        new->line = a->line;
        snprintf(new->name, sizeof new->name, "%s", f->name);
    }
    return &m->controls[k].control;
}

static struct lnl_levels levels_of(const struct lnl_slot *s, uint32_t loads)
{
    struct lnl_levels all = {{0}};
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        for (unsigned j = 0; j < LNL_SIZES && (loads >> i & 1); j++)
            if (s->levels[i].at[j] > all.at[j])
                all.at[j] = s->levels[i].at[j];
    return all;
}

bool lnl_adapt_begin(struct lnl_sm *m, struct lnl_slot *s, const struct lnl_area *a)
{
    struct lnl_control *c = control_of(m, a);
    const struct lnl_levels l = levels_of(s, a->loads);
    bool is_sample;
    const bool is_approximated =
        lnl_control_begin(c, &l, (uint64_t)m->g->cfg->sample_period, &is_sample);
    s->control = c;
    s->control_of = a;
    s->is_sample = is_sample;
    s->sample_levels = l;
    m->stats.samples += is_sample;
    if (!is_approximated)
        return false;
    s->groups.n = lnl_size_at(c->size);
    hist_add(&m->stats.chosen_group, s->groups.n);
    hist_add(&m->stats.chosen_level, c->level);
    return true;
}

/* What the lanes of the mask store, beside what they would get from anchors. */
static double squares_between(const struct lnl_slot *s, enum lnl_format format, unsigned n,
                              uint32_t mask, const uint32_t *words)
{
    const struct lnl_groups g = {n, s->groups.rows};
    uint32_t mixed[WARP_LANES];
    double sum = 0;
    memcpy(mixed, words, sizeof mixed);
    lnl_interpolate(&g, format, mask, mixed);
    FOR_LANES (l, mask)
        for (unsigned k = 0; k < lnl_values_in(format); k++) {
            const double d = lnl_value_at(format, mixed[l], k) - lnl_value_at(format, words[l], k);
            sum += d * d;
        }
    return sum;
}

/* `lanes` have what they store in their registers: all, or anchors. */
static void note_magnitude(struct lnl_control *c, enum lnl_format format, const uint32_t *words,
                           uint32_t lanes, uint32_t all)
{
    const unsigned n = lnl_values_in(format);
    double sum = 0;
    FOR_LANES (l, lanes)
        for (unsigned k = 0; k < n; k++)
            sum += fabs(lnl_value_at(format, words[l], k));
    if (lanes)
        lnl_control_stored(c, lanes_in(all) * n, sum / (lanes_in(lanes) * n));
}

/* Kernels read what others have stored: errors that have nothing to do with each other add up by
 * squares, so each of the program's marked ones gets its part. The margin is for what is still to
 * come: a picture may be darker at its end than where the samples are from. */
static double bound_of(const struct lnl_sm *m, const struct lnl_slot *s)
{
    static const double margin = 0.9;
    return margin * m->g->cfg->max_error / 100 / sqrt((double)s->plan->marked_kernels);
}

void lnl_adapt_store(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e)
{
    const enum lnl_format format = (enum lnl_format)s->inst->format;
    const uint32_t pc = lnl_pc(e->d);
    uint32_t room[WARP_LANES];
    struct lnl_sample sample = {.values = lanes_in(e->mask) * lnl_values_in(format)};
    if (!s->control || pc < s->control_of->begin || pc >= s->control_of->end || !e->mask)
        return;
    const bool is_precise = s->role == LNL_AS_EVER;
    const uint32_t *words = lane_words(&e->d->x->mem.regs[0], e->base, room);
    note_magnitude(s->control, format, words,
                   is_precise ? e->mask : lnl_anchors(e->mask, s->groups.n), e->mask);
    if (!s->is_sample || !is_precise)
        return;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        sample.squares[j] = squares_between(s, format, lnl_size_at(j), e->mask, words);
    lnl_control_store(s->control, &s->sample_levels, &sample);
    m->stats.sampled += (uint64_t)LNL_SIZES * lanes_in(e->mask);
    m->stats.settings += lnl_control_choose(s->control, bound_of(m, s));
}

/* The other SMs' regions of the same place: what they know of them by now. */
void lnl_adapt_look(struct lnl *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        for (unsigned k = 0; k < g->sms[i].ncontrols; k++) {
            struct lnl_learnt *mine = &g->sms[i].controls[k];
            mine->control.others = (struct lnl_table){0};
            for (uint32_t o = 0; o < g->nsms; o++)
                for (unsigned n = 0; n < g->sms[o].ncontrols && o != i; n++) {
                    const struct lnl_learnt *its = &g->sms[o].controls[n];
                    if (its->line == mine->line && !strcmp(its->name, mine->name))
                        lnl_table_add(&mine->control.others, &its->control.own);
                }
        }
}
