/* Groups of neighbouring lanes, their anchors, and values between anchors (../shared/spec/lnl.md, 1
 * and 2.6). */
#ifndef TECH_LNL_GROUPS_H
#define TECH_LNL_GROUPS_H

#include "tech/lnl/lnl_regions.h"

enum { LNL_LANES = 32 };

struct lnl_groups {
    unsigned n; /* lanes of each, a power of two */
    /* Lanes with which a row of the block begins: no value lies between two rows. Without
     * lnl.rows: none. */
    uint32_t rows;
};

/* Of every group with an active lane its first active one. */
uint32_t lnl_anchors(uint32_t mask, unsigned n);
/* A bit of each lane becomes that of its group's anchor, of the lanes in `mask`. */
uint32_t lnl_spread(uint32_t bits, uint32_t mask, unsigned n);

/* The lanes of `mask` that are no anchors get what lies between their group's anchor and the
 * next group's; or what their anchor has. */
void lnl_interpolate(const struct lnl_groups *g, enum lnl_format format, uint32_t mask,
                     uint32_t *lanes);
void lnl_replicate(const struct lnl_groups *g, uint32_t mask, uint32_t *lanes);

/* Numbers that a word of this format holds, and one of them. */
static inline unsigned lnl_values_in(enum lnl_format format)
{
    return format == LNL_U8X4 ? 4 : 1;
}
double lnl_value_at(enum lnl_format format, uint32_t word, unsigned k);

#endif
