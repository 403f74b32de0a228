/* Loads and stores the short way (locate.h), one version a CPU level. */
#ifndef EXEC_LDST_LANES_H
#define EXEC_LDST_LANES_H

#include "exec/code.h"

/* By the logarithm of the bytes that a lane accesses. */
enum { LDST_SIZES = 5 };

struct ldst_lanes {
    /* One register as wide as the access. */
    warp_fn load_plain[LDST_SIZES], store_plain[LDST_SIZES];
    /* Several, or wider ones. Of 16 bytes: 4 or 2 registers as wide as their elements. */
    warp_fn load[LDST_SIZES], store[LDST_SIZES];
};

const struct ldst_lanes *ldst_lanes_get(void);

/* The checked way, which has an answer to everything. */
bool ldst_load_checked(struct warp *w, const struct xinst *x, uint32_t mask);
bool ldst_store_checked(struct warp *w, const struct xinst *x, uint32_t mask);

#endif
