/* Whether what lies between two marks can be left out: a compiler moves instructions, and one that
 * came in between by chance must not be skipped. */
#ifndef TECH_ASSIST_MEMO_CHECK_H
#define TECH_ASSIST_MEMO_CHECK_H

#include "tech/assist/memo_regions.h"

/* False and an error that names file, line and instruction or register: a region with another way
 * in or out; an instruction that is no arithmetic, nor a load of constants; a register that is read
 * and neither an input nor the same for all threads of a launch; one that is needed behind the
 * region and is not its output. */
bool memo_regions_check(const struct ptx_func *f, const struct memo_region *regions, uint32_t n,
                        struct err *err);

#endif
