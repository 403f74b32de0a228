/* Quality control (lnl-adaptive): now and then a region is executed precisely and it is seen what
 * interpolation between anchors would have stored, for several sizes of groups at once; the largest
 * saving whose error stays below a bound is the setting of the regions that follow. */
#ifndef TECH_LNL_CONTROL_H
#define TECH_LNL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* Sizes 4, 8, 16; levels of similarity: relative differences below 0.01, 0.02, 0.05, 0.1, 0.2, 0.4,
 * absolute ones below 2, 4, 8, 16, 32, 64. Level LNL_LEVELS: none of them. */
enum { LNL_SIZES = 3, LNL_LEVELS = 6 };
extern const double lnl_level_relative[LNL_LEVELS], lnl_level_absolute[LNL_LEVELS];

static inline unsigned lnl_size_at(unsigned j)
{
    return 4u << j;
}

/* Of a region's loads by size of groups: the smallest level at which they are similar. */
struct lnl_levels {
    uint8_t at[LNL_SIZES];
};

/* What a sampled store would have been. */
struct lnl_sample {
    double squares[LNL_SIZES]; /* of differences, summed */
    double magnitude;          /* of the precise values, summed */
    uint32_t values;
};

struct lnl_control {
    uint64_t starts, samples; /* regions that began; of those, samples */
    uint64_t stores;          /* of samples */
    double similar[LNL_SIZES][LNL_LEVELS], squares[LNL_SIZES][LNL_LEVELS]; /* values; of those */
    double magnitude, values;                                              /* of all */
    unsigned size;  /* that was chosen: lnl_size_at(size), of loads similar at `level` */
    unsigned level; /* LNL_LEVELS: nothing is approximated */
};

void lnl_control_init(struct lnl_control *c);
/* Whether the region that begins now is a sample: the first ones, then two of 2 * `period`. */
bool lnl_control_takes(struct lnl_control *c, uint64_t period);
/* What a store of a sampled region with such loads would have been. */
void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s);
/* The setting with the most lanes saved whose error, a share of the mean magnitude, is below
 * `bound`; true: it is another one than before. */
bool lnl_control_choose(struct lnl_control *c, double bound);
/* Whether a region with such loads is approximated. */
bool lnl_control_allows(const struct lnl_control *c, const struct lnl_levels *l);

#endif
