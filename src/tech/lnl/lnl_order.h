/* lnl-adaptive: the order of a launch's blocks. A picture differs from place to place, and what is
 * seen of its begin says little about the rest: so the first blocks, which begin before anything is
 * known, are scouts from all over the grid. The others follow in the order of their numbers, since
 * neighbours share what is in caches. */
#ifndef TECH_LNL_ORDER_H
#define TECH_LNL_ORDER_H

#include <stdint.h>

/* Blocks are numbered along x, then y, then z; so are the bands that a grid is taken to have. */
enum { LNL_BANDS = 16 };

struct lnl_order {
    uint64_t blocks, scouts;
};

/* Of a grid of which so many blocks fit on all SMs. */
struct lnl_order lnl_order_of(uint64_t blocks, uint64_t at_once);
/* The block that is given out as the i-th; which one, from 0 on, that of a number is. */
uint64_t lnl_order_block(const struct lnl_order *o, uint64_t i);
uint64_t lnl_order_place(const struct lnl_order *o, uint64_t number);
unsigned lnl_order_band(const struct lnl_order *o, uint64_t number);
/* When `given` blocks were given out: which part of all blocks is in the band and was not. */
double lnl_order_left(const struct lnl_order *o, uint64_t given, unsigned band);
/* Which part of all blocks is in it. */
double lnl_order_share(const struct lnl_order *o, unsigned band);

#endif
