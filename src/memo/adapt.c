/* Wider step by step while all is well, narrower at once when it is not; and each time that it was
 * too wide, twice as much must be well before it is tried again, so that bits come to rest. */
#include "memo/adapt.h"

/* A float has 23 bits of fraction; beyond, or below, nothing is to be gained. */
enum { WIDER = 1, NARROWER = 2, MOST = 24, PATIENCE_MOST = 1 << 20 };

int memo_adapt_see(struct memo_adapt *a, const struct memo_adapt_rule *r, double error)
{
    const int before = a->bits;
    a->compared++;
    a->bad += error > r->error;
    if (a->compared < r->window)
        return 0;
    if ((double)a->bad > r->share * (double)r->window) {
        a->bits = a->bits - NARROWER < -MOST ? -MOST : a->bits - NARROWER;
        a->patience = a->patience < PATIENCE_MOST ? 2 * a->patience + 1 : a->patience;
        a->well = 0;
    } else if (a->bad) {
        a->well = 0;
    } else if (++a->well > a->patience && a->bits < MOST) {
        a->bits += WIDER;
        a->well = 0;
    }
    a->compared = a->bad = 0;
    return a->bits - before;
}
