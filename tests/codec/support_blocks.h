/* Blocks to test codecs with: random, structured, and on the edge of every pattern. */
#ifndef SUPPORT_BLOCKS_H
#define SUPPORT_BLOCKS_H

#include "base/rng.h"

enum { BLOCK_KINDS = 14 };

/* Fills `bytes` (a multiple of 8) with data of a kind in [0, BLOCK_KINDS). */
void blocks_fill(struct rng *r, unsigned kind, uint8_t *out, unsigned bytes);

#endif
