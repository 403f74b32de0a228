/* Scouts: one in each of as many parts of the grid, neither all at the left nor all at the right.
 */
#include "tech/lnl/lnl_order.h"

#include <math.h>

/* Half of those that begin together: scouts share nothing in caches with each other, and what they
 * would have saved is lost. */
struct lnl_order lnl_order_of(uint64_t blocks, uint64_t at_once)
{
    const uint64_t most = blocks / 64;
    return (struct lnl_order){blocks, at_once / 2 < most ? at_once / 2 : most};
}

/* a * b / c, where a * b may have more than 64 bits. */
static uint64_t part_of(uint64_t a, uint64_t b, uint64_t c)
{
    return a / c * b + a % c * b / c;
}

/* Steps of the golden ratio are spread evenly, however many there are. */
static uint64_t scout_at(const struct lnl_order *o, uint64_t k)
{
    static const double golden = 0.6180339887498949;
    const uint64_t begin = part_of(o->blocks, k, o->scouts);
    const uint64_t end = part_of(o->blocks, k + 1, o->scouts);
    const double steps = golden * (double)(k + 1);
    return begin + (uint64_t)((steps - floor(steps)) * (double)(end - begin));
}

/* How many scouts have numbers below. */
static uint64_t scouts_below(const struct lnl_order *o, uint64_t number)
{
    uint64_t low = 0, high = o->scouts;
    while (low < high) {
        const uint64_t k = (low + high) / 2;
        if (scout_at(o, k) < number)
            low = k + 1;
        else
            high = k;
    }
    return low;
}

/* The n-th block that is no scout: of the scouts at most n + k are before it if the k-th is. */
static uint64_t other_at(const struct lnl_order *o, uint64_t n)
{
    uint64_t low = 0, high = o->scouts;
    while (low < high) {
        const uint64_t k = (low + high) / 2;
        if (scout_at(o, k) <= n + k)
            low = k + 1;
        else
            high = k;
    }
    return n + low;
}

uint64_t lnl_order_block(const struct lnl_order *o, uint64_t i)
{
    return i < o->scouts ? scout_at(o, i) : other_at(o, i - o->scouts);
}

uint64_t lnl_order_place(const struct lnl_order *o, uint64_t number)
{
    const uint64_t below = scouts_below(o, number);
    if (below < o->scouts && scout_at(o, below) == number)
        return below;
    return o->scouts + number - below;
}

/* --- bands --- */

unsigned lnl_order_band(const struct lnl_order *o, uint64_t number)
{
    return (unsigned)(number * LNL_BANDS / o->blocks);
}

/* The first number of a band. */
static uint64_t band_begin(const struct lnl_order *o, unsigned band)
{
    return (band * o->blocks + LNL_BANDS - 1) / LNL_BANDS;
}

/* Of the blocks with numbers below `number` those that were given out. */
static uint64_t given_below(const struct lnl_order *o, uint64_t given, uint64_t number)
{
    const uint64_t scouts = scouts_below(o, number);
    if (given <= o->scouts)
        return scouts < given ? scouts : given;
    const uint64_t others = given - o->scouts, below = number - scouts;
    return scouts + (below < others ? below : others);
}

double lnl_order_left(const struct lnl_order *o, uint64_t given, unsigned band)
{
    const uint64_t begin = band_begin(o, band), end = band_begin(o, band + 1);
    const uint64_t gone = given_below(o, given, end) - given_below(o, given, begin);
    return (double)(end - begin - gone) / (double)o->blocks;
}

double lnl_order_share(const struct lnl_order *o, unsigned band)
{
    return (double)(band_begin(o, band + 1) - band_begin(o, band)) / (double)o->blocks;
}
