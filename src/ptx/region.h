/* Regions: instructions [begin, end) with one way in, at their begin, and one out, to their end. */
#ifndef PTX_REGION_H
#define PTX_REGION_H

#include "ptx/ir.h"

/* The k-th place where a branch goes; PTX_NO_PC: there are fewer, or it is no branch. */
uint32_t ptx_inst_target(const struct ptx_inst *i, uint32_t k);

/* The first instruction that goes out of the region, or into it, by another way; NULL: there is
 * none. */
const struct ptx_inst *ptx_region_breach(const struct ptx_func *f, uint32_t begin, uint32_t end,
                                         bool *leaves);

#endif
