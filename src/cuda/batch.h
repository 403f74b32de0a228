/* Kernels of different streams that may run together.
 *
 * On a GPU that keeps time, a kernel given to a stream of the program's own waits here until the
 * host does anything but look up and launch kernels and make streams, or launches another one into
 * the same stream or into the default stream: then all that wait share the SMs. What the host can
 * see of the order does not change. Without time every kernel runs at once. */
#ifndef CUDA_BATCH_H
#define CUDA_BATCH_H

#include "cuda/stream.h"

struct waiting_kernel {
    struct CUstream_st *stream;
    struct op op;
};

/* Runs the kernel now, or keeps it. */
int batch_add(struct ctx *c, struct CUstream_st *s, const struct op *o);
/* Runs what waits. */
void batch_flush(struct ctx *c);
/* Whether an API function leaves waiting kernels alone. */
bool batch_survives(const char *function);
/* What a call ends with that would end with `error`: a launch that waited and was refused is told
 * by it, as CUDA's calls tell errors of launches before them. */
int batch_error(struct ctx *c, int error);

#endif
