/* Parameters of the driver API's graph nodes, field by field, into those of graph.h. */
#include "cuda/driver_graph.h"

static int kernel_of(struct ctx *c, struct graph_node *init, const struct driver_kernel_node *p)
{
    if (!p)
        return CUDA_INVALID_VALUE;
    struct cudaKernelNodeParams base = p->base;
    if (!base.func)
        base.func = p->kernel;
    return node_init_kernel(c, init, &base);
}

/* `e`: how filling *init ended. */
static int add(struct ctx *c, struct graph_node **out, struct graph *g,
               struct graph_node *const *deps, size_t n, struct graph_node *init, int e)
{
    if (e)
        return e;
    *out = graph_add(c, g, deps, n, init);
    if (*out)
        return CUDA_OK;
    node_fini(c, init);
    return CUDA_INVALID_VALUE;
}

static int check(struct ctx *c, struct graph_node **out, struct graph *g)
{
    return out && graph_is(c, g) ? CUDA_OK : CUDA_INVALID_VALUE;
}

int driver_add_kernel(struct ctx *c, struct graph_node **out, struct graph *g,
                      struct graph_node *const *deps, size_t n, const struct driver_kernel_node *p)
{
    struct graph_node init;
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, kernel_of(c, &init, p));
}

int driver_add_copy(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct driver_copy_3d *p)
{
    struct graph_node init = {.type = NODE_COPY, .op.kind = OP_COPY};
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, driver_copy_box(c, p, &init.op.copy));
}

int driver_add_fill(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct cudaMemsetParams *p)
{
    struct graph_node init;
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, node_init_fill(c, &init, p));
}

int driver_add_host(struct ctx *c, struct graph_node **out, struct graph *g,
                    struct graph_node *const *deps, size_t n, const struct cudaHostNodeParams *p)
{
    struct graph_node init;
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, node_init_host(c, &init, p));
}

int driver_add_graph(struct ctx *c, struct graph_node **out, struct graph *g,
                     struct graph_node *const *deps, size_t n, struct graph *child)
{
    struct graph_node init;
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, node_init_graph(c, &init, child));
}

int driver_add_empty(struct ctx *c, struct graph_node **out, struct graph *g,
                     struct graph_node *const *deps, size_t n)
{
    struct graph_node init = {.type = NODE_EMPTY, .op.kind = OP_EMPTY};
    int e = check(c, out, g);
    return e ? e : add(c, out, g, deps, n, &init, CUDA_OK);
}

int driver_exec_set_kernel(struct ctx *c, struct graph_exec *x, struct graph_node *n,
                           const struct driver_kernel_node *p)
{
    struct graph_node init, *copy = graph_exec_is(c, x) ? graph_find_copy(x->graph, n) : NULL;
    if (!copy || copy->type != NODE_KERNEL)
        return CUDA_INVALID_VALUE;
    int e = kernel_of(c, &init, p);
    if (!e)
        node_replace(c, copy, &init);
    return e;
}

int driver_give_pool(struct mem_pool **out, int device, struct mem_pool *p)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    *out = p;
    return CUDA_OK;
}
