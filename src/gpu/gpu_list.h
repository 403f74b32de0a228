/* The simulated machines by name, as far as functional execution needs them. */
#ifndef GPU_GPU_LIST_H
#define GPU_GPU_LIST_H

#include "exec/device.h"

struct gpu_row {
    const char *name;
    uint32_t sm_count;
    uint64_t memory_bytes;
    unsigned cc_major, cc_minor;
    uint32_t block_shared_bytes; /* the most one block may ask for */
};

const struct gpu_row *gpu_default(void);
/* NULL with an error that lists the names. */
const struct gpu_row *gpu_find(const char *name, struct err *err);
struct device *gpu_device_new(const struct gpu_row *gpu, struct err *err);
/* For modules with 32-bit addresses: at most 3 GB, all below 4 GB. */
struct device *gpu_device_new_32(const struct gpu_row *gpu, struct err *err);

#endif
