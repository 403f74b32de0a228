/* What kernels that keep no time touch is brought into the L2, and techniques are told of what they
 * write. */
#ifndef GPU_WARM_H
#define GPU_WARM_H

#include "exec/watch.h"
#include "gpu/gpu.h"

struct warm;

struct warm *warm_new(struct gpu *g);
void warm_free(struct warm *w);
/* For device.watch while they run. */
struct mem_watch *warm_watch(struct warm *w);
/* Around a launch that grid_run() runs, block by block: so many would have run side by side. */
void warm_begin_launch(struct warm *w, uint64_t blocks);
void warm_end_launch(struct warm *w);
/* A block begins whose touches, with those of others, are told later: as if all of them had run
 * side by side. How many there are; tells and forgets them. */
void warm_keep_block(struct warm *w);
size_t warm_kept_blocks(const struct warm *w);
void warm_tell_kept(struct warm *w);
/* How often lines were touched so far, each once in a row, and what the L2 did not have several
 * times. */
uint64_t warm_traffic(const struct warm *w);
/* Lines that it has brought there so far. */
uint64_t warm_brought(const struct warm *w);
/* Lines that the L2 has room for; that it has missed, in time. */
uint64_t warm_lines(const struct gpu *g);
uint64_t warm_missed(const struct gpu *g);

#endif
