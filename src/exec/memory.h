/* Where a warp's addresses lead: checks, and translation to host addresses. Private to exec. */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include "exec/grid.h"
#include "exec/memory_lanes.h"

/* The lanes of one access, all in one space. After access_check() the bytes of lane l are at host
 * address base + addr[l]; in local memory addr[l] is an offset in the lane's own memory. */
struct access {
    addr_t addr[WARP_LANES];
    uintptr_t base;
    struct addr_span span;
    uint32_t mask;
    uint8_t space; /* GLOBAL, SHARED, LOCAL or PARAM (a kernel's parameters) */
    uint8_t bytes; /* of one element, and elements, side by side */
    uint8_t count;
    bool is_write;
};

/* Bounds and alignment; then turns shared offsets into host addresses. False = fault recorded. */
bool access_check(struct warp *w, const struct xinst *x, struct access *a);

/* Why a global access of the lane is wrong. */
void access_explain(const struct warp *w, const struct access *a, unsigned lane, char *buf,
                    size_t len);

/* Calls `fn` with the access split by space when it is GENERIC, checked and translated. */
typedef bool (*access_fn)(struct warp *w, const struct xinst *x, struct access *a, void *arg);
bool access_each(struct warp *w, const struct xinst *x, struct access *a, access_fn fn, void *arg);

/* A lane's bytes in local memory. */
void local_read(const struct warp *w, unsigned lane, uint64_t off, void *to, unsigned bytes);
void local_write(struct warp *w, unsigned lane, uint64_t off, const void *from, unsigned bytes);

#endif
