#include "gpu/gpu_list.h"

#include <stdio.h>
#include <string.h>

static const struct gpu_row rows[] = {
#define GPU(name, sms, mb, major, minor, shared_kb) \
    {name, sms, (uint64_t)(mb) << 20, major, minor, (shared_kb)*1024},
#include "gpu/gpus.def"
#undef GPU
};

const struct gpu_row *gpu_default(void)
{
    return &rows[0];
}

const struct gpu_row *gpu_find(const char *name, struct err *err)
{
    char names[256];
    size_t n = 0;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        if (!strcmp(name, rows[i].name))
            return &rows[i];
        int k = snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", rows[i].name);
        n += k > 0 ? (size_t)k : 0;
    }
    err_set(err, "no GPU '%s'; there are: %s", name, names);
    return NULL;
}

static struct device *with_limits(const struct gpu_row *gpu, struct device *d)
{
    if (d) {
        d->sm_count = gpu->sm_count;
        d->block_shared_bytes = gpu->block_shared_bytes;
    }
    return d;
}

struct device *gpu_device_new(const struct gpu_row *gpu, struct err *err)
{
    return with_limits(gpu, device_new(gpu->memory_bytes, err));
}

struct device *gpu_device_new_32(const struct gpu_row *gpu, struct err *err)
{
    uint64_t most = UINT64_C(3) << 30;
    return with_limits(gpu,
                       device_new_32(gpu->memory_bytes < most ? gpu->memory_bytes : most, err));
}
