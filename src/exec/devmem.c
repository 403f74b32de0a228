/* A reserved range of addresses, and allocations in it in the order of their addresses. */
#include "exec/devmem.h"

#include "base/fresh_blocks.h"
#include "base/pages.h"
#include "base/vec.h"
#include "exec/devmem_pages.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVE_STEP     (UINT64_C(1) << 40)
#define RESERVE_BYTES_32 (UINT64_C(3) << 30)
#define COMMIT_STEP      (UINT64_C(2) << 20)
#define DEFAULT_ALIGN    256u
/* Unowned bytes after every allocation, so that a small overrun hits nobody. */
#define GUARD_BYTES        256u
#define RELEASE_PAGES_FROM (UINT64_C(64) << 10)
#define FREED_KEPT         4096u
#define PREPARE_FROM       (UINT64_C(8) << 20)
#define PREPARE_PART       8u

struct hole {
    addr_t base, end;
};

struct devmem {
    uint64_t reserved, aside;    /* the last `aside` bytes are for devmem_set_aside() */
    addr_t base, brk, committed; /* [base, brk) has been handed out; [base, committed) is mapped */
    uint64_t capacity, used, peak, serial, epoch;
    uint64_t prepared; /* the serial of the last allocation that devmem_prepare() has seen */
    VEC(struct mem_alloc *) live; /* by address */
    VEC(struct hole) holes;       /* free ranges below brk, by address */
    struct mem_alloc **freed;     /* ring of the last FREED_KEPT */
    uint64_t nfreed;
};

/* Reserves `bytes` of address space at the first place of `tries` that is free, `step` apart. */
static struct devmem *reserve(uint64_t capacity, addr_t first, uint64_t bytes, uint64_t step,
                              unsigned tries, struct err *err)
{
    struct devmem *m = xcalloc(1, sizeof *m);
    for (unsigned i = 0; i < tries && !m->base; i++) {
        void *want = devmem_ptr(first + i * step);
        void *got = mmap(want, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == want)
            m->base = (addr_t)(uintptr_t)got;
        else if (got != MAP_FAILED)
            munmap(got, bytes);
    }
    if (!m->base) {
        free(m);
        err_set(err,
                "cannot reserve %llu GB of address space for device memory (is `ulimit -v` set?)",
                (unsigned long long)(bytes >> 30));
        return NULL;
    }
    m->reserved = bytes;
    m->brk = m->committed = m->base;
    m->capacity = capacity;
    m->freed = xcalloc(FREED_KEPT, sizeof *m->freed);
    return m;
}

struct devmem *devmem_new(uint64_t capacity_bytes, struct err *err)
{
    /* twice the capacity, for guards and holes */
    uint64_t bytes = align_up(2 * capacity_bytes + (UINT64_C(64) << 20), COMMIT_STEP);
    if (bytes > RESERVE_STEP)
        bytes = RESERVE_STEP;
    return reserve(capacity_bytes, DEVICE_BASE, bytes, RESERVE_STEP, 16, err);
}

struct devmem *devmem_new_32(uint64_t capacity_bytes, struct err *err)
{
    return reserve(capacity_bytes, DEVICE_BASE_32, RESERVE_BYTES_32, COMMIT_STEP, 64, err);
}

static void forget(struct mem_alloc *a)
{
    if (a)
        free(a->name);
    free(a);
}

void devmem_free(struct devmem *m)
{
    if (!m)
        return;
    munmap(devmem_ptr(m->base), m->reserved);
    for (size_t i = 0; i < m->live.len; i++)
        forget(m->live.data[i]);
    for (uint64_t i = 0; i < FREED_KEPT; i++)
        forget(m->freed[i]);
    free(m->freed);
    vec_free(&m->live);
    vec_free(&m->holes);
    free(m);
}

/* Index of the first live allocation whose base is above addr. */
static size_t upper_bound(const struct devmem *m, addr_t addr)
{
    size_t lo = 0, hi = m->live.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->live.data[mid]->base <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* An allocation, and what only this file knows of it. */
struct entry {
    struct mem_alloc alloc; /* first: a pointer to it is one to the entry */
    bool is_zeroed;         /* by devmem_zero(), large parts of it */
};

static struct mem_alloc *track(struct devmem *m, addr_t base, uint64_t bytes, enum alloc_kind kind,
                               const char *name)
{
    struct entry *e = xcalloc(1, sizeof *e);
    struct mem_alloc *a = &e->alloc;
    *a = (struct mem_alloc){.base = base,
                            .bytes = bytes,
                            .serial = ++m->serial,
                            .kind = (uint8_t)kind,
                            .name = name ? xstrdup(name) : NULL};
    size_t at = upper_bound(m, base);
    vec_push(&m->live, a);
    memmove(&m->live.data[at + 1], &m->live.data[at], (m->live.len - 1 - at) * sizeof a);
    m->live.data[at] = a;
    m->epoch++;
    return a;
}

static addr_t take_hole(struct devmem *m, uint64_t span, uint64_t align)
{
    for (size_t i = 0; i < m->holes.len; i++) {
        struct hole *h = &m->holes.data[i];
        addr_t at = align_up(h->base, align);
        if (at + span > h->end || at < h->base)
            continue;
        struct hole after = {at + span, h->end};
        h->end = at;
        if (h->base == h->end) {
            *h = after;
        } else if (after.base < after.end) {
            vec_push(&m->holes, after);
            h = &m->holes.data[i];
            memmove(h + 2, h + 1, (m->holes.len - 2 - i) * sizeof *h);
            h[1] = after;
        }
        if (h->base == h->end) {
            memmove(h, h + 1, (m->holes.len - 1 - i) * sizeof *h);
            m->holes.len--;
        }
        return at;
    }
    return 0;
}

static addr_t take_fresh(struct devmem *m, uint64_t span, uint64_t align)
{
    addr_t at = align_up(m->brk, align);
    if (span > m->reserved || at + span > m->base + m->reserved - m->aside)
        return 0;
    if (at + span > m->committed) {
        addr_t end = align_up(at + span, COMMIT_STEP);
        if (mprotect(devmem_ptr(m->committed), end - m->committed, PROT_READ | PROT_WRITE) < 0)
            return 0;
        m->committed = end;
    }
    m->brk = at + span;
    return at;
}

struct mem_alloc *devmem_alloc(struct devmem *m, uint64_t bytes, uint64_t align,
                               enum alloc_kind kind, const char *name)
{
    if (!align)
        align = DEFAULT_ALIGN;
    if (!bytes || bytes > m->capacity || m->used > m->capacity - bytes)
        return NULL;
    uint64_t span = align_up(bytes + GUARD_BYTES, DEFAULT_ALIGN);
    addr_t at = take_hole(m, span, align);
    if (!at)
        at = take_fresh(m, span, align);
    if (!at)
        return NULL;
    m->used += bytes;
    m->peak = m->used > m->peak ? m->used : m->peak;
    return track(m, at, bytes, kind, name);
}

addr_t devmem_set_aside(struct devmem *m, uint64_t bytes)
{
    const uint64_t aside = m->aside + align_up(bytes, COMMIT_STEP);
    const addr_t at = m->base + m->reserved - aside;
    if (aside > m->reserved || at < m->committed ||
        mprotect(devmem_ptr(at), aside - m->aside, PROT_READ | PROT_WRITE) < 0)
        return 0;
    m->aside = aside;
    return at;
}

struct mem_alloc *devmem_register_host(struct devmem *m, void *p, uint64_t bytes)
{
    addr_t base = (addr_t)(uintptr_t)p;
    size_t at = upper_bound(m, base);
    if (!bytes || base + bytes < base)
        return NULL;
    if ((at && m->live.data[at - 1]->base + m->live.data[at - 1]->bytes > base) ||
        (at < m->live.len && m->live.data[at]->base < base + bytes))
        return NULL;
    return track(m, base, bytes, MEM_HOST, NULL);
}

/* Pages that are in memory are filled: whoever wrote them will do it again, and new ones cost more.
 * The others become, or stay, none. */
static void zero_pages(addr_t first, size_t n)
{
    bool is_in[PAGES_AT_ONCE];
    if (!pages_in_memory(devmem_ptr(first), n, is_in))
        memset(is_in, 0, sizeof is_in);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && is_in[end] == is_in[i]; end++)
            ;
        void *at = devmem_ptr(first + i * PAGE_BYTES);
        const size_t bytes = (end - i) * PAGE_BYTES;
        if (is_in[i] || madvise(at, bytes, MADV_DONTNEED))
            memset(at, 0, bytes);
    }
}

static void note_zeros(const struct devmem *m, addr_t addr, uint64_t bytes)
{
    const size_t at = upper_bound(m, addr);
    struct mem_alloc *a = at ? m->live.data[at - 1] : NULL;
    if (a && addr - a->base < a->bytes && bytes >= a->bytes / 2)
        ((struct entry *)a)->is_zeroed = true;
}

void devmem_zero(const struct devmem *m, addr_t addr, uint64_t bytes)
{
    const addr_t end = addr + bytes;
    const addr_t first = align_up(addr, PAGE_BYTES), last = end & ~(addr_t)(PAGE_BYTES - 1);
    if (bytes < RELEASE_PAGES_FROM || addr < m->base || end > m->committed) {
        memset(devmem_ptr(addr), 0, bytes);
        return;
    }
    note_zeros(m, addr, bytes);
    memset(devmem_ptr(addr), 0, first - addr);
    for (addr_t at = first, n; at < last; at += n * PAGE_BYTES) {
        n = (last - at) / PAGE_BYTES;
        n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
        zero_pages(at, n);
    }
    memset(devmem_ptr(last), 0, end - last);
}

/* The first page of each of some blocks: whether all are still to be made. */
static bool are_fresh(addr_t first, size_t nblocks)
{
    bool is_in = false;
    for (size_t i = 0; i < nblocks && !is_in; i++)
        if (!pages_in_memory(devmem_ptr(first + i * BLOCK_BYTES), 1, &is_in))
            return false;
    return !is_in;
}

static void prepare(const struct mem_alloc *a)
{
    const addr_t first = align_up(a->base, BLOCK_BYTES);
    const addr_t end = (a->base + a->bytes) & ~(addr_t)(BLOCK_BYTES - 1);
    if (first < end && are_fresh(first, (end - first) / BLOCK_BYTES))
        fresh_blocks_prepare(devmem_ptr(first), (end - first) / BLOCK_BYTES);
}

static uint64_t host_memory_free(void)
{
    const long n = sysconf(_SC_AVPHYS_PAGES);
    return n > 0 ? (uint64_t)n * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void devmem_prepare(struct devmem *m)
{
    if (m->prepared == m->serial)
        return;
    /* what is written here and there takes memory for all of it then */
    const uint64_t most = host_memory_free() / PREPARE_PART;
    for (size_t i = 0; i < m->live.len; i++) {
        const struct mem_alloc *a = m->live.data[i];
        /* of what is all zeros little will be written, as a rule */
        const bool is_zeroed = ((const struct entry *)a)->is_zeroed;
        if (a->serial > m->prepared && a->kind == MEM_DEVICE && a->bytes >= PREPARE_FROM &&
            a->bytes <= most && !is_zeroed)
            prepare(a);
    }
    m->prepared = m->serial;
}

static void give_hole(struct devmem *m, addr_t base, addr_t end)
{
    size_t i = 0;
    while (i < m->holes.len && m->holes.data[i].base < base)
        i++;
    if (i && m->holes.data[i - 1].end == base) {
        m->holes.data[--i].end = end;
    } else {
        vec_push(&m->holes, ((struct hole){0, 0}));
        struct hole *h = &m->holes.data[i];
        memmove(h + 1, h, (m->holes.len - 1 - i) * sizeof *h);
        *h = (struct hole){base, end};
    }
    struct hole *h = &m->holes.data[i];
    if (i + 1 < m->holes.len && h[1].base == h->end) {
        h->end = h[1].end;
        memmove(h + 1, h + 2, (m->holes.len - 2 - i) * sizeof *h);
        m->holes.len--;
    }
}

bool devmem_release(struct devmem *m, addr_t base)
{
    size_t at = upper_bound(m, base);
    if (!at || m->live.data[at - 1]->base != base)
        return false;
    struct mem_alloc *a = m->live.data[at - 1];
    memmove(&m->live.data[at - 1], &m->live.data[at], (m->live.len - at) * sizeof a);
    m->live.len--;
    m->epoch++;
    a->is_freed = true;
    if (a->base >= m->base && a->base < m->brk) {
        m->used -= a->bytes;
        addr_t end = a->base + align_up(a->bytes + GUARD_BYTES, DEFAULT_ALIGN);
        if (a->bytes >= RELEASE_PAGES_FROM) {
            addr_t first = align_up(a->base, PAGE_BYTES), last = end & ~(addr_t)(PAGE_BYTES - 1);
            madvise(devmem_ptr(first), last - first, MADV_DONTNEED);
        }
        give_hole(m, a->base, end);
    }
    struct mem_alloc **slot = &m->freed[m->nfreed++ % FREED_KEPT];
    forget(*slot);
    *slot = a;
    return true;
}

const struct mem_alloc *devmem_find(const struct devmem *m, addr_t addr, uint64_t bytes)
{
    size_t at = upper_bound(m, addr);
    if (!at)
        return NULL;
    const struct mem_alloc *a = m->live.data[at - 1];
    return addr - a->base < a->bytes && bytes <= a->bytes - (addr - a->base) ? a : NULL;
}

static const char *describe(const struct mem_alloc *a, char *buf, size_t len)
{
    if (a->name)
        snprintf(buf, len, "variable %s (%llu bytes at 0x%llx)", a->name,
                 (unsigned long long)a->bytes, (unsigned long long)a->base);
    else
        snprintf(buf, len, "allocation #%llu (%llu bytes at 0x%llx)", (unsigned long long)a->serial,
                 (unsigned long long)a->bytes, (unsigned long long)a->base);
    return buf;
}

static const struct mem_alloc *find_freed(const struct devmem *m, addr_t addr)
{
    const struct mem_alloc *best = NULL;
    for (uint64_t i = 0; i < FREED_KEPT && i < m->nfreed; i++) {
        const struct mem_alloc *a = m->freed[i];
        if (addr - a->base < a->bytes && (!best || a->serial > best->serial))
            best = a;
    }
    return best;
}

void devmem_explain(const struct devmem *m, addr_t addr, uint64_t bytes, char *buf, size_t len)
{
    char what[256];
    const struct mem_alloc *freed = find_freed(m, addr);
    if (freed) {
        snprintf(buf, len, "%llu bytes into freed %s", (unsigned long long)(addr - freed->base),
                 describe(freed, what, sizeof what));
        return;
    }
    if (!m->live.len) {
        snprintf(buf, len, "nothing is allocated");
        return;
    }
    size_t at = upper_bound(m, addr);
    const struct mem_alloc *below = at ? m->live.data[at - 1] : NULL;
    const struct mem_alloc *above = at < m->live.len ? m->live.data[at] : NULL;
    uint64_t after = below ? addr - (below->base + below->bytes) : UINT64_MAX;
    uint64_t before = above ? above->base - addr : UINT64_MAX;
    if (below && addr - below->base < below->bytes)
        snprintf(buf, len, "the last %llu of %llu bytes are beyond the end of %s",
                 (unsigned long long)(addr + bytes - below->base - below->bytes),
                 (unsigned long long)bytes, describe(below, what, sizeof what));
    else if (after <= before)
        snprintf(buf, len, "%llu bytes after the end of %s", (unsigned long long)after,
                 describe(below, what, sizeof what));
    else
        snprintf(buf, len, "%llu bytes before %s", (unsigned long long)before,
                 describe(above, what, sizeof what));
}

bool devmem_is_backed(const struct devmem *m, addr_t addr, uint64_t bytes)
{
    return addr >= m->base && addr < m->committed && bytes <= m->committed - addr;
}

bool devmem_is_mapped(const struct devmem *m, addr_t addr, uint64_t bytes)
{
    if (!devmem_is_backed(m, addr, bytes))
        return false;
    const addr_t page = addr & ~(addr_t)(COMMIT_STEP - 1);
    size_t at = upper_bound(m, page + COMMIT_STEP - 1);
    if (!at)
        return false;
    const struct mem_alloc *a = m->live.data[at - 1];
    return a->base + a->bytes > page;
}

addr_t devmem_base(const struct devmem *m)
{
    return m->base;
}

uint64_t devmem_reserved(const struct devmem *m)
{
    return m->reserved;
}

uint64_t devmem_capacity(const struct devmem *m)
{
    return m->capacity;
}

uint64_t devmem_used(const struct devmem *m)
{
    return m->used;
}

uint64_t devmem_peak(const struct devmem *m)
{
    return m->peak;
}

uint64_t devmem_epoch(const struct devmem *m)
{
    return m->epoch;
}

const uint64_t *devmem_epoch_at(const struct devmem *m)
{
    return &m->epoch;
}

void devmem_each(const struct devmem *m, bool (*fn)(const struct mem_alloc *a, void *arg),
                 void *arg)
{
    for (size_t i = 0; i < m->live.len; i++)
        if (!fn(m->live.data[i], arg))
            return;
}
