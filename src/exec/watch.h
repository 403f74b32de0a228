/* Who is told of global accesses by kernels that run functionally: state of a machine that is kept
 * warm. As with a checker (check.h), a device without one pays nothing. Textures are not told. */
#ifndef EXEC_WATCH_H
#define EXEC_WATCH_H

#include "exec/devmem.h"

struct warp;

struct mem_watch {
    void (*touched)(void *self, addr_t addr, uint64_t bytes, bool is_write);
    /* NULL, or told that a block, or what is left of one, has its turn (grid_run() alone). */
    void (*turned)(void *self);
    void *self;
    /* NULL, or asked once for each line of so many bytes that an instruction touches: whether it is
     * far from the warp, for which it counts then (warp.nfar), as words of local memory do. */
    uint64_t line_bytes;
    bool (*is_far)(const struct warp *w, addr_t line, bool is_write);
};

#endif
