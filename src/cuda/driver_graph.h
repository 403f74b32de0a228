/* The driver API's own descriptions of graph nodes, in terms of graph.h. Those of fills and host
 * functions are the runtime's; kernels have the same layout with two more fields. */
#ifndef CUDA_DRIVER_GRAPH_H
#define CUDA_DRIVER_GRAPH_H

#include "cuda/capture.h"
#include "cuda/driver_array.h"
#include "cuda/graph.h"
#include "cuda/pool.h"

struct driver_kernel_node {
    struct cudaKernelNodeParams base;
    struct function *kernel; /* where base.func is NULL */
    CUcontext ctx;
};

int driver_add_kernel(struct ctx *c, struct graph_node **out, struct graph *g,
                      struct graph_node *const *deps, size_t n, const struct driver_kernel_node *p);
int driver_add_copy(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct driver_copy_3d *p);
int driver_add_fill(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct cudaMemsetParams *p);
int driver_add_host(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct cudaHostNodeParams *p);
int driver_add_graph(struct ctx *c, struct graph_node **out, struct graph *g,
                     struct graph_node *const *deps, size_t n, struct graph *child);
int driver_add_empty(struct ctx *c, struct graph_node **out, struct graph *g,
                     struct graph_node *const *deps, size_t n);
int driver_exec_set_kernel(struct ctx *c, struct graph_exec *x, struct graph_node *n,
                           const struct driver_kernel_node *p);
int driver_give_pool(struct mem_pool **out, int device, struct mem_pool *p);

#endif
