/* Conformance vectors: what a real GPU computed, and how close one must come (docs/golden.md). */
#ifndef VALIDATE_GOLDEN_H
#define VALIDATE_GOLDEN_H

#include "gpu/session.h"

#include <stdio.h>

enum { GOLDEN_MAX_TYPES = 4 };

struct tolerance {
    enum { TOL_EXACT, TOL_ULP, TOL_ABS, TOL_REL, TOL_ABS_OR_REL } kind;
    double bound;
};

bool tolerance_parse(const char *s, struct tolerance *t);
/* Whether `got` is close enough to `want`, both bit patterns of type t. */
bool tolerance_accepts(const struct tolerance *tol, enum ptx_type t, uint64_t want, uint64_t got);

struct golden_count {
    uint64_t passed, failed;
    uint64_t hash; /* of all results bit by bit, so that two runs can be compared */
};

/* Runs the cases of one .vec text against the program of its .ptx; prints each failing one. */
bool golden_run_vectors(const char *name, char *text, struct session *s, struct program *p,
                        FILE *out, struct golden_count *count, struct err *err);
/* Every NAME.vec of a folder with its NAME.ptx, also as .zst, each on a fresh machine of `o`. */
bool golden_run_folder(const char *dir, const struct session_options *o, FILE *out,
                       struct golden_count *count, struct err *err);

#endif
