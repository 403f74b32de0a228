/* Work that a stream executes: what a graph's node is made of, too. */
#ifndef CUDA_OP_H
#define CUDA_OP_H

#include "cuda/ctx.h"

struct function;
struct graph;

enum op_kind { OP_EMPTY, OP_KERNEL, OP_COPY, OP_FILL, OP_HOST, OP_RECORD, OP_WAIT, OP_FREE };

/* A box of rows_bytes x rows x slices bytes; a plain copy has one row and one slice. */
struct op_copy {
    void *dst;
    const void *src;
    size_t dst_pitch, src_pitch; /* bytes from row to row */
    size_t dst_slice, src_slice; /* bytes from slice to slice */
    size_t row_bytes, rows, slices;
};

struct op_fill {
    void *dst;
    size_t pitch, slice;
    uint32_t value;
    uint32_t value_bytes; /* 1, 2, 4 */
    size_t width;         /* values in a row */
    size_t rows, slices;
};

struct op_kernel {
    struct function *fn;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes;
    bool is_cooperative;
    void *params; /* the parameter block */
    size_t param_bytes;
};

struct op_host {
    void (*fn)(void *arg);
    void (*callback)(cudaStream_t s, int status, void *arg); /* instead of fn */
    cudaStream_t stream;
    void *arg;
};

struct op {
    enum op_kind kind;
    union {
        struct op_kernel kernel;
        struct op_copy copy;
        struct op_fill fill;
        struct op_host host;
        cudaEvent_t event;
        void *mem; /* OP_FREE */
    };
};

/* Runs it now. Arguments have been checked by who made it. */
int op_run(struct ctx *c, const struct op *o);
/* A copy that owns its kernel parameters, and its end. */
struct op op_clone(const struct op *o);
void op_free(struct op *o);

#endif
