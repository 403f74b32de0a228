/* Between the mask of an encoded line and the predicates that a routine's pragma names (`lanes=`,
 * `all=` of routine_decl.h): the controller sets and reads them, no instruction does. And the
 * addresses that lanes have in a line (`steps=`), which are the load/store unit's work. */
#ifndef TECH_ASSIST_LANE_MASKS_H
#define TECH_ASSIST_LANE_MASKS_H

#include "exec/warp.h"
#include "tech/assist/routine_decl.h"

/* Bit i of the mask is value i's: of lane i, or of lane i / 2 where lanes have two values. `fn` is
 * the routine's entry, in which the warp is. */
void lane_masks_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint64_t mask);
/* The mask behind a routine that encodes, whose lanes have values from the last one down; whether
 * `all` holds in all its lanes. */
bool lane_masks_get(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint64_t *mask);
/* Before a routine whose line lies at `src` begins. */
void lane_steps_set(struct warp *w, const struct xfunc *fn, const struct routine_decl *d,
                    uint32_t src);

#endif
