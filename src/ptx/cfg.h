/* Control flow of one function: basic blocks, reconvergence points.
 *
 * Reconvergence: for every instruction that can split a warp (a predicated or indexed branch), the
 * first instruction of the immediate post-dominator of its block; PTX_NO_PC when paths only meet
 * after the function has returned. `ret`, `exit` and `trap` end a path whether predicated or not
 * (predicated ones also fall through).
 *
 * Threads that have ended need not be met. In `if (a) { if (b) return; x; } y;` strict
 * post-dominators would let the two ways of `a` meet only at the end, and the threads that are left
 * would run `y` in two groups, which no GPU does (and which breaks vote.sync and the like in `y`).
 * In a function where that happens, reconv[] looks past paths that do nothing but end; ipdom stays
 * strict. */
#ifndef PTX_CFG_H
#define PTX_CFG_H

#include "ptx/ir.h"

struct ptx_block {
    uint32_t first, last; /* instruction indices, inclusive */
    uint32_t nsucc, npred;
    uint32_t *succ, *pred; /* block numbers; the virtual exit is block nblocks */
    uint32_t ipdom;        /* block number; nblocks = the virtual exit */
};

struct ptx_cfg {
    uint32_t nblocks;
    struct ptx_block *blocks;
    uint32_t *block_of; /* by instruction */
    uint32_t *reconv;   /* by instruction: see above; PTX_NO_PC for those that cannot split */
};

struct ptx_cfg *ptx_cfg_build(const struct ptx_func *f);
void ptx_cfg_free(struct ptx_cfg *c);

#endif
