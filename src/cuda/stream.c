/* Streams that run at once, so that most of what programs do with them is to be checked and
 * remembered. */
#include "cuda/stream.h"

#include "cuda/batch.h"
#include "cuda/capture.h"

#include <stdlib.h>

int (*stream_capture_hook)(struct ctx *c, struct CUstream_st *s, const struct op *o);

/* CUDA's reserved handles of the default streams. */
#define STREAM_LEGACY     ((cudaStream_t)(uintptr_t)1)
#define STREAM_PER_THREAD ((cudaStream_t)(uintptr_t)2)

enum { EVENT_FLAGS = 7, STREAM_FLAGS = 1, PRIORITY_LOW = 0, PRIORITY_HIGH = -5 };

static bool is_stream(const struct ctx *c, const struct CUstream_st *s)
{
    return handle_is(c, HANDLE_STREAM, s) && s->resets == c->resets;
}

struct CUstream_st *stream_get(struct ctx *c, cudaStream_t s)
{
    if (!s || s == STREAM_LEGACY)
        return c->default_stream;
    if (s == STREAM_PER_THREAD)
        return c->thread_stream;
    return is_stream(c, s) ? s : NULL;
}

/* CUDA_OK, or what is wrong with the handle; `gone`: what an H200 says of one whose context has
 * been reset. */
static int event_check(const struct ctx *c, cudaEvent_t e, int gone)
{
    if (!handle_is(c, HANDLE_EVENT, e))
        return CUDA_INVALID_HANDLE;
    return e->resets == c->resets ? CUDA_OK : gone;
}

int stream_submit(struct ctx *c, cudaStream_t handle, const struct op *o)
{
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (UNLIKELY(stream_capture_hook != NULL) && (s->capture || o->kind == OP_WAIT))
        return stream_capture_hook(c, s, o);
    if (o->kind == OP_KERNEL && session_gpu(c->session))
        return batch_add(c, s, o);
    return op_run(c, o);
}

int stream_create(struct ctx *c, cudaStream_t *out, unsigned flags, int priority)
{
    if (!out || (flags & ~(unsigned)STREAM_FLAGS))
        return CUDA_INVALID_VALUE;
    struct CUstream_st *s = xcalloc(1, sizeof *s);
    static uint64_t next_id;
    s->flags = flags;
    s->priority = priority > PRIORITY_LOW    ? PRIORITY_LOW
                  : priority < PRIORITY_HIGH ? PRIORITY_HIGH
                                             : priority;
    s->id = next_id++;
    s->resets = c->resets;
    handle_add(c, HANDLE_STREAM, s);
    *out = s;
    return CUDA_OK;
}

int stream_destroy(struct ctx *c, cudaStream_t s)
{
    if (!is_stream(c, s) || s == c->default_stream || s == c->thread_stream)
        return CUDA_INVALID_HANDLE;
    handle_remove(c, s);
    free(s);
    return CUDA_OK;
}

int stream_sync(struct ctx *c, cudaStream_t handle)
{
    struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    return s->capture ? capture_break(s->capture) : CUDA_OK;
}

int stream_wait_event(struct ctx *c, cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    const int wrong = event_check(c, e, CUDA_INVALID_CONTEXT);
    if (wrong || !stream_get(c, s))
        return wrong ? wrong : CUDA_INVALID_HANDLE;
    if (flags > 1)
        return CUDA_INVALID_VALUE;
    return stream_submit(c, s, &(struct op){.kind = OP_WAIT, .event = e});
}

int stream_get_flags(struct ctx *c, cudaStream_t handle, unsigned *flags)
{
    const struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (!flags)
        return CUDA_INVALID_VALUE;
    *flags = s->flags;
    return CUDA_OK;
}

int stream_get_priority(struct ctx *c, cudaStream_t handle, int *priority)
{
    const struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (!priority)
        return CUDA_INVALID_VALUE;
    *priority = s->priority;
    return CUDA_OK;
}

int stream_get_id(struct ctx *c, cudaStream_t handle, unsigned long long *id)
{
    const struct CUstream_st *s = stream_get(c, handle);
    if (!s)
        return CUDA_INVALID_HANDLE;
    if (!id)
        return CUDA_INVALID_VALUE;
    *id = s->id;
    return CUDA_OK;
}

int stream_host_func(struct ctx *c, cudaStream_t s, void (*fn)(void *), void *arg)
{
    if (!fn)
        return CUDA_INVALID_VALUE;
    return stream_submit(
        c, s, &(struct op){.kind = OP_HOST, .host = {.fn = fn, .stream = s, .arg = arg}});
}

int stream_callback(struct ctx *c, cudaStream_t s, void (*fn)(cudaStream_t, int, void *), void *arg,
                    unsigned flags)
{
    if (!fn || flags)
        return CUDA_INVALID_VALUE;
    return stream_submit(
        c, s, &(struct op){.kind = OP_HOST, .host = {.callback = fn, .stream = s, .arg = arg}});
}

/* --- events --- */

int event_create(struct ctx *c, cudaEvent_t *out, unsigned flags)
{
    if (!out || (flags & ~(unsigned)EVENT_FLAGS))
        return CUDA_INVALID_VALUE;
    struct CUevent_st *e = xcalloc(1, sizeof *e);
    e->flags = flags;
    e->resets = c->resets;
    handle_add(c, HANDLE_EVENT, e);
    *out = e;
    return CUDA_OK;
}

int event_destroy(struct ctx *c, cudaEvent_t e)
{
    const int wrong = event_check(c, e, CUDA_INVALID_CONTEXT);
    if (wrong)
        return wrong;
    handle_remove(c, e);
    free(e);
    return CUDA_OK;
}

int event_record(struct ctx *c, cudaEvent_t e, cudaStream_t s)
{
    const int wrong = event_check(c, e, CUDA_INVALID_CONTEXT);
    if (wrong)
        return wrong;
    return stream_submit(c, s, &(struct op){.kind = OP_RECORD, .event = e});
}

int event_sync(struct ctx *c, cudaEvent_t e)
{
    const int wrong = event_check(c, e, CUDA_CONTEXT_IS_DESTROYED);
    if (wrong)
        return wrong;
    return e->capture ? CUDA_CAPTURED_EVENT : CUDA_OK;
}

int event_elapsed(struct ctx *c, float *ms, cudaEvent_t from, cudaEvent_t to)
{
    const int first = event_check(c, from, CUDA_INVALID_CONTEXT);
    const int wrong = first ? first : event_check(c, to, CUDA_INVALID_CONTEXT);
    if (wrong)
        return wrong;
    if (!ms)
        return CUDA_INVALID_VALUE;
    if (!from->is_recorded || !to->is_recorded ||
        ((from->flags | to->flags) & EVENT_DISABLE_TIMING))
        return CUDA_INVALID_HANDLE;
    *ms = (float)((to->seconds - from->seconds) * 1e3);
    return CUDA_OK;
}
