/* Device memory: the bytes, and who allocated them.
 *
 * One range of addresses, reserved at start at a fixed place, where a device address is also the
 * host address of its byte (so managed and mapped memory need no copies). Only allocations are
 * backed by pages. Every allocation is tracked, freed ones too, so that a wild access can be
 * explained. Host memory may be registered and is then an allocation like any other. Addresses are
 * handed out in a way that depends only on the sequence of calls. */
#ifndef EXEC_DEVMEM_H
#define EXEC_DEVMEM_H

#include "base/err.h"

/* Windows of generic addresses. Nothing on the host lives there. */
#define SHARED_WINDOW UINT64_C(0x100000000000)
#define LOCAL_WINDOW  UINT64_C(0x110000000000)
#define PARAM_WINDOW  UINT64_C(0x120000000000)
#define FUNC_WINDOW   UINT64_C(0x130000000000)
#define WINDOW_BYTES  UINT64_C(0x010000000000)
#define DEVICE_BASE   UINT64_C(0x200000000000)
/* Modules with 32-bit addresses: memory and windows below 4 GB. */
#define DEVICE_BASE_32   UINT64_C(0x20000000)
#define SHARED_WINDOW_32 UINT64_C(0xf0000000)
#define LOCAL_WINDOW_32  UINT64_C(0xf1000000)
#define WINDOW_BYTES_32  UINT64_C(0x01000000)

enum alloc_kind { MEM_DEVICE, MEM_MANAGED, MEM_HOST, MEM_VARIABLE, MEM_HEAP, MEM_ARRAY };

struct mem_alloc {
    addr_t base;
    uint64_t bytes;
    uint64_t serial; /* 1 = the first allocation of the run */
    uint8_t kind;    /* enum alloc_kind */
    bool is_freed;
    bool is_readonly; /* .const: a kernel may not write it */
    char *name;       /* variables: their PTX name, a copy that outlives their module; else NULL */
};

struct devmem;

/* `capacity_bytes`: what the simulated GPU has; allocation beyond it fails. */
struct devmem *devmem_new(uint64_t capacity_bytes, struct err *err);
/* The same with every address below 4 GB; there is room for 3 GB. */
struct devmem *devmem_new_32(uint64_t capacity_bytes, struct err *err);
void devmem_free(struct devmem *m);

/* Zeroed at first use, undefined after reuse, as on a GPU (here: deterministic). `align` a power of
 * two of at most 64 KB; 0 = 256. Returns NULL when the GPU's memory is exhausted. */
struct mem_alloc *devmem_alloc(struct devmem *m, uint64_t bytes, uint64_t align,
                               enum alloc_kind kind, const char *name);
/* Zeros the bytes, which exist; of device-side memory without taking pages for many. */
void devmem_zero(const struct devmem *m, addr_t addr, uint64_t bytes);
/* Zeroed bytes at the end of the address space that are no allocation and near none, so that no
 * wrong access of a program finds them; 0: there is no room. They stay until devmem_free(). */
addr_t devmem_set_aside(struct devmem *m, uint64_t bytes);
/* Host memory at its own address becomes accessible to kernels. */
struct mem_alloc *devmem_register_host(struct devmem *m, void *p, uint64_t bytes);
/* False if `base` is not the start of a live allocation. */
bool devmem_release(struct devmem *m, addr_t base);

/* The live allocation that contains [addr, addr + bytes), or NULL. */
const struct mem_alloc *devmem_find(const struct devmem *m, addr_t addr, uint64_t bytes);
/* For messages: "12 bytes after the end of allocation #3 (1024 bytes at 0x...)". */
void devmem_explain(const struct devmem *m, addr_t addr, uint64_t bytes, char *buf, size_t len);

/* Whether the bytes can be read: of device-side memory, allocated or not. */
bool devmem_is_backed(const struct devmem *m, addr_t addr, uint64_t bytes);
/* Whether the bytes, which one page has, exist on a GPU: there is a live allocation of device-side
 * memory on that page of 2 MB. */
bool devmem_is_mapped(const struct devmem *m, addr_t addr, uint64_t bytes);
/* All device-side allocations are in [base, base + reserved). */
addr_t devmem_base(const struct devmem *m);
uint64_t devmem_reserved(const struct devmem *m);
uint64_t devmem_capacity(const struct devmem *m);
uint64_t devmem_used(const struct devmem *m); /* bytes in live device-side allocations */
uint64_t devmem_peak(const struct devmem *m); /* the most that devmem_used() has been */
/* Grows whenever an allocation or release may have made a cached devmem_find() stale. */
uint64_t devmem_epoch(const struct devmem *m);
const uint64_t *devmem_epoch_at(const struct devmem *m); /* where it is kept */

static inline void *devmem_ptr(addr_t addr)
{
    return (void *)(uintptr_t)addr;
}

/* Visits allocations in order of address; `fn` returns false to stop. */
void devmem_each(const struct devmem *m, bool (*fn)(const struct mem_alloc *a, void *arg),
                 void *arg);

#endif
