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

/* LINE_FROM(vec, type, first, step): the places of a line from `first` on, as a vector. It is made
 * of what is in registers: one that is put together in memory, part by part, makes the host wait
 * until the parts are there, and all that was stored before them. */
#define LINE_FROM(vec, type, first, step)                                                  \
    ({                                                                                     \
        enum { IN_LINE_ = sizeof(vec) / sizeof(type) };                                    \
        _Static_assert(IN_LINE_ <= 8, "three bits number the places");                     \
        const type one_ = (type)(step), two_ = 2 * one_, four_ = 4 * one_;                 \
        vec has_one_, has_two_, has_four_;                                                 \
        for (unsigned i_ = 0; i_ < IN_LINE_; i_++) {                                       \
            has_one_[i_] = -(type)(i_ & 1);                                                \
            has_two_[i_] = -(type)(i_ >> 1 & 1);                                           \
            has_four_[i_] = -(type)(i_ >> 2 & 1);                                          \
        }                                                                                  \
        (has_one_ & one_) + (has_two_ & two_) + (has_four_ & four_) + (const type)(first); \
    })

/* IS_LINE(v, type, step): whether v[l] is v[0] + l * step, by vectors of 32 bytes. Each is compared
 * with where a line has it, not with its neighbour: a load that straddles two vectors that were
 * just stored makes the host wait. */
#define IS_LINE(v, type, step)                                                   \
    ({                                                                           \
        typedef type vec_ __attribute__((vector_size(32), aligned(4)));          \
        enum { PER_ = sizeof(vec_) / sizeof(type) };                             \
        vec_ want_ = LINE_FROM(vec_, type, (v)[0], step), differ_ = {0};         \
        for (unsigned i = 0; i < WARP_LANES / PER_; i++, want_ += PER_ * (step)) \
            differ_ |= ((const vec_ *)(v))[i] ^ want_;                           \
        type any_ = 0;                                                           \
        for (unsigned i = 0; i < PER_; i++)                                      \
            any_ |= differ_[i];                                                  \
        !any_;                                                                   \
    })

#endif
