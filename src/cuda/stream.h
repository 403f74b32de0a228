/* Streams and events. All work runs at once, in the order in which the host gives it: every order
 * between streams that a program may rely on is kept. Events hold the wall clock. */
#ifndef CUDA_STREAM_H
#define CUDA_STREAM_H

#include "cuda/op.h"

struct capture; /* a graph being built from a stream's work: capture.h */

struct CUstream_st {
    unsigned flags;
    int priority;
    uint64_t id;
    uint64_t resets;         /* of its context, before it was made */
    struct capture *capture; /* NULL: not being captured */
};

struct CUevent_st {
    unsigned flags;
    uint64_t resets; /* as above */
    bool is_recorded;
    double seconds;          /* wall clock at its place in the stream */
    struct capture *capture; /* recorded in a stream under capture; NULL = not */
    void *capture_node;
};

enum { EVENT_DISABLE_TIMING = 2 };

/* The stream of a handle (0 and 1: the default one, 2: the thread's); NULL if it is none. */
struct CUstream_st *stream_get(struct ctx *c, cudaStream_t s);
/* Runs `o`, or adds it to the graph if the stream is captured. */
int stream_submit(struct ctx *c, cudaStream_t s, const struct op *o);
/* Set by capture.c: takes work instead of running it. */
extern int (*stream_capture_hook)(struct ctx *c, struct CUstream_st *s, const struct op *o);

int stream_create(struct ctx *c, cudaStream_t *out, unsigned flags, int priority);
int stream_destroy(struct ctx *c, cudaStream_t s);
/* Query and synchronize differ only while a stream is captured, where both are errors. */
int stream_sync(struct ctx *c, cudaStream_t s);
int stream_wait_event(struct ctx *c, cudaStream_t s, cudaEvent_t e, unsigned flags);
int stream_get_flags(struct ctx *c, cudaStream_t s, unsigned *flags);
int stream_get_priority(struct ctx *c, cudaStream_t s, int *priority);
int stream_get_id(struct ctx *c, cudaStream_t s, unsigned long long *id);
int stream_host_func(struct ctx *c, cudaStream_t s, void (*fn)(void *), void *arg);
int stream_callback(struct ctx *c, cudaStream_t s, void (*fn)(cudaStream_t, int, void *), void *arg,
                    unsigned flags);

int event_create(struct ctx *c, cudaEvent_t *out, unsigned flags);
int event_destroy(struct ctx *c, cudaEvent_t e);
int event_record(struct ctx *c, cudaEvent_t e, cudaStream_t s);
int event_sync(struct ctx *c, cudaEvent_t e);
int event_elapsed(struct ctx *c, float *ms, cudaEvent_t from, cudaEvent_t to);

#endif
