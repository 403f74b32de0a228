/* A timeline of a timed run in the Trace Event Format, which ui.perfetto.dev and chrome://tracing
 * show: kernels, blocks, warps and extra warps on SMs, loads with their way through interconnect,
 * L2 and DRAM, open rows, reads and writes of DRAM banks. Written while the machine runs. The same
 * for every number of host threads. */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H

#include "gpu/gpu.h"

enum { TRACE_LIMIT = 1000000 };

struct trace;

/* Opens `path` and observes `g` until `limit` (0: TRACE_LIMIT) events are written. */
struct trace *trace_new(struct gpu *g, const char *path, uint64_t limit, struct err *err);
/* Writes what is left and the kernels, and ends the file; `interrupted` is the signal that stopped
 * the run, or 0. Once, before the gpu is freed. */
bool trace_close(struct trace *t, int interrupted, struct err *err);
/* There is no file then, if nobody closed it. */
void trace_free(struct trace *t);

#endif
