/* The least that warps, registers, shared memory and block slots allow, and the block size that
 * fills most. */
#include "cuda/occupancy.h"

#include "cuda/device_info.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t block_shared(const struct ctx *c, const struct function *f, size_t dynamic_bytes)
{
    uint64_t bytes = f->kernel->shared_bytes + (uint64_t)dynamic_bytes;
    if (bytes > c->dev->block_shared_bytes)
        return UINT32_MAX;
    return (uint32_t)align_up(bytes + c->arch->reserved_shared_bytes, c->arch->shared_unit);
}

int occupancy_blocks(struct ctx *c, int *blocks, struct function *f, int threads,
                     size_t dynamic_bytes)
{
    const struct gpu_arch *a = c->arch;
    if (!f)
        return CUDA_INVALID_HANDLE;
    if (!blocks || threads <= 0)
        return CUDA_INVALID_VALUE;
    int e = function_open(c, f);
    if (e)
        return e;
    uint32_t warps = ((uint32_t)threads + 31) / 32, n = 0;
    uint32_t per_warp = (uint32_t)align_up((uint64_t)f->kernel->regs * 32, a->reg_unit);
    uint32_t shared = block_shared(c, f, dynamic_bytes);
    if (threads <= 1024 && shared <= a->sm_shared_bytes) {
        n = least(a->sm_blocks, a->sm_threads / 32 / warps);
        if (per_warp)
            n = least(n, a->sm_regs / per_warp / a->warp_unit * a->warp_unit / warps);
        if (shared)
            n = least(n, a->sm_shared_bytes / shared);
    }
    *blocks = (int)n;
    return CUDA_OK;
}

int occupancy_best(struct ctx *c, int *min_grid, int *block, struct function *f,
                   size_t (*dynamic)(int), size_t dynamic_bytes, int limit)
{
    int best = 0, best_blocks = 0, best_threads = 0;
    if (!min_grid || !block)
        return CUDA_INVALID_VALUE;
    int most = limit > 0 && limit < 1024 ? limit : 1024;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int size = threads < most ? threads : most, n;
        int e = occupancy_blocks(c, &n, f, size, dynamic ? dynamic(size) : dynamic_bytes);
        if (e)
            return e;
        if (n * size > best) {
            best = n * size;
            best_blocks = n;
            best_threads = size;
        }
    }
    *min_grid = best_blocks * (int)(uint32_t)c->machine->gpu.sms;
    *block = best_threads;
    return CUDA_OK;
}

int occupancy_dynamic(struct ctx *c, size_t *bytes, struct function *f, int blocks, int threads)
{
    int fits = 0;
    if (!bytes || blocks <= 0)
        return CUDA_INVALID_VALUE;
    int e = occupancy_blocks(c, &fits, f, threads, 0);
    if (e)
        return e;
    if (fits < blocks)
        return CUDA_INVALID_VALUE;
    uint32_t share =
        c->arch->sm_shared_bytes / (uint32_t)blocks / c->arch->shared_unit * c->arch->shared_unit;
    uint32_t used = c->arch->reserved_shared_bytes + f->kernel->shared_bytes;
    uint32_t all = c->dev->block_shared_bytes;
    uint32_t most = all > f->kernel->shared_bytes ? all - f->kernel->shared_bytes : 0;
    *bytes = share > used ? least(share - used, most) : 0;
    return CUDA_OK;
}
