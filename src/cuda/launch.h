/* Kernel launches: shape and resources checked, parameters gathered. */
#ifndef CUDA_LAUNCH_H
#define CUDA_LAUNCH_H

#include "cuda/module.h"
#include "cuda/op.h"

struct launch_shape {
    struct dim3 grid, block, cluster;
    size_t shared_bytes;
    bool is_cooperative;
};

/* Fills `k`, allocating k->params, from an array of pointers to the arguments. */
int launch_prepare(struct ctx *c, struct op_kernel *k, struct function *f,
                   const struct launch_shape *shape, void **args);
int launch_submit(struct ctx *c, struct function *f, const struct launch_shape *shape, void **args,
                  cudaStream_t s);
/* cudaLaunchKernelExC, cuLaunchKernelEx: the shape with its attributes. */
int launch_attributes(struct launch_shape *shape, const struct launch_attribute *attrs, unsigned n);
int launch_run(struct ctx *c, const struct op_kernel *k);
/* Kernels that do not depend on each other. */
int launch_run_many(struct ctx *c, const struct op_kernel *const *k, size_t n);

int function_attributes(struct ctx *c, struct cudaFuncAttributes *a, struct function *f);
/* cudaFuncSetAttribute: 8 = dynamic shared memory, 9 = carveout. */
int function_set_attribute(struct ctx *c, struct function *f, int attr, int value);

#endif
