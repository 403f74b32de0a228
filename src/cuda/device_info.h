/* What programs ask about the GPU: properties, attributes, limits. */
#ifndef CUDA_DEVICE_INFO_H
#define CUDA_DEVICE_INFO_H

#include "cuda/ctx.h"

/* Limits of a GPU: those of its SMs are the machine's, the others those of its compute capability,
 * of which the last row at or below the GPU's own is taken. */
struct gpu_arch {
    unsigned major, minor;
    uint32_t sm_threads, sm_blocks, sm_regs, block_regs, sm_shared_bytes, reserved_shared_bytes;
    uint32_t reg_unit, warp_unit; /* registers are given in units a warp, warps in units a block */
    uint32_t shared_unit;
    uint32_t l2_bytes, clock_khz, memory_khz, bus_bits;
    uint32_t thread_regs; /* the most a thread may have */
};

/* To be freed. */
struct gpu_arch *gpu_arch_of(const struct machine *m);
/* Shared memory of a block that no attribute has to be set for. */
uint32_t device_block_shared(const struct ctx *c);

/* CUDA's number for an attribute of a device. */
int device_attribute(struct ctx *c, int *value, int attr, int device);
/* Writes the struct of the toolkit's major version (11, 12 or 13). */
int device_properties(struct ctx *c, void *prop, int device, int toolkit);
const char *device_name(const struct ctx *c);
int device_set_limit(struct ctx *c, int limit, size_t value);
int device_get_limit(struct ctx *c, size_t *value, int limit);

#endif
