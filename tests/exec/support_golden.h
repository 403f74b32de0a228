/* Conformance vectors for the tests of lane arithmetic: tests/golden/NAME.vec.zst. */
#ifndef TESTS_EXEC_SUPPORT_GOLDEN_H
#define TESTS_EXEC_SUPPORT_GOLDEN_H

#include "ptx/ir.h"

enum { GOLDEN_MAX_IN = 3, GOLDEN_MAX_OUT = 2, GOLDEN_MAX_ROWS = 128 };

struct golden_case {
    char name[64];
    char op[96]; /* as in the file: may be "a+b", or end in " p|q" or " immLut=0xe8" */
    char tolerance[32];
    unsigned nin, nout, nrows;
    enum ptx_type in[GOLDEN_MAX_IN], out[GOLDEN_MAX_OUT];
    uint64_t args[GOLDEN_MAX_ROWS][GOLDEN_MAX_IN];
    uint64_t want[GOLDEN_MAX_ROWS][GOLDEN_MAX_OUT];
};

typedef void (*golden_fn)(const struct golden_case *c, void *arg);
/* Calls fn for each case of a family; false if the file cannot be read. */
bool golden_each(const char *family, golden_fn fn, void *arg);

/* Whether `got` is within `tolerance` of `want`, both of type t. */
bool golden_accepts(const char *tolerance, enum ptx_type t, uint64_t want, uint64_t got);

#endif
