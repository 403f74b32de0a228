/* Host memory of the program's own that it registers for kernels. It stays the program's: it may be
 * unmapped at any time, so it is looked at again before a kernel or a copy uses it. */
#ifndef CUDA_HOST_MEMORY_H
#define CUDA_HOST_MEMORY_H

#include "cuda/ctx.h"

int memory_register(struct ctx *c, void *p, size_t bytes, unsigned flags);
int memory_unregister(struct ctx *c, void *p);
/* Whether the allocation's pages are still there. */
bool host_memory_is_there(struct ctx *c, const struct mem_alloc *a);
/* Before a kernel runs: what is no longer there is no longer registered. */
void host_memory_refresh(struct ctx *c);

#endif
