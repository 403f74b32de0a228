/* Whether this version can run an instruction. */
#ifndef EXEC_SUPPORT_H
#define EXEC_SUPPORT_H

#include "ptx/ir.h"

/* False: *why is a short reason for people. */
bool exec_supports(const struct ptx_func *f, const struct ptx_inst *i, const char **why);

#endif
