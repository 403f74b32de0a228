/* The slow side of an access: which space, which lane is wrong and how to say it. */
#include "exec/memory.h"

#include "exec/check.h"
#include "exec/oob.h"
#include "exec/step.h"
#include "exec/watch.h"

#include <stdio.h>
#include <string.h>

/* --- local memory: words interleaved by lane --- */

void local_read(const struct warp *w, unsigned lane, uint64_t off, void *to, unsigned bytes)
{
    for (unsigned done = 0; done < bytes;) {
        unsigned in_word = (unsigned)(off + done) & 3, n = 4 - in_word;
        if (n > bytes - done)
            n = bytes - done;
        const char *word = (const char *)&w->local[((off + done) >> 2) * WARP_LANES + lane];
        memcpy((char *)to + done, word + in_word, n);
        done += n;
    }
}

void local_write(struct warp *w, unsigned lane, uint64_t off, const void *from, unsigned bytes)
{
    for (unsigned done = 0; done < bytes;) {
        unsigned in_word = (unsigned)(off + done) & 3, n = 4 - in_word;
        if (n > bytes - done)
            n = bytes - done;
        char *word = (char *)&w->local[((off + done) >> 2) * WARP_LANES + lane];
        memcpy(word + in_word, (const char *)from + done, n);
        done += n;
    }
}

/* --- checks --- */

static const char *verb(const struct access *a)
{
    return a->is_write ? "write" : "read";
}

static bool fault_misaligned(struct warp *w, const struct xinst *x, const struct access *a)
{
    unsigned bytes = (unsigned)a->bytes * a->count;
    FOR_LANES (l, a->mask)
        if (a->addr[l] & (bytes - 1))
            return warp_fault(w, x, l, FAULT_MISALIGNED,
                              "misaligned %s of %u bytes at %s address 0x%llx", verb(a), bytes,
                              ptx_space_name(a->space), (unsigned long long)a->addr[l]);
    return true;
}

static bool fault_outside(struct warp *w, const struct xinst *x, const struct access *a,
                          uint64_t limit)
{
    unsigned bytes = (unsigned)a->bytes * a->count;
    FOR_LANES (l, a->mask)
        if (a->addr[l] + bytes > limit || a->addr[l] > limit)
            return warp_fault(w, x, l, FAULT_ILLEGAL_ADDRESS,
                              "%s of %u bytes at %s address 0x%llx: the %s has %llu bytes", verb(a),
                              bytes, ptx_space_name(a->space), (unsigned long long)a->addr[l],
                              a->space == PTX_SPACE_SHARED  ? "block's shared memory"
                              : a->space == PTX_SPACE_LOCAL ? "thread's local memory"
                                                            : "parameter block",
                              (unsigned long long)limit);
    return true;
}

void access_explain(const struct warp *w, const struct access *a, unsigned lane, char *buf,
                    size_t len)
{
    unsigned bytes = (unsigned)a->bytes * a->count;
    char near[400];
    devmem_explain(w->grid->dev->mem, a->addr[lane], bytes, near, sizeof near);
    snprintf(buf, len, "%s of %u bytes at global address 0x%llx is outside every allocation: %s",
             verb(a), bytes, (unsigned long long)a->addr[lane], near);
}

static bool fault_global(struct warp *w, const struct xinst *x, const struct access *a,
                         unsigned lane)
{
    char what[600];
    access_explain(w, a, lane, what, sizeof what);
    return warp_fault(w, x, lane, FAULT_ILLEGAL_ADDRESS, "%s", what);
}

/* Lines that the lanes touch, each once as long as few others come between. */
static void count_far(const struct mem_watch *watch, struct warp *w, const struct access *a)
{
    enum { SEEN = 4 };
    addr_t seen[SEEN] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    unsigned n = 0;
    FOR_LANES (l, a->mask) {
        const addr_t line = a->addr[l] - a->addr[l] % watch->line_bytes;
        if (line == seen[0] || line == seen[1] || line == seen[2] || line == seen[3])
            continue;
        seen[n++ % SEEN] = line;
        w->nfar += watch->is_far(w, line, a->is_write);
    }
}

static void tell_watch(const struct mem_watch *watch, struct warp *w, const struct access *a)
{
    if (watch->is_far)
        count_far(watch, w, a);
    if (!watch->touched)
        return;
    FOR_LANES (l, a->mask)
        watch->touched(watch->self, a->addr[l], (uint64_t)a->bytes * a->count, a->is_write);
}

/* The lanes lie in more than one allocation, or in one not seen before by this instruction. */
static bool check_global_slow(struct warp *w, const struct xinst *x, struct access *a,
                              struct tlb_entry *entry)
{
    struct grid *g = w->grid;
    uint32_t outside = 0;
    unsigned bytes = (unsigned)a->bytes * a->count;
    if (g->tlb_epoch != devmem_epoch(g->dev->mem)) {
        if (g->tlb_seen !=
            devmem_epoch(g->dev->mem)) /* else it is only that accesses are watched */
            memset(g->tlb, 0, sizeof g->tlb);
        g->tlb_epoch = g->tlb_seen = devmem_epoch(g->dev->mem);
    }
    FOR_LANES (l, a->mask) {
        if (a->addr[l] >= entry->base && a->addr[l] + bytes <= entry->end &&
            a->addr[l] + bytes > a->addr[l] && (entry->is_writable || !a->is_write))
            continue;
        const struct mem_alloc *m = devmem_find(g->dev->mem, a->addr[l], bytes);
        if (!m && !oob_note(w, x, a, l))
            return fault_global(w, x, a, l);
        if (!m) {
            outside |= UINT32_C(1) << l;
            continue;
        }
        if (a->is_write && m->is_readonly)
            return warp_fault(w, x, l, FAULT_ILLEGAL_ADDRESS,
                              "write to constant variable %s at 0x%llx", m->name,
                              (unsigned long long)a->addr[l]);
        *entry = (struct tlb_entry){m->base, m->base + m->bytes, !m->is_readonly};
    }
    if (outside)
        oob_redirect(w, x, a, outside);
    else if (g->dev->check)
        check_access(w, x, a);
    if (g->dev->watch)
        tell_watch(g->dev->watch, w, a);
    if (device_is_watched(g->dev))
        g->tlb_epoch = UINT64_MAX; /* the next access is to come here, too */
    return true;
}

static bool check_global(struct warp *w, const struct xinst *x, struct access *a)
{
    struct grid *g = w->grid;
    struct tlb_entry *e = &g->tlb[x->slot];
    uint64_t bytes = (uint64_t)a->bytes * a->count;
    if (LIKELY(a->span.min >= e->base && a->span.min <= a->span.max &&
               a->span.max + bytes <= e->end && a->span.max < UINT64_MAX - bytes &&
               g->tlb_epoch == devmem_epoch(g->dev->mem) && (e->is_writable || !a->is_write)))
        return true;
    return check_global_slow(w, x, a, e);
}

static bool fault_readonly(struct warp *w, const struct xinst *x, const struct access *a)
{
    const unsigned l = (unsigned)__builtin_ctz(a->mask);
    return warp_fault(w, x, l, FAULT_ILLEGAL_ADDRESS,
                      "write of %u bytes to the kernel's parameters, at offset 0x%llx",
                      (unsigned)a->bytes * a->count, (unsigned long long)a->addr[l]);
}

static bool check_offsets(struct warp *w, const struct xinst *x, const struct access *a,
                          uint64_t limit)
{
    uint64_t bytes = (uint64_t)a->bytes * a->count;
    if (LIKELY((int64_t)a->span.min >= 0 && a->span.max + bytes <= limit))
        return true;
    return fault_outside(w, x, a, limit);
}

static bool check_shared(struct warp *w, const struct xinst *x, const struct access *a)
{
    uint64_t bytes = (uint64_t)a->bytes * a->count;
    if (LIKELY((int64_t)a->span.min >= 0 && a->span.max + bytes <= w->cta->shared_limit))
        return true;
    if (!check_offsets(w, x, a, w->cta->shared_bytes))
        return false;
    if (w->grid->dev->check)
        check_access(w, x, a);
    return true;
}

static bool check_space(struct warp *w, const struct xinst *x, struct access *a)
{
    switch (a->space) {
    case PTX_SPACE_SHARED:
        a->base = (uintptr_t)w->cta->shared;
        return check_shared(w, x, a);
    case PTX_SPACE_LOCAL:
        a->base = 0;
        if (UNLIKELY(w->grid->dev->watch))
            w->nfar += ((unsigned)a->bytes * a->count + 3) / 4;
        return check_offsets(w, x, a, (uint64_t)w->local_words * 4);
    case PTX_SPACE_PARAM:
        a->base = (uintptr_t)w->grid->params;
        if (a->is_write)
            return fault_readonly(w, x, a);
        return check_offsets(w, x, a, w->grid->kernel->src->param_bytes);
    default:
        a->base = 0;
        return check_global(w, x, a);
    }
}

bool access_check(struct warp *w, const struct xinst *x, struct access *a)
{
    if (UNLIKELY(a->span.low & ((uint64_t)a->bytes * a->count - 1)))
        return fault_misaligned(w, x, a);
    if (!check_space(w, x, a))
        return false;
    if (w->step && a->mask) /* not what --oob warn drops */
        step_record(w->step, a);
    return true;
}

/* --- generic addresses --- */

static enum ptx_space space_of(addr_t addr)
{
    if (addr - SHARED_WINDOW < WINDOW_BYTES)
        return PTX_SPACE_SHARED;
    if (addr - LOCAL_WINDOW < WINDOW_BYTES)
        return PTX_SPACE_LOCAL;
    if (addr - PARAM_WINDOW < WINDOW_BYTES)
        return PTX_SPACE_PARAM;
    if (addr - SHARED_WINDOW_32 < WINDOW_BYTES_32)
        return PTX_SPACE_SHARED;
    if (addr - LOCAL_WINDOW_32 < WINDOW_BYTES_32)
        return PTX_SPACE_LOCAL;
    return PTX_SPACE_GLOBAL;
}

static addr_t window_of(enum ptx_space s, addr_t addr)
{
    bool is_32 = addr <= UINT32_MAX;
    return s == PTX_SPACE_SHARED  ? (is_32 ? SHARED_WINDOW_32 : SHARED_WINDOW)
           : s == PTX_SPACE_LOCAL ? (is_32 ? LOCAL_WINDOW_32 : LOCAL_WINDOW)
           : s == PTX_SPACE_PARAM ? PARAM_WINDOW
                                  : 0;
}

static bool one_space(struct warp *w, const struct xinst *x, struct access *a, enum ptx_space s,
                      uint32_t mask, access_fn fn, void *arg)
{
    struct access part = *a;
    uint64_t raw[WARP_LANES];
    memcpy(raw, a->addr, sizeof raw);
    part.space = (uint8_t)s;
    part.mask = mask;
    addr_t window = window_of(s, raw[__builtin_ctz(mask)]);
    w->grid->lanes->addresses(raw, 8, -(int64_t)window, mask, part.addr, &part.span);
    return access_check(w, x, &part) && fn(w, x, &part, arg);
}

bool access_each(struct warp *w, const struct xinst *x, struct access *a, access_fn fn, void *arg)
{
    if (a->space != PTX_SPACE_GENERIC)
        return access_check(w, x, a) && fn(w, x, a, arg);
    enum ptx_space lo = space_of(a->span.min), hi = space_of(a->span.max);
    if (lo == PTX_SPACE_GLOBAL && hi == lo && a->span.min > PARAM_WINDOW &&
        a->span.min <= a->span.max) {
        a->space = PTX_SPACE_GLOBAL;
        return access_check(w, x, a) && fn(w, x, a, arg);
    }
    if (lo != PTX_SPACE_GLOBAL && hi == lo &&
        window_of(lo, a->span.min) == window_of(lo, a->span.max)) /* all in one window */
        return one_space(w, x, a, lo, a->mask, fn, arg);
    static const enum ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL,
                                            PTX_SPACE_PARAM};
    for (unsigned i = 0; i < ARRAY_LEN(spaces); i++) {
        uint32_t mask = 0;
        FOR_LANES (l, a->mask)
            if (space_of(a->addr[l]) == spaces[i])
                mask |= UINT32_C(1) << l;
        if (mask && !one_space(w, x, a, spaces[i], mask, fn, arg))
            return false;
    }
    return true;
}

/* --- plain access for other instructions --- */

struct buffer {
    char *p;
    unsigned stride;
};

static bool copy_out(struct warp *w, const struct xinst *x, struct access *a, void *arg)
{
    const struct buffer *b = arg;
    (void)x;
    FOR_LANES (l, a->mask) {
        if (a->space == PTX_SPACE_LOCAL)
            local_read(w, l, a->addr[l], b->p + (size_t)l * b->stride, a->bytes);
        else
            lane_copy_wide(b->p + (size_t)l * b->stride, devmem_ptr(a->base + a->addr[l]),
                           a->bytes);
    }
    return true;
}

static bool copy_in(struct warp *w, const struct xinst *x, struct access *a, void *arg)
{
    const struct buffer *b = arg;
    (void)x;
    FOR_LANES (l, a->mask) {
        if (a->space == PTX_SPACE_LOCAL)
            local_write(w, l, a->addr[l], b->p + (size_t)l * b->stride, a->bytes);
        else
            lane_copy_wide(devmem_ptr(a->base + a->addr[l]), b->p + (size_t)l * b->stride,
                           a->bytes);
    }
    return true;
}

static bool plain_access(struct warp *w, const struct xinst *x, enum ptx_space space,
                         const addr_t *addr, unsigned bytes, struct buffer b, uint32_t mask,
                         bool is_write)
{
    struct access a;
    a.mask = mask;
    a.space = (uint8_t)space;
    a.bytes = (uint8_t)bytes;
    a.count = 1;
    a.is_write = is_write;
    if (!(mask & (mask - 1)) && space != PTX_SPACE_GENERIC && !w->step) {
        const addr_t at = addr[__builtin_ctz(mask)]; /* nobody looks at the other lanes */
        a.addr[__builtin_ctz(mask)] = at;
        a.span = (struct addr_span){at, at, at, SPAN_NO_STEP};
    } else {
        w->grid->lanes->addresses(addr, 8, 0, mask, a.addr, &a.span);
    }
    return access_each(w, x, &a, is_write ? copy_in : copy_out, &b);
}

bool warp_load(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
               unsigned bytes, void *buf, unsigned stride, uint32_t mask)
{
    return plain_access(w, x, space, addr, bytes, (struct buffer){buf, stride}, mask, false);
}

bool warp_store(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
                unsigned bytes, const void *buf, unsigned stride, uint32_t mask)
{
    struct buffer b = {(char *)(uintptr_t)buf, stride};
    return plain_access(w, x, space, addr, bytes, b, mask, true);
}

void warp_addresses(const struct warp *w, const struct lane_ref *ref, int64_t imm, addr_t *addr)
{
    struct addr_span span;
    w->grid->lanes->addresses(lane_at(ref, w->base), ref->bytes, imm, UINT32_MAX, addr, &span);
}
