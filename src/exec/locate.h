/* Where the lanes of an access are on the host, if every one of them is where it may be.
 *
 * This is the short way of loads, stores and atomics, compiled once a CPU level: all lanes in one
 * range that is known to be good, and aligned. Whatever is not so (a fault, lanes in several spaces
 * or allocations, a checker) gets no answer here and goes the checked way (memory.h) from the
 * start. */
#ifndef EXEC_LOCATE_H
#define EXEC_LOCATE_H

#include "exec/memory_lanes.h"
#include "exec/range.h"

/* What an access of `size` bytes a lane does, apart from its range. */
struct lookup {
    const void *src; /* the address register, of `bytes` a lane */
    unsigned bytes;
    int64_t imm;
    unsigned size;
    uint32_t mask;
};

#define LOCATE_NOWHERE ((struct located){NULL, 0})

LOCATE_INLINE addr_t address_of(const struct lookup *q, unsigned lane)
{
    return q->bytes == 8 ? ((const uint64_t *)q->src)[lane] + (uint64_t)q->imm
                         : ((const uint32_t *)q->src)[lane] + (uint32_t)q->imm;
}

LOCATE_INLINE struct located locate_one(const struct range *r, addr_t addr, unsigned align)
{
    const bool is_good = is_in_range(r, addr) && !(addr & (align - 1));
    return (struct located){is_good ? (char *)(addr + r->host) : NULL, 0};
}

/* The host addresses of lanes that are side by side. */
LOCATE_INLINE void line_up(addr_t *restrict each, const char *at, unsigned size)
{
    for (unsigned i = 0; i < WARP_LANES; i++)
        each[i] = (addr_t)at + i * (addr_t)size;
}

/* --- full warps --- */

/* Steps of a line are small, so that all of it is between its ends. */
enum { LINE_STEP_MAX = 1 << 16 };

/* A line from `first` on, which may be in a range or not. */
LOCATE_INLINE struct located locate_line(const struct range *r, addr_t first, uint64_t step,
                                         unsigned size, addr_t *restrict each)
{
    if (!is_in_range(r, first) || !is_in_range(r, first + (WARP_LANES - 1) * step) ||
        ((first | step) & (size - 1)))
        return LOCATE_NOWHERE;
    if (step == 0 || step == size)
        return (struct located){(char *)(first + r->host), step};
    uint64_t at = first + r->host;
    for (unsigned i = 0; i < WARP_LANES; i++, at += step)
        each[i] = at;
    return (struct located){(char *)each[0], SPAN_NO_STEP};
}

/* Places that follow no rule: the host addresses of all go to each[]. */
LOCATE_INLINE struct located locate_each(const struct range *r, const addr_t *addr, uint64_t low,
                                         unsigned size, addr_t *restrict each)
{
    const uint64_t lo = r->lo, host = r->host, room = (uint64_t)r->room;
    uint64_t out = room;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint64_t a = addr[i], off = a - lo;
        out |= off | (room - off); /* the sign says that off is beyond room */
        low |= a;
        each[i] = a + host;
    }
    const bool is_good = !(out >> 63) && !(low & (size - 1));
    return (struct located){is_good ? (char *)each[0] : NULL, SPAN_NO_STEP};
}

static __attribute__((noinline)) struct located
locate_full_64(const struct lookup *q, const struct range *r, addr_t *restrict each)
{
    const uint64_t *src = q->src, imm = (uint64_t)q->imm, step = src[1] - src[0];
    if (src[WARP_LANES - 1] - src[0] == (WARP_LANES - 1) * step &&
        step + LINE_STEP_MAX < 2 * LINE_STEP_MAX && IS_LINE(src, uint64_t, step))
        return locate_line(r, src[0] + imm, step, q->size, each);
    const struct range from = {r->lo - imm, r->room, r->host + imm};
    return locate_each(&from, src, imm, q->size, each);
}

/* The same of addresses that have 32 bits: half the width, and the smallest and largest are cheap.
 */
LOCATE_INLINE struct located locate_each_32(const struct range *r, const uint32_t *src,
                                            uint32_t imm, unsigned size, addr_t *restrict each)
{
    uint32_t low = 0, min = UINT32_MAX, max = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) {
        const uint32_t a = src[i] + imm;
        low |= a;
        min = a < min ? a : min;
        max = a > max ? a : max;
        each[i] = a + r->host;
    }
    const bool is_good = is_in_range(r, min) && is_in_range(r, max) && !(low & (size - 1));
    return (struct located){is_good ? (char *)each[0] : NULL, SPAN_NO_STEP};
}

static __attribute__((noinline)) struct located
locate_full_32(const struct lookup *q, const struct range *r, addr_t *restrict each)
{
    const uint32_t *src = q->src, imm = (uint32_t)q->imm, step = src[1] - src[0];
    if (src[WARP_LANES - 1] - src[0] == (WARP_LANES - 1) * step &&
        step + LINE_STEP_MAX < 2 * LINE_STEP_MAX && IS_LINE(src, uint32_t, step)) {
        const uint32_t first = src[0] + imm, last = src[WARP_LANES - 1] + imm;
        const int64_t by = (int32_t)step;
        if ((int64_t)last - first != (WARP_LANES - 1) * by)
            return LOCATE_NOWHERE; /* it goes round at 4 GB */
        return locate_line(r, first, (uint64_t)by, q->size, each);
    }
    return locate_each_32(r, src, imm, q->size, each);
}

/* --- some lanes --- */

/* How the active lanes lie to the first of them, which is at `at`: whether all are there; whether
 * all are side by side, `lane0` being where lane 0 then is. places[] has where all lanes are,
 * inactive ones where the first active one is. */
struct some_lanes {
    bool are_one, are_side_by_side;
};

#define LOOK_AT_SOME(type, q, at, lane0, places)                                            \
    ({                                                                                      \
        typedef type vec_ __attribute__((vector_size(32), aligned(4), may_alias));          \
        enum { PER_ = sizeof(vec_) / sizeof(type) };                                        \
        vec_ want_ = LINE_FROM(vec_, type, lane0, (q)->size);                               \
        vec_ bit_, differ_ = {0}, apart_ = {0};                                             \
        for (unsigned i = 0; i < PER_; i++)                                                 \
            bit_[i] = (type)1 << i;                                                         \
        for (unsigned i = 0; i < WARP_LANES / PER_; i++, want_ += PER_ * (type)(q)->size) { \
            const vec_ is_active_ = (vec_)((bit_ & (type)((q)->mask >> PER_ * i)) == bit_); \
            const vec_ is_ = ((const vec_ *)(q)->src)[i] + (type)(q)->imm;                  \
            const vec_ by_ = (is_ ^ (at)) & is_active_;                                     \
            differ_ |= by_;                                                                 \
            apart_ |= (is_ ^ want_) & is_active_;                                           \
            ((vec_ *)(places))[i] = by_ ^ (at);                                             \
        }                                                                                   \
        type any_differ_ = 0, any_apart_ = 0;                                               \
        for (unsigned i = 0; i < PER_; i++) {                                               \
            any_differ_ |= differ_[i];                                                      \
            any_apart_ |= apart_[i];                                                        \
        }                                                                                   \
        (struct some_lanes){!any_differ_, !any_apart_};                                     \
    })

LOCATE_INLINE bool is_line_in_range(const struct range *r, addr_t lane0, unsigned size)
{
    return is_in_range(r, lane0) && is_in_range(r, lane0 + (WARP_LANES - 1) * (addr_t)size) &&
           !(lane0 & (size - 1));
}

static __attribute__((noinline)) struct located
locate_some_64(const struct lookup *q, const struct range *r, addr_t *restrict each)
{
    const unsigned first = (unsigned)__builtin_ctz(q->mask);
    const addr_t at = address_of(q, first), lane0 = at - (addr_t)first * q->size;
    _Alignas(32) addr_t places[WARP_LANES];
    const struct some_lanes lie = LOOK_AT_SOME(addr_t, q, at, lane0, places);
    if (lie.are_one)
        return locate_one(r, at, q->size);
    if (lie.are_side_by_side && is_line_in_range(r, lane0, q->size))
        return (struct located){(char *)(lane0 + r->host), q->size};
    return locate_each(r, places, 0, q->size, each);
}

static __attribute__((noinline)) struct located
locate_some_32(const struct lookup *q, const struct range *r, addr_t *restrict each)
{
    const unsigned first = (unsigned)__builtin_ctz(q->mask);
    const uint32_t at = (uint32_t)address_of(q, first), lane0 = at - first * q->size;
    _Alignas(32) uint32_t places[WARP_LANES];
    const struct some_lanes lie = LOOK_AT_SOME(uint32_t, q, at, lane0, places);
    if (lie.are_one)
        return locate_one(r, at, q->size);
    if (lie.are_side_by_side && is_line_in_range(r, lane0, q->size))
        return (struct located){(char *)(lane0 + r->host), q->size};
    return locate_each_32(r, places, 0, q->size, each);
}

/* Where `step` is SPAN_NO_STEP, each[l] is the host address of lane l, and that of an active one
 * for those that are not. */
LOCATE_INLINE struct located locate(const struct lookup *q, const struct range *r,
                                    addr_t *restrict each)
{
    if (q->mask == UINT32_MAX)
        return q->bytes == 8 ? locate_full_64(q, r, each) : locate_full_32(q, r, each);
    if (!(q->mask & (q->mask - 1)))
        return locate_one(r, address_of(q, (unsigned)__builtin_ctz(q->mask)), q->size);
    return q->bytes == 8 ? locate_some_64(q, r, each) : locate_some_32(q, r, each);
}

/* The lanes of an instruction that accesses `size` bytes a lane outside local memory. */
LOCATE_INLINE struct located locate_access(const struct warp *w, const struct xinst *x,
                                           uint32_t mask, unsigned size, bool is_write,
                                           addr_t *restrict each)
{
    const struct xmem *m = &x->mem;
    const struct lookup q = {lane_at(&m->addr, w->base), m->addr.bytes, m->imm, size, mask};
    const addr_t first = address_of(&q, (unsigned)__builtin_ctz(mask));
    const struct range r = range_of(w, x, first, size, is_write);
    return m->is_uniform ? locate_one(&r, first, size) : locate(&q, &r, each);
}

#endif
