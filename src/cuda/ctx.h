/* The one simulated GPU of this process and all that a CUDA program has made on it. Both APIs
 * (libcudart and libcuda are one file) work on the same state.
 *
 * How the room is built
 *   exported functions   rows in runtime_*.def and driver_*.def: name, parameters, expression
 *   what they call       memory.h stream.h module.h launch.h device_info.h occupancy.h ...;
 *                        functions that take `struct ctx *c` first and return enum cuda_error
 *   work in streams      a `struct op` (op.h) given to stream_submit(); it runs at once, in order,
 *                        or becomes a graph node while the stream is captured
 *   not written yet      every name of runtime_names.def is a weak function that says so once and
 *                        returns cudaErrorNotSupported; a strong definition replaces it
 *
 * To add an API function: write `int thing_do(struct ctx *c, ...)` and a row
 *   RUNTIME(cudaThingDo, (int a, void *b), thing_do(c, a, b))
 * in a .def file that is included in a .c file after "cuda/runtime_api.h". The row takes the lock,
 * starts the GPU if need be, returns a pending fault instead of calling, and records the error for
 * cudaGetLastError(). Functions with a stream use RUNTIME_S (exported as name_ptsz too), those
 * which imply the default stream RUNTIME_D (name_ptds).
 *
 * Errors. A core function just returns a number; ctx_say() explains on stderr what a number cannot.
 * A kernel's fault is kept in `fault`: the launch that caused it succeeds, as on a GPU, every later
 * call returns it until cudaDeviceReset() or the end.
 *
 * Handles are pointers to our structures, registered with handle_add(), so that a wrong or a
 * destroyed handle is an error and not a crash. */
#ifndef CUDA_CTX_H
#define CUDA_CTX_H

#include "base/u64map.h"
#include "base/vec.h"
#include "cuda/cuda_types.h"
#include "exec/device.h"
#include "gpu/session.h"

#include <sys/types.h>

struct CUstream_st;
struct array;
struct mipmap;
struct module;
struct mem_pool;

enum handle_kind {
    HANDLE_NONE,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_CONTEXT,
    HANDLE_LINK,
    HANDLE_GRAPH,
    HANDLE_GRAPH_NODE,
    HANDLE_GRAPH_EXEC,
    HANDLE_ARRAY,
    HANDLE_MIPMAP,
    HANDLE_POOL,
};

enum device_limit {
    LIMIT_STACK,
    LIMIT_PRINTF_FIFO,
    LIMIT_HEAP,
    LIMIT_SYNC_DEPTH,
    LIMIT_PENDING_LAUNCHES,
    LIMIT_L2_FETCH,
    LIMIT_PERSISTING_L2,
    LIMIT_COUNT
};

/* Kernels that wait to run together, in the order of their launches; batch.h has the elements. */
struct waiting_kernel;
struct batch_list {
    struct waiting_kernel *data;
    size_t len, cap;
};

struct ctx {
    struct session *session;
    pid_t owner;                   /* the process that started it */
    const struct machine *machine; /* the session's */
    const struct gpu_arch *arch;   /* its limits, as programs see them */
    struct device *dev;
    int fault; /* sticky error of a kernel; 0 = none */
    char fault_msg[1024];
    struct u64map handles;      /* pointer -> enum handle_kind */
    struct u64map host_funcs;   /* address of a host stub -> struct function * */
    struct u64map host_vars;    /* address of a host's shadow variable -> struct variable * */
    struct u64map textures;     /* handle -> what it was made from: texobj.h */
    VEC(struct array *) arrays; /* array.h; those of mipmaps are theirs */
    VEC(struct mipmap *) mipmaps;
    struct u64map pinned;         /* address of pinned host memory -> bytes; 0 = freed */
    size_t nregistered;           /* ranges of host_memory.h */
    VEC(struct module *) modules; /* all that are loaded or registered */
    struct CUstream_st *default_stream, *thread_stream;
    uint64_t max_inst;               /* PARSIM_MAX_INST */
    bool checks_memory, checks_race; /* PARSIM_CHECK */
    uint64_t limits[LIMIT_COUNT];
    unsigned device_flags;
    int cache_config, shared_config;
    bool peer_enabled;
    uint64_t resets;     /* streams and events of before the last one are gone */
    bool primary_active; /* the runtime API has been used: its context is current everywhere */
    struct mem_pool *default_pool, *current_pool;
    struct batch_list batch; /* kernels that wait: batch.h */
    int late;                /* one of them was refused: for the call that let them run */
    VEC(char *) faults;      /* messages, for the report */
    VEC(char *) findings;    /* of PARSIM_CHECK */
};

/* What CUDA keeps for each host thread. */
struct ctx_thread {
    int last_error;
    struct call_config {
        struct dim3 grid, block;
        size_t shared_bytes;
        cudaStream_t stream;
    } configs[8]; /* pushed by <<<>>>, popped by the stub */
    unsigned nconfigs;
    void *contexts[32]; /* the driver API's stack of current contexts */
    unsigned ncontexts;
    unsigned lock_depth;
};

/* Takes the lock and starts the GPU at first use. NULL: that failed (and was said on stderr); the
 * lock is then not taken. The lock is recursive. Kernels that wait to run together run first,
 * unless `function` (the API function called) leaves them alone. */
struct ctx *ctx_lock_for(const char *function);
struct ctx *ctx_lock(void);
void ctx_unlock(struct ctx *c);
/* The state without starting the GPU, for registration before main(); always works. */
struct ctx *ctx_lock_cold(void);
struct ctx_thread *ctx_thread(void);
/* Releases the lock entirely while the host's own code runs, and takes it again. */
void ctx_call_host(struct ctx *c, void (*fn)(void *arg), void *arg);

/* "parsim: message" on stderr. */
void ctx_say(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same, but each `name` (a string constant) only once; always returns NOT_SUPPORTED. */
int ctx_missing(const char *name);

/* Forgets allocations, streams, modules' variables and a fault: cudaDeviceReset(). */
int ctx_reset(struct ctx *c);

void handle_add(struct ctx *c, enum handle_kind kind, const void *p);
void handle_remove(struct ctx *c, const void *p);
bool handle_is(const struct ctx *c, enum handle_kind kind, const void *p);

/* Name and text of an error; NULL if there is no such number. */
const char *error_name(int code, bool driver);
const char *error_text(int code);

/* The report at the end of the process, where PARSIM_REPORT and PARSIM_JSON ask for one. */
void report_fault(struct ctx *c, const char *msg);
/* A finding of a checker (report_finding) and, at the end, what was never freed. */
void report_finding(const char *msg, void *ctx);
void report_leaks(struct ctx *c);
/* `interrupted`: the signal that ended the program, or 0. The exit code of a program that says all
 * is well: 0, 1 if an output could not be written or is too far off, 2 if what was asked for has
 * not happened; that was said. Nothing in a child that was forked off the process that started the
 * GPU. */
int report_write_all(struct ctx *c, int interrupted);

#endif
