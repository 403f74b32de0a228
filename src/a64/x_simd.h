/* Instructions that make one vector of two, rn and rm: what their loops share. */
#ifndef A64_X_SIMD_H
#define A64_X_SIMD_H

#include "a64/exec_int.h"
#include "a64/simd.h"

/* v_NAME: `r` from both[0] and both[1]; the statements make element k of n. */
#define FROM_BOTH(name, ...)                                     \
    EXEC(v_##name)                                               \
    {                                                            \
        const union a64_vec both[] = {c->v[i->rn], c->v[i->rm]}; \
        const unsigned n = (unsigned)i->shift >> i->size;        \
        union a64_vec r = {0};                                   \
        for (unsigned k = 0; k < n; k++) {                       \
            __VA_ARGS__                                          \
        }                                                        \
        c->v[i->rd] = r;                                         \
        NEXT;                                                    \
    }

/* `result` of x and y, neighbours in both, one behind the other, as `get` reads them. */
#define PAIRS(name, get, result)                                    \
    FROM_BOTH(name, const union a64_vec *v = &both[2 * k >= n];     \
              const __auto_type x = get(v, i->size, 2 * k % n);     \
              const __auto_type y = get(v, i->size, 2 * k % n + 1); \
              simd_put(&r, i->size, k, (uint64_t)(result));)

#endif
