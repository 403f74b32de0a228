/* Quality control: from what is known of regions to the setting of those that follow. */
#include "tech/lnl/lnl_control.h"

#include <math.h>

/* Below so few samples a level's error is not known. Errors are taken as so many standard errors
 * larger than they seem. Of what is approximated a period's share is samples, or so many times that
 * as the error is uncertain (from 0 to 1), at most twice: more would cost more than they tell. */
enum { FEW = 16, DEVIATIONS = 1, MORE = 8, TWICE = 2 };

/* What is still to come is taken for half as much as all at least, lest the last of a launch use up
 * whatever is left, at any price. What was spent too much is made good by what really comes, at a
 * price that is so many times higher at most: what errs least is always worth it. */
static const double least = 0.5, dearest = 4;

/* The mean square of errors, and how far off it may be: the standard error of the mean. Most of it
 * may come from a few stores, at edges. */
struct square {
    double mean, deviation, each; /* each: the standard deviation of stores */
    double done;                  /* the mean of those that were approximated */
};

/* How much squares of errors grow with how rough anchors' values are: by samples whose loads are as
 * similar or more, or a level less. Most of the error may be in the few that are rough, and of
 * these a sample has too many or too few; how rough they are is known of nearly all. */
static double slope_at(const struct lnl_table *t, unsigned j, unsigned level)
{
    double both = 0, rough = 0;
    for (unsigned l = 0; l < LNL_LEVELS && l <= level + 1; l++) {
        const struct lnl_known *k = &t->at[j][l];
        if (k->stores == 0)
            continue;
        both += k->both - k->rough * k->squares / k->stores;
        rough += k->rough2 - k->rough * k->rough / k->stores;
    }
    return rough > 0 ? fmax(both / rough, 0) : 0;
}

static struct square square_at(const struct lnl_table *t, unsigned j, unsigned l)
{
    while (l < LNL_LEVELS && t->at[j][l].stores < FEW)
        l++; /* too little is known: that of loads which differ more */
    if (l == LNL_LEVELS)
        return (struct square){INFINITY, 0, 0, INFINITY};
    const struct lnl_known *k = &t->at[j][l];
    const double n = k->stores, y = k->squares / n, x = k->rough / n, slope = slope_at(t, j, l);
    const double seen = k->seen > 0 ? k->seen_rough / k->seen : x;
    const double done = k->done > 0 ? k->done_rough / k->done : seen;
    const double variance = k->squares2 / n - y * y - 2 * slope * (k->both / n - x * y) +
                            slope * slope * (k->rough2 / n - x * x);
    const double each = variance > 0 ? sqrt(variance) : 0;
    /* what no sample has had is not believed: a quarter of what they had is the least */
    return (struct square){fmax(y + slope * (seen - x), y / 4), each / sqrt(n), each,
                           fmax(y + slope * (done - x), y / 4)};
}

/* Visits by the levels of their loads: those that there are. */
struct kinds {
    struct lnl_levels levels[LNL_KINDS * LNL_KINDS * LNL_KINDS];
    double share[LNL_KINDS * LNL_KINDS * LNL_KINDS];
    unsigned n;
};

/* `levels` of what is to come. */
static void collect(struct kinds *k, double levels[LNL_KINDS][LNL_KINDS][LNL_KINDS])
{
    k->n = 0;
    for (unsigned a = 0; a < LNL_KINDS; a++)
        for (unsigned b = 0; b < LNL_KINDS; b++)
            for (unsigned c = 0; c < LNL_KINDS; c++)
                if (levels[a][b][c] > 0) {
                    k->levels[k->n] = (struct lnl_levels){{(uint8_t)a, (uint8_t)b, (uint8_t)c}};
                    k->share[k->n++] = levels[a][b][c];
                }
}

/* All that is known. */
struct all {
    struct lnl_table t;
    struct kinds kinds;
    struct square squares[LNL_SIZES][LNL_LEVELS];
    double begun;     /* this part of the launch */
    double magnitude; /* the mean of what is stored in all of it */
};

/* --- a price --- */

/* Visits, as parts of some; the mean square of all those together, and its standard error. */
struct outcome {
    double visits[LNL_SIZES][LNL_LEVELS];
    double mean, deviation;
};

/* `done` of what was approximated so far and `rest` of what o->visits has to come. */
static void add_up(const struct all *a, double done, double rest, struct outcome *o)
{
    double variance = 0;
    o->mean = 0;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            const struct square *s = &a->squares[j][l];
            const double gone = done * a->t.approximated[j][l] / a->t.visits;
            const double next = rest * o->visits[j][l];
            if (gone + next > 0) {
                o->mean += gone * s->done + next * s->mean;
                variance += pow((gone + next) * s->deviation, 2);
            }
        }
    o->deviation = sqrt(variance);
}

static double at_most(const struct outcome *o)
{
    return o->mean + DEVIATIONS * o->deviation;
}

/* What the launch comes to at a price, if so much at least is to come. */
static double evaluate(const struct all *a, const struct lnl_setting *s, double price, double rest,
                       struct outcome *o)
{
    const double begun = a->begun, whole = fmax(1, begun + rest);
    *o = (struct outcome){0};
    for (unsigned k = 0; k < a->kinds.n; k++) {
        const struct lnl_levels *l = &a->kinds.levels[k];
        const unsigned j = lnl_setting_size(s, price, l);
        if (j < LNL_SIZES)
            o->visits[j][l->at[j]] += a->kinds.share[k];
    }
    add_up(a, begun / whole, 1 - begun / whole, o);
    return at_most(o);
}

/* Between two prices the lowest at which the mean square stays below `most`, if so much at least is
 * to come, and of the next lower one a part. */
static void bisect(const struct all *a, struct lnl_setting *s, double most, double rest,
                   double lower, double upper, struct outcome *o)
{
    for (unsigned i = 0; i < 32; i++) {
        const double price = (upper + lower) / 2;
        *(evaluate(a, s, price, rest, o) > most ? &lower : &upper) = price;
    }
    const double too_much = evaluate(a, s, lower, rest, o), fits = evaluate(a, s, upper, rest, o);
    s->price[0] = upper;
    s->price[1] = lower;
    s->part = 0;
    if (fits < most && too_much > most)
        s->part = (unsigned)(LNL_PARTS * (most - fits) / (too_much - fits));
}

/* One that is too high for everything with an error is the highest. */
static void choose_price(const struct all *a, struct lnl_setting *s, double most, struct outcome *o)
{
    double upper = 1 / most;
    s->price[0] = s->price[1] = 0;
    s->part = 0;
    if (evaluate(a, s, 0, least, o) > most) {
        while (evaluate(a, s, upper, least, o) > most && upper * most < 1e9)
            upper *= 16;
        bisect(a, s, most, least, 0, upper, o);
    }
    if (evaluate(a, s, s->price[0], 0, o) > most)
        bisect(a, s, most, 0, s->price[0], dearest * fmax(s->price[0], 1 / most), o);
}

/* --- samples --- */

/* Half of them where errors differ most from store to store, the others everywhere. */
static void choose_samples(const struct all *a, struct lnl_setting *s, const struct outcome *o,
                           uint64_t period)
{
    const double more = DEVIATIONS * o->deviation;
    const double uncertain = more > 0 ? more / (o->mean + more) : 0;
    const double share = fmin(TWICE, fmax(1, MORE * uncertain)) / (double)period;
    double visits = 0, each = 0;
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            if (o->visits[j][l] > 0) {
                visits += o->visits[j][l];
                each += o->visits[j][l] * a->squares[j][l].each;
            }
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++) {
            const double here = each > 0 ? a->squares[j][l].each * visits / each : 1;
            s->sampled[j][l] = fmin(1.0 / 4, share * (1 + here) / 2);
        }
}

/* --- the setting --- */

static bool is_other(const struct lnl_setting *a, const struct lnl_setting *b)
{
    return a->price[0] != b->price[0] || a->price[1] != b->price[1] || a->part != b->part;
}

/* Bands of which nothing was seen are taken for like all the others. */
static double mean_magnitude(const struct lnl_band *bands, const struct lnl_order *o)
{
    double all = 0, seen = 0;
    for (unsigned b = 0; b < LNL_BANDS; b++)
        if (bands[b].values > 0) {
            const double share = lnl_order_share(o, b);
            all += share * bands[b].magnitude / bands[b].values;
            seen += share;
        }
    return seen > 0 ? all / seen : 0;
}

/* `weight` for each visit of the band. */
static void add_levels(double *levels, const struct lnl_band *b, double weight)
{
    const float *from = &b->levels[0][0][0];
    for (unsigned k = 0; k < LNL_KINDS * LNL_KINDS * LNL_KINDS; k++)
        levels[k] += weight * (double)from[k];
}

/* What is to come: of each band as much as is left, like what was seen of it. Bands of which
 * nothing was seen are like all together; so is a small part of any, lest something come that
 * nobody has asked the price of. */
static void look_ahead(struct all *a, const struct lnl_order *o)
{
    static const double any = 0.05;
    double levels[LNL_KINDS * LNL_KINDS * LNL_KINDS] = {0}, seen = 0, left = 0, unseen = any;
    for (unsigned b = 0; b < LNL_BANDS; b++) {
        const double here = lnl_order_left(o, (uint64_t)a->t.begun, b);
        *(a->t.bands[b].seen > 0 ? &left : &unseen) += here;
        seen += a->t.bands[b].seen;
    }
    for (unsigned b = 0; b < LNL_BANDS; b++) {
        const double here = lnl_order_left(o, (uint64_t)a->t.begun, b), n = a->t.bands[b].seen;
        if (n > 0)
            add_levels(levels, &a->t.bands[b], (here / n + unseen / seen) / (left + unseen));
    }
    collect(&a->kinds, (double(*)[LNL_KINDS][LNL_KINDS])levels);
}

static void know_all(struct all *a, const struct lnl_control *c)
{
    a->t = c->known;
    lnl_table_add(&a->t, &c->own);
    a->begun = a->t.begun / (double)c->order.blocks;
    a->magnitude = mean_magnitude(a->t.bands, &c->order);
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            a->squares[j][l] = square_at(&a->t, j, l);
}

bool lnl_control_choose(struct lnl_control *c, double bound, uint64_t period)
{
    struct lnl_setting *s = &c->setting;
    const struct lnl_setting was = *s;
    struct all a;
    struct outcome o;
    know_all(&a, c);
    const double most = pow(bound * a.magnitude, 2);
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            s->error[j][l] = most > 0 ? a.squares[j][l].mean : INFINITY;
    if (most > 0 && a.t.visits > 0) {
        look_ahead(&a, &c->order);
        choose_price(&a, s, most, &o);
        choose_samples(&a, s, &o, period);
    }
    return is_other(s, &was);
}

double lnl_control_spent(const struct lnl_control *c)
{
    struct all a;
    struct outcome o = {0};
    know_all(&a, c);
    if (a.t.visits == 0 || a.magnitude == 0)
        return 0;
    add_up(&a, 1, 0, &o);
    return sqrt(at_most(&o)) / a.magnitude;
}

/* --- from loads to stores --- */

/* The mean square, relative to the mean magnitude; 0: no difference was seen. */
static double relative(const struct lnl_varied *v)
{
    const double magnitude = v->values > 0 ? v->magnitude / v->values : 0;
    return magnitude > 0 ? v->squares / v->values / (magnitude * magnitude) : 0;
}

double lnl_control_passes(const struct lnl_control *c)
{
    struct lnl_varied stored = c->known.stored;
    double most = 0;
    lnl_varied_add(&stored, &c->own.stored);
    for (unsigned i = 0; i < LNL_ENTRIES; i++) {
        struct lnl_varied loads = c->known.loads[i];
        lnl_varied_add(&loads, &c->own.loads[i]);
        if (relative(&loads) > 0)
            most = fmax(most, relative(&stored) / relative(&loads));
    }
    return most > 0 ? sqrt(most) : 1;
}

/* --- errors of several kernels --- */

/* How far errors of one kernel and of the next are at the same places, and of one sign, from 0
 * (squares add up) to 1 (they do themselves): twice what was measured in separable convolutions, on
 * any picture. */
static const double alike = 0.5;

double lnl_error_of_both(double a, double b)
{
    return sqrt(a * a + b * b + 2 * alike * a * b);
}

double lnl_error_left(double all, double a)
{
    return a < all ? sqrt(all * all - (1 - alike * alike) * a * a) - alike * a : 0;
}

double lnl_error_share(double all, double passes, unsigned kernels)
{
    const double next = (fmin(passes, 1) + 1) / 2;
    double error = 1;
    while (kernels--)
        error = lnl_error_of_both(next * error, 1);
    return all / error;
}
