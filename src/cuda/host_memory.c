/* Ranges of the program's own memory that kernels may use, looked at again before each launch,
 * since it may be gone. */
#include "cuda/host_memory.h"

#include "cuda/memory.h"

#include <stdio.h>
#include <sys/mman.h>

#define PAGE_BYTES         4096u
#define REGISTER_FLAGS     0xFu
#define REGISTER_READ_ONLY 0x8u

/* Whether [p, p + bytes) is mapped with these rights, as /proc tells; where it does not, as the
 * kernel lets msync() pass over it. */
static bool is_mapped(uintptr_t p, size_t bytes, bool is_written)
{
    uintptr_t end;
    if (__builtin_add_overflow(p, bytes, &end))
        return false;
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return !msync((void *)(p & ~(uintptr_t)(PAGE_BYTES - 1)), bytes, MS_ASYNC);
    char line[512];
    while (p < end && fgets(line, sizeof line, maps)) {
        unsigned long first, last;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s", &first, &last, rights) != 3 || p < first || p >= last)
            continue;
        if (rights[0] != 'r' || (is_written && rights[1] != 'w'))
            break;
        p = last;
    }
    fclose(maps);
    return p >= end;
}

static bool is_pinned(const struct ctx *c, addr_t base)
{
    const uint64_t *bytes = u64map_get(&c->pinned, base);
    return bytes && *bytes;
}

int memory_register(struct ctx *c, void *p, size_t bytes, unsigned flags)
{
    if (!p || !bytes || (flags & ~REGISTER_FLAGS))
        return CUDA_INVALID_VALUE;
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (a)
        return a->kind == MEM_HOST ? CUDA_HOST_ALREADY_REGISTERED : CUDA_INVALID_VALUE;
    const bool is_written = !(flags & REGISTER_READ_ONLY);
    if (!is_mapped((uintptr_t)p, bytes, is_written))
        return CUDA_INVALID_VALUE;
    struct mem_alloc *made = devmem_register_host(c->dev->mem, p, bytes);
    if (!made)
        return CUDA_HOST_ALREADY_REGISTERED;
    made->is_readonly = !is_written;
    made->name = is_written ? NULL : "that the host registered";
    c->nregistered++;
    return CUDA_OK;
}

int memory_unregister(struct ctx *c, void *p)
{
    const struct mem_alloc *a = devmem_find(c->dev->mem, (addr_t)(uintptr_t)p, 1);
    if (!p)
        return CUDA_INVALID_VALUE;
    if (!a || a->kind != MEM_HOST || a->base != (addr_t)(uintptr_t)p || is_pinned(c, a->base))
        return CUDA_HOST_NOT_REGISTERED;
    devmem_release(c->dev->mem, a->base);
    c->nregistered--;
    return CUDA_OK;
}

bool host_memory_is_there(struct ctx *c, const struct mem_alloc *a)
{
    if (a->kind != MEM_HOST || is_pinned(c, a->base))
        return true;
    const addr_t first = a->base & ~(addr_t)(PAGE_BYTES - 1);
    return !msync(devmem_ptr(first), a->base + a->bytes - first, MS_ASYNC);
}

struct gone {
    struct ctx *c;
    VEC(addr_t) bases;
};

static bool note_gone(const struct mem_alloc *a, void *arg)
{
    struct gone *g = arg;
    if (a->kind == MEM_HOST && !host_memory_is_there(g->c, a))
        vec_push(&g->bases, a->base);
    return true;
}

void host_memory_refresh(struct ctx *c)
{
    struct gone gone = {.c = c};
    if (!c->nregistered)
        return;
    devmem_each(c->dev->mem, note_gone, &gone);
    for (size_t i = 0; i < gone.bases.len; i++) {
        const struct mem_alloc *a = devmem_find(c->dev->mem, gone.bases.data[i], 1);
        tex_table_remove_range(&c->dev->textures, a->base, a->bytes);
        devmem_release(c->dev->mem, a->base);
        c->nregistered--;
    }
    vec_free(&gone.bases);
}
