/* A simulated GPU as the executor sees it: memory, textures, where printf goes, limits. */
#ifndef EXEC_DEVICE_H
#define EXEC_DEVICE_H

#include "exec/devmem.h"
#include "exec/pages_ahead.h"
#include "exec/texture.h"
#include "ptx/regs.h"

#include <stdio.h>

/* CUDA's numbers for what can go wrong in a kernel. */
enum fault_code {
    FAULT_NONE = 0,
    FAULT_ILLEGAL_ADDRESS = 700,
    FAULT_LAUNCH_TIMEOUT = 702,
    FAULT_INTERRUPTED = 999, /* by a signal: base/interrupt.h */
    FAULT_ASSERT = 710,
    FAULT_STACK = 714,
    FAULT_ILLEGAL_INSTRUCTION = 715,
    FAULT_MISALIGNED = 716,
    FAULT_INVALID_SPACE = 717,
    FAULT_INVALID_PC = 718,
    FAULT_LAUNCH_FAILED = 719,
};

struct checker;
struct mem_watch;
struct oob;

struct device {
    char name[64]; /* of the machine, for messages */
    struct devmem *mem;
    struct tex_table textures;
    FILE *out;                 /* the kernels' printf and assert messages */
    uint64_t heap_limit_bytes; /* device malloc */
    uint64_t heap_used_bytes;
    struct ptx_reg_limits regs; /* that kernels are compiled for */
    bool schedules_code;        /* programs run in the order that an assembler would make, */
    bool keeps_marks;           /* but for functions with pragmas, which stand at instructions */
    uint32_t sm_count;
    uint32_t block_shared_bytes; /* the most a block may have */
    uint32_t grid_count;         /* %gridid of the next launch */
    struct pages_seen pages_seen;
    struct checker *check;         /* NULL: none; freed by who made it */
    const struct mem_watch *watch; /* NULL: nobody is told of accesses */
    struct oob *oob;               /* NULL: accesses outside every allocation are faults */
};

/* Whether global accesses have to go the checked way. */
static inline bool device_is_watched(const struct device *d)
{
    return d->check || d->watch;
}

struct device *device_new(uint64_t memory_bytes, struct err *err);
/* With all addresses below 4 GB, for modules whose addresses have 32 bits. */
struct device *device_new_32(uint64_t memory_bytes, struct err *err);
void device_free(struct device *d);

#endif
