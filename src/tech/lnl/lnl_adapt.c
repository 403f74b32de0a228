/* lnl-adaptive on an SM: loads by level, sampled regions, the setting of those that follow. */
#include "exec/grid.h"
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

/* --- loads --- */

static double value_of(enum lnl_value what, uint32_t word)
{
    const enum lnl_format format = what == LNL_VALUE_F32   ? LNL_F32
                                   : what == LNL_VALUE_S32 ? LNL_S32
                                                           : LNL_U32;
    return lnl_value_at(format, word, 0);
}

static void vary(struct lnl_varied *v, double value, double anchor)
{
    v->squares += (value - anchor) * (value - anchor);
    v->magnitude += fabs(value);
    v->values++;
}

/* Of a load with several registers that which differs most counts: others may be of no use to
 * anybody (a texel with one channel has three more that never differ). */
void lnl_adapt_load(const struct lnl_sm *m, struct lnl_slot *s, const struct lnl_load *load,
                    enum lnl_value what, const uint32_t *words, uint32_t mask)
{
    struct lnl_varied *most = &s->varied[load->entry], here = {0};
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        const uint32_t anchors = lnl_anchors(mask, lnl_size_at(j));
        uint8_t *level = &s->levels[load->entry].at[j];
        uint32_t a = 0;
        FOR_LANES (l, mask) {
            if (anchors >> l & 1) {
                a = words[l];
                continue;
            }
            while (*level < LNL_LEVELS && !is_similar(m, *level, load, what, a, words[l]))
                ++*level;
            if (j == 0)
                vary(&here, value_of(what, words[l]), value_of(what, a));
        }
    }
    if (most->values == 0 || here.squares > most->squares)
        *most = here;
}

/* --- regions --- */

/* By name and place of the region, so that a kernel finds again what it has learnt. */
static struct lnl_control *control_at(struct lnl_learnt *learnt, unsigned *n, const char *name,
                                      uint32_t line)
{
    unsigned k = 0;
    while (k < *n && (learnt[k].line != line || strcmp(learnt[k].name, name) != 0))
        k++;
    if (k == *n) {
        k = k < LNL_CONTROLS ? (*n)++ : LNL_CONTROLS - 1; /* the last: anew */
        lnl_control_init(&learnt[k].control);
        learnt[k].line = line;
        snprintf(learnt[k].name, sizeof learnt[k].name, "%s", name);
    }
    return &learnt[k].control;
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

/* A number of its own for each visit of a region by two neighbours of a block. */
static uint64_t key_of(const struct lnl_sm *m, const struct lnl_slot *s, const struct warp *w)
{
    const uint64_t pair = w->cta->number * 1024 + w->first_thread / (2 * WARP_LANES);
    return (pair << 32) + m->g->nlaunches * UINT64_C(65536) + s->nvisits;
}

/* Blocks of another launch of its kernel that runs, too, may have come in another order. */
static struct lnl_order order_of(const struct lnl_slot *s, const struct warp *w)
{
    const uint32_t *grid = w->grid->launch->grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    return s->plan->order.blocks == blocks ? s->plan->order : (struct lnl_order){blocks, 0};
}

bool lnl_adapt_begin(struct lnl_sm *m, struct lnl_slot *s, const struct warp *w,
                     const struct lnl_area *a)
{
    struct lnl_control *c = control_at(m->controls, &m->ncontrols, a->func->marks.f->name, a->line);
    const struct lnl_levels l = levels_of(s, a->loads);
    s->nvisits++;
    c->order = order_of(s, w);
    const struct lnl_visit v = lnl_control_begin(c, &l, key_of(m, s, w), w->cta->number,
                                                 (uint64_t)m->g->cfg->sample_period);
    s->control = c;
    s->control_of = a;
    s->is_sample = v.is_sample;
    s->size = v.size;
    s->sample_levels = l;
    m->stats.samples += v.is_sample;
    if (v.size == LNL_SIZES)
        return false;
    s->groups.n = lnl_size_at(v.size);
    hist_add(&m->stats.chosen_group, s->groups.n);
    hist_add(&m->stats.chosen_level, l.at[v.size]);
    return true;
}

/* --- stores --- */

/* What the lanes of the mask store, beside what they would get from anchors: the mean square. */
static double square_between(const struct lnl_slot *s, enum lnl_format format, unsigned n,
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
    return sum / (lanes_in(mask) * lnl_values_in(format));
}

/* How rough values are from anchor to anchor: the mean square of differences between those side by
 * side in a row. Only anchors' values are looked at, so it is known of approximated stores too. */
static double rough_between(const struct lnl_slot *s, enum lnl_format format, unsigned n,
                            uint32_t mask, const uint32_t *words)
{
    const uint32_t anchors = lnl_anchors(mask, n);
    const uint32_t *before = NULL;
    double sum = 0;
    FOR_LANES (l, anchors) {
        for (unsigned k = 0; k < lnl_values_in(format) && before && !(s->groups.rows >> l & 1);
             k++) {
            const double d = lnl_value_at(format, words[l], k) - lnl_value_at(format, *before, k);
            sum += d * d;
        }
        before = &words[l];
    }
    return sum / (lanes_in(anchors) * lnl_values_in(format));
}

static struct lnl_varied varied_between(enum lnl_format format, uint32_t mask,
                                        const uint32_t *words)
{
    const uint32_t anchors = lnl_anchors(mask, lnl_size_at(0));
    struct lnl_varied v = {0};
    uint32_t a = 0;
    FOR_LANES (l, mask) {
        if (anchors >> l & 1)
            a = words[l];
        for (unsigned k = 0; k < lnl_values_in(format) && !(anchors >> l & 1); k++)
            vary(&v, lnl_value_at(format, words[l], k), lnl_value_at(format, a, k));
    }
    return v;
}

/* `lanes` have what they store in their registers: all, or anchors. */
static void note_magnitude(struct lnl_control *c, uint64_t block, enum lnl_format format,
                           const uint32_t *words, uint32_t lanes, uint32_t all)
{
    const unsigned n = lnl_values_in(format);
    double sum = 0;
    FOR_LANES (l, lanes)
        for (unsigned k = 0; k < n; k++)
            sum += fabs(lnl_value_at(format, words[l], k));
    if (lanes)
        lnl_control_stored(c, block, lanes_in(all) * n, sum / (lanes_in(lanes) * n));
}

/* Kernels read what others have stored: what is left of their errors behind this region counts
 * against the bound, and so will what is left of this one's in marked kernels that have not run
 * yet. */
static double bound_of(const struct lnl *g, const struct lnl_control *c)
{
    static const double margin = 0.87;
    const double passes = lnl_control_passes(c);
    return lnl_error_share(lnl_error_left(margin * g->cfg->max_error / 100, passes * g->inherited),
                           passes, g->to_launch);
}

void lnl_adapt_store(struct lnl_sm *m, struct lnl_slot *s, const struct rf_event *e)
{
    const enum lnl_format format = (enum lnl_format)s->inst->format;
    const uint32_t pc = lnl_pc(e->d);
    uint32_t room[WARP_LANES];
    struct lnl_sample sample;
    if (!s->control || pc < s->control_of->begin || pc >= s->control_of->end || !e->mask)
        return;
    s->control->order = order_of(s, e->w); /* another launch's region may have begun since */
    const bool is_precise = s->role == LNL_AS_EVER;
    const uint32_t *words = lane_words(&e->d->x->mem.regs[0], e->base, room);
    note_magnitude(s->control, e->w->cta->number, format, words,
                   is_precise ? e->mask : lnl_anchors(e->mask, s->groups.n), e->mask);
    for (unsigned j = is_precise ? 0 : s->size; j < LNL_SIZES; j++)
        sample.rough[j] = rough_between(s, format, lnl_size_at(j), e->mask, words);
    lnl_control_rough(s->control, &s->sample_levels, is_precise ? LNL_SIZES : s->size,
                      sample.rough);
    if (!s->is_sample || !is_precise)
        return;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        sample.squares[j] = square_between(s, format, lnl_size_at(j), e->mask, words);
    sample.stored = varied_between(format, e->mask, words);
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        sample.loads[i] = s->control_of->loads >> i & 1 ? s->varied[i] : (struct lnl_varied){0};
    lnl_control_store(s->control, &s->sample_levels, &sample);
    m->stats.sampled += (uint64_t)LNL_SIZES * lanes_in(e->mask);
    m->stats.settings += lnl_control_choose(s->control, bound_of(m->g, s->control),
                                            (uint64_t)m->g->cfg->sample_period);
}

/* --- all SMs --- */

uint64_t lnl_adapt_block(void *self, const struct block_grid *b, uint64_t i)
{
    const struct lnl *g = self;
    struct lnl_plan *p = (struct lnl_plan *)kernel_plans_find(g->plans, b->kernel);
    if (!p->nareas || p->waits) /* a scout would wait for blocks before it, in the room of these */
        return i;
    const struct lnl_order order = lnl_order_of(b->blocks, b->at_once);
    p->order = order;
    return lnl_order_block(&order, i);
}

/* What is new to an SM becomes known to all. */
void lnl_adapt_look(struct lnl *g)
{
    for (uint32_t i = 0; i < g->nsms; i++)
        for (unsigned k = 0; k < g->sms[i].ncontrols; k++) {
            struct lnl_learnt *its = &g->sms[i].controls[k];
            struct lnl_control *all = control_at(g->pool, &g->npool, its->name, its->line);
            lnl_table_add(&all->known, &its->control.own);
            all->order = its->control.order;
            its->control.own = (struct lnl_table){0};
        }
    for (uint32_t i = 0; i < g->nsms; i++)
        for (unsigned k = 0; k < g->sms[i].ncontrols; k++) {
            struct lnl_learnt *its = &g->sms[i].controls[k];
            its->control.known = control_at(g->pool, &g->npool, its->name, its->line)->known;
        }
}

/* What the launch that has ended leaves to the next one, if that reads what it has stored. */
static double inherited_from(const struct lnl *g)
{
    double most = g->inherited;
    bool has_run = false;
    for (unsigned k = 0; k < g->npool; k++) {
        const struct lnl_control *c = &g->pool[k].control;
        if (c->known.visits == 0)
            continue;
        const double left =
            lnl_error_of_both(lnl_control_passes(c) * g->inherited, lnl_control_spent(c));
        most = has_run ? fmax(most, left) : left;
        has_run = true;
    }
    return most;
}

void lnl_adapt_launch(struct lnl *g, const struct lnl_plan *p)
{
    if (!p->nareas)
        return;
    lnl_adapt_look(g);
    g->inherited = inherited_from(g);
    for (unsigned k = 0; k < g->npool; k++)
        if (g->pool[k].control.known.visits > 0)
            lnl_table_relaunch(&g->pool[k].control.known);
    lnl_adapt_look(g);
    lnl_watch_launch(g, p->of.kernel);
    g->nlaunches++;
    g->to_launch =
        p->marked_kernels > g->launches.len ? p->marked_kernels - (uint32_t)g->launches.len : 0;
}
