/* Quality control: what regions and their stores tell, and which are approximated and sampled.
 *
 * How many visits have loads of which levels is counted over all; what approximation does to them
 * is known from samples, level by level. So it does no harm that some are sampled more often. */
#include "tech/lnl/lnl_control.h"

#include <math.h>

/* Of a level so many samples tell enough of it. */
enum { ENOUGH = 32 };

const double lnl_level_relative[LNL_LEVELS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8};
const double lnl_level_absolute[LNL_LEVELS] = {2, 4, 8, 16, 32, 64, 128};

void lnl_control_init(struct lnl_control *c)
{
    *c = (struct lnl_control){0};
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            c->setting.error[j][l] = INFINITY;
}

/* --- tables --- */

void lnl_varied_add(struct lnl_varied *sum, const struct lnl_varied *more)
{
    sum->squares += more->squares;
    sum->values += more->values;
    sum->magnitude += more->magnitude;
}

static void add_known(struct lnl_known *sum, const struct lnl_known *more)
{
    sum->stores += more->stores;
    sum->squares += more->squares;
    sum->rough += more->rough;
    sum->squares2 += more->squares2;
    sum->rough2 += more->rough2;
    sum->both += more->both;
    sum->seen += more->seen;
    sum->seen_rough += more->seen_rough;
    sum->done += more->done;
    sum->done_rough += more->done_rough;
}

static void add_band(struct lnl_band *sum, const struct lnl_band *more)
{
    float *to = &sum->levels[0][0][0];
    const float *from = &more->levels[0][0][0];
    for (unsigned k = 0; k < LNL_KINDS * LNL_KINDS * LNL_KINDS; k++)
        to[k] += from[k];
    sum->seen += more->seen;
    sum->values += more->values;
    sum->magnitude += more->magnitude;
}

static void halve_band(struct lnl_band *b)
{
    float *levels = &b->levels[0][0][0];
    for (unsigned k = 0; k < LNL_KINDS * LNL_KINDS * LNL_KINDS; k++)
        levels[k] /= 2;
    b->seen /= 2;
    b->values /= 2;
    b->magnitude /= 2;
}

void lnl_table_add(struct lnl_table *sum, const struct lnl_table *more)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            add_known(&sum->at[j][l], &more->at[j][l]);
            sum->approximated[j][l] += more->approximated[j][l];
        }
    for (unsigned b = 0; b < LNL_BANDS; b++)
        if (more->bands[b].seen > 0)
            add_band(&sum->bands[b], &more->bands[b]);
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        lnl_varied_add(&sum->loads[i], &more->loads[i]);
    lnl_varied_add(&sum->stored, &more->stored);
    sum->begun = fmax(sum->begun, more->begun);
    sum->visits += more->visits;
    sum->launches = fmax(sum->launches, more->launches);
}

void lnl_table_relaunch(struct lnl_table *t)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            struct lnl_known *k = &t->at[j][l];
            *k = (struct lnl_known){.stores = k->stores / 2,
                                    .squares = k->squares / 2,
                                    .rough = k->rough / 2,
                                    .squares2 = k->squares2 / 2,
                                    .rough2 = k->rough2 / 2,
                                    .both = k->both / 2,
                                    .seen = k->seen / 2,
                                    .seen_rough = k->seen_rough / 2};
            t->approximated[j][l] = 0;
        }
    for (unsigned b = 0; b < LNL_BANDS; b++)
        halve_band(&t->bands[b]);
    t->begun = t->visits = 0;
    t->launches++;
}

/* --- regions --- */

/* From 0 to 1, by chance: regions begin in an order that has periods of its own, rows of a picture.
 */
static double dice(uint64_t key, uint64_t which)
{
    uint64_t h = (2 * key + which + 1) * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 32) * UINT64_C(0xFF51AFD7ED558CCD);
    h = (h ^ h >> 32) * UINT64_C(0xC4CEB9FE1A85EC53);
    return (double)(h >> 32) / (double)(UINT64_C(1) << 32);
}

/* As parts of what a region takes: lanes, and half of its issues, as two warps are issued as one
 * whatever the size of groups. */
static double saved_with(unsigned j)
{
    return 1 - 1.0 / lnl_size_at(j) + 0.5;
}

unsigned lnl_setting_size(const struct lnl_setting *s, double price, const struct lnl_levels *l)
{
    double most = 0;
    unsigned size = LNL_SIZES;
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        const double error = l->at[j] < LNL_LEVELS ? s->error[j][l->at[j]] : INFINITY;
        const double worth = isinf(error) ? 0 : saved_with(j) - price * error;
        if (worth > most) {
            most = worth;
            size = j;
        }
    }
    return size;
}

static bool is_new(const struct lnl_control *c, const struct lnl_levels *l)
{
    for (unsigned j = 0; j < LNL_SIZES; j++)
        if (l->at[j] < LNL_LEVELS &&
            c->own.at[j][l->at[j]].stores + c->known.at[j][l->at[j]].stores < ENOUGH)
            return true;
    return false;
}

struct lnl_visit lnl_control_begin(struct lnl_control *c, const struct lnl_levels *l, uint64_t key,
                                   uint64_t number, uint64_t period)
{
    struct lnl_band *band = &c->own.bands[lnl_order_band(&c->order, number)];
    const struct lnl_setting *s = &c->setting;
    const double price = s->price[dice(key, 1) * LNL_PARTS < s->part];
    const unsigned size = lnl_setting_size(s, price, l);
    const bool is_wanted = size < LNL_SIZES;
    const double share = is_wanted ? s->sampled[size][l->at[size]] : 1.0 / (double)period;
    const uint64_t place = lnl_order_place(&c->order, number);
    const bool is_scout = place < c->order.scouts && c->known.launches == 0;
    const bool is_sample = is_scout || dice(key, 0) < share || (!is_wanted && is_new(c, l));
    c->own.begun = fmax(c->own.begun, (double)place + 1);
    c->own.visits++;
    band->seen++;
    band->levels[l->at[0]][l->at[1]][l->at[2]]++;
    if (is_wanted && !is_sample)
        c->own.approximated[size][l->at[size]]++;
    return (struct lnl_visit){is_sample ? LNL_SIZES : size, is_sample};
}

/* --- stores --- */

void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s)
{
    for (unsigned j = 0; j < LNL_SIZES; j++) {
        if (l->at[j] == LNL_LEVELS)
            continue;
        const double y = s->squares[j], x = s->rough[j];
        add_known(&c->own.at[j][l->at[j]],
                  &(struct lnl_known){1, y, x, y * y, x * x, x * y, 0, 0, 0, 0});
    }
    for (unsigned i = 0; i < LNL_ENTRIES; i++)
        lnl_varied_add(&c->own.loads[i], &s->loads[i]);
    lnl_varied_add(&c->own.stored, &s->stored);
}

void lnl_control_rough(struct lnl_control *c, const struct lnl_levels *l, unsigned size,
                       const double rough[LNL_SIZES])
{
    for (unsigned j = size < LNL_SIZES ? size : 0; j < LNL_SIZES; j++) {
        if (l->at[j] == LNL_LEVELS)
            continue;
        struct lnl_known *k = &c->own.at[j][l->at[j]];
        k->seen++;
        k->seen_rough += rough[j];
        k->done += j == size;
        k->done_rough += j == size ? rough[j] : 0;
    }
}

void lnl_control_stored(struct lnl_control *c, uint64_t number, double values, double magnitude)
{
    struct lnl_band *band = &c->own.bands[lnl_order_band(&c->order, number)];
    band->values += values;
    band->magnitude += values * magnitude;
}
