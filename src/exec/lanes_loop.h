/* How a lane operation is written: loops of 32 trips that the compiler turns into vector code.
 *
 * A destination is either the very array of a source or disjoint from it, so the trips never depend
 * on each other; LANE_FOR says so. Values are handled as unsigned integers and results are blended
 * by bit masks, because only that is turned into vector code by every compiler for every type. */
#ifndef EXEC_LANES_LOOP_H
#define EXEC_LANES_LOOP_H

#include "exec/lanes_int.h"

#if defined(__clang__)
/* Unrolling first would leave nothing to vectorise; a loop that stays scalar is no news. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANE_FOR                                                                        \
    _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (unsigned l = 0; \
                                                                        l < WARP_LANES; l++)
#else
#define LANE_FOR _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP_LANES; l++)
#endif

#define LANE_ALL UINT32_MAX

/* All ones in T if lane l is active. */
#define LANE_MASK(T, mask) ((T)(-(T)(((mask) >> l) & 1)))

/* d[l] = EXPR in the lanes of `mask`. EXPR may use `l`. */
#define LANE_STORE(T, d, mask, EXPR)                              \
    do {                                                          \
        if (LIKELY((mask) == LANE_ALL)) {                         \
            LANE_FOR(d)[l] = (T)(EXPR);                           \
        } else {                                                  \
            LANE_FOR                                              \
            {                                                     \
                const T m_ = LANE_MASK(T, mask);                  \
                (d)[l] = (T)(((T)(EXPR)&m_) | ((d)[l] & (T)~m_)); \
            }                                                     \
        }                                                         \
    } while (0)

#define LANE_ARGS const struct lane_op *op, char *const *base, uint32_t mask

/* Functions of one, two, three sources: EXPR in x, y, z. TD is an unsigned type. */
#define LANE_FN1(name, TD, TX, EXPR)                           \
    static void name(LANE_ARGS)                                \
    {                                                          \
        TD *d = (TD *)lane_at(&op->d, base);                   \
        const TX *xs = (const TX *)lane_at(&op->src[0], base); \
        LANE_STORE(TD, d, mask, ({                             \
                       const TX x = xs[l];                     \
                       (TD)(EXPR);                             \
                   }));                                        \
    }
#define LANE_FN2(name, TD, TX, TY, EXPR)                       \
    static void name(LANE_ARGS)                                \
    {                                                          \
        TD *d = (TD *)lane_at(&op->d, base);                   \
        const TX *xs = (const TX *)lane_at(&op->src[0], base); \
        const TY *ys = (const TY *)lane_at(&op->src[1], base); \
        LANE_STORE(TD, d, mask, ({                             \
                       const TX x = xs[l];                     \
                       const TY y = ys[l];                     \
                       (TD)(EXPR);                             \
                   }));                                        \
    }
#define LANE_FN3(name, TD, TX, TY, TZ, EXPR)                   \
    static void name(LANE_ARGS)                                \
    {                                                          \
        TD *d = (TD *)lane_at(&op->d, base);                   \
        const TX *xs = (const TX *)lane_at(&op->src[0], base); \
        const TY *ys = (const TY *)lane_at(&op->src[1], base); \
        const TZ *zs = (const TZ *)lane_at(&op->src[2], base); \
        LANE_STORE(TD, d, mask, ({                             \
                       const TX x = xs[l];                     \
                       const TY y = ys[l];                     \
                       const TZ z = zs[l];                     \
                       (TD)(EXPR);                             \
                   }));                                        \
    }
#define LANE_FN4(name, TD, TX, TY, TZ, TW, EXPR)               \
    static void name(LANE_ARGS)                                \
    {                                                          \
        TD *d = (TD *)lane_at(&op->d, base);                   \
        const TX *xs = (const TX *)lane_at(&op->src[0], base); \
        const TY *ys = (const TY *)lane_at(&op->src[1], base); \
        const TZ *zs = (const TZ *)lane_at(&op->src[2], base); \
        const TW *ws = (const TW *)lane_at(&op->src[3], base); \
        LANE_STORE(TD, d, mask, ({                             \
                       const TX x = xs[l];                     \
                       const TY y = ys[l];                     \
                       const TZ z = zs[l];                     \
                       const TW w = ws[l];                     \
                       (TD)(EXPR);                             \
                   }));                                        \
    }

/* Writes a predicate destination. */
static inline void lane_set_pred(const struct lane_ref *r, char *const *base, uint32_t mask,
                                 uint32_t v)
{
    uint32_t old;
    if (r->none)
        return;
    char *p = lane_at(r, base);
    __builtin_memcpy(&old, p, sizeof old);
    v = (v & mask) | (old & ~mask);
    __builtin_memcpy(p, &v, sizeof v);
}

#define LANE_ROW(OP, TYPE, TYPE2, VARIANT, FN)            \
    {                                                     \
        PTX_OP_##OP, PTX_##TYPE, PTX_##TYPE2, VARIANT, FN \
    }

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#endif
