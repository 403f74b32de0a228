/* Parameters of graph nodes, checked like the call that would do the same work in a stream. */
#include "cuda/graph.h"
#include "cuda/memory.h"
#include "cuda/module.h"
#include "cuda/stream.h"

#include <string.h>

/* Addresses of memory that graphs own -> struct graph_memory *, and how much is in use. */
static struct u64map memories;
static uint64_t memory_now, memory_high;

/* --- kernels --- */

static void set_args(struct graph_node *n)
{
    const struct ptx_func *src = n->op.kernel.fn->kernel->src;
    n->args = xcalloc(src->nparams + 1, sizeof *n->args);
    for (uint32_t i = 0; i < src->nparams; i++)
        n->args[i] = (char *)n->op.kernel.params + src->params[i]->offset;
}

int node_init_kernel(struct ctx *c, struct graph_node *n, const struct cudaKernelNodeParams *p)
{
    if (!p)
        return CUDA_INVALID_VALUE;
    struct function *f = function_get(c, p->func);
    if (!f)
        return p->func ? CUDA_INVALID_HANDLE : CUDA_INVALID_DEVICE_FUNCTION;
    struct launch_shape shape = {
        .grid = p->gridDim, .block = p->blockDim, .shared_bytes = p->sharedMemBytes};
    *n = (struct graph_node){.type = NODE_KERNEL, .op.kind = OP_KERNEL, .func = p->func};
    int e = launch_prepare(c, &n->op.kernel, f, &shape, p->kernelParams);
    if (!e)
        set_args(n);
    return e;
}

int node_init_kernel_op(struct ctx *c, struct graph_node *n, const struct op *o)
{
    *n = (struct graph_node){.type = NODE_KERNEL, .op = op_clone(o)};
    n->func = o->kernel.fn->stub ? o->kernel.fn->stub : (const void *)o->kernel.fn;
    int e = function_open(c, o->kernel.fn);
    if (!e)
        set_args(n);
    return e;
}

int node_get_kernel(struct ctx *c, struct graph_node *n, struct cudaKernelNodeParams *p)
{
    if (!node_is(c, n) || n->type != NODE_KERNEL || !p)
        return CUDA_INVALID_VALUE;
    const struct op_kernel *k = &n->op.kernel;
    *p = (struct cudaKernelNodeParams){
        .func = n->func,
        .gridDim = {k->grid[0], k->grid[1], k->grid[2]},
        .blockDim = {k->block[0], k->block[1], k->block[2]},
        .sharedMemBytes = k->shared_bytes,
        .kernelParams = n->args,
    };
    return CUDA_OK;
}

/* --- copies and fills --- */

int node_init_copy(struct ctx *c, struct graph_node *n, const struct cudaMemcpy3DParms *p)
{
    *n = (struct graph_node){.type = NODE_COPY, .op.kind = OP_COPY};
    int e = array_box_3d(c, p, &n->op.copy);
    if (!e)
        n->copy = *p;
    return e;
}

int node_init_copy_1d(struct ctx *c, struct graph_node *n, void *dst, const void *src, size_t bytes,
                      int kind)
{
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
        return CUDA_INVALID_MEMCPY_DIRECTION;
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                  .dstPtr = {dst, bytes, bytes, 1},
                                  .extent = {bytes, 1, 1},
                                  .kind = kind};
    return node_init_copy(c, n, &p);
}

int node_init_copy_symbol(struct ctx *c, struct graph_node *n, void *ptr, const void *symbol,
                          size_t bytes, size_t offset, int kind, bool to_symbol)
{
    void *addr;
    size_t size;
    int e = symbol_address(c, &addr, &size, symbol);
    if (e)
        return e;
    if (offset > size || bytes > size - offset)
        return CUDA_INVALID_VALUE;
    addr = (char *)addr + offset;
    return node_init_copy_1d(c, n, to_symbol ? addr : ptr, to_symbol ? ptr : addr, bytes, kind);
}

int node_init_fill(struct ctx *c, struct graph_node *n, const struct cudaMemsetParams *p)
{
    if (!p || !p->dst || !p->width || !p->height ||
        (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return CUDA_INVALID_VALUE;
    struct op_fill fill = {.dst = p->dst,
                           .pitch = p->pitch,
                           .value = p->value,
                           .value_bytes = p->elementSize,
                           .width = p->width,
                           .rows = p->height,
                           .slices = 1};
    *n = (struct graph_node){.type = NODE_FILL, .op = {.kind = OP_FILL, .fill = fill}};
    size_t span = p->width * p->elementSize + (p->height - 1) * p->pitch;
    return memory_check(c, p->dst, span, true);
}

int node_get_fill(struct ctx *c, struct graph_node *n, struct cudaMemsetParams *p)
{
    if (!node_is(c, n) || n->type != NODE_FILL || !p)
        return CUDA_INVALID_VALUE;
    const struct op_fill *f = &n->op.fill;
    *p = (struct cudaMemsetParams){f->dst, f->pitch, f->value, f->value_bytes, f->width, f->rows};
    return CUDA_OK;
}

/* --- the host, events, graphs --- */

int node_init_host(struct ctx *c, struct graph_node *n, const struct cudaHostNodeParams *p)
{
    (void)c;
    if (!p || !p->fn)
        return CUDA_INVALID_VALUE;
    *n = (struct graph_node){.type = NODE_HOST,
                             .op = {.kind = OP_HOST, .host = {.fn = p->fn, .arg = p->userData}}};
    return CUDA_OK;
}

int node_init_event(struct ctx *c, struct graph_node *n, cudaEvent_t e, enum node_type type)
{
    if (!handle_is(c, HANDLE_EVENT, e))
        return CUDA_INVALID_HANDLE;
    *n = (struct graph_node){
        .type = type, .op = {.kind = type == NODE_RECORD ? OP_RECORD : OP_EMPTY, .event = e}};
    return CUDA_OK;
}

int node_init_graph(struct ctx *c, struct graph_node *n, struct graph *child)
{
    if (!graph_is(c, child))
        return CUDA_INVALID_VALUE;
    *n = (struct graph_node){.type = NODE_GRAPH, .child = graph_clone(c, child)};
    n->child->is_inner = true;
    return CUDA_OK;
}

/* --- memory --- */

static struct graph_memory *memory_of(const void *ptr)
{
    const uint64_t *m = u64map_get(&memories, (uintptr_t)ptr);
    return m ? (void *)(uintptr_t)*m : NULL;
}

int node_init_alloc(struct ctx *c, struct graph_node *n, size_t bytes)
{
    void *ptr;
    if (!bytes)
        return CUDA_INVALID_VALUE;
    int e = memory_alloc(c, &ptr, bytes, MEM_DEVICE);
    if (e)
        return e;
    struct graph_memory *m = xcalloc(1, sizeof *m);
    *m = (struct graph_memory){.ptr = ptr, .bytes = bytes, .refs = 1};
    u64map_put(&memories, (uintptr_t)ptr, (uintptr_t)m);
    *n = (struct graph_node){.type = NODE_ALLOC, .op.kind = OP_EMPTY, .memory = m};
    return CUDA_OK;
}

int node_init_free(struct ctx *c, struct graph_node *n, void *ptr)
{
    if (!ptr || !devmem_find(c->dev->mem, (addr_t)(uintptr_t)ptr, 1))
        return CUDA_INVALID_VALUE;
    *n = (struct graph_node){.type = NODE_FREE, .op = {.kind = OP_FREE, .mem = ptr}};
    return CUDA_OK;
}

void graph_memory_use(struct graph_memory *m, bool use)
{
    if (m->is_allocated == use)
        return;
    m->is_allocated = use;
    memory_now = use ? memory_now + m->bytes : memory_now - m->bytes;
    if (memory_now > memory_high)
        memory_high = memory_now;
}

bool graph_memory_is_ours(struct ctx *c, const void *ptr)
{
    (void)c;
    struct graph_memory *m = memory_of(ptr);
    if (m)
        graph_memory_use(m, false);
    return m;
}

uint64_t graph_memory_bytes(bool high)
{
    return high ? memory_high : memory_now;
}

void graph_memory_reset_high(void)
{
    memory_high = memory_now;
}

static void graph_memory_release(struct ctx *c, struct graph_memory *m)
{
    if (--m->refs)
        return;
    graph_memory_use(m, false);
    u64map_put(&memories, (uintptr_t)m->ptr, 0);
    memory_free(c, m->ptr);
    free(m);
}

/* --- life of a node --- */

void node_fini(struct ctx *c, struct graph_node *n)
{
    op_free(&n->op);
    free(n->args);
    if (n->child)
        graph_free(c, n->child);
    if (n->memory)
        graph_memory_release(c, n->memory);
    for (unsigned i = 0; i < n->nbodies; i++)
        graph_free(c, n->bodies[i]);
    free(n->bodies);
}

void node_replace(struct ctx *c, struct graph_node *n, struct graph_node *from)
{
    struct graph_node old = *n;
    *n = *from;
    n->graph = old.graph;
    n->deps.data = old.deps.data;
    n->deps.len = old.deps.len;
    n->deps.cap = old.deps.cap;
    n->origin = old.origin;
    n->is_disabled = old.is_disabled;
    node_fini(c, &old);
}

struct graph_node node_copy(struct ctx *c, const struct graph_node *n)
{
    struct graph_node copy = *n;
    memset(&copy.deps, 0, sizeof copy.deps);
    copy.op = op_clone(&n->op);
    if (n->type == NODE_KERNEL)
        set_args(&copy);
    if (n->child) {
        copy.child = graph_clone(c, n->child);
        copy.child->is_inner = true;
    }
    if (n->memory)
        n->memory->refs++;
    if (n->nbodies)
        copy.bodies = xcalloc(n->nbodies, sizeof *copy.bodies);
    for (unsigned i = 0; i < n->nbodies; i++) {
        copy.bodies[i] = graph_clone(c, n->bodies[i]);
        copy.bodies[i]->is_inner = true;
    }
    return copy;
}
