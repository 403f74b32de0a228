/* What the fuzz targets that run kernels of any PTX share: parameters, launch shapes. */
#ifndef TESTS_FUZZ_EXEC_LAUNCH_H
#define TESTS_FUZZ_EXEC_LAUNCH_H

#include "exec/grid.h"

enum { FUZZ_BUFFER_BYTES = 4096 };

/* Runs one launch: to its end, a fault, or a refusal; false with an error for the last two. */
typedef bool fuzz_run_fn(void *self, struct launch *l, struct err *err);

/* Lowers every kernel of the program and runs what can be lowered: two blocks of 40 threads, or as
 * many as the kernel demands, on `buffer`. Aborts where something fails without a word. */
void fuzz_launch_all(struct program *p, addr_t buffer, uint64_t max_inst, fuzz_run_fn *run,
                     void *self);

#endif
