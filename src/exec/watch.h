/* Who is told of global accesses by kernels that run functionally: state of a machine that is kept
 * warm. As with a checker (check.h), a device without one pays nothing. Textures are not told. */
#ifndef EXEC_WATCH_H
#define EXEC_WATCH_H

#include "exec/devmem.h"

struct mem_watch {
    void (*touched)(void *self, addr_t addr, uint64_t bytes, bool is_write);
    void *self;
};

#endif
