/* Groups of lanes that meet: what `.sync` means for shfl, vote, match, redux, elect and
 * bar.warp.sync.
 *
 * Every lane names the members of its group in a mask; lanes with the same mask are one group. The
 * operation happens when all members that have not exited have come, on whatever path and in
 * whatever function: each at an instruction of the same kind. Lanes that come early wait as a split
 * of their own; one that has to wait must be in the mask it names. All of this, and what happens
 * where PTX says nothing, was asked of an H200 (tests/golden/groups.vec). */
#ifndef EXEC_GROUPS_H
#define EXEC_GROUPS_H

#include "exec/warp.h"

/* 1 << lane. A table, because the oldest hosts have no vector shift by lane. */
#define FOUR(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
static const uint32_t lane_bit[WARP_LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                              FOUR(16), FOUR(20), FOUR(24), FOUR(28)};
#undef FOUR

/* What the lanes of one group bring and take. */
struct exchange {
    uint32_t group;                           /* lanes that take part and get a result */
    uint32_t sources;                         /* lanes whose operands are there */
    uint32_t preds;                           /* predicate operand */
    uint32_t a[WARP_LANES], high[WARP_LANES]; /* high: the upper half of 64-bit values */
    uint32_t b[WARP_LANES], c[WARP_LANES];
    uint32_t d[WARP_LANES]; /* results */
    uint32_t q;             /* predicate result */
};

struct group_op;
typedef void (*group_fn)(const struct group_op *o, struct exchange *e);

struct group_op {
    group_fn compute;
    uint8_t mode;      /* enum ptx_mod */
    uint8_t type;      /* enum ptx_type */
    bool reads_across; /* a lane's result does not depend on which lanes are its group: shfl */
    struct lane_ref d, p, a, b, c;
    struct lane_ref members; /* none: lanes that execute it together are the group */
};

/* Instructions with a member mask (X_MEET) and without one (X_OP). */
bool group_meet(struct warp *w, const struct xinst *x, uint32_t mask);
bool group_here(struct warp *w, const struct xinst *x, uint32_t mask);

/* Lanes have exited: groups that waited for nobody else go on. */
void group_check_all(struct warp *w);
/* No lane of the block can move: if lanes of this warp wait for their group, the kernel is stopped
 * and true returned. */
bool group_fault_deadlock(struct warp *w);

#endif
