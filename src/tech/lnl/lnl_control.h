/* Quality control (lnl-adaptive): of regions that are executed precisely it is seen what
 * interpolation between anchors would have stored, for several sizes of groups at once. Error has a
 * price: each region that follows takes the size that saves the most for it, or none, and the price
 * is the lowest at which the error of all stays below a bound. */
#ifndef TECH_LNL_CONTROL_H
#define TECH_LNL_CONTROL_H

#include "tech/lnl/lnl_history.h"
#include "tech/lnl/lnl_order.h"

/* Sizes 4, 8, 16; levels of similarity: relative differences below 0.01, 0.02, 0.05, 0.1, 0.2, 0.4,
 * 0.8, absolute ones below 2, 4, 8, 16, 32, 64, 128. Level LNL_LEVELS: none of them. */
enum { LNL_SIZES = 3, LNL_LEVELS = 7, LNL_KINDS = LNL_LEVELS + 1 };
extern const double lnl_level_relative[LNL_LEVELS], lnl_level_absolute[LNL_LEVELS];

static inline unsigned lnl_size_at(unsigned j)
{
    return 4u << j;
}

/* Of a region's loads by size of groups: the smallest level at which they are similar. */
struct lnl_levels {
    uint8_t at[LNL_SIZES];
};

/* How far values differ from those of their anchors in groups of four: sums. */
struct lnl_varied {
    double squares, values, magnitude;
};

/* A sampled region's loads, and what one of its stores would have been. */
struct lnl_sample {
    double squares[LNL_SIZES]; /* of errors, in the mean */
    double rough[LNL_SIZES];   /* of differences between anchors side by side, in the mean */
    struct lnl_varied loads[LNL_ENTRIES], stored;
};

/* Of samples whose loads have one level, summed: stores, the squares of their errors, how rough
 * anchors' values are, the squares and products of these. How rough they are in all stores of which
 * that is known, and in those that were approximated. */
struct lnl_known {
    double stores, squares, rough, squares2, rough2, both;
    double seen, seen_rough, done, done_rough;
};

/* Of a band of the grid: visits, by level at each size; what is stored, approximated or not. */
struct lnl_band {
    float levels[LNL_KINDS][LNL_KINDS][LNL_KINDS];
    double seen, values, magnitude;
};

/* What is known of a region of the program. */
struct lnl_table {
    struct lnl_known at[LNL_SIZES][LNL_LEVELS];
    struct lnl_band bands[LNL_BANDS];
    struct lnl_varied loads[LNL_ENTRIES], stored; /* of samples */
    /* Of the launch that runs: so many of its blocks have begun; visits, and which of them were
     * approximated. */
    double begun, visits, approximated[LNL_SIZES][LNL_LEVELS];
    double launches; /* before it */
};

/* What is done with the next visits. */
struct lnl_setting {
    double error[LNL_SIZES][LNL_LEVELS];   /* mean squares; INFINITY: not known */
    double sampled[LNL_SIZES][LNL_LEVELS]; /* the share of samples among those it would take */
    /* What a region must save for an error of one, lanes as a part of all and issues as one; of
     * LNL_PARTS `part` go by the second, lower one. */
    double price[2];
    unsigned part;
};
enum { LNL_PARTS = 64 };

/* What a region does. */
struct lnl_visit {
    unsigned size;  /* of its groups; LNL_SIZES: it is precise */
    bool is_sample; /* ... to see what approximation would do */
};

struct lnl_control {
    struct lnl_table own, known; /* what this SM has seen since it was told what all have; that */
    struct lnl_setting setting;
    struct lnl_order order; /* of the launch that runs */
};

void lnl_control_init(struct lnl_control *c);
/* A region with such loads begins. Some are samples: of those that could be approximated as many
 * as it takes to be sure of their error, of others one in `period`, and all of which little is
 * known. `key`: a number of its own, the same for neighbours that might be fused. `number`: of its
 * block. */
struct lnl_visit lnl_control_begin(struct lnl_control *c, const struct lnl_levels *l, uint64_t key,
                                   uint64_t number, uint64_t period);
/* A store of a sampled region with such loads. */
void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s);
/* A region with such loads has stored values so rough: of groups of at least `size`, which it was
 * approximated with; LNL_SIZES: it was precise. */
void lnl_control_rough(struct lnl_control *c, const struct lnl_levels *l, unsigned size,
                       const double rough[LNL_SIZES]);
/* A region of this block has stored so many values of this mean magnitude. */
void lnl_control_stored(struct lnl_control *c, uint64_t number, double values, double magnitude);
void lnl_varied_add(struct lnl_varied *sum, const struct lnl_varied *more);
void lnl_table_add(struct lnl_table *sum, const struct lnl_table *more);
/* Its kernel is launched again: what is known counts half. */
void lnl_table_relaunch(struct lnl_table *t);

/* The size of groups for a region with such loads at a price, or LNL_SIZES. */
unsigned lnl_setting_size(const struct lnl_setting *s, double price, const struct lnl_levels *l);

/* lnl_setting.c. The setting that saves the most lanes while the error of the launch, a share of
 * the mean magnitude, stays below `bound`; 0: nothing is approximated. True: another one than
 * before. */
bool lnl_control_choose(struct lnl_control *c, double bound, uint64_t period);
/* The launch's error so far, at most: its root mean square as a share of the magnitude. */
double lnl_control_spent(const struct lnl_control *c);
/* What becomes of an error of one in its loads, if as much as of differences between neighbours;
 * not known: 1. */
double lnl_control_passes(const struct lnl_control *c);

/* Errors, as shares of the magnitude. Of a kernel that inherits one and makes another; how large
 * the second may be, if that is to be `all`; how large each may be, if so many kernels follow, and
 * all are to come to `all`: what those pass is not known, and taken for halfway from what this one
 * does to everything. */
double lnl_error_of_both(double a, double b);
double lnl_error_left(double all, double a);
double lnl_error_share(double all, double passes, unsigned kernels);

#endif
