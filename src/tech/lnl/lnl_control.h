/* Quality control (lnl-adaptive): of regions that are executed precisely it is seen what
 * interpolation between anchors would have stored, for several sizes of groups at once; the largest
 * saving whose error stays below a bound is the setting of the regions that follow. */
#ifndef TECH_LNL_CONTROL_H
#define TECH_LNL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* Sizes 4, 8, 16; levels of similarity: relative differences below 0.01, 0.02, 0.05, 0.1, 0.2, 0.4,
 * 0.8, absolute ones below 2, 4, 8, 16, 32, 64, 128. Level LNL_LEVELS: none of them. */
enum { LNL_SIZES = 3, LNL_LEVELS = 7 };
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
    uint32_t values;
};

/* What is known of regions whose loads have one level. */
struct lnl_known {
    double begun;           /* regions */
    double stores;          /* of samples */
    double values, squares; /* of these: summed */
    double spread;          /* squares of the stores' mean squares, summed */
};

/* By size of groups and level. */
struct lnl_table {
    struct lnl_known at[LNL_SIZES][LNL_LEVELS + 1];
    double values, magnitude; /* of all that regions store, approximated or not: summed */
    double begun, approximated[LNL_SIZES][LNL_LEVELS]; /* regions, from the first on */
};

struct lnl_control {
    uint64_t starts, stores; /* regions that began; stores of samples */
    /* What this SM has seen, and what others had when they were last asked. */
    struct lnl_table own, others;
    unsigned size; /* that was chosen: lnl_size_at(size), of loads similar below `level` */
    unsigned
        level; /* ... and of those at this level `part` of LNL_PARTS. LNL_LEVELS: nothing yet */
    unsigned part;
    bool is_unsure; /* the error of what is approximated is not known well: more samples */
};
enum { LNL_PARTS = 16 };

void lnl_control_init(struct lnl_control *c);
/* A region with such loads begins: whether it is approximated. If not, *is_sample: one of
 * `period`, more as long as it is not sure of its setting; and what is precise anyway, as long as
 * little is known of such loads. */
bool lnl_control_begin(struct lnl_control *c, const struct lnl_levels *l, uint64_t period,
                       bool *is_sample);
/* What a store of a sampled region with such loads would have been. */
void lnl_control_store(struct lnl_control *c, const struct lnl_levels *l,
                       const struct lnl_sample *s);
/* A region has stored so many values of this mean magnitude. */
void lnl_control_stored(struct lnl_control *c, double values, double magnitude);
/* The setting with the most lanes saved whose error, a share of the mean magnitude, is below
 * `bound`; true: it is another one than before. */
bool lnl_control_choose(struct lnl_control *c, double bound);
void lnl_table_add(struct lnl_table *sum, const struct lnl_table *more);

#endif
