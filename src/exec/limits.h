/* What a kernel may ask for. More is refused when it is lowered or launched, with the size and the
 * limit; below these limits every size fits 32 bits. */
#ifndef EXEC_LIMITS_H
#define EXEC_LIMITS_H

#include <stdint.h>

/* CUDA's own: local memory of a thread, parameters of a kernel. */
#define EXEC_MAX_LOCAL  (UINT64_C(512) << 10)
#define EXEC_MAX_PARAMS UINT64_C(32764)
/* And variables of .const that are linked together. */
#define EXEC_MAX_CONSTANT (UINT64_C(64) << 10)
/* What the smaller window of generic addresses holds; a machine has less (block_shared_bytes). */
#define EXEC_MAX_SHARED (UINT64_C(16) << 20)
/* Registers of all frames of one warp, and how many frames there are. */
#define EXEC_MAX_REGS  (UINT64_C(64) << 20)
#define EXEC_MAX_DEPTH 16384u
/* Immediates of one function, 32 lanes each. */
#define EXEC_MAX_CONSTS (UINT64_C(1) << 30)
/* Blocks that wait for others while new ones begin: registers and local memory of all of them. */
#define EXEC_MAX_RESIDENT (UINT64_C(2) << 30)
/* Launches and copies of one kernel that have not begun. */
#define EXEC_MAX_PENDING 65536u

#endif
