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

#include "exec/group_lanes.h"
#include "exec/warp.h"

/* What the lanes of one group bring and take. Operands are arrays by lane, good in the lanes of
 * `sources`: the registers themselves where that is possible, else filled in here. b and c of a
 * planned shfl are NULL, unless lanes come from several instructions. */
struct exchange {
    uint32_t group;                   /* lanes that take part and get a result */
    uint32_t sources;                 /* lanes whose operands are there */
    uint32_t preds;                   /* predicate operand */
    const uint32_t *a, *high, *b, *c; /* high: the upper half of a 64-bit a, else NULL */
    uint32_t q;                       /* predicate result */
    uint32_t d[WARP_LANES];           /* results */
    uint32_t room[4][WARP_LANES];     /* for a, high, b, c */
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
    const struct group_lanes *lanes;
    shfl_sources_fn shfl_sources; /* of shfl's mode */
    const uint32_t *shfl_from;    /* what it gives, if b and c are constants; else NULL */
    uint32_t shfl_ok;
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
