/* Regions of a program whose results may be kept: in the body of a function,
 *
 *   .pragma "memo begin IN=%a,%b";
 *   ...
 *   .pragma "memo end OUT=%r";
 *
 * (OUT may also stand at the begin, but where a compiler places marks only the end knows it.) What
 * lies between them must read nothing but its inputs (one or two 32-bit registers), constants and
 * what follows from the kernel's parameters alone, and leave nothing but its output (one). */
#ifndef TECH_ASSIST_MEMO_REGIONS_H
#define TECH_ASSIST_MEMO_REGIONS_H

#include "ptx/ir.h"

enum { MEMO_INPUTS = 2 };

struct memo_region {
    uint32_t begin, end;                /* pcs: the first in it, and behind it */
    uint32_t in[MEMO_INPUTS], nin, out; /* registers of the function */
    uint32_t line;                      /* of its begin */
    bool has_out;
};

/* Appends the function's regions to `to` (freed by the caller); false and an error that names file
 * and line. */
bool memo_regions_find(const struct ptx_func *f, struct memo_region **to, uint32_t *n,
                       struct err *err);

#endif
