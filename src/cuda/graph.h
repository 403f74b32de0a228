/* Graphs: nodes of work with what they wait for, and executable copies of them.
 *
 * A node holds an operation like those of streams. A launch runs the nodes one after another in an
 * order that their dependencies allow, always the same. */
#ifndef CUDA_GRAPH_H
#define CUDA_GRAPH_H

#include "cuda/array.h"
#include "cuda/launch.h"
#include "cuda/op.h"

/* CUDA's numbers. */
enum node_type {
    NODE_KERNEL,
    NODE_COPY,
    NODE_FILL,
    NODE_HOST,
    NODE_GRAPH,
    NODE_EMPTY,
    NODE_WAIT,
    NODE_RECORD,
    NODE_ALLOC = 10,
    NODE_FREE,
    NODE_CONDITIONAL = 13,
};

enum conditional_type { CONDITIONAL_IF, CONDITIONAL_WHILE, CONDITIONAL_SWITCH };

/* Memory that a graph allocates has its address from the start and keeps it, so that every launch
 * finds it there. Shared by the node and its copies. */
struct graph_memory {
    void *ptr;
    size_t bytes;
    unsigned refs;
    bool is_allocated; /* by a launch, and not freed since */
};

/* What a conditional node asks; kernels set `value`. */
struct conditional {
    uint32_t *value; /* in device memory */
    uint32_t default_value;
    bool has_default;
    unsigned refs;
};

/* cudaGraphNode_t, CUgraphNode */
struct graph_node {
    struct graph *graph;
    enum node_type type;
    struct op op;
    VEC(struct graph_node *) deps;
    struct graph *child;             /* NODE_GRAPH */
    struct graph_memory *memory;     /* NODE_ALLOC, NODE_FREE of such */
    struct graph **bodies;           /* NODE_CONDITIONAL */
    unsigned nbodies;                /* NODE_CONDITIONAL */
    enum conditional_type condition; /* NODE_CONDITIONAL */
    struct conditional *asks;        /* NODE_CONDITIONAL */
    struct cudaMemcpy3DParms copy;   /* NODE_COPY: as it was given */
    const void *func;                /* NODE_KERNEL: as it was given */
    void **args;                     /* NODE_KERNEL: pointers into op.kernel.params */
    const struct graph_node *origin; /* the node that this one is a copy of */
    bool is_disabled;
    uint32_t mark; /* scratch of walks over a graph */
};

/* cudaGraph_t, CUgraph */
struct graph {
    VEC(struct graph_node *) nodes; /* in order of creation */
    VEC(struct conditional *) conditionals;
    bool is_inner; /* belongs to a node or an executable graph */
};

/* cudaGraphExec_t, CUgraphExec */
struct graph_exec {
    struct graph *graph; /* a copy of its own */
    VEC(struct graph_node *) order;
    unsigned long long flags;
};

struct cudaKernelNodeParams {
    const void *func;
    struct dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};

struct cudaHostNodeParams {
    void (*fn)(void *);
    void *userData;
};

/* --- graph.c --- */
struct graph *graph_new(struct ctx *c);
int graph_create(struct ctx *c, struct graph **out, unsigned flags);
int graph_destroy(struct ctx *c, struct graph *g);
void graph_free(struct ctx *c, struct graph *g);
bool graph_is(struct ctx *c, const struct graph *g);
bool node_is(struct ctx *c, const struct graph_node *n);
struct graph *graph_clone(struct ctx *c, const struct graph *g);
int graph_clone_out(struct ctx *c, struct graph **out, struct graph *g);
/* A new node after `deps`; NULL if those are not nodes of the graph. Takes what is in *init over.
 */
struct graph_node *graph_add(struct ctx *c, struct graph *g, struct graph_node *const *deps,
                             size_t n, const struct graph_node *init);
int graph_node_destroy(struct ctx *c, struct graph_node *n);
int graph_depend(struct ctx *c, struct graph *g, struct graph_node *const *from,
                 struct graph_node *const *to, size_t n, bool remove);
struct graph_node *graph_find_copy(const struct graph *g, const struct graph_node *origin);
/* Lists with CUDA's convention: without room, *n is how many there are. */
int graph_list(struct ctx *c, struct graph *g, bool roots, struct graph_node **out, size_t *n);
int graph_edges(struct ctx *c, struct graph *g, struct graph_node **from, struct graph_node **to,
                size_t *n);
int graph_node_neighbours(struct ctx *c, struct graph_node *node, bool dependents,
                          struct graph_node **out, size_t *n);
/* Whether a graph owns it; then it is marked as freed (or, by a launch, as in use). */
bool graph_memory_is_ours(struct ctx *c, const void *ptr);
void graph_memory_use(struct graph_memory *m, bool use);
uint64_t graph_memory_bytes(bool high);
void graph_memory_reset_high(void);

/* --- graph_node.c: parameters of nodes --- */
int node_init_kernel(struct ctx *c, struct graph_node *n, const struct cudaKernelNodeParams *p);
int node_init_kernel_op(struct ctx *c, struct graph_node *n, const struct op *o);
int node_init_copy(struct ctx *c, struct graph_node *n, const struct cudaMemcpy3DParms *p);
int node_init_copy_1d(struct ctx *c, struct graph_node *n, void *dst, const void *src, size_t bytes,
                      int kind);
int node_init_copy_symbol(struct ctx *c, struct graph_node *n, void *ptr, const void *symbol,
                          size_t bytes, size_t offset, int kind, bool to_symbol);
int node_init_fill(struct ctx *c, struct graph_node *n, const struct cudaMemsetParams *p);
int node_init_host(struct ctx *c, struct graph_node *n, const struct cudaHostNodeParams *p);
int node_init_event(struct ctx *c, struct graph_node *n, cudaEvent_t e, enum node_type type);
int node_init_graph(struct ctx *c, struct graph_node *n, struct graph *child);
int node_init_alloc(struct ctx *c, struct graph_node *n, size_t bytes);
int node_init_free(struct ctx *c, struct graph_node *n, void *ptr);
/* Gives `n` the work of `from`, of the same type, which it takes over. */
void node_replace(struct ctx *c, struct graph_node *n, struct graph_node *from);
void node_fini(struct ctx *c, struct graph_node *n);
/* A copy of the work; not of the dependencies. */
struct graph_node node_copy(struct ctx *c, const struct graph_node *n);
int node_get_kernel(struct ctx *c, struct graph_node *n, struct cudaKernelNodeParams *p);
int node_get_fill(struct ctx *c, struct graph_node *n, struct cudaMemsetParams *p);

/* --- graph_exec.c --- */
int graph_instantiate(struct ctx *c, struct graph_exec **out, struct graph *g,
                      unsigned long long flags);
int graph_exec_destroy(struct ctx *c, struct graph_exec *x);
int graph_launch(struct ctx *c, struct graph_exec *x, cudaStream_t s);
bool graph_exec_is(struct ctx *c, const struct graph_exec *x);
/* Takes the parameters of `g`, which must have the same shape. *bad: the node that differs. */
int graph_exec_update(struct ctx *c, struct graph_exec *x, struct graph *g, int *result,
                      struct graph_node **bad);

#endif
