/* Wider step by step while all is well, narrower at once when it is not. */
#include "memo/adapt.h"

/* A float has 23 bits of fraction; beyond, or below, nothing is to be gained. */
enum { WIDER = 1, NARROWER = 2, MOST = 24 };

int memo_adapt_see(struct memo_adapt *a, const struct memo_adapt_rule *r, double error)
{
    const int before = a->bits;
    a->compared++;
    a->bad += error > r->error;
    if (a->compared < r->window)
        return 0;
    if ((double)a->bad > r->share * (double)r->window)
        a->bits = a->bits - NARROWER < -MOST ? -MOST : a->bits - NARROWER;
    else if (!a->bad && a->bits < MOST)
        a->bits += WIDER;
    a->compared = a->bad = 0;
    return a->bits - before;
}
