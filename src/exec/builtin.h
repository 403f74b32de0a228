/* Functions that every GPU program may call without defining them: vprintf, __assertfail, malloc,
 * free, cudaGraphSetConditional, and the device runtime (builtin_cdp.c). */
#ifndef EXEC_BUILTIN_H
#define EXEC_BUILTIN_H

#include "exec/code.h"

/* The code for a call of `name`, whose values are in x->call; NULL if it is no builtin. */
warp_fn builtin_find(const char *name);
/* Of the device runtime, whose own code, linked into programs, is for real GPUs: ours wins. */
bool builtin_replaces(const char *name);

#endif
