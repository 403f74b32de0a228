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

#endif
