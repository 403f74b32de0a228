/* Predictions from launches that were simulated, and how far they are trusted. */
#include "gpu/alike.h"

#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum {
    POINTS = 32,    /* launches that are remembered */
    LONG = 20000,   /* cycles of a launch: of shorter ones two are simulated before others may pass,
                     * because caches are cold in the first */
    MOST_WAIT = 31, /* that pass in a row */
    ENOUGH = 3,     /* errors, for their mean to count */
};
/* Numbers of blocks that are alike: their logarithms differ by less; of instructions. */
#define BLOCKS 0.12
#define INST   0.1
/* Of two that were simulated one after the other: the next is not foreseen. */
#define CHANGING 0.4
/* What a launch counts beside the next one. */
#define FADES 0.7
/* Cycles are in proportion to instructions unless their logarithms differ by more than this. */
#define UNSURE   0.05
#define STEEPEST 2
/* Predictions that were as good, that were not. */
#define GOOD 0.03
#define BAD  0.08
/* Of predictions as long as none was tried. */
#define FIRST_ERROR 0.05

void alike_init(struct alike *a)
{
    *a = (struct alike){.wait = 1};
}

void alike_drop(struct alike *a, size_t i)
{
    stats_free(a->points.data[i].stats);
    a->points.len--;
    memmove(a->points.data + i, a->points.data + i + 1,
            (a->points.len - i) * sizeof *a->points.data);
}

void alike_free(struct alike *a)
{
    while (a->points.len)
        alike_drop(a, a->points.len - 1);
    vec_free(&a->points);
}

static double distance(double a, double b)
{
    return fabs(log(a / b));
}

/* In every direction: as many blocks in another shape are other work. */
static bool has_grid(const struct point *p, const uint32_t grid[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (distance(p->grid[i], grid[i]) >= BLOCKS)
            return false;
    return true;
}

/* NULL: there is none. */
static const struct point *last_like(const struct alike *a, const uint32_t grid[3])
{
    for (size_t i = a->points.len; i-- > 0;)
        if (has_grid(&a->points.data[i], grid))
            return &a->points.data[i];
    return NULL;
}

bool alike_may_pass(const struct alike *a, const uint32_t grid[3])
{
    const struct point *last = NULL;
    unsigned n = 0;
    bool is_long = false, is_changing = false;
    for (size_t i = 0; i < a->points.len; i++) {
        const struct point *p = &a->points.data[i];
        if (!has_grid(p, grid))
            continue;
        is_long |= p->cycles >= LONG && !p->is_paced;
        is_changing = last && distance(last->inst, p->inst) > CHANGING;
        last = p;
        n++;
    }
    return (n > 1 || is_long) && a->passed < a->wait && !is_changing;
}

bool alike_is_known(const struct alike *a, const uint32_t grid[3])
{
    for (size_t i = 0; i < a->points.len; i++)
        if (has_grid(&a->points.data[i], grid) && !a->points.data[i].is_paced)
            return true;
    return false;
}

/* The last with about as many instructions, or the nearest: of those with this grid, if any. */
static const struct point *most_like(const struct alike *a, const uint32_t grid[3], double inst)
{
    const bool is_known = last_like(a, grid);
    const struct point *best = NULL;
    for (size_t i = 0; i < a->points.len; i++) {
        const struct point *p = &a->points.data[i];
        if (is_known && !has_grid(p, grid))
            continue;
        const double d = distance(p->inst, inst);
        if (!best || d < INST || d <= distance(best->inst, inst))
            best = p;
    }
    return best;
}

/* Cycles go with this power of instructions: the line through the logarithms, as seen from `like`,
 * drawn to proportion as far as they differ little. */
static double power(const struct alike *a, const uint32_t grid[3], const struct point *like)
{
    const bool is_known = last_like(a, grid);
    double w = 1, n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = a->points.len; i-- > 0;) {
        const struct point *p = &a->points.data[i];
        if (is_known && !has_grid(p, grid))
            continue;
        const double dx = log(p->inst / like->inst), dy = log(p->cycles / like->cycles);
        n += w;
        x += w * dx;
        y += w * dy;
        xx += w * dx * dx;
        xy += w * dx * dy;
        w *= FADES;
    }
    const double prior = UNSURE * UNSURE;
    return fmin(fmax((xy - x * y / n + prior) / (xx - x * x / n + prior), 0), STEEPEST);
}

double alike_predict(const struct alike *a, const uint32_t grid[3], double inst,
                     const struct point **like)
{
    *like = most_like(a, grid, inst);
    return (*like)->cycles * pow(inst / (*like)->inst, power(a, grid, *like));
}

/* Of the last errors: what their mean may be, with its standard error. */
static double mean_error(const struct alike *a)
{
    const unsigned n = a->tried < ALIKE_ERRORS ? a->tried : ALIKE_ERRORS;
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += a->errors[i];
        squares += a->errors[i] * a->errors[i];
    }
    const double mean = sum / n;
    return fabs(mean) + sqrt(fmax(squares / n - mean * mean, 0) / (n - 1));
}

/* A prediction has been tried: how many may pass until the next one. */
static void learn(struct alike *a, double error)
{
    a->errors[a->tried++ % ALIKE_ERRORS] = error;
    a->squares += error * error;
    const double mean = a->tried >= ENOUGH ? mean_error(a) : 1;
    if (fabs(error) < GOOD || mean < GOOD)
        a->wait = 2 * a->wait + 1 < MOST_WAIT ? 2 * a->wait + 1 : MOST_WAIT;
    else if (fabs(error) > BAD && mean > BAD)
        a->wait = 0;
    else if (!a->wait)
        a->wait = 1;
}

void alike_remember(struct alike *a, const struct point *p, bool is_measure)
{
    const struct point *like;
    if (is_measure && last_like(a, p->grid))
        learn(a, alike_predict(a, p->grid, p->inst, &like) / p->cycles - 1);
    if (a->points.len == POINTS)
        alike_drop(a, 0);
    vec_push(&a->points, *p);
    a->passed = 0;
}

void alike_pass(struct alike *a, bool is_foreseen)
{
    a->passed = is_foreseen ? a->passed + 1 : a->wait;
}

double alike_error(const struct alike *a)
{
    return a->tried ? sqrt(a->squares / a->tried) : FIRST_ERROR;
}
