/* A simulated GPU as a command or a CUDA program uses it: a machine, its device, the machine that
 * keeps time (unless only values are wanted), what has run on it, and the outputs that were asked
 * for (report.h writes them).
 *
 * Options come from a command line, or from the environment that `parsim run` passes on to the
 * program it starts. */
#ifndef GPU_SESSION_H
#define GPU_SESSION_H

#include "exec/grid.h"
#include "gpu/gpu.h"

struct session_options {
    const char *gpu;         /* name or file; NULL = the default */
    const char *const *sets; /* "section.field=value" */
    size_t nsets;
    bool is_timed;
    bool is_functional; /* of a command line; session_options_check() folds it into is_timed */
    const char *code;   /* "ptx" or "machine"; NULL = as the machine says */
    bool is_cold;       /* every kernel begins with empty caches */
    bool is_32bit;      /* addresses below 4 GB */
    uint64_t threads;   /* host threads; 0 = 1 */
    uint64_t regs;      /* registers a thread, for every kernel; 0 = by liveness */
    const char *oob;    /* "fault" or "warn"; NULL = "fault" */
    uint64_t interval;  /* of the time series, in core cycles; 0 = none */
    const char *json, *csv, *db, *plot, *trace, *series, *dump_config;
    uint64_t trace_limit; /* events; 0 = the default */
    const char *observe;  /* names of observe.h; NULL = none */
    bool per_kernel, per_instance;
    bool verify;          /* of a command line, which makes it one of `sets` */
    const char *kernel;   /* the launches that are timed: a regular expression; NULL = all */
    uint64_t skip, count; /* of them; count 0 = all that are left */
    bool sample;          /* simulate parts and extrapolate: sample.h */
    const char *caches;   /* "warm" or "cold" behind launches that are not; NULL = "warm" */
    const char *checkpoint, *resume; /* files of launches that are not timed: checkpoint.h */
    bool hot;                        /* where in the code the time goes: hot.h */
    uint64_t live;                   /* port of a view for browsers: live_view.h; 0 = none */
    bool progress;                   /* how far it is, also where stderr is no terminal */
    const char *max_error;           /* bounds on judged outputs (judge.h); NULL = none */
};

/* The rows of session_options.def, for command lines and the environment. */
enum session_option_kind {
    SESSION_TEXT,
    SESSION_PATH,
    SESSION_NUMBER,
    SESSION_THREADS, /* a number; 0 becomes that of the host's processors */
    SESSION_FLAG,
    SESSION_SETS,
    SESSION_WITH,
    SESSION_PLUGIN
};
struct session_option {
    enum session_option_kind kind;
    uint32_t
        offset; /* in struct session_options; SETS, WITH, PLUGIN: none, the reader collects them */
    const char *name;     /* without "--" */
    const char *variable; /* of the environment, or NULL */
    const char *arg, *help;
    uint64_t least, most;
};
extern const struct session_option session_option_rows[];
extern const size_t session_noption_rows;

/* Puts `text` (NULL for a FLAG) into its member; not for SETS, WITH and PLUGIN. `name` stands for
 * the option in messages. */
bool session_option_set(const struct session_option *row, struct session_options *o,
                        const char *name, const char *text, struct err *err);
/* The text of its environment variable; NULL: not set, empty, or a FLAG that is 0. */
const char *session_option_variable(const struct session_option *row);
/* Puts that text into its member, if there is one; not for SETS, WITH and PLUGIN. */
bool session_option_inherit(const struct session_option *row, struct session_options *o,
                            struct err *err);
/* Decides whether the run is timed (a machine was named, or is_timed; unless is_functional), and
 * refuses outputs that only a timed run has. */
bool session_options_check(struct session_options *o, struct err *err);

struct session;

/* `o` and what it points to must outlive the session. */
struct session *session_new(const struct session_options *o, struct err *err);
/* Reads PARSIM_GPU, PARSIM_SET (assignments separated by line breaks or ';') and the
 * other variables of session_options.def. */
struct session *session_from_environment(struct err *err);
void session_free(struct session *s);

const struct machine *session_machine(const struct session *s);
struct device *session_device(const struct session *s);
const struct session_options *session_options(const struct session *s);
/* NULL: values only. */
struct gpu *session_gpu(const struct session *s);
/* Of a timed run: what the machine has counted, or what follows from it (--sample). */
struct stats *session_stats(const struct session *s);
/* NULL: nothing is sampled. */
struct sample *session_sample(const struct session *s);

/* grid_run() or gpu_run(). */
bool session_run(struct session *s, struct launch *l, struct launch_result *result,
                 struct err *err);
/* Launches that do not depend on each other: together, on a machine that keeps time. */
bool session_run_many(struct session *s, struct launch *l, size_t n, struct launch_result *results,
                      struct err *err);
/* The host has written device memory. */
void session_copied(struct session *s, addr_t addr, uint64_t bytes);
/* The host has let the device fill its memory with a value. */
void session_filled(struct session *s, addr_t addr, uint64_t bytes);

/* What has run, by kernel name, in order of first launch; only what was timed, where some is. */
struct session_kernel {
    char *name;
    uint64_t launches, blocks, warp_inst, thread_inst;
    double seconds; /* of the host */
};
size_t session_kernel_count(const struct session *s);
const struct session_kernel *session_kernel(const struct session *s, size_t i);
/* With per_kernel: the statistics of the i-th kernel that the timed GPU ran, and of those that ran
 * together with it; NULL for these. Else NULL. */
const struct stats *session_kernel_stats(const struct session *s, size_t i);
/* With `hot`: what it has seen; else NULL. */
struct hot *session_hot(const struct session *s);
/* How far its launches are. */
struct progress *session_progress(struct session *s);
/* Which launches are timed (selection.h); NULL: all are. */
struct selection *session_selection(const struct session *s);
/* The timeline, with `trace`; else NULL. */
struct trace *session_trace(const struct session *s);

#endif
