/* Launches and copies of device code: queued in the order of the calls, run when the grid's own
 * blocks have ended. */
#include "exec/children.h"

#include "base/vec.h"
#include "exec/limits.h"

#include <stdio.h>
#include <string.h>

enum {
    INVALID_VALUE = 1,
    PENDING_COUNT_EXCEEDED = 69,
    INVALID_DEVICE_FUNCTION = 98,
    MAX_DEPTH = 24
};

struct child {
    struct kernel *kernel; /* NULL: a copy or a fill */
    struct child_shape shape;
    addr_t params;
    addr_t dst, src;
    uint64_t bytes;
    uint8_t value;
    bool is_queued;
};

struct children {
    VEC(struct child) list; /* in order of preparation; `order` has those that were launched */
    VEC(size_t) order;
};

static struct children *children_of(struct grid *g)
{
    g = g->root;
    if (!g->children)
        g->children = xcalloc(1, sizeof *g->children);
    return g->children;
}

static struct kernel *kernel_at(struct program *p, addr_t func)
{
    struct err err = {0};
    uint64_t i = (func - FUNC_WINDOW) / 16 - 1;
    if (func < FUNC_WINDOW + 16 || i >= program_func_count(p))
        return NULL;
    return program_kernel(p, program_func(p, (uint32_t)i)->name, &err);
}

static bool is_full(struct grid *g)
{
    return children_of(g)->list.len >= EXEC_MAX_PENDING;
}

addr_t children_prepare(struct grid *g, const struct child_shape *shape)
{
    if (is_full(g))
        return 0;
    struct child k = {.shape = *shape, .kernel = kernel_at(g->kernel->prog, shape->func)};
    if (!k.kernel)
        return 0;
    const struct mem_alloc *m = devmem_alloc(g->dev->mem, k.kernel->src->param_bytes + 16, 64,
                                             MEM_VARIABLE, "a child's parameters");
    if (!m)
        return 0;
    k.params = m->base;
    struct children *q = children_of(g);
    vec_push(&q->list, k);
    return m->base;
}

int children_launch(struct grid *g, addr_t params)
{
    struct children *q = children_of(g);
    for (size_t i = q->list.len; i-- > 0;) {
        struct child *k = &q->list.data[i];
        if (k->params != params || !k->kernel || k->is_queued)
            continue;
        k->is_queued = true;
        vec_push(&q->order, i);
        return 0;
    }
    return INVALID_DEVICE_FUNCTION;
}

/* Whether both sides are device memory, and the destination may be written. */
static bool can_copy(const struct devmem *m, addr_t dst, addr_t src, uint64_t bytes)
{
    const struct mem_alloc *to = devmem_find(m, dst, bytes);
    return !bytes || (to && !to->is_readonly && (!src || devmem_find(m, src, bytes)));
}

int children_copy(struct grid *g, addr_t dst, addr_t src, uint8_t value, uint64_t bytes)
{
    if (!can_copy(g->dev->mem, dst, src, bytes))
        return INVALID_VALUE;
    if (is_full(g))
        return PENDING_COUNT_EXCEEDED;
    struct children *q = children_of(g);
    struct child k = {.dst = dst, .src = src, .value = value, .bytes = bytes, .is_queued = true};
    vec_push(&q->order, q->list.len);
    vec_push(&q->list, k);
    return 0;
}

/* --- running --- */

static bool run_kernel(struct grid *g, const struct child *k, struct launch_result *result,
                       struct err *err)
{
    struct launch_result r;
    const uint64_t most = g->launch->max_inst;
    if (most && result->warp_inst >= most)
        return err_set_code(err, FAULT_LAUNCH_TIMEOUT,
                            "kernel %s and those that launched it: stopped after %llu warp "
                            "instructions (the limit is %llu)",
                            k->kernel->src->name, (unsigned long long)result->warp_inst,
                            (unsigned long long)most);
    struct launch l = {.kernel = k->kernel,
                       .dynamic_shared_bytes = k->shape.shared_bytes,
                       .params = devmem_ptr(k->params),
                       .depth = g->launch->depth + 1,
                       .max_inst = most ? most - result->warp_inst : 0,
                       .progress = g->launch->progress,
                       .progress_arg = g->launch->progress_arg,
                       .runner = g->launch->runner};
    memcpy(l.grid, k->shape.grid, sizeof l.grid);
    memcpy(l.block, k->shape.block, sizeof l.block);
    if (l.depth > MAX_DEPTH)
        return err_set_code(err, FAULT_LAUNCH_FAILED, "kernel %s: launches nest %d deep",
                            k->kernel->src->name, MAX_DEPTH);
    const struct grid_runner *other = l.runner;
    bool ok = other ? other->run(other->self, &l, &r, err) : grid_run(g->dev, &l, &r, err);
    result->warp_inst += r.warp_inst;
    result->thread_inst += r.thread_inst;
    result->ctas += r.ctas;
    if (r.fault.code)
        result->fault = r.fault;
    return ok;
}

static bool run_child(struct grid *g, const struct child *k, struct launch_result *result,
                      struct err *err)
{
    if (k->kernel)
        return run_kernel(g, k, result, err);
    if (!can_copy(g->dev->mem, k->dst, k->src, k->bytes))
        return err_set_code(err, FAULT_ILLEGAL_ADDRESS,
                            "kernel %s: the memory of a copy of %llu bytes that it queued is freed",
                            g->kernel->src->name, (unsigned long long)k->bytes);
    if (k->src)
        memmove(devmem_ptr(k->dst), devmem_ptr(k->src), k->bytes);
    else if (k->bytes)
        memset(devmem_ptr(k->dst), k->value, k->bytes);
    return true;
}

bool children_run(struct grid *g, struct launch_result *result, struct err *err)
{
    const struct children *q = g->children;
    for (size_t i = 0; q && i < q->order.len; i++)
        if (!run_child(g, &q->list.data[q->order.data[i]], result, err)) {
            if (!result->fault.code) { /* not the child's own: it could not be started */
                result->fault.code = err->code;
                snprintf(result->fault.msg, sizeof result->fault.msg, "%s", err->msg);
            }
            return false;
        }
    return true;
}

void children_free(struct grid *g)
{
    struct children *q = g->children;
    if (!q)
        return;
    for (size_t i = 0; i < q->list.len; i++)
        if (q->list.data[i].params)
            devmem_release(g->dev->mem, q->list.data[i].params);
    vec_free(&q->list);
    vec_free(&q->order);
    free(q);
    g->children = NULL;
}
