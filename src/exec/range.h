/* Ranges of host memory that an access may lie in, and whether addresses make a line. Included by
 * files that are compiled once a CPU level. */
#ifndef EXEC_RANGE_H
#define EXEC_RANGE_H

#include "exec/grid.h"

#define LOCATE_INLINE static inline __attribute__((always_inline))

/* An access may begin at lo up to lo + room; nowhere, if room is negative. The host address of a
 * byte is its address plus `host`, which keeps every alignment. */
struct range {
    addr_t lo;
    int64_t room;
    uintptr_t host;
};

/* The range that the lanes of an instruction probably are in; `first` is the address of one. */
LOCATE_INLINE struct range range_of(const struct warp *w, const struct xinst *x, addr_t first,
                                    unsigned size, bool is_write)
{
    const struct grid *g = w->grid;
    const struct cta *c = w->cta;
    if (x->space == PTX_SPACE_SHARED)
        return (struct range){0, (int64_t)c->shared_limit - size, (uintptr_t)c->shared};
    if (x->space == PTX_SPACE_GENERIC && first - SHARED_WINDOW < WINDOW_BYTES)
        return (struct range){SHARED_WINDOW, (int64_t)c->shared_limit - size,
                              (uintptr_t)c->shared - SHARED_WINDOW};
    const struct tlb_entry *e = &g->tlb[x->slot];
    const bool is_good = g->tlb_epoch == *g->mem_epoch && (e->is_writable || !is_write);
    return (struct range){e->base, is_good ? (int64_t)(e->end - e->base - size) : -1, 0};
}

LOCATE_INLINE bool is_in_range(const struct range *r, addr_t addr)
{
    return r->room >= 0 && addr - r->lo <= (uint64_t)r->room;
}

/* IS_LINE(v, type, step): whether v[l] is v[0] + l * step, by vectors of 32 bytes. Each is compared
 * with where a line has it, not with its neighbour: a load that straddles two vectors that were
 * just stored makes the host wait. */
#define IS_LINE(v, type, step)                                                   \
    ({                                                                           \
        typedef type vec_ __attribute__((vector_size(32), aligned(4)));          \
        enum { PER_ = sizeof(vec_) / sizeof(type) };                             \
        vec_ want_, differ_ = {0};                                               \
        for (unsigned i = 0; i < PER_; i++)                                      \
            want_[i] = (v)[0] + i * (step);                                      \
        for (unsigned i = 0; i < WARP_LANES / PER_; i++, want_ += PER_ * (step)) \
            differ_ |= ((const vec_ *)(v))[i] ^ want_;                           \
        type any_ = 0;                                                           \
        for (unsigned i = 0; i < PER_; i++)                                      \
            any_ |= differ_[i];                                                  \
        !any_;                                                                   \
    })

#endif
