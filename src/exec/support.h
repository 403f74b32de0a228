/* Whether this version can run an instruction. */
#ifndef EXEC_SUPPORT_H
#define EXEC_SUPPORT_H

#include "ptx/ir.h"

/* False: `why` has a short reason for people. */
bool exec_supports(const struct ptx_func *f, const struct ptx_inst *i, struct err *why);

#endif
