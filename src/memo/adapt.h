/* Truncation that adapts: how many bits more or fewer than the program says a table's inputs lose.
 */
#ifndef MEMO_ADAPT_H
#define MEMO_ADAPT_H

#include "base/common.h"

struct memo_adapt_rule {
    uint64_t window;
    double error, share;
};

struct memo_adapt {
    int bits; /* more than the program cuts; may be negative */
    uint64_t compared, bad;
    uint64_t well,
        patience; /* windows without a bad comparison; how many must be before one that widens */
};

/* One comparison with this relative error; how many bits the table's inputs lose more than before.
 */
int memo_adapt_see(struct memo_adapt *a, const struct memo_adapt_rule *r, double error);

/* What n becomes for inputs of that size. Floats lose no more than their fraction; integers may be
 * flags or numbers of something, of which the program alone knows what a bit means, so they lose no
 * more than it says. */
static inline unsigned memo_adapt_cut(const struct memo_adapt *a, unsigned n, unsigned bytes,
                                      bool is_float)
{
    const unsigned fraction = bytes == 8 ? 52 : bytes == 4 ? 23 : 0;
    const unsigned most = is_float && n < fraction ? fraction : n;
    const int cut = (int)n + a->bits;
    return cut < 0 ? 0 : (unsigned)cut > most ? most : (unsigned)cut;
}

#endif
