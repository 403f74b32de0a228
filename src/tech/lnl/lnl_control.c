/* Quality control: samples and the setting that follows from them.
 *
 * How many regions have loads of a level is counted over all; what approximation does to them is
 * known from samples. So it does no harm that those which are executed precisely are sampled more
 * often. */
#include "tech/lnl/lnl_control.h"

#include <math.h>

/* Before there are so many stores of samples nothing is approximated; of a level so many tell
 * enough of it, and below so few nothing; what is older than so many counts half. Errors are taken
 * as so many standard errors larger than they seem; where one of those is more than a part in
 * UNSURE of all, MORE times as many regions are samples. */
enum { FIRST_STORES = 8, ENOUGH = 32, FEW = 32, OLD = 256, DEVIATIONS = 3, UNSURE = 8, MORE = 4 };

const double lnl_level_relative[LNL_LEVELS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8};
const double lnl_level_absolute[LNL_LEVELS] = {2, 4, 8, 16, 32, 64, 128};

void lnl_control_init(struct lnl_control *c)
{
    *c = (struct lnl_control){.level = LNL_LEVELS};
}

static struct lnl_known sum_of(const struct lnl_known *a, const struct lnl_known *b)
{
    return (struct lnl_known){a->begun + b->begun, a->stores + b->stores, a->values + b->values,
                              a->squares + b->squares, a->spread + b->spread};
}

void lnl_table_add(struct lnl_table *sum, const struct lnl_table *more)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l <= LNL_LEVELS; l++)
            sum->at[j][l] = sum_of(&sum->at[j][l], &more->at[j][l]);
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            sum->approximated[j][l] += more->approximated[j][l];
    sum->begun += more->begun;
    sum->values += more->values;
    sum->magnitude += more->magnitude;
}

/* --- regions --- */

/* By chance, since regions begin in an order that has periods of its own: rows of a picture. The
 * same for two neighbours, which might be fused. */
static uint64_t dice(const struct lnl_control *c, uint64_t which)
{
    uint64_t h = (c->starts / 2 * 2 + which + 1) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32) * UINT64_C(0xFF51AFD7ED558CCD);
    return h >> 32;
}

static bool allows(const struct lnl_control *c, const struct lnl_levels *l)
{
    const unsigned level = l->at[c->size];
    if (c->level == LNL_LEVELS || level != c->level)
        return c->level < LNL_LEVELS && level < c->level;
    return dice(c, 1) % LNL_PARTS < c->part;
}

bool lnl_control_begin(struct lnl_control *c, const struct lnl_levels *l, uint64_t period,
                       bool *is_sample)
{
    const uint64_t every = c->is_unsure ? (period + MORE - 1) / MORE : period;
    const bool is_due = dice(c, 0) % every == 0, is_allowed = allows(c, l);
    bool is_new = false;
    c->starts++;
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        struct lnl_known *k = &c->own.at[j][l->at[j]];
        k->begun++;
        is_new |= k->stores + c->others.at[j][l->at[j]].stores < ENOUGH;
    }
    *is_sample = is_due || (is_new && !is_allowed);
    c->own.begun++;
    if (is_allowed && !*is_sample)
        c->own.approximated[c->size][l->at[c->size]]++;
    return is_allowed && !*is_sample;
}

/* --- samples --- */

static void halve(struct lnl_control *c)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l <= LNL_LEVELS; l++) {
            struct lnl_known *k = &c->own.at[j][l];
            *k = (struct lnl_known){k->begun / 2, k->stores / 2, k->values / 2, k->squares / 2,
                                    k->spread / 2};
        }
}

void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s)
{
    if (++c->stores % OLD == 0)
        halve(c);
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        struct lnl_known *k = &c->own.at[j][l->at[j]];
        k->stores++;
        k->values += s->values;
        k->squares += s->squares[j];
        k->spread += s->squares[j] / s->values * (s->squares[j] / s->values);
    }
}

void lnl_control_stored(struct lnl_control *c, double values, double magnitude)
{
    c->own.values += values;
    c->own.magnitude += values * magnitude;
}

/* --- the setting --- */

/* Of all regions: how many, stores that were sampled, the mean magnitude of what they store. */
struct whole {
    double regions, stores, magnitude;
};

static struct whole whole_of(const struct lnl_table *t)
{
    struct whole w = {.magnitude = t->values > 0 ? t->magnitude / t->values : 0};
    for (unsigned l = 0; l <= LNL_LEVELS; l++) {
        w.regions += t->at[0][l].begun;
        w.stores += t->at[0][l].stores;
    }
    return w;
}

/* The mean square of the error at a level, and how far off it may be: the standard error of the
 * mean. Most of it may come from a few stores, at edges. Where too little is known, that of loads
 * which differ more. */
struct square {
    double mean, deviation;
};

static struct square square_at(const struct lnl_table *t, unsigned j, unsigned l)
{
    while (l < LNL_LEVELS && t->at[j][l].stores < FEW)
        l++;
    if (l == LNL_LEVELS)
        return (struct square){INFINITY, 0};
    const struct lnl_known *k = &t->at[j][l];
    const double mean = k->squares / k->values, variance = k->spread / k->stores - mean * mean;
    return (struct square){mean, variance > 0 ? sqrt(variance / k->stores) : 0};
}

/* Level by level as much as the bound allows; of the first that it does not allow, a part. `most`:
 * the mean square that all may have. */
static void choose_level(struct lnl_control *c, const struct lnl_table *t, unsigned j,
                         const struct whole *w, double most, double *best)
{
    double similar = 0, square = 0, deviation = 0;
    for (unsigned l = 0; l < LNL_LEVELS; l++) {
        const double share = t->at[j][l].begun / w->regions;
        const struct square at = share > 0 ? square_at(t, j, l) : (struct square){0};
        const double more = share * (at.mean + DEVIATIONS * at.deviation);
        const double fits = more > 0 ? (most - square) / more : 1;
        const unsigned part = fits >= 1 ? LNL_PARTS : (unsigned)(fits * LNL_PARTS);
        const double saved = (similar + share * part / LNL_PARTS) * (1 - 1.0 / lnl_size_at(j));
        if (saved > *best) {
            *best = saved;
            c->size = j;
            c->level = l;
            c->part = part;
            c->is_unsure = UNSURE * (deviation + share * at.deviation) > square + more;
        }
        if (part < LNL_PARTS)
            break;
        similar += share;
        square += more;
        deviation += share * at.deviation;
    }
}

/* The mean square that regions may have from now on, if all together may have `most`: what was too
 * much, as it is known now, is made good in as many regions as there were; of what was too little a
 * quarter. */
static double rest_of(const struct lnl_table *t, double most)
{
    double spent = 0;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            if (t->approximated[j][l] > 0)
                spent += t->approximated[j][l] / t->begun * square_at(t, j, l).mean;
    const double rest = 2 * most - spent;
    return rest < 0 ? 0 : rest > 1.25 * most ? 1.25 * most : rest;
}

bool lnl_control_choose(struct lnl_control *c, double bound)
{
    const unsigned size = c->size, level = c->level, part = c->part;
    struct lnl_table all = c->own;
    double best = 0;
    lnl_table_add(&all, &c->others);
    const struct whole w = whole_of(&all);
    c->level = LNL_LEVELS;
    c->part = 0;
    const double most = rest_of(&all, bound * bound * w.magnitude * w.magnitude);
    for (unsigned j = 0; j < LNL_SIZES && w.stores >= FIRST_STORES && bound > 0; j++)
        choose_level(c, &all, j, &w, most, &best);
    return c->level != level || c->part != part || (c->level < LNL_LEVELS && c->size != size);
}
