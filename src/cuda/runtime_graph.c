/* The runtime API's functions for graphs and capture. */
#include "cuda/capture.h"
#include "cuda/graph.h"
#include "cuda/memory.h"
#include "cuda/runtime_api.h"

#include <string.h>

/* An annotation of an edge; this simulator runs a node only when what it waits for has ended, which
 * every annotation allows. */
struct edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

struct instantiate_params {
    unsigned long long flags;
    cudaStream_t upload;
    struct graph_node *error_node;
    int result;
};

struct update_info {
    int result;
    struct graph_node *error_node, *error_from;
};

struct cudaMemAllocNodeParams {
    char properties[88];
    const void *access;
    size_t naccess, bytes;
    void *ptr;
};

struct cudaGraphNodeParams {
    int type, reserved[3];
    union {
        long long room[29];
        struct cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms params;
        } copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        struct graph *graph;
        cudaEvent_t event;
        struct cudaMemAllocNodeParams alloc;
        void *ptr;
        struct {
            unsigned long long handle;
            int type;
            unsigned size;
            struct graph **bodies;
        } conditional;
    };
    long long reserved2;
};
static_assert(sizeof(struct cudaGraphNodeParams) == 256, "ABI");

/* --- adding and changing nodes --- */

static int check_add(struct ctx *c, struct graph_node **out, struct graph *g)
{
    return out && graph_is(c, g) ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int finish_add(struct ctx *c, struct graph_node **out, struct graph *g,
                      struct graph_node *const *deps, size_t n, struct graph_node *init)
{
    *out = graph_add(c, g, deps, n, init);
    if (*out)
        return CUDA_OK;
    node_fini(c, init);
    return CUDA_INVALID_VALUE;
}

static int finish_set(struct ctx *c, struct graph_node *n, struct graph_node *init)
{
    node_replace(c, n, init);
    return CUDA_OK;
}

static bool is_type(struct ctx *c, const struct graph_node *n, enum node_type type)
{
    return node_is(c, n) && n->type == type;
}

static struct graph_node *in_exec(struct ctx *c, struct graph_exec *x, const struct graph_node *n)
{
    return graph_exec_is(c, x) ? graph_find_copy(x->graph, n) : NULL;
}

/* `init` is the node to be filled. */
#define ADD(fill)                                          \
    ({                                                     \
        struct graph_node init = {.type = NODE_EMPTY};     \
        int add_e = check_add(c, out, g);                  \
        if (!add_e)                                        \
            add_e = (fill);                                \
        if (!add_e)                                        \
            add_e = finish_add(c, out, g, deps, n, &init); \
        add_e;                                             \
    })
#define SET_NODE(target, wanted, fill)                                              \
    ({                                                                              \
        struct graph_node init, *set_n = (target);                                  \
        int set_e = set_n && set_n->type == (wanted) ? (fill) : CUDA_INVALID_VALUE; \
        if (!set_e)                                                                 \
            set_e = finish_set(c, set_n, &init);                                    \
        set_e;                                                                      \
    })
#define SET(wanted, fill)    SET_NODE(node_is(c, node) ? node : NULL, wanted, fill)
#define SET_IN(wanted, fill) SET_NODE(in_exec(c, x, n), wanted, fill)

static int init_empty(struct graph_node *n)
{
    *n = (struct graph_node){.type = NODE_EMPTY, .op.kind = OP_EMPTY};
    return CUDA_OK;
}

static int init_alloc(struct ctx *c, struct graph_node *n, struct cudaMemAllocNodeParams *p)
{
    int e = p ? node_init_alloc(c, n, p->bytes) : CUDA_INVALID_VALUE;
    if (!e)
        p->ptr = n->memory->ptr;
    return e;
}

/* --- conditional nodes: a handle is the address of the word that kernels set --- */

static int conditional_create(struct ctx *c, unsigned long long *handle, struct graph *g,
                              unsigned value, unsigned flags)
{
    void *word;
    if (!handle || !graph_is(c, g) || flags > 1)
        return CUDA_INVALID_VALUE;
    int e = memory_alloc(c, &word, sizeof(uint32_t), MEM_DEVICE);
    if (e)
        return e;
    struct conditional *q = xcalloc(1, sizeof *q);
    *q = (struct conditional){
        .value = word, .default_value = value, .has_default = flags == 1, .refs = 1};
    vec_push(&g->conditionals, q);
    *handle = (uintptr_t)word;
    return CUDA_OK;
}

static int init_conditional(struct ctx *c, struct graph *g, struct graph_node *n,
                            struct cudaGraphNodeParams *p)
{
    struct conditional *asks = NULL;
    for (size_t i = 0; i < g->conditionals.len; i++)
        if ((uintptr_t)g->conditionals.data[i]->value == p->conditional.handle)
            asks = g->conditionals.data[i];
    unsigned size = p->conditional.size;
    if (!asks || !size || p->conditional.type < CONDITIONAL_IF ||
        p->conditional.type > CONDITIONAL_SWITCH)
        return CUDA_INVALID_VALUE;
    *n = (struct graph_node){.type = NODE_CONDITIONAL,
                             .asks = asks,
                             .nbodies = size,
                             .condition = (enum conditional_type)p->conditional.type,
                             .bodies = xcalloc(size, sizeof(struct graph *))};
    for (unsigned i = 0; i < size; i++) {
        n->bodies[i] = graph_new(c);
        n->bodies[i]->is_inner = true;
    }
    p->conditional.bodies = n->bodies;
    return CUDA_OK;
}

static int init_any(struct ctx *c, struct graph *g, struct graph_node *n,
                    struct cudaGraphNodeParams *p)
{
    if (!p)
        return CUDA_INVALID_VALUE;
    switch (p->type) {
    case NODE_KERNEL:
        return node_init_kernel(c, n, &p->kernel);
    case NODE_COPY:
        return node_init_copy(c, n, &p->copy.params);
    case NODE_FILL:
        return node_init_fill(c, n, &p->fill);
    case NODE_HOST:
        return node_init_host(c, n, &p->host);
    case NODE_GRAPH:
        return node_init_graph(c, n, p->graph);
    case NODE_EMPTY:
        return init_empty(n);
    case NODE_WAIT:
    case NODE_RECORD:
        return node_init_event(c, n, p->event, (enum node_type)p->type);
    case NODE_ALLOC:
        return init_alloc(c, n, &p->alloc);
    case NODE_FREE:
        return node_init_free(c, n, p->ptr);
    case NODE_CONDITIONAL:
        return init_conditional(c, g, n, p);
    default:
        return CUDA_INVALID_VALUE;
    }
}

/* --- the rest --- */

static int find_in_clone(struct ctx *c, struct graph_node **out, struct graph_node *n,
                         struct graph *g)
{
    if (!out || !graph_is(c, g) || !node_is(c, n))
        return CUDA_INVALID_VALUE;
    *out = graph_find_copy(g, n);
    return *out ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int edges_out(int e, struct edge_data *data, const size_t *n)
{
    if (!e && data)
        memset(data, 0, *n * sizeof *data);
    return e;
}

static int info_out(int e, const struct edge_data **data, const size_t *n)
{
    (void)n;
    if (!e && data)
        *data = NULL; /* all edges are plain */
    return e;
}

static int instantiate_params(struct ctx *c, struct graph_exec **x, struct graph *g,
                              struct instantiate_params *p)
{
    if (!p)
        return CUDA_INVALID_VALUE;
    int e = graph_instantiate(c, x, g, p->flags);
    p->error_node = NULL;
    p->result = e ? 1 : 0;
    return e;
}

static int exec_update(struct ctx *c, struct graph_exec *x, struct graph *g,
                       struct update_info *info)
{
    struct update_info none = {0}, *i = info ? info : &none;
    *i = none;
    return graph_exec_update(c, x, g, &i->result, &i->error_node);
}

static int set_enabled(struct graph_node *n, unsigned on)
{
    if (!n || on > 1 || (n->type != NODE_KERNEL && n->type != NODE_COPY && n->type != NODE_FILL))
        return CUDA_INVALID_VALUE;
    n->is_disabled = !on;
    return CUDA_OK;
}

static int get_enabled(const struct graph_node *n, unsigned *on)
{
    if (!n || !on)
        return CUDA_INVALID_VALUE;
    *on = !n->is_disabled;
    return CUDA_OK;
}

/* 0 and 2: in use and reserved now; 1 and 3: the most so far. */
static int memory_attribute(int device, int attr, uint64_t *value)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!value || attr < 0 || attr > 3)
        return CUDA_INVALID_VALUE;
    *value = graph_memory_bytes(attr & 1);
    return CUDA_OK;
}

static int memory_reset(int device, int attr, const uint64_t *value)
{
    if (device)
        return CUDA_INVALID_DEVICE;
    if (!value || *value || (attr != 1 && attr != 3))
        return CUDA_INVALID_VALUE;
    graph_memory_reset_high();
    return CUDA_OK;
}

static int exchange_mode(int *mode)
{
    static _Thread_local int current;
    if (!mode || *mode < 0 || *mode > 2)
        return CUDA_INVALID_VALUE;
    int old = current;
    current = *mode;
    *mode = old;
    return CUDA_OK;
}

#include "cuda/runtime_graph.def"
