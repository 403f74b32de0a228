/* Growable array: `VEC(int) v = {0}; vec_push(&v, 3); v.data[0]; vec_free(&v);` */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/common.h"

#include <stdlib.h>

#define VEC(type)        \
    struct {             \
        type *data;      \
        size_t len, cap; \
    }

#define vec_reserve(v, n)                                                  \
    do {                                                                   \
        size_t need_ = (n);                                                \
        if (need_ > (v)->cap) {                                            \
            size_t cap_ = (v)->cap ? (v)->cap * 2 : 8;                     \
            (v)->cap = cap_ > need_ ? cap_ : need_;                        \
            (v)->data = xrealloc((v)->data, (v)->cap * sizeof *(v)->data); \
        }                                                                  \
    } while (0)

#define vec_push(v, x)                  \
    do {                                \
        vec_reserve((v), (v)->len + 1); \
        (v)->data[(v)->len++] = (x);    \
    } while (0)

#define vec_pop(v)  ((v)->data[--(v)->len])
#define vec_last(v) ((v)->data[(v)->len - 1])
/* Takes one element with this value out; the last takes its place. */
#define vec_drop(v, x)                                        \
    do {                                                      \
        size_t vec_at = 0;                                    \
        while (vec_at < (v)->len && (v)->data[vec_at] != (x)) \
            vec_at++;                                         \
        if (vec_at < (v)->len)                                \
            (v)->data[vec_at] = (v)->data[--(v)->len];        \
    } while (0)
#define vec_free(v) (free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)

#endif
