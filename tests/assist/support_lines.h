/* Lines to try routines with: of every encoding, on the edges between them, and of no encoding. */
#ifndef TESTS_ASSIST_SUPPORT_LINES_H
#define TESTS_ASSIST_SUPPORT_LINES_H

#include "base/rng.h"

enum { LINE_KINDS = 30 };

/* 128 bytes of a kind in [0, LINE_KINDS). */
void lines_fill(struct rng *r, unsigned kind, uint8_t *line);

#endif
