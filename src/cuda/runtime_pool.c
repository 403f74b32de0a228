/* The runtime API's functions for memory pools. */
#include "cuda/pool.h"
#include "cuda/runtime_api.h"

struct pool_location {
    int type, id;
};

struct pool_access {
    struct pool_location location;
    int flags;
};

enum { LOCATION_DEVICE = 1, ACCESS_READ_WRITE = 3 };

static int give_pool(struct mem_pool **out, int device, struct mem_pool *p)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    *out = p;
    return CUDA_OK;
}

/* There is one device, and it can always reach its own pools. */
static int pool_set_access(struct ctx *c, struct mem_pool *p, const struct pool_access *list,
                           size_t n)
{
    if (!pool_get(c, p) || (n && !list))
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < n; i++)
        if (list[i].location.type == LOCATION_DEVICE && list[i].location.id)
            return CUDA_INVALID_DEVICE;
    return CUDA_OK;
}

static int pool_get_access(struct ctx *c, int *flags, struct mem_pool *p,
                           const struct pool_location *where)
{
    if (!flags || !pool_get(c, p) || !where)
        return CUDA_INVALID_VALUE;
    *flags = where->type == LOCATION_DEVICE && !where->id ? ACCESS_READ_WRITE : 0;
    return CUDA_OK;
}

#include "cuda/runtime_pool.def"
