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
};

/* One comparison with this relative error; how many bits the table's inputs lose more than before.
 */
int memo_adapt_see(struct memo_adapt *a, const struct memo_adapt_rule *r, double error);

/* What n becomes for inputs of that size. */
static inline unsigned memo_adapt_cut(const struct memo_adapt *a, unsigned n, unsigned bytes)
{
    const int most = (int)(8 * bytes) - 1, cut = (int)n + a->bits;
    return (unsigned)(cut < 0 ? 0 : n < (unsigned)most && cut > most ? most : cut);
}

#endif
