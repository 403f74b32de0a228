/* The order in which an assembler would put instructions: within a basic block, what takes long is
 * begun early, as far as registers allow. */
#ifndef PTX_SCHEDULE_H
#define PTX_SCHEDULE_H

#include "ptx/ir.h"

/* Orders the instructions of `f`, before anybody has seen them. No value changes: registers keep
 * their writers and readers, stores their order, loads their place among stores that may be to the
 * same memory; nothing crosses barriers, atomics, calls, fences, clocks, exchanges between lanes.
 * Pragmas stay where they were: who needs them at their instructions does without. */
void ptx_func_schedule(struct ptx_func *f);

#endif
