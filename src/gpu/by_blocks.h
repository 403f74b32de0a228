/* Sampling within a launch that has many more blocks than the machine holds: some are simulated,
 * others never come to an SM (aside.h).
 *
 * Windows of a wave (as many blocks as the machine holds) follow each other until two agree; then
 * blocks pass, as long as they have about as many instructions as those in the windows, and at most
 * a part of the launch. They take as many cycles an instruction as the windows did. Behind them it
 * begins again: the blocks that were on the SMs end first, among others than would have been there,
 * which counts with the cycles of the windows, too. One window is enough then if it agrees with
 * those before; and blocks that pass next may differ by more, since it did not matter.
 * The first and the last blocks, which fill and empty the machine, are always simulated. */
#ifndef GPU_BY_BLOCKS_H
#define GPU_BY_BLOCKS_H

#include "gpu/forward.h"

struct by_blocks;

struct by_blocks *by_blocks_new(struct gpu *g);
void by_blocks_free(struct by_blocks *b);

/* Whether the kernels that begin are to be sampled so. */
bool by_blocks_begin(struct by_blocks *b, cycle_t now);
/* At a meeting. False: blocks are too long for it, and none was passed. */
bool by_blocks_look(struct by_blocks *b, cycle_t now);
uint64_t by_blocks_gone(const struct by_blocks *b);
struct forward_result by_blocks_end(struct by_blocks *b);

#endif
