/* Eight times four words of 4 bytes, turned over. Included by files that are compiled once a CPU
 * level. */
#ifndef EXEC_EIGHT_BY_FOUR_H
#define EXEC_EIGHT_BY_FOUR_H

#include <stdint.h>

typedef uint32_t v4u __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t v8u __attribute__((vector_size(32), may_alias));

/* out[k] has word k of eight groups of four. Each vector is loaded with two groups that are four
 * apart, so that all further steps stay within halves. */
static inline __attribute__((always_inline)) void eight_by_four(const char *words, v8u out[4])
{
    v8u v[4];
    for (unsigned k = 0; k < 4; k++) {
        const v4u lo = *(const v4u *)(words + k * 16);
        const v4u hi = *(const v4u *)(words + (k + 4) * 16);
        v[k] = __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const v8u a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const v8u b = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const v8u c = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const v8u d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

#endif
