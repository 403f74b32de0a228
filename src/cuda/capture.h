/* Stream capture: work given to a stream becomes nodes of a graph instead of running. Other streams
 * join by waiting for an event that a captured stream recorded. */
#ifndef CUDA_CAPTURE_H
#define CUDA_CAPTURE_H

#include "cuda/stream.h"

struct graph;
struct graph_node;

enum capture_status { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_BROKEN };

/* Into a new graph, or, after `deps`, into an existing one. */
int capture_begin(struct ctx *c, cudaStream_t s, struct graph *into, struct graph_node *const *deps,
                  size_t n, int mode);
/* The graph, unless the capture was broken or a stream that joined has not come back. */
int capture_end(struct ctx *c, cudaStream_t s, struct graph **out);
/* `deps`: what the stream's next node will wait for; the array is ours. */
int capture_info(struct ctx *c, cudaStream_t s, int *status, unsigned long long *id,
                 struct graph **graph, struct graph_node *const **deps, size_t *n);
/* Replaces (`replace`) or extends what the stream's next node will wait for. */
int capture_update(struct ctx *c, cudaStream_t s, struct graph_node *const *deps, size_t n,
                   bool replace);

/* For streams under capture. */
int capture_alloc(struct ctx *c, struct CUstream_st *s, void **out, size_t bytes);
int capture_graph(struct ctx *c, struct CUstream_st *s, struct graph *g);
/* A call that cannot be captured: the capture fails, and so does the call. */
int capture_break(struct capture *cap);

#endif
