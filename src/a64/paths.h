/* All paths of a function, taken or not: whether any of them has an effect but the result, or reads
 * what can change, or leaves more than one result. Read from the code alone: what is not understood
 * counts against it. */
#ifndef A64_PATHS_H
#define A64_PATHS_H

#include "a64/pure.h"

struct paths {
    enum pure_fault fault; /* PURE_OK: there is none */
    uint64_t at;           /* where */
    uint32_t inputs;       /* arguments that some path reads: bits as in struct pure_function */
    bool sets_errno;
};

/* Of the function at `entry`, with all that it calls; the program is loaded. `outputs`: the
 * result that is to be kept, the same way. */
struct paths paths_look(const struct a64_process *p, const struct a64_timing_cfg *timing,
                        uint64_t entry, uint32_t outputs);

#endif
