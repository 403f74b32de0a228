/* Nodes and edges as programs make and change them; handles are looked up, never trusted. */
#include "cuda/graph.h"

#include "cuda/memory.h"

#include <string.h>

bool graph_is(struct ctx *c, const struct graph *g)
{
    return handle_is(c, HANDLE_GRAPH, g);
}

bool node_is(struct ctx *c, const struct graph_node *n)
{
    return handle_is(c, HANDLE_GRAPH_NODE, n);
}

struct graph *graph_new(struct ctx *c)
{
    struct graph *g = xcalloc(1, sizeof *g);
    handle_add(c, HANDLE_GRAPH, g);
    return g;
}

int graph_create(struct ctx *c, struct graph **out, unsigned flags)
{
    if (!out || flags)
        return CUDA_INVALID_VALUE;
    *out = graph_new(c);
    return CUDA_OK;
}

static void node_free(struct ctx *c, struct graph_node *n)
{
    handle_remove(c, n);
    node_fini(c, n);
    vec_free(&n->deps);
    free(n);
}

static void conditional_release(struct ctx *c, struct conditional *q)
{
    if (--q->refs)
        return;
    memory_free(c, q->value);
    free(q);
}

void graph_free(struct ctx *c, struct graph *g)
{
    handle_remove(c, g);
    for (size_t i = 0; i < g->nodes.len; i++)
        node_free(c, g->nodes.data[i]);
    for (size_t i = 0; i < g->conditionals.len; i++)
        conditional_release(c, g->conditionals.data[i]);
    vec_free(&g->nodes);
    vec_free(&g->conditionals);
    free(g);
}

int graph_destroy(struct ctx *c, struct graph *g)
{
    if (!graph_is(c, g) || g->is_inner)
        return CUDA_INVALID_VALUE;
    graph_free(c, g);
    return CUDA_OK;
}

/* --- nodes and edges --- */

static bool node_waits_for(const struct graph_node *n, const struct graph_node *dep)
{
    for (size_t i = 0; i < n->deps.len; i++)
        if (n->deps.data[i] == dep)
            return true;
    return false;
}

struct graph_node *graph_add(struct ctx *c, struct graph *g, struct graph_node *const *deps,
                             size_t n, const struct graph_node *init)
{
    if (n && !deps)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!node_is(c, deps[i]) || deps[i]->graph != g)
            return NULL;
    struct graph_node *node = xmalloc(sizeof *node);
    *node = *init;
    node->graph = g;
    memset(&node->deps, 0, sizeof node->deps);
    for (size_t i = 0; i < n; i++)
        if (!node_waits_for(node, deps[i]))
            vec_push(&node->deps, deps[i]);
    handle_add(c, HANDLE_GRAPH_NODE, node);
    vec_push(&g->nodes, node);
    return node;
}

static void drop_dep(struct graph_node *n, const struct graph_node *dep)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->deps.len; i++)
        if (n->deps.data[i] != dep)
            n->deps.data[kept++] = n->deps.data[i];
    n->deps.len = kept;
}

int graph_node_destroy(struct ctx *c, struct graph_node *n)
{
    if (!node_is(c, n))
        return CUDA_INVALID_VALUE;
    struct graph *g = n->graph;
    size_t kept = 0;
    for (size_t i = 0; i < g->nodes.len; i++) {
        drop_dep(g->nodes.data[i], n);
        if (g->nodes.data[i] != n)
            g->nodes.data[kept++] = g->nodes.data[i];
    }
    g->nodes.len = kept;
    node_free(c, n);
    return CUDA_OK;
}

int graph_depend(struct ctx *c, struct graph *g, struct graph_node *const *from,
                 struct graph_node *const *to, size_t n, bool remove)
{
    if (!graph_is(c, g) || (n && (!from || !to)))
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < n; i++) {
        bool known = node_is(c, from[i]) && node_is(c, to[i]) && from[i]->graph == g &&
                     to[i]->graph == g && from[i] != to[i];
        if (!known || node_waits_for(to[i], from[i]) != remove)
            return CUDA_INVALID_VALUE;
    }
    for (size_t i = 0; i < n; i++) {
        if (remove)
            drop_dep(to[i], from[i]);
        else if (!node_waits_for(to[i], from[i]))
            vec_push(&to[i]->deps, from[i]);
    }
    return CUDA_OK;
}

/* --- copies --- */

struct graph *graph_clone(struct ctx *c, const struct graph *g)
{
    struct graph *copy = graph_new(c);
    for (size_t i = 0; i < g->conditionals.len; i++) {
        g->conditionals.data[i]->refs++;
        vec_push(&copy->conditionals, g->conditionals.data[i]);
    }
    for (size_t i = 0; i < g->nodes.len; i++) {
        struct graph_node *n = g->nodes.data[i], body = node_copy(c, n);
        body.origin = n;
        n->mark = (uint32_t)i;
        graph_add(c, copy, NULL, 0, &body);
    }
    for (size_t i = 0; i < g->nodes.len; i++) {
        const struct graph_node *n = g->nodes.data[i];
        for (size_t d = 0; d < n->deps.len; d++)
            vec_push(&copy->nodes.data[i]->deps, copy->nodes.data[n->deps.data[d]->mark]);
    }
    return copy;
}

int graph_clone_out(struct ctx *c, struct graph **out, struct graph *g)
{
    if (!out || !graph_is(c, g))
        return CUDA_INVALID_VALUE;
    *out = graph_clone(c, g);
    return CUDA_OK;
}

struct graph_node *graph_find_copy(const struct graph *g, const struct graph_node *origin)
{
    for (size_t i = 0; i < g->nodes.len; i++)
        if (g->nodes.data[i]->origin == origin)
            return g->nodes.data[i];
    return NULL;
}

/* --- questions --- */

/* Collects up to *room answers; *room becomes how many there are if nothing was asked for. */
struct answer {
    struct graph_node **out, **more;
    size_t room, count;
};

static void answer_add(struct answer *a, struct graph_node *n, struct graph_node *other)
{
    if (a->out && a->count < a->room)
        a->out[a->count] = n;
    if (a->more && a->count < a->room)
        a->more[a->count] = other;
    a->count++;
}

static int answer_end(struct answer *a, size_t *n)
{
    /* What is asked for beyond the end comes back as nothing. */
    for (size_t i = a->count; a->out && i < a->room; i++) {
        a->out[i] = NULL;
        if (a->more)
            a->more[i] = NULL;
    }
    *n = a->out && a->count > a->room ? a->room : a->count;
    return CUDA_OK;
}

int graph_list(struct ctx *c, struct graph *g, bool roots, struct graph_node **out, size_t *n)
{
    if (!graph_is(c, g) || !n)
        return CUDA_INVALID_VALUE;
    struct answer a = {.out = out, .room = *n};
    for (size_t i = 0; i < g->nodes.len; i++)
        if (!roots || !g->nodes.data[i]->deps.len)
            answer_add(&a, g->nodes.data[i], NULL);
    return answer_end(&a, n);
}

int graph_edges(struct ctx *c, struct graph *g, struct graph_node **from, struct graph_node **to,
                size_t *n)
{
    if (!graph_is(c, g) || !n || !from != !to)
        return CUDA_INVALID_VALUE;
    struct answer a = {.out = from, .more = to, .room = *n};
    for (size_t i = 0; i < g->nodes.len; i++)
        for (size_t d = 0; d < g->nodes.data[i]->deps.len; d++)
            answer_add(&a, g->nodes.data[i]->deps.data[d], g->nodes.data[i]);
    return answer_end(&a, n);
}

int graph_node_neighbours(struct ctx *c, struct graph_node *node, bool dependents,
                          struct graph_node **out, size_t *n)
{
    if (!node_is(c, node) || !n)
        return CUDA_INVALID_VALUE;
    struct answer a = {.out = out, .room = *n};
    const struct graph *g = node->graph;
    for (size_t i = 0; !dependents && i < node->deps.len; i++)
        answer_add(&a, node->deps.data[i], NULL);
    for (size_t i = 0; dependents && i < g->nodes.len; i++)
        if (node_waits_for(g->nodes.data[i], node))
            answer_add(&a, g->nodes.data[i], NULL);
    return answer_end(&a, n);
}
