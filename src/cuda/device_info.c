/* Attributes of a machine: what its file says, and for the rest what GPUs of that architecture
 * have. */
#include "cuda/device_info.h"

#include "exec/limits.h"

#include <stdio.h>
#include <string.h>

static const struct gpu_arch archs[] = {
#define ARCH(...) {__VA_ARGS__},
#include "cuda/gpu_arch.def"
#undef ARCH
};

static const struct gpu_arch *find_arch(unsigned major, unsigned minor)
{
    const struct gpu_arch *best = &archs[0];
    for (size_t i = 0; i < ARRAY_LEN(archs); i++)
        if (archs[i].major < major || (archs[i].major == major && archs[i].minor <= minor))
            best = &archs[i];
    return best;
}

struct gpu_arch *gpu_arch_of(const struct machine *m)
{
    struct gpu_arch *a = xmalloc(sizeof *a);
    *a = *find_arch((unsigned)m->gpu.cc_major, (unsigned)m->gpu.cc_minor);
    a->sm_threads = (uint32_t)m->sm.threads;
    a->sm_blocks = (uint32_t)m->sm.ctas;
    a->sm_regs = (uint32_t)m->sm.registers;
    a->block_regs = a->block_regs < a->sm_regs ? a->block_regs : a->sm_regs;
    a->sm_shared_bytes = (uint32_t)m->sm.shared_bytes;
    a->reg_unit = (uint32_t)m->sm.register_unit;
    return a;
}

uint32_t device_block_shared(const struct ctx *c)
{
    const uint32_t most = 48u << 10;
    return c->dev->block_shared_bytes < most ? c->dev->block_shared_bytes : most;
}

enum { LAST_ATTR = 147 };

static int attribute(const struct ctx *c, int attr)
{
    const struct gpu_cfg *g = &c->machine->gpu;
    const struct gpu_arch *a = c->arch;
    switch (attr) {
#define ATTR(number, value) \
    case number:            \
        return (int)(value);
#include "cuda/device_attr.def"
#undef ATTR
    default:
        return 0;
    }
}

int device_attribute(struct ctx *c, int *value, int attr, int device)
{
    if (!value || attr < 1 || attr > LAST_ATTR)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    *value = attribute(c, attr);
    return CUDA_OK;
}

const char *device_name(const struct ctx *c)
{
    static char name[64];
    snprintf(name, sizeof name, "Parsim %s", c->machine->gpu.name);
    return name;
}

/* --- cudaDeviceProp --- */

static const struct prop_row {
    uint8_t first, last, bytes, attrs[3];
} props[] = {
#define PROP(first, last, bytes, ...) {first, last, bytes, {__VA_ARGS__}},
#include "cuda/device_prop.def"
#undef PROP
};

/* The sizes of the whole structs, reserved fields included. */
static const struct {
    int toolkit;
    size_t bytes;
} prop_sizes[] = {{11, 728}, {12, 1032}, {13, 1008}};

enum { PROP_NAME_BYTES = 256, PROP_UUID_AT = 256, PROP_MEMORY_AT = 288, PROP_FIRST_AT = 296 };

static size_t put_prop(const struct ctx *c, char *out, size_t at, const struct prop_row *row)
{
    at = align_up(at, row->bytes);
    for (unsigned i = 0; i < ARRAY_LEN(row->attrs) && (!i || row->attrs[i]); i++) {
        int64_t v = row->attrs[i] ? attribute(c, row->attrs[i]) : 0;
        memcpy(out + at, &v, row->bytes);
        at += row->bytes;
    }
    return at;
}

int device_properties(struct ctx *c, void *prop, int device, int toolkit)
{
    char *out = prop;
    size_t at = PROP_FIRST_AT;
    uint64_t memory = devmem_capacity(c->dev->mem);
    if (!prop)
        return CUDA_INVALID_VALUE;
    if (device)
        return CUDA_INVALID_DEVICE;
    for (size_t i = 0; i < ARRAY_LEN(prop_sizes); i++)
        if (prop_sizes[i].toolkit == toolkit)
            memset(out, 0, prop_sizes[i].bytes);
    snprintf(out, PROP_NAME_BYTES, "%s", device_name(c));
    memcpy(out + PROP_UUID_AT, "parsim", 6);
    memcpy(out + PROP_MEMORY_AT, &memory, sizeof memory);
    for (size_t i = 0; i < ARRAY_LEN(props); i++)
        if (toolkit >= props[i].first && toolkit <= props[i].last)
            at = put_prop(c, out, at, &props[i]);
    return CUDA_OK;
}

/* --- limits --- */

int device_set_limit(struct ctx *c, int limit, size_t value)
{
    if (limit < 0 || limit >= LIMIT_COUNT)
        return CUDA_INVALID_VALUE;
    if ((limit == LIMIT_STACK && value > EXEC_MAX_LOCAL) ||
        (limit == LIMIT_HEAP && value > devmem_capacity(c->dev->mem)))
        return CUDA_INVALID_VALUE;
    c->limits[limit] = value;
    if (limit == LIMIT_HEAP)
        c->dev->heap_limit_bytes = value;
    return CUDA_OK;
}

int device_get_limit(struct ctx *c, size_t *value, int limit)
{
    if (!value || limit < 0 || limit >= LIMIT_COUNT)
        return CUDA_INVALID_VALUE;
    *value = c->limits[limit];
    return CUDA_OK;
}
