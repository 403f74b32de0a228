/* What the host's pages behind device memory are made of. Nothing that can be read depends on it.
 */
#ifndef EXEC_DEVMEM_PAGES_H
#define EXEC_DEVMEM_PAGES_H

#include "exec/devmem.h"

/* Before kernels run: decides it for large allocations that are new and that nobody has touched
 * yet, neither a copy nor devmem_zero(). */
void devmem_prepare(struct devmem *m);

#endif
