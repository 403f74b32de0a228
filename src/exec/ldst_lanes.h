/* Loads and stores the short way (locate.h), one version a CPU level. */
#ifndef EXEC_LDST_LANES_H
#define EXEC_LDST_LANES_H

#include "exec/code.h"
#include "exec/memory_lanes.h"

enum { LDST_SIZES = 5 };

/* By the logarithm of the bytes that a lane accesses, and by whether it is plain: one register as
 * wide as the access. Others have several, or wider ones; those of 16 bytes 4 or 2, as wide as
 * their elements. */
struct ldst_lanes {
    warp_fn load[LDST_SIZES][2], store[LDST_SIZES][2];
};

const struct ldst_lanes *ldst_lanes_get(enum ptx_space space);

/* The same outside local memory for an access of which is known where it lies: at one place or side
 * by side, and no lane between the first and the last of a store is missing. */
typedef void (*ldst_at_fn)(struct warp *w, const struct xinst *x, uint32_t mask, struct located l);

struct ldst_at {
    ldst_at_fn load[LDST_SIZES][2], store[LDST_SIZES][2];
};

struct ldst_place {
    ldst_at_fn fn; /* NULL: it lies otherwise, or is no access */
    struct located at;
};

/* Where an access to shared memory lies with the addresses that its register has now. */
struct ldst_place ldst_find_place(const struct warp *w, const struct xinst *x, uint32_t mask);

/* The checked way, which has an answer to everything. */
bool ldst_load_checked(struct warp *w, const struct xinst *x, uint32_t mask);
bool ldst_store_checked(struct warp *w, const struct xinst *x, uint32_t mask);

#endif
