/* Why a launch is refused, in the order in which CUDA says so; then its parameters, and the run. */
#include "cuda/launch.h"

#include "cuda/device_info.h"
#include "cuda/host_memory.h"
#include "cuda/occupancy.h"
#include "cuda/stream.h"
#include "exec/grid.h"
#include "gpu/launch_progress.h"

#include <stdlib.h>
#include <string.h>

static void copy_dim(uint32_t to[3], const struct dim3 *from)
{
    to[0] = from->x;
    to[1] = from->y;
    to[2] = from->z;
}

/* Static and dynamic. */
static uint32_t most_shared(const struct ctx *c, const struct function *f)
{
    uint32_t limit = device_block_shared(c);
    if (f->max_dynamic_shared >= 0 && (uint32_t)f->max_dynamic_shared > limit)
        limit = c->dev->block_shared_bytes;
    return limit;
}

static uint32_t most_dynamic(const struct ctx *c, const struct function *f)
{
    uint32_t most = most_shared(c, f);
    return most > f->kernel->shared_bytes ? most - f->kernel->shared_bytes : 0;
}

static int check_shared(const struct ctx *c, const struct function *f, size_t dynamic_bytes)
{
    const uint64_t need = f->kernel->shared_bytes + (uint64_t)dynamic_bytes;
    const uint32_t most = most_shared(c, f);
    if (need <= most)
        return CUDA_OK;
    ctx_say("kernel %s needs %llu bytes of shared memory, %s gives a block %u%s",
            f->kernel->src->name, (unsigned long long)need, c->dev->name, most,
            most < c->dev->block_shared_bytes
                ? " (more with cudaFuncAttributeMaxDynamicSharedMemorySize)"
                : "");
    return CUDA_INVALID_VALUE;
}

static int check_registers(const struct ctx *c, const struct function *f, uint64_t threads)
{
    const struct gpu_arch *a = c->arch;
    const uint64_t per_warp = align_up((uint64_t)f->kernel->regs * 32, a->reg_unit);
    const uint64_t need = align_up((threads + 31) / 32, a->warp_unit) * per_warp;
    if (need <= a->block_regs)
        return CUDA_OK;
    ctx_say(
        "kernel %s: a block of %llu threads with %u registers each needs %llu, %s gives a block "
        "%u (a smaller block, .maxntid or --regs makes it fit)",
        f->kernel->src->name, (unsigned long long)threads, f->kernel->regs,
        (unsigned long long)need, c->dev->name, a->block_regs);
    return CUDA_LAUNCH_OUT_OF_RESOURCES;
}

/* What .maxntid or .reqntid allow. */
static uint32_t declared_threads(const struct ptx_func *src)
{
    const uint64_t n = ptx_threads_declared(src->reqntid[0] ? src->reqntid : src->maxntid);
    return n && n < 1024 ? (uint32_t)n : 1024;
}

static int refuse_shape(const struct function *f, const struct dim3 *g, const struct dim3 *b)
{
    ctx_say("kernel %s: a grid of %u x %u x %u blocks of %u x %u x %u threads; a grid has 1 to "
            "2147483647 x 65535 x 65535 blocks, a block 1 to 1024 threads, at most 64 of them in z",
            f->kernel->src->name, g->x, g->y, g->z, b->x, b->y, b->z);
    return CUDA_INVALID_VALUE;
}

static int refuse_threads(const struct function *f, uint64_t threads)
{
    ctx_say(
        "kernel %s: %llu threads a block, but it was compiled for at most %u (__launch_bounds__, "
        ".maxntid)",
        f->kernel->src->name, (unsigned long long)threads, declared_threads(f->kernel->src));
    return CUDA_INVALID_VALUE;
}

static int refuse_cooperative(const struct ctx *c, const struct function *f, uint64_t blocks,
                              uint64_t most)
{
    ctx_say("kernel %s: %llu blocks of a cooperative launch, but %llu fit on %s at a time",
            f->kernel->src->name, (unsigned long long)blocks, (unsigned long long)most,
            c->dev->name);
    return CUDA_COOPERATIVE_TOO_LARGE;
}

static int check_shape(struct ctx *c, struct function *f, const struct launch_shape *s)
{
    const struct dim3 *b = &s->block, *g = &s->grid;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (!g->x || !g->y || !g->z || !b->x || !b->y || !b->z || threads > 1024 || b->z > 64 ||
        g->x > INT32_MAX || g->y > 65535 || g->z > 65535)
        return refuse_shape(f, g, b); /* what CUDA 13 answers; it was 9, invalid configuration */
    if (threads > declared_threads(f->kernel->src))
        return refuse_threads(f, threads);
    if (check_shared(c, f, s->shared_bytes))
        return CUDA_INVALID_VALUE;
    if (s->cluster.x && (g->x % s->cluster.x || g->y % s->cluster.y || g->z % s->cluster.z))
        return CUDA_INVALID_CONFIGURATION;
    if (check_registers(c, f, threads))
        return CUDA_LAUNCH_OUT_OF_RESOURCES;
    if (s->is_cooperative) {
        int per_sm = 0;
        int e = occupancy_blocks(c, &per_sm, f, (int)threads, s->shared_bytes);
        if (e)
            return e;
        const uint64_t blocks = (uint64_t)g->x * g->y * g->z;
        const uint64_t most = (uint64_t)per_sm * (uint32_t)c->machine->gpu.sms;
        if (blocks > most)
            return refuse_cooperative(c, f, blocks, most);
    }
    return CUDA_OK;
}

int launch_prepare(struct ctx *c, struct op_kernel *k, struct function *f,
                   const struct launch_shape *shape, void **args)
{
    int e = function_open(c, f);
    if (!e)
        e = check_shape(c, f, shape);
    if (e)
        return e;
    const struct ptx_func *src = f->kernel->src;
    if (src->nparams && !args)
        return CUDA_INVALID_VALUE;
    *k = (struct op_kernel){.fn = f,
                            .shared_bytes = (uint32_t)shape->shared_bytes,
                            .is_cooperative = shape->is_cooperative,
                            .param_bytes = src->param_bytes};
    copy_dim(k->grid, &shape->grid);
    copy_dim(k->block, &shape->block);
    copy_dim(k->cluster, &shape->cluster);
    k->params = xalloc_aligned(64, src->param_bytes);
    for (uint32_t i = 0; i < src->nparams; i++)
        if (args[i])
            memcpy((char *)k->params + src->params[i]->offset, args[i], src->params[i]->bytes);
    return CUDA_OK;
}

int launch_submit(struct ctx *c, struct function *f, const struct launch_shape *shape, void **args,
                  cudaStream_t s)
{
    struct op o = {.kind = OP_KERNEL};
    if (!f)
        return CUDA_INVALID_HANDLE;
    if (!stream_get(c, s))
        return CUDA_INVALID_HANDLE;
    int e = launch_prepare(c, &o.kernel, f, shape, args);
    if (e)
        return e;
    e = stream_submit(c, s, &o);
    op_free(&o);
    return e;
}

int launch_attributes(struct launch_shape *shape, const struct launch_attribute *attrs, unsigned n)
{
    if (n && !attrs)
        return CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++) {
        const struct launch_attribute *a = &attrs[i];
        if (a->id == LAUNCH_COOPERATIVE)
            shape->is_cooperative = a->value.cooperative != 0;
        else if (a->id == LAUNCH_CLUSTER_DIMENSION)
            shape->cluster =
                (struct dim3){a->value.cluster.x, a->value.cluster.y, a->value.cluster.z};
    }
    return CUDA_OK;
}

static void fill_launch(const struct ctx *c, const struct op_kernel *k, struct progress *progress,
                        struct launch *l)
{
    *l = (struct launch){.kernel = k->fn->kernel,
                         .dynamic_shared_bytes = k->shared_bytes,
                         .params = k->params,
                         .is_cooperative = k->is_cooperative,
                         .max_inst = c->max_inst,
                         .progress = launch_progress,
                         .progress_arg = progress};
    memcpy(l->grid, k->grid, sizeof l->grid);
    memcpy(l->block, k->block, sizeof l->block);
}

int launch_run_many(struct ctx *c, const struct op_kernel *const *k, size_t n)
{
    struct err err = {0};
    struct launch *l = xcalloc(n, sizeof *l);
    struct launch_result *r = xcalloc(n, sizeof *r);
    int e = CUDA_OK;
    struct progress *progress = session_progress(c->session);
    progress_start(progress);
    host_memory_refresh(c);
    for (size_t i = 0; i < n && !e; i++) {
        e = function_open(c, k[i]->fn); /* cudaDeviceReset() may have closed it */
        if (!e)
            fill_launch(c, k[i], progress, &l[i]);
    }
    bool ok = !e && session_run_many(c->session, l, n, r, &err);
    progress_end(progress);
    if (!e && !ok) {
        size_t bad = 0;
        while (bad < n && !r[bad].fault.code)
            bad++;
        if (bad == n)
            e = err.code ? err.code : CUDA_LAUNCH_FAILED;
        else
            c->fault = r[bad].fault.code;
        if (bad < n)
            report_fault(c, r[bad].fault.msg);
        else
            ctx_say("%s", err.msg);
    }
    free(l);
    free(r);
    return e;
}

int launch_run(struct ctx *c, const struct op_kernel *k)
{
    return launch_run_many(c, &k, 1);
}

/* --- attributes --- */

static int threads_limit(const struct ctx *c, const struct function *f)
{
    uint32_t declared = declared_threads(f->kernel->src);
    uint32_t by_regs = c->arch->block_regs /
                       (uint32_t)align_up((uint64_t)f->kernel->regs * 32, c->arch->reg_unit) * 32;
    return (int)(by_regs < declared ? by_regs : declared);
}

int function_attributes(struct ctx *c, struct cudaFuncAttributes *a, struct function *f)
{
    if (!f)
        return CUDA_INVALID_HANDLE;
    if (!a)
        return CUDA_INVALID_VALUE;
    int e = function_open(c, f);
    if (e)
        return e;
    const struct kernel *k = f->kernel;
    const struct ptx_module *m = k->src->module;
    unsigned target = 0;
    for (const char *p = m->target; p && *p; p++)
        if (*p >= '0' && *p <= '9')
            target = target * 10 + (unsigned)(*p - '0');
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = k->shared_bytes;
    a->localSizeBytes = k->entry->local_bytes;
    a->maxThreadsPerBlock = threads_limit(c, f);
    a->numRegs = (int)k->regs;
    a->ptxVersion = (int)target;
    a->binaryVersion =
        (int)((unsigned)c->machine->gpu.cc_major * 10 + (unsigned)c->machine->gpu.cc_minor);
    a->maxDynamicSharedSizeBytes =
        f->max_dynamic_shared >= 0 ? f->max_dynamic_shared : (int)most_dynamic(c, f);
    a->preferredShmemCarveout = f->carveout;
    return CUDA_OK;
}

int function_set_attribute(struct ctx *c, struct function *f, int attr, int value)
{
    enum { MAX_DYNAMIC = 8, CARVEOUT = 9, CLUSTER_FIRST = 11, CLUSTER_LAST = 15 };
    if (!f)
        return CUDA_INVALID_HANDLE;
    int e = function_open(c, f);
    if (e)
        return e;
    if (attr == MAX_DYNAMIC) {
        if (value < 0 || (uint64_t)value + f->kernel->shared_bytes > c->dev->block_shared_bytes)
            return CUDA_INVALID_VALUE;
        f->max_dynamic_shared = value;
    } else if (attr == CARVEOUT) {
        if (value < -1 || value > 100)
            return CUDA_INVALID_VALUE;
        f->carveout = value;
    } else if (attr < CLUSTER_FIRST || attr > CLUSTER_LAST) {
        return CUDA_INVALID_VALUE;
    }
    return CUDA_OK;
}
