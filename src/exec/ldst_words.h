/* Words of a warp on their way between memory and registers: loads and stores the short way. A word
 * is what one lane accesses, 1 to 16 bytes: one element, or several side by side. Included by files
 * that are compiled once a CPU level. */
#ifndef EXEC_LDST_WORDS_H
#define EXEC_LDST_WORDS_H

#include "exec/eight_by_four.h"
#include "exec/locate.h"

#include <string.h>

#define N      WARP_LANES
#define INLINE LOCATE_INLINE

typedef struct {
    uint64_t w[2];
} u128;

typedef uint16_t v16h __attribute__((vector_size(32)));
typedef uint64_t v4q __attribute__((vector_size(32)));

/* CASE(type) for the words' type. */
#define BY_SIZE(size, CASE)   \
    do {                      \
        if ((size) == 1)      \
            CASE(uint8_t);    \
        else if ((size) == 2) \
            CASE(uint16_t);   \
        else if ((size) == 4) \
            CASE(uint32_t);   \
        else if ((size) == 8) \
            CASE(uint64_t);   \
        else                  \
            CASE(u128);       \
    } while (0)

/* Words side by side, a vector at a time: what gcc makes of a memcpy of such lengths (rep movs)
 * takes longer to begin than the copying does, and what follows cannot read it while it is on its
 * way. */
INLINE void copy_vector(char *to, const char *from)
{
    v4q v;
    memcpy(&v, from, sizeof v);
    memcpy(to, &v, sizeof v);
    __asm__("" : : : "memory"); /* or a loop of it is seen to be a memcpy */
}

INLINE void copy_line(char *restrict to, const char *restrict from, unsigned size)
{
    for (unsigned at = 0; at < N * size; at += sizeof(v4q))
        copy_vector(to + at, from + at);
}

/* The last vector may overlap the one before it. */
INLINE void copy_words(char *restrict to, const char *restrict from, unsigned n, unsigned size)
{
    const unsigned bytes = n * size;
    if (bytes < sizeof(v4q)) {
        for (unsigned at = 0; at < bytes; at += size)
            memcpy(to + at, from + at, size);
        return;
    }
    for (unsigned at = 0; at < bytes - sizeof(v4q); at += sizeof(v4q))
        copy_vector(to + at, from + at);
    copy_vector(to + bytes - sizeof(v4q), from + bytes - sizeof(v4q));
}

/* --- memory to words --- */

#define WORD_AT(type, i)                                                \
    ({                                                                  \
        type word_;                                                     \
        memcpy(&word_, (const char *)(uintptr_t)each[i], sizeof word_); \
        word_;                                                          \
    })

/* Vectors are put together in registers: parts that were stored one by one would make the host wait
 * when they are next read as a whole. */
#define FOUR(type, i) \
    WORD_AT(type, i), WORD_AT(type, i + 1), WORD_AT(type, i + 2), WORD_AT(type, i + 3)
#define EIGHT(type, i) FOUR(type, i), FOUR(type, i + 4)

INLINE uint64_t eight_bytes(const addr_t *each)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)WORD_AT(uint8_t, i) << 8 * i;
    return v;
}

INLINE void gather(void *restrict to, const addr_t *each, unsigned size)
{
    if (size == 1)
        *(v4q *)to = (v4q){eight_bytes(each), eight_bytes(each + 8), eight_bytes(each + 16),
                           eight_bytes(each + 24)};
    for (unsigned i = 0; size == 2 && i < N; i += 16)
        ((v16h *)to)[i / 16] = (v16h){EIGHT(uint16_t, i), EIGHT(uint16_t, i + 8)};
    for (unsigned i = 0; size == 4 && i < N; i += 8)
        ((v8u *)to)[i / 8] = (v8u){EIGHT(uint32_t, i)};
    for (unsigned i = 0; size == 8 && i < N; i += 4)
        ((v4q *)to)[i / 4] = (v4q){FOUR(uint64_t, i)};
    for (unsigned i = 0; size == 16 && i < N; i++)
        ((u128 *)to)[i] = WORD_AT(u128, i);
}

#define REPEAT(type)                      \
    do {                                  \
        type word;                        \
        memcpy(&word, from, sizeof word); \
        for (unsigned i = 0; i < N; i++)  \
            ((type *)to)[i] = word;       \
    } while (0)

INLINE void repeat(void *restrict to, const char *from, unsigned size)
{
    BY_SIZE(size, REPEAT);
}

#define BLEND(type)                  \
    for (unsigned i = 0; i < N; i++) \
    ((type *)reg)[i] = mask >> i & 1 ? ((const type *)words)[i] : ((type *)reg)[i]

INLINE void blend(void *restrict reg, const void *words, unsigned size, uint32_t mask)
{
    BY_SIZE(size, BLEND);
}

/* --- words to registers --- */

/* Lanes of type R = the part of words of type W that is left after two shifts, in type C. */
#define PART(R, W, C, U) (R)((C)((U)((const W *)words)[i] << up) >> down)
#define TAKE(R, W, C, U)                                        \
    do {                                                        \
        R *d = reg;                                             \
        if (mask == UINT32_MAX)                                 \
            for (unsigned i = 0; i < N; i++)                    \
                d[i] = PART(R, W, C, U);                        \
        else                                                    \
            for (unsigned i = 0; i < N; i++)                    \
                d[i] = mask >> i & 1 ? PART(R, W, C, U) : d[i]; \
    } while (0)
#define TAKE_SIGNED(R, W, S, U) \
    do {                        \
        if (is_signed)          \
            TAKE(R, W, S, U);   \
        else                    \
            TAKE(R, W, U, U);   \
    } while (0)
#define TAKE_INTO(W, S, U)                  \
    do {                                    \
        if (r->bytes == 2)                  \
            TAKE_SIGNED(uint16_t, W, S, U); \
        else if (r->bytes == 4)             \
            TAKE_SIGNED(uint32_t, W, S, U); \
        else                                \
            TAKE_SIGNED(uint64_t, W, S, U); \
    } while (0)

/* Lanes of type R = words of type W; S is the signed one. */
#define WIDEN(R, W, S)                                             \
    do {                                                           \
        R *d = reg;                                                \
        if (mask != UINT32_MAX)                                    \
            for (unsigned i = 0; i < N; i++)                       \
                d[i] = !(mask >> i & 1) ? d[i]                     \
                       : is_signed      ? (R)((const S *)words)[i] \
                                        : (R)((const W *)words)[i];     \
        else if (is_signed)                                        \
            for (unsigned i = 0; i < N; i++)                       \
                d[i] = (R)((const S *)words)[i];                   \
        else                                                       \
            for (unsigned i = 0; i < N; i++)                       \
                d[i] = (R)((const W *)words)[i];                   \
    } while (0)
#define WIDEN_INTO(W, S)           \
    do {                           \
        if (r->bytes == 2)         \
            WIDEN(uint16_t, W, S); \
        else if (r->bytes == 4)    \
            WIDEN(uint32_t, W, S); \
        else                       \
            WIDEN(uint64_t, W, S); \
    } while (0)

/* Words that are one element. */
INLINE void take_whole(const struct xmem *m, char *const *base, const void *words, unsigned size,
                       uint32_t mask)
{
    const struct lane_ref *r = &m->regs[0];
    const bool is_signed = m->is_signed;
    void *reg = lane_at(r, base);
    if (size == 1)
        WIDEN_INTO(uint8_t, int8_t);
    else if (size == 2)
        WIDEN_INTO(uint16_t, int16_t);
    else if (size == 4)
        WIDEN_INTO(uint32_t, int32_t);
    else
        WIDEN_INTO(uint64_t, int64_t);
}

/* Element k of every word. */
INLINE void take(const struct xmem *m, unsigned k, char *const *base, const void *words,
                 unsigned size, uint32_t mask)
{
    const struct lane_ref *r = &m->regs[k];
    const unsigned bits = size == 8 ? 64 : 32, down = bits - 8 * m->bytes;
    const unsigned up = down - 8 * m->bytes * k;
    const bool is_signed = m->is_signed && r->bytes > m->bytes;
    void *reg = lane_at(r, base);
    if (size == 2)
        TAKE_INTO(uint16_t, int32_t, uint32_t);
    else if (size == 4)
        TAKE_INTO(uint32_t, int32_t, uint32_t);
    else
        TAKE_INTO(uint64_t, int64_t, uint64_t);
}

/* Four registers of 4 bytes, eight lanes at a time. */
INLINE void take_fours(void *restrict to[4], const char *words)
{
    for (unsigned i = 0; i < N; i += 8) {
        v8u v[4];
        eight_by_four(words + (size_t)i * 16, v);
        for (unsigned k = 0; k < 4; k++)
            ((v8u *)to[k])[i / 8] = v[k];
    }
}

INLINE void take_pairs(void *restrict to[2], const char *words)
{
    for (unsigned i = 0; i < N; i++) {
        u128 word;
        memcpy(&word, words + (size_t)i * 16, sizeof word);
        ((uint64_t *)to[0])[i] = word.w[0];
        ((uint64_t *)to[1])[i] = word.w[1];
    }
}

/* Words of 16 bytes to registers that are as wide as the elements, 4 or 2 of them. */
INLINE void take_wide(const struct xmem *m, char *const *base, const char *words, uint32_t mask)
{
    _Alignas(64) char part[4][N * 8];
    void *to[4];
    for (unsigned k = 0; k < m->nregs; k++)
        to[k] = mask == UINT32_MAX && !m->regs[k].none ? lane_at(&m->regs[k], base) : part[k];
    if (m->bytes == 4)
        take_fours(to, words);
    else
        take_pairs(to, words);
    for (unsigned k = 0; mask != UINT32_MAX && k < m->nregs; k++) {
        if (m->regs[k].none)
            continue;
        if (m->bytes == 4)
            blend(lane_at(&m->regs[k], base), part[k], 4, mask);
        else
            blend(lane_at(&m->regs[k], base), part[k], 8, mask);
    }
}

/* Words to the registers of a load, which has one register as wide as them if it is plain. */
INLINE void deliver(const struct xmem *m, char *const *base, const void *words, unsigned size,
                    bool is_plain, uint32_t mask)
{
    if (is_plain) {
        void *reg = lane_at(&m->regs[0], base);
        if (mask != UINT32_MAX)
            blend(reg, words, size, mask);
        else if (reg != words)
            copy_line(reg, words, size);
    } else if (size == 16) {
        take_wide(m, base, words, mask);
    } else if (size == 1 || m->nregs == 1) {
        if (!m->regs[0].none)
            take_whole(m, base, words, size, mask);
    } else {
        for (unsigned k = 0; k < m->nregs; k++)
            if (!m->regs[k].none)
                take(m, k, base, words, size, mask);
    }
}

/* --- registers to words --- */

/* Words of type W |= the lowest bytes of lanes of type R, `up` bits up. */
#define GIVE(W, R, U)                \
    for (unsigned i = 0; i < N; i++) \
    ((W *)words)[i] = (W)((k ? ((W *)words)[i] : 0) | ((U)((const R *)reg)[i] & low) << up)
#define GIVE_FROM(W, U)           \
    do {                          \
        if (r->bytes == 2)        \
            GIVE(W, uint16_t, U); \
        else if (r->bytes == 4)   \
            GIVE(W, uint32_t, U); \
        else                      \
            GIVE(W, uint64_t, U); \
    } while (0)

#define CUT(W, R)                    \
    for (unsigned i = 0; i < N; i++) \
    ((W *)words)[i] = (W)((const R *)reg)[i]
#define CUT_FROM(W)             \
    do {                        \
        if (r->bytes == 2)      \
            CUT(W, uint16_t);   \
        else if (r->bytes == 4) \
            CUT(W, uint32_t);   \
        else                    \
            CUT(W, uint64_t);   \
    } while (0)

/* Words that are one element. */
INLINE void give_whole(const struct xmem *m, char *const *base, void *restrict words, unsigned size)
{
    const struct lane_ref *r = &m->regs[0];
    const void *reg = lane_at(r, base);
    if (size == 1)
        CUT_FROM(uint8_t);
    else if (size == 2)
        CUT_FROM(uint16_t);
    else if (size == 4)
        CUT_FROM(uint32_t);
    else
        CUT_FROM(uint64_t);
}

/* Element k of every word; the first comes first. */
INLINE void give(const struct xmem *m, unsigned k, char *const *base, void *restrict words,
                 unsigned size)
{
    const struct lane_ref *r = &m->regs[k];
    const unsigned up = 8 * m->bytes * k;
    const uint64_t low = UINT64_MAX >> (64 - 8 * m->bytes);
    const void *reg = lane_at(r, base);
    if (size == 2)
        GIVE_FROM(uint16_t, uint32_t);
    else if (size == 4)
        GIVE_FROM(uint32_t, uint32_t);
    else
        GIVE_FROM(uint64_t, uint64_t);
}

INLINE void give_fours(const struct xmem *m, char *const *base, char *words)
{
    const v8u *from[4];
    for (unsigned k = 0; k < 4; k++)
        from[k] = (const v8u *)lane_at(&m->regs[k], base);
    for (unsigned i = 0; i < N; i += 8) {
        v8u v[4];
        for (unsigned k = 0; k < 4; k++)
            v[k] = from[k][i / 8];
        const v8u a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const v8u b = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const v8u c = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const v8u d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
        const v8u word[4] = {__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                             __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                             __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13),
                             __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15)};
        for (unsigned k = 0; k < 4; k += 2) {
            const v8u lo = __builtin_shufflevector(word[k], word[k + 1], 0, 1, 2, 3, 8, 9, 10, 11);
            const v8u hi =
                __builtin_shufflevector(word[k], word[k + 1], 4, 5, 6, 7, 12, 13, 14, 15);
            memcpy(words + (i + k) * 16, &lo, sizeof lo);
            memcpy(words + (i + k + 4) * 16, &hi, sizeof hi);
        }
    }
}

INLINE void give_pairs(const struct xmem *m, char *const *base, char *words)
{
    const uint64_t *lo = (const uint64_t *)lane_at(&m->regs[0], base);
    const uint64_t *hi = (const uint64_t *)lane_at(&m->regs[1], base);
    for (unsigned i = 0; i < N; i++) {
        const u128 word = {{lo[i], hi[i]}};
        memcpy(words + (size_t)i * 16, &word, sizeof word);
    }
}

/* The words of a store that is not plain, put together. */
INLINE void assemble(const struct xmem *m, char *const *base, char *words, unsigned size)
{
    if (size == 16 && m->bytes == 4)
        give_fours(m, base, words);
    else if (size == 16)
        give_pairs(m, base, words);
    else if (size == 1 || m->nregs == 1)
        give_whole(m, base, words, size);
    else
        for (unsigned k = 0; k < m->nregs; k++)
            give(m, k, base, words, size);
}

/* The words of a store: in its register if it is plain, else put together in tmp. */
INLINE const char *collect(const struct xmem *m, char *const *base, char *tmp, unsigned size,
                           bool is_plain)
{
    if (is_plain)
        return lane_at(&m->regs[0], base);
    assemble(m, base, tmp, size);
    return tmp;
}

/* All lanes of a store, side by side from `at` on. Words of more than one element are written once,
 * each part of them as a vector. */
INLINE void store_line(const struct xmem *m, char *const *base, char *at, unsigned size,
                       bool is_plain)
{
    _Alignas(64) char tmp[N * 16];
    if (!is_plain && size == 16)
        assemble(m, base, at, size);
    else
        copy_line(at, collect(m, base, tmp, size, is_plain), size);
}

/* --- words to memory --- */

#define PUT(type) \
    memcpy((char *)(uintptr_t)each[i], (const char *)words + (size_t)i * sizeof(type), sizeof(type))

/* In ascending order: of lanes at one place the last one stays. */
INLINE void scatter(const addr_t *each, const void *words, unsigned size, uint32_t mask)
{
    if (mask == UINT32_MAX)
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < N; i++) BY_SIZE(size, PUT);
    else
        FOR_LANES (i, mask)
            BY_SIZE(size, PUT);
}

/* --- functions by size --- */

#define LDST_FN(name, size, is_plain)                                                            \
    static bool name##_##size##_##is_plain(struct warp *w, const struct xinst *x, uint32_t mask) \
    {                                                                                            \
        return name(w, x, mask, size, is_plain);                                                 \
    }
/* name_SIZE_PLAIN() of name(), which takes both as arguments. */
#define LDST_FNS(name)   \
    LDST_FN(name, 1, 0)  \
    LDST_FN(name, 2, 0)  \
    LDST_FN(name, 2, 1)  \
    LDST_FN(name, 4, 0)  \
    LDST_FN(name, 4, 1)  \
    LDST_FN(name, 8, 0)  \
    LDST_FN(name, 8, 1)  \
    LDST_FN(name, 16, 0) \
    LDST_FN(name, 16, 1)
#define LDST_TABLE(name)                                                        \
    {                                                                           \
        {name##_1_0, NULL}, {name##_2_0, name##_2_1}, {name##_4_0, name##_4_1}, \
            {name##_8_0, name##_8_1}, {name##_16_0, name##_16_1},               \
    }

#undef INLINE
#endif
