/* Executable graphs: nodes in an order in which each comes after what it waits for, and
 * conditional ones again and again. */
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/stream.h"

bool graph_exec_is(struct ctx *c, const struct graph_exec *x)
{
    return handle_is(c, HANDLE_GRAPH_EXEC, x);
}

/* Nodes in an order that dependencies allow: the first that can run, by creation, comes first.
 * False if they form a circle. */
static bool graph_order(struct graph *g, struct graph_node **order)
{
    size_t done = 0;
    for (size_t i = 0; i < g->nodes.len; i++)
        g->nodes.data[i]->mark = 0;
    for (bool progress = true; progress && done < g->nodes.len;) {
        progress = false;
        for (size_t i = 0; i < g->nodes.len; i++) {
            struct graph_node *n = g->nodes.data[i];
            bool ready = !n->mark;
            for (size_t d = 0; ready && d < n->deps.len; d++)
                ready = n->deps.data[d]->mark;
            if (ready) {
                n->mark = 1;
                order[done++] = n;
                progress = true;
            }
        }
    }
    return done == g->nodes.len;
}

static bool is_runnable(struct graph *g)
{
    struct graph_node **order = xcalloc(g->nodes.len + 1, sizeof(struct graph_node *));
    bool ok = graph_order(g, order);
    for (size_t i = 0; ok && i < g->nodes.len; i++) {
        const struct graph_node *n = order[i];
        ok = !n->child || is_runnable(n->child);
        for (unsigned b = 0; ok && b < n->nbodies; b++)
            ok = is_runnable(n->bodies[b]);
    }
    free(order);
    return ok;
}

int graph_instantiate(struct ctx *c, struct graph_exec **out, struct graph *g,
                      unsigned long long flags)
{
    if (!out || !graph_is(c, g) || !is_runnable(g))
        return CUDA_INVALID_VALUE;
    struct graph_exec *x = xcalloc(1, sizeof *x);
    x->graph = graph_clone(c, g);
    x->graph->is_inner = true;
    x->flags = flags;
    vec_reserve(&x->order, x->graph->nodes.len + 1);
    graph_order(x->graph, x->order.data);
    x->order.len = x->graph->nodes.len;
    handle_add(c, HANDLE_GRAPH_EXEC, x);
    *out = x;
    return CUDA_OK;
}

int graph_exec_destroy(struct ctx *c, struct graph_exec *x)
{
    if (!graph_exec_is(c, x))
        return CUDA_INVALID_VALUE;
    handle_remove(c, x);
    graph_free(c, x->graph);
    vec_free(&x->order);
    free(x);
    return CUDA_OK;
}

/* --- running --- */

static int run_graph(struct ctx *c, struct graph *g);

static int run_conditional(struct ctx *c, const struct graph_node *n)
{
    const volatile uint32_t *value = n->asks->value;
    int e = CUDA_OK;
    if (n->condition == CONDITIONAL_SWITCH)
        return *value < n->nbodies ? run_graph(c, n->bodies[*value]) : CUDA_OK;
    if (n->condition == CONDITIONAL_IF) {
        unsigned body = *value ? 0 : 1;
        return body < n->nbodies ? run_graph(c, n->bodies[body]) : CUDA_OK;
    }
    while (!e && !c->fault && *value)
        e = run_graph(c, n->bodies[0]);
    return e;
}

static int run_node(struct ctx *c, const struct graph_node *n)
{
    if (n->is_disabled)
        return CUDA_OK;
    switch (n->type) {
    case NODE_GRAPH:
        return run_graph(c, n->child);
    case NODE_CONDITIONAL:
        return run_conditional(c, n);
    case NODE_ALLOC:
        graph_memory_use(n->memory, true);
        return CUDA_OK;
    default:
        return op_run(c, &n->op);
    }
}

static int run_order(struct ctx *c, struct graph *g, struct graph_node *const *order)
{
    for (size_t i = 0; i < g->conditionals.len; i++)
        if (g->conditionals.data[i]->has_default)
            *g->conditionals.data[i]->value = g->conditionals.data[i]->default_value;
    for (size_t i = 0; i < g->nodes.len && !c->fault; i++) {
        int e = run_node(c, order[i]);
        if (e)
            return e;
    }
    return CUDA_OK;
}

static int run_graph(struct ctx *c, struct graph *g)
{
    struct graph_node **order = xcalloc(g->nodes.len + 1, sizeof(struct graph_node *));
    int e = graph_order(g, order) ? run_order(c, g, order) : CUDA_INVALID_VALUE;
    free(order);
    return e;
}

int graph_launch(struct ctx *c, struct graph_exec *x, cudaStream_t s)
{
    struct CUstream_st *stream = stream_get(c, s);
    if (!graph_exec_is(c, x))
        return CUDA_INVALID_VALUE;
    if (!stream)
        return CUDA_INVALID_HANDLE;
    if (stream->capture)
        return capture_graph(c, stream, x->graph);
    return run_order(c, x->graph, x->order.data);
}

/* --- update --- */

enum update_result { UPDATE_OK, UPDATE_TOPOLOGY = 2, UPDATE_NODE_TYPE = 3 };

static int compare_graphs(const struct graph *a, const struct graph *b, struct graph_node **bad)
{
    size_t n = a->nodes.len < b->nodes.len ? a->nodes.len : b->nodes.len;
    for (size_t i = 0; i < n; i++) {
        const struct graph_node *x = a->nodes.data[i];
        struct graph_node *y = b->nodes.data[i];
        *bad = y;
        if (x->type != y->type)
            return UPDATE_NODE_TYPE;
        if (x->deps.len != y->deps.len)
            return UPDATE_TOPOLOGY;
    }
    *bad = a->nodes.len < b->nodes.len ? b->nodes.data[n] : NULL;
    return a->nodes.len == b->nodes.len ? UPDATE_OK : UPDATE_TOPOLOGY;
}

int graph_exec_update(struct ctx *c, struct graph_exec *x, struct graph *g, int *result,
                      struct graph_node **bad)
{
    if (!graph_exec_is(c, x) || !graph_is(c, g))
        return CUDA_INVALID_VALUE;
    *result = compare_graphs(x->graph, g, bad);
    if (*result)
        return CUDA_GRAPH_UPDATE_FAILURE;
    for (size_t i = 0; i < g->nodes.len; i++) {
        struct graph_node copy = node_copy(c, g->nodes.data[i]);
        node_replace(c, x->graph->nodes.data[i], &copy);
    }
    return CUDA_OK;
}
