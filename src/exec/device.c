/* Made with or without addresses below 4 GB. */
#include "exec/device.h"

#include "exec/oob.h"

#include <stdio.h>
#include <stdlib.h>

static struct device *device_with(struct devmem *mem)
{
    if (!mem)
        return NULL;
    struct device *d = xcalloc(1, sizeof *d);
    snprintf(d->name, sizeof d->name, "the GPU");
    d->mem = mem;
    d->out = stdout;
    d->heap_limit_bytes = UINT64_C(8) << 20;
    d->regs = (struct ptx_reg_limits){.thread = 255, .sm = 65536, .unit = 256};
    d->sm_count = 1;
    d->block_shared_bytes = 227u << 10;
    return d;
}

struct device *device_new(uint64_t memory_bytes, struct err *err)
{
    return device_with(devmem_new(memory_bytes, err));
}

struct device *device_new_32(uint64_t memory_bytes, struct err *err)
{
    return device_with(devmem_new_32(memory_bytes, err));
}

void device_free(struct device *d)
{
    if (!d)
        return;
    oob_free(d->oob);
    tex_table_free(&d->textures);
    devmem_free(d->mem);
    free(d);
}
