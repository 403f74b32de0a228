/* A simulated GPU as a command or a CUDA program uses it: a machine, its device, the machine that
 * keeps time (unless only values are wanted), and the outputs that were asked for.
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
    bool is_32bit;    /* addresses below 4 GB */
    unsigned threads; /* host threads; 0 = 1 */
    uint32_t regs;    /* registers a thread, for every kernel; 0 = by liveness */
    cycle_t interval; /* of the time series; 0 = none */
    const char *json, *csv, *db, *plot, *trace, *series;
    bool per_kernel;
};

struct session;

struct session *session_new(const struct session_options *o, struct err *err);
/* Reads PARSIM_GPU, PARSIM_TIMED, PARSIM_SET and the others. */
struct session *session_from_environment(struct err *err);
void session_free(struct session *s);

const struct machine *session_machine(const struct session *s);
struct device *session_device(const struct session *s);
const struct session_options *session_options(const struct session *s);
/* NULL: values only. */
struct gpu *session_gpu(const struct session *s);

/* grid_run() or gpu_run(). */
bool session_run(struct session *s, struct launch *l, struct launch_result *result,
                 struct err *err);
/* The host has written device memory. */
void session_copied(struct session *s, addr_t addr, uint64_t bytes);

#endif
