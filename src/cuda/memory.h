/* Memory as the APIs see it: allocation by kind, copies and fills with their bounds checked. */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H

#include "cuda/op.h"

int memory_alloc(struct ctx *c, void **out, size_t bytes, enum alloc_kind kind);
int memory_alloc_pitch(struct ctx *c, void **out, size_t *pitch, size_t row_bytes, size_t rows);
/* Device and managed memory. NULL is allowed. */
int memory_free(struct ctx *c, void *p);
int memory_alloc_host(struct ctx *c, void **out, size_t bytes, unsigned flags);
int memory_free_host(struct ctx *c, void *p);
int memory_device_pointer(struct ctx *c, void **out, void *host, unsigned flags);
int memory_info(struct ctx *c, size_t *free_bytes, size_t *total_bytes);
/* Where p lies; a host address that nobody registered has type 0. */
int memory_attributes(struct ctx *c, struct cudaPointerAttributes *a, const void *p);
int memory_range(struct ctx *c, void **base, size_t *bytes, const void *p);

/* Checks [p, p + bytes) for one side of a copy: must_be_device asks for memory the GPU can reach; a
 * range that begins in an allocation must end in it. */
int memory_check(struct ctx *c, const void *p, size_t bytes, bool must_be_device);
/* Checks both sides of a box by `kind`, and submits it. Rows of pitch bytes. */
int memory_copy_box(struct ctx *c, const struct op_copy *box, int kind, cudaStream_t s);
int memory_copy(struct ctx *c, void *dst, const void *src, size_t bytes, int kind, cudaStream_t s);
int memory_copy_2d(struct ctx *c, void *dst, size_t dpitch, const void *src, size_t spitch,
                   size_t width, size_t height, int kind, cudaStream_t s);
int memory_fill(struct ctx *c, void *dst, size_t pitch, uint32_t value, uint32_t value_bytes,
                size_t width, size_t rows, cudaStream_t s);
/* A box of rows and slices, as of cudaMalloc3D(). */
int memory_fill_box(struct ctx *c, const struct op_fill *box, cudaStream_t s);

#endif
