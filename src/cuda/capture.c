/* What each stream would wait for, as nodes of the graph that grows. */
#include "cuda/capture.h"

#include "cuda/graph.h"

#include <string.h>

/* What a stream's next node waits for, or what an event stands for. */
struct tail {
    void *who; /* a stream or an event */
    VEC(struct graph_node *) deps;
};

struct capture {
    struct graph *graph;
    bool owns_graph;
    bool is_broken;
    int mode;
    uint64_t id;
    struct CUstream_st *origin;
    VEC(struct tail) streams, events;
};

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };

static struct tail *tail_find(struct tail *list, size_t n, const void *who)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].who == who)
            return &list[i];
    return NULL;
}

static struct tail *stream_tail(struct capture *cap, const struct CUstream_st *s)
{
    return tail_find(cap->streams.data, cap->streams.len, s);
}

static void tail_add(struct tail *t, struct graph_node *n)
{
    for (size_t i = 0; i < t->deps.len; i++)
        if (t->deps.data[i] == n)
            return;
    vec_push(&t->deps, n);
}

static void tail_merge(struct tail *t, const struct tail *from)
{
    for (size_t i = 0; i < from->deps.len; i++)
        tail_add(t, from->deps.data[i]);
}

int capture_break(struct capture *cap)
{
    cap->is_broken = true;
    return CUDA_CAPTURE_UNSUPPORTED;
}

/* --- work --- */

static int capture_node(struct ctx *c, struct CUstream_st *s, const struct graph_node *init)
{
    struct capture *cap = s->capture;
    struct tail *t = stream_tail(cap, s);
    struct graph_node *n = graph_add(c, cap->graph, t->deps.data, t->deps.len, init);
    if (!n)
        return capture_break(cap);
    t->deps.len = 0;
    vec_push(&t->deps, n);
    return CUDA_OK;
}

static int capture_op(struct ctx *c, struct CUstream_st *s, const struct op *o)
{
    static const enum node_type types[] = {
        [OP_EMPTY] = NODE_EMPTY, [OP_COPY] = NODE_COPY, [OP_FILL] = NODE_FILL,
        [OP_HOST] = NODE_HOST,   [OP_FREE] = NODE_FREE,
    };
    struct graph_node n = {.type = NODE_KERNEL};
    if (o->kind == OP_KERNEL) {
        int e = node_init_kernel_op(c, &n, o);
        if (e)
            return e;
    } else {
        n.type = types[o->kind];
        n.op = op_clone(o);
    }
    return capture_node(c, s, &n);
}

static int capture_record(struct CUstream_st *s, cudaEvent_t e)
{
    struct capture *cap = s->capture;
    struct tail *t = tail_find(cap->events.data, cap->events.len, e);
    if (!t) {
        vec_push(&cap->events, ((struct tail){.who = e}));
        t = &vec_last(&cap->events);
    }
    t->deps.len = 0;
    tail_merge(t, stream_tail(cap, s));
    e->capture = cap;
    return CUDA_OK;
}

static int capture_wait(struct CUstream_st *s, cudaEvent_t e)
{
    if (!e->capture)
        return s->capture ? CUDA_CAPTURE_ISOLATION : CUDA_OK;
    struct capture *cap = e->capture;
    if (s->capture && s->capture != cap) {
        s->capture->is_broken = cap->is_broken = true;
        return CUDA_CAPTURE_MERGE;
    }
    if (!s->capture) {
        s->capture = cap;
        vec_push(&cap->streams, ((struct tail){.who = s}));
    }
    tail_merge(stream_tail(cap, s), tail_find(cap->events.data, cap->events.len, e));
    return CUDA_OK;
}

static int capture_submit(struct ctx *c, struct CUstream_st *s, const struct op *o)
{
    if (s->capture && s->capture->is_broken)
        return CUDA_CAPTURE_INVALIDATED;
    if (o->kind == OP_WAIT)
        return capture_wait(s, o->event);
    if (o->kind == OP_RECORD)
        return capture_record(s, o->event);
    return capture_op(c, s, o);
}

int capture_alloc(struct ctx *c, struct CUstream_st *s, void **out, size_t bytes)
{
    struct graph_node n;
    int e = s->capture->is_broken ? CUDA_CAPTURE_INVALIDATED : node_init_alloc(c, &n, bytes);
    if (e)
        return e;
    *out = n.memory->ptr;
    return capture_node(c, s, &n);
}

int capture_graph(struct ctx *c, struct CUstream_st *s, struct graph *g)
{
    struct graph_node n;
    int e = s->capture->is_broken ? CUDA_CAPTURE_INVALIDATED : node_init_graph(c, &n, g);
    return e ? e : capture_node(c, s, &n);
}

/* --- begin and end --- */

int capture_begin(struct ctx *c, cudaStream_t handle, struct graph *into,
                  struct graph_node *const *deps, size_t n, int mode)
{
    static uint64_t next_id = 1;
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (mode < MODE_GLOBAL || mode > MODE_RELAXED || (into && !graph_is(c, into)) || (n && !deps))
        return CUDA_INVALID_VALUE;
    if (s == c->default_stream)
        return CUDA_CAPTURE_UNSUPPORTED;
    if (s->capture)
        return CUDA_ILLEGAL_STATE;
    for (size_t i = 0; i < n; i++)
        if (!node_is(c, deps[i]) || deps[i]->graph != into)
            return CUDA_INVALID_VALUE;
    stream_capture_hook = capture_submit;
    struct capture *cap = xcalloc(1, sizeof *cap);
    *cap = (struct capture){.graph = into ? into : graph_new(c),
                            .owns_graph = !into,
                            .mode = mode,
                            .id = next_id++,
                            .origin = s};
    vec_push(&cap->streams, ((struct tail){.who = s}));
    for (size_t i = 0; i < n; i++)
        tail_add(&cap->streams.data[0], deps[i]);
    s->capture = cap;
    return CUDA_OK;
}

static void mark_behind(struct graph_node *n)
{
    if (n->mark)
        return;
    n->mark = 1;
    for (size_t i = 0; i < n->deps.len; i++)
        mark_behind(n->deps.data[i]);
}

/* Whether all that joined streams did lies behind the first stream's last nodes. */
static bool is_joined(struct capture *cap)
{
    struct tail *own = stream_tail(cap, cap->origin);
    for (size_t i = 0; i < cap->graph->nodes.len; i++)
        cap->graph->nodes.data[i]->mark = 0;
    for (size_t i = 0; i < own->deps.len; i++)
        mark_behind(own->deps.data[i]);
    for (size_t i = 0; i < cap->streams.len; i++) {
        const struct tail *t = &cap->streams.data[i];
        for (size_t d = 0; d < t->deps.len; d++)
            if (!t->deps.data[d]->mark)
                return false;
    }
    return true;
}

static void capture_free(struct ctx *c, struct capture *cap)
{
    for (size_t i = 0; i < cap->streams.len; i++) {
        struct CUstream_st *s = cap->streams.data[i].who;
        if (handle_is(c, HANDLE_STREAM, s) && s->capture == cap)
            s->capture = NULL;
        vec_free(&cap->streams.data[i].deps);
    }
    for (size_t i = 0; i < cap->events.len; i++) {
        cudaEvent_t e = cap->events.data[i].who;
        if (handle_is(c, HANDLE_EVENT, e) && e->capture == cap)
            e->capture = NULL;
        vec_free(&cap->events.data[i].deps);
    }
    vec_free(&cap->streams);
    vec_free(&cap->events);
    free(cap);
}

int capture_end(struct ctx *c, cudaStream_t handle, struct graph **out)
{
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    struct capture *cap = s->capture;
    if (out)
        *out = NULL;
    if (!cap)
        return CUDA_ILLEGAL_STATE;
    if (cap->origin != s)
        return CUDA_CAPTURE_UNMATCHED;
    int e = cap->is_broken   ? CUDA_CAPTURE_INVALIDATED
            : is_joined(cap) ? CUDA_OK
                             : CUDA_CAPTURE_UNJOINED;
    if (!e && out)
        *out = cap->graph; /* who captured into a graph of its own need not ask */
    else if (cap->owns_graph)
        graph_free(c, cap->graph);
    capture_free(c, cap);
    return e;
}

/* --- questions --- */

int capture_info(struct ctx *c, cudaStream_t handle, int *status, unsigned long long *id,
                 struct graph **graph, struct graph_node *const **deps, size_t *n)
{
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (!status)
        return CUDA_INVALID_VALUE;
    struct capture *cap = s->capture;
    *status = !cap ? CAPTURE_NONE : cap->is_broken ? CAPTURE_BROKEN : CAPTURE_ACTIVE;
    if (*status != CAPTURE_ACTIVE)
        return CUDA_OK;
    const struct tail *t = stream_tail(cap, s);
    if (id)
        *id = cap->id;
    if (graph)
        *graph = cap->graph;
    if (deps)
        *deps = t->deps.data;
    if (n)
        *n = t->deps.len;
    return CUDA_OK;
}

int capture_update(struct ctx *c, cudaStream_t handle, struct graph_node *const *deps, size_t n,
                   bool replace)
{
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (!s->capture)
        return CUDA_ILLEGAL_STATE;
    for (size_t i = 0; i < n; i++)
        if (!deps || !node_is(c, deps[i]) || deps[i]->graph != s->capture->graph)
            return CUDA_INVALID_VALUE;
    struct tail *t = stream_tail(s->capture, s);
    if (replace)
        t->deps.len = 0;
    for (size_t i = 0; i < n; i++)
        tail_add(t, deps[i]);
    return CUDA_OK;
}
