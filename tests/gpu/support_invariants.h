/* What every timed run's counters must obey, whatever ran. */
#ifndef TESTS_GPU_SUPPORT_INVARIANTS_H
#define TESTS_GPU_SUPPORT_INVARIANTS_H

#include "gpu/gpu_int.h"

/* After a kernel has ended. Fails the test with the counters' names; `what` names the run. */
void invariants_check(struct gpu *g, const char *what);

#endif
