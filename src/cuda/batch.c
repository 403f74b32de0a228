/* Kernels wait here until something must be seen, then run together. */
#include "cuda/batch.h"

#include "cuda/launch.h"

#include <string.h>

enum { MAX_BATCH = 32 };

bool batch_survives(const char *function)
{
    /* programs of nvcc look a kernel up before its first launch */
    static const char *const harmless[] = {"LaunchKernel", "StreamCreate", "GetKernel",
                                           "GetFunction", "GetFuncBySymbol"};
    for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
        if (strstr(function, harmless[i]))
            return true;
    return false;
}

static bool stream_waits(const struct ctx *c, const struct CUstream_st *s)
{
    for (size_t i = 0; i < c->batch.len; i++)
        if (c->batch.data[i].stream == s)
            return true;
    return false;
}

int batch_add(struct ctx *c, struct CUstream_st *s, const struct op *o)
{
    bool is_alone = s == c->default_stream || o->kernel.is_cooperative;
    if (is_alone || stream_waits(c, s) || c->batch.len == MAX_BATCH)
        batch_flush(c);
    if (c->fault)
        return CUDA_OK; /* as on a GPU, the next call tells */
    if (is_alone)
        return op_run(c, o);
    vec_push(&c->batch, ((struct waiting_kernel){s, op_clone(o)}));
    return CUDA_OK;
}

int batch_error(struct ctx *c, int error)
{
    if (LIKELY(!c || !c->late))
        return error;
    const int late = c->late;
    c->late = CUDA_OK;
    return error ? error : late;
}

void batch_flush(struct ctx *c)
{
    size_t n = c->batch.len;
    const struct op_kernel *kernels[MAX_BATCH];
    struct op ops[MAX_BATCH];
    if (!n)
        return;
    for (size_t i = 0; i < n; i++) {
        ops[i] = c->batch.data[i].op;
        kernels[i] = &ops[i].kernel;
    }
    c->batch.len = 0;
    int e = c->fault ? CUDA_OK : launch_run_many(c, kernels, n);
    if (e)
        c->late = e;
    for (size_t i = 0; i < n; i++)
        op_free(&ops[i]);
}
