/* What the two parts of `parsim validate gpu` share. */
#ifndef VALIDATE_VALIDATE_GPU_INT_H
#define VALIDATE_VALIDATE_GPU_INT_H

#include "gpu/session.h"
#include "validate/validate_int.h"

/* A kernel to run on a machine of its own. */
struct timed_kernel {
    const char *name; /* of the file, for messages, and of the kernel */
    const char *text; /* PTX */
    size_t len;
    uint32_t grid[2], block[2], regs;
    const char *const *sets; /* changes of gtx480-gpgpusim */
    size_t nsets;
    unsigned nbuffers; /* parameters: buffers, then numbers */
    uint64_t buffer_bytes;
    int32_t numbers[2];
    unsigned nnumbers;
    void (*fill)(void *buffer,
                 uint64_t bytes); /* of the first buffer; NULL: random floats in all */
};

bool timed_kernel_run(const struct timed_kernel *k, struct launch_result *r, struct err *err);

/* Latencies that can be computed by hand. */
bool validate_gpu_latencies(struct checks *r, struct err *err);

#endif
