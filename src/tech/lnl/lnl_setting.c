/* Quality control: from what is known of regions to the setting of those that follow. */
#include "tech/lnl/lnl_control.h"

#include <math.h>

/* Below so few samples a level's error is not known. Errors are taken as so many standard errors
 * larger than they seem. Of what is approximated a period's share is samples, or so many times that
 * as the error is uncertain (from 0 to 1), at most twice: more would cost more than they tell. */
enum { FEW = 16, DEVIATIONS = 2, MORE = 8, TWICE = 2 };

/* What is still to come is taken for half as bright as what has been, so that less may be wrong so
 * far: a picture gets darker, and what was spent on its bright part cannot be had back. And it is
 * taken for half as much as all at least, lest the last of a launch use up whatever is left, at any
 * price. */
static const double darker = 0.5, least = 0.5;

/* The mean square of errors, and how far off it may be: the standard error of the mean. Most of it
 * may come from a few stores, at edges. */
struct square {
    double mean, deviation, each; /* each: the standard deviation of stores */
};

static struct square square_at(const struct lnl_table *t, unsigned j, unsigned l)
{
    while (l < LNL_LEVELS && t->at[j][l].stores < FEW)
        l++; /* too little is known: that of loads which differ more */
    if (l == LNL_LEVELS)
        return (struct square){INFINITY, 0, 0};
    const struct lnl_known *k = &t->at[j][l];
    const double mean = k->squares / k->stores, variance = k->spread / k->stores - mean * mean;
    const double each = variance > 0 ? sqrt(variance) : 0;
    return (struct square){mean, each / sqrt(k->stores), each};
}

/* Visits by the levels of their loads: those that there are. */
struct kinds {
    struct lnl_levels levels[LNL_KINDS * LNL_KINDS * LNL_KINDS];
    double share[LNL_KINDS * LNL_KINDS * LNL_KINDS];
    unsigned n;
};

static void collect(struct kinds *k, const struct lnl_table *t)
{
    k->n = 0;
    for (unsigned a = 0; a < LNL_KINDS; a++)
        for (unsigned b = 0; b < LNL_KINDS; b++)
            for (unsigned c = 0; c < LNL_KINDS; c++)
                if (t->levels[a][b][c] > 0) {
                    k->levels[k->n] = (struct lnl_levels){{(uint8_t)a, (uint8_t)b, (uint8_t)c}};
                    k->share[k->n++] = t->levels[a][b][c] / t->seen;
                }
}

/* All that is known. */
struct all {
    struct lnl_table t;
    struct kinds kinds;
    struct square squares[LNL_SIZES][LNL_LEVELS];
    double magnitude; /* the mean of what is stored */
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
            const double visits =
                rest * o->visits[j][l] + done * a->t.approximated[j][l] / a->t.visits;
            if (visits > 0) {
                o->mean += visits * a->squares[j][l].mean;
                variance += pow(visits * a->squares[j][l].deviation, 2);
            }
        }
    o->deviation = sqrt(variance);
}

static double at_most(const struct outcome *o)
{
    return o->mean + DEVIATIONS * o->deviation;
}

/* What the launch comes to at a price. */
static double evaluate(const struct all *a, const struct lnl_setting *s, double price,
                       struct outcome *o)
{
    const double begun = a->t.begun, whole = fmax(1, begun + least);
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

/* The lowest price at which the mean square stays below `most`, and of the next lower one a part.
 * One that is too high for everything with an error is the highest. */
static void choose_price(const struct all *a, struct lnl_setting *s, double most, struct outcome *o)
{
    double upper = 1 / most, lower = 0;
    s->price[0] = s->price[1] = 0;
    s->part = 0;
    if (evaluate(a, s, 0, o) <= most)
        return;
    while (evaluate(a, s, upper, o) > most && upper * most < 1e9)
        upper *= 16;
    for (unsigned i = 0; i < 32; i++) {
        const double price = (upper + lower) / 2;
        *(evaluate(a, s, price, o) > most ? &lower : &upper) = price;
    }
    const double too_much = evaluate(a, s, lower, o), fits = evaluate(a, s, upper, o);
    s->price[0] = upper;
    s->price[1] = lower;
    if (fits < most && too_much > most)
        s->part = (unsigned)(LNL_PARTS * (most - fits) / (too_much - fits));
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

static void know_all(struct all *a, const struct lnl_control *c)
{
    a->t = c->known;
    lnl_table_add(&a->t, &c->own);
    a->magnitude = a->t.values > 0 ? a->t.magnitude / a->t.values : 0;
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
    collect(&a.kinds, &a.t);
    const double magnitude = a.magnitude * (a.t.begun + darker * (1 - a.t.begun));
    const double most = pow(bound * magnitude, 2);
    for (unsigned j = 0; j < LNL_SIZES; j++)
        for (unsigned l = 0; l < LNL_LEVELS; l++)
            s->error[j][l] = most > 0 ? a.squares[j][l].mean : INFINITY;
    if (most > 0 && a.t.visits > 0) {
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
