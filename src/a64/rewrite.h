/* A memoized program out of an executable: functions begin with a branch to code in a new segment,
 * which sends their arguments to the memoization unit, looks up, and calls the function only where
 * nothing was found. */
#ifndef A64_REWRITE_H
#define A64_REWRITE_H

#include "base/err.h"

enum { REWRITE_MOST = 8 }; /* logical tables */

struct rewrite_function {
    uint64_t entry;  /* where it was executed */
    uint32_t inputs; /* bits of registers, x0-x7 and v0-v7 */
    bool is_simd;    /* the result is in v0, else in x0 */
    unsigned cut;    /* bits off each input */
};

/* Whether the first instruction can be executed elsewhere. */
bool rewrite_can_move(uint32_t word);
/* Writes `out`, with at most REWRITE_MOST of them; `start`: where the program began, which says how
 * far it was moved. An error names the file. */
bool rewrite_file(const char *path, const char *out, const struct rewrite_function *at, size_t n,
                  uint64_t start, struct err *err);

#endif
