/* What policies at the seams of an SM's pipeline (parsim/seams_sm.h) may ask of it and do to it,
 * from within their functions. */
#ifndef SM_SM_POLICY_H
#define SM_SM_POLICY_H

#include "mem/bound.h"
#include "sm/decode.h"

struct warp;

/* The cycle that the SM is in. */
cycle_t sm_now(const struct sm *sm);
/* The program's warp in `slot`, or NULL; how old it is (an older one has a smaller number); what it
 * will issue next, or NULL. */
struct warp *sm_warp(const struct sm *sm, unsigned slot);
uint64_t sm_warp_age(const struct sm *sm, unsigned slot);
const struct dinst *sm_warp_next(const struct sm *sm, unsigned slot);

/* The warp does not issue before cycle `until`, unless it is let go; then it is looked at again. */
void sm_hold(struct sm *sm, unsigned slot, cycle_t until);
void sm_let_go(struct sm *sm, unsigned slot);
/* Asks again what precedes its next instruction and who goes with it. */
void sm_look(struct sm *sm, unsigned slot);

/* An instruction that reads register `k` of `d` and writes it, for issue_policy.precede; with no
 * such register: one that only takes its slot. It lives until the kernel has ended. `by` tells who
 * asked for it. */
const struct dinst *sm_move(struct sm *sm, const struct dinst *d, unsigned k, const void *by);

/* Register `k` of the instruction (those written first, then those read, then the guard) of a warp
 * whose frame is in use. The bits of a lane's element: 1 of a predicate, else 16, 32, 64, 128 (of
 * which `values`, one a lane, has the lower 64); 0: there is no such register. */
unsigned sm_register_read(const struct warp *w, const struct dinst *d, unsigned k,
                          uint64_t *values);
/* Of the lanes in `mask`. */
unsigned sm_register_write(struct warp *w, const struct dinst *d, unsigned k, uint32_t mask,
                           const uint64_t *values);

#endif
