/* The rules of docs/designs.md, each a function that a test can ask. */
#include "tech/caba/adapt_rules.h"

enum { FIRST_WINDOWS = 3 }; /* of a launch, in which its blocks begin all at once */

int adapt_algorithm(const struct adapt_sample *s, uint32_t n, const uint32_t *cost, uint32_t worth,
                    double least, uint32_t raw)
{
    int best = ADAPT_RAW;
    int64_t most = 0;
    for (uint32_t k = 0; k < n; k++) {
        const int64_t gain =
            (int64_t)(s->saved[k] * worth) - (int64_t)(s->coded[k] * (uint64_t)cost[k]);
        const bool is_enough = (double)s->saved[k] >= least * (double)(s->lines * raw);
        if (gain > most && is_enough) {
            most = gain;
            best = (int)k;
        }
    }
    return best;
}

double adapt_need_most(const struct adapt_need *n)
{
    const double net = n->replies > n->requests ? n->replies : n->requests;
    return n->dram > net ? n->dram : net;
}

void adapt_mean(double *mean, double x, double weight)
{
    *mean += weight * (x - *mean);
}

bool adapt_is_telling(bool is_on, uint64_t cycles, uint64_t window)
{
    return is_on || cycles >= FIRST_WINDOWS * window;
}

bool adapt_is_on(bool was_on, double need, double on_share, double off_share)
{
    return need >= (was_on ? off_share : on_share);
}

bool adapt_gains(double without, double with, double gain)
{
    return with >= without * (1 + gain);
}

void adapt_note(struct adapt_series *s, double x)
{
    s->n++;
    s->sum += x;
    s->squares += x * x;
}

void adapt_age(struct adapt_series *s, double most)
{
    if (s->n <= most)
        return;
    s->n /= 2;
    s->sum /= 2;
    s->squares /= 2;
}

/* Of a mean of windows: the variance over n - 1, and that over n. */
static double squared_error(const struct adapt_series *s)
{
    const double mean = s->sum / s->n, rest = s->squares - s->n * mean * mean;
    return rest < 0 ? 0 : rest / (s->n - 1) / s->n;
}

bool adapt_is_slower(const struct adapt_series *with, const struct adapt_series *without)
{
    if (with->n < 2 || without->n < 2)
        return false;
    const double less = without->sum / without->n - with->sum / with->n;
    const double error = squared_error(with) + squared_error(without);
    return less > 0 && less * less > 4 * error;
}

bool adapt_is_lost(const struct adapt_series *before, const struct adapt_series *off,
                   const struct adapt_series *behind)
{
    return adapt_is_slower(before, off) && adapt_is_slower(behind, off);
}

enum adapt_place adapt_place(const struct adapt_room *r, uint32_t least, bool wants, bool has_codes)
{
    if (r->blocks_with == r->blocks)
        return ADAPT_WARPS;
    if (r->instances && r->instances >= least)
        return ADAPT_SPARE;
    if (r->blocks_with && !r->must_fit && (wants || (has_codes && !r->instances)))
        return ADAPT_WARPS;
    return ADAPT_NOWHERE;
}
