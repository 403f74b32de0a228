/* The log of what an SM's instructions do to global memory (see step.h). */
#include "exec/effects.h"

#include "exec/memory.h"
#include "exec/step.h"

#include <stdlib.h>
#include <string.h>

enum effect_kind { EFFECT_STORE, EFFECT_EXECUTE };

/* Entries follow each other in one growing buffer, 16-byte aligned; a store's bytes are behind its
 * addresses, [element][lane]. Lanes side by side need one address: who applies the log has to fetch
 * it from another core of the host. */
struct effect {
    cycle_t cycle;
    uint32_t size; /* of the entry with its bytes */
    uint32_t mask;
    uint8_t kind, bytes, count;
    uint8_t naddr; /* 1: all lanes, side by side */
    struct warp *warp;
    const struct xinst *x;
    addr_t addr[];
};

static addr_t effect_addr(const struct effect *e, unsigned lane)
{
    return e->naddr == 1 ? e->addr[0] + (addr_t)lane * e->bytes : e->addr[lane];
}

static const char *effect_data(const struct effect *e)
{
    return (const char *)(e->addr + e->naddr);
}

struct effects {
    char *buf;
    size_t len, cap;
    uint64_t lines; /* hashed set of the 128-byte lines stored to */
    const struct fault *fault;
    uint8_t *note, bit, unread;
};

struct effects *effects_new(void)
{
    struct effects *fx = xcalloc(1, sizeof *fx);
    fx->note = &fx->unread;
    return fx;
}

void effects_tell(struct effects *fx, uint8_t *note, uint8_t bit)
{
    fx->note = note;
    fx->bit = bit;
}

void effects_free(struct effects *fx)
{
    if (fx)
        free(fx->buf);
    free(fx);
}

bool effects_empty(const struct effects *fx)
{
    return !fx->len;
}

static struct effect *append(struct effects *fx, size_t bytes)
{
    size_t size = align_up(sizeof(struct effect) + bytes, 16);
    if (!fx->len)
        *fx->note |= fx->bit;
    if (fx->len + size > fx->cap) {
        fx->cap = (fx->len + size) * 2;
        fx->buf = xrealloc(fx->buf, fx->cap);
    }
    struct effect *e = (struct effect *)(void *)(fx->buf + fx->len);
    fx->len += size;
    e->size = (uint32_t)size;
    return e;
}

static inline uint64_t line_bit(addr_t addr)
{
    return UINT64_C(1) << ((addr >> 7) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static uint64_t lines_of(const struct access *a)
{
    uint64_t set = 0;
    unsigned bytes = (unsigned)a->bytes * a->count;
    FOR_LANES (l, a->mask)
        set |= line_bit(a->addr[l]) | line_bit(a->addr[l] + bytes - 1);
    return set;
}

void effects_store(struct effects *fx, const struct access *a, const struct xmem *m,
                   char *const *base, cycle_t now)
{
    size_t elem = (size_t)m->bytes * WARP_LANES;
    const bool is_row = m->nregs == 1 && a->mask == UINT32_MAX &&
                        memory_lanes_get()->is_sequence(a->addr, m->bytes);
    const uint8_t naddr = is_row ? 1 : WARP_LANES;
    struct effect *e = append(fx, naddr * sizeof(addr_t) + elem * m->nregs);
    e->cycle = now;
    e->kind = EFFECT_STORE;
    e->mask = a->mask;
    e->bytes = m->bytes;
    e->count = m->nregs;
    e->naddr = naddr;
    memcpy(e->addr, a->addr, naddr * sizeof(addr_t));
    char *data = (char *)(e->addr + naddr);
    for (unsigned k = 0; k < m->nregs; k++, data += elem) {
        const struct lane_ref *r = &m->regs[k];
        const char *src = lane_at(r, base);
        if (r->bytes == m->bytes)
            memcpy(data, src, elem);
        else
            for (unsigned l = 0; l < WARP_LANES; l++)
                memcpy(data + (size_t)l * m->bytes, src + (size_t)l * r->bytes, m->bytes);
    }
    fx->lines |= lines_of(a);
}

void effects_defer(struct effects *fx, struct warp *w, const struct xinst *x, uint32_t mask,
                   cycle_t now)
{
    struct effect *e = append(fx, 0);
    e->cycle = now;
    e->kind = EFFECT_EXECUTE;
    e->mask = mask;
    e->warp = w;
    e->x = x;
    w->is_deferred = true;
}

bool effects_overlap(const struct effects *fx, const struct access *a)
{
    return UNLIKELY(fx->lines != 0) && (lines_of(a) & fx->lines) != 0;
}

/* Where lane l's bytes of a store lie: [addr, addr + count * bytes). */
static void overlay_one(const struct effect *e, unsigned lane, addr_t at, unsigned bytes, char *to)
{
    addr_t first = effect_addr(e, lane);
    if (at + bytes <= first || at >= first + (addr_t)e->bytes * e->count)
        return;
    const char *data = effect_data(e);
    for (unsigned i = 0; i < bytes; i++) {
        addr_t off = at + i - first;
        if (at + i < first || off >= (addr_t)e->bytes * e->count)
            continue;
        to[i] = data[(off / e->bytes * WARP_LANES + lane) * e->bytes + off % e->bytes];
    }
}

void effects_overlay(const struct effects *fx, const struct access *a, uint64_t off, unsigned bytes,
                     char *tmp)
{
    for (size_t at = 0; at < fx->len;) {
        const struct effect *e = (const struct effect *)(const void *)(fx->buf + at);
        at += e->size;
        if (e->kind != EFFECT_STORE)
            continue;
        FOR_LANES (l, a->mask)
            FOR_LANES (k, e->mask)
                overlay_one(e, k, a->addr[l] + off, bytes, tmp + (size_t)l * bytes);
    }
}

/* --- applying --- */

static void apply_store(const struct effect *e)
{
    const char *data = effect_data(e);
    size_t elem = (size_t)e->bytes * WARP_LANES;
    if (e->naddr == 1) {
        memcpy(devmem_ptr(e->addr[0]), data, elem);
        return;
    }
    for (unsigned k = 0; k < e->count; k++)
        for (unsigned l = 0; l < WARP_LANES; l++)
            if (e->mask >> l & 1)
                memcpy(devmem_ptr(e->addr[l] + (addr_t)k * e->bytes),
                       data + k * elem + (size_t)l * e->bytes, e->bytes);
}

static bool apply_execute(const struct effect *e, struct step *s)
{
    struct warp *w = e->warp;
    w->is_deferred = false;
    s->x = e->x;
    s->active = s->mask = e->mask;
    s->naccesses = 0;
    w->step = s;
    bool ok = e->x->fn(w, e->x, e->mask);
    w->step = NULL;
    return ok;
}

/* Logs that have entries left, by place: the cycles of their next ones lie side by side. */
struct merge {
    cycle_t cycle[EFFECTS_MAX_LOGS];
    size_t at[EFFECTS_MAX_LOGS];
    uint32_t log[EFFECTS_MAX_LOGS];
    size_t n;
};

static const struct effect *effect_at(const struct effects *fx, size_t at)
{
    return (const struct effect *)(const void *)(fx->buf + at);
}

/* Asked for of every log before any is waited for. */
enum { AHEAD_BYTES = 1024 };

static void merge_begin(struct merge *m, struct effects *const *logs, size_t n)
{
    assert(n <= EFFECTS_MAX_LOGS);
    m->n = 0;
    for (size_t i = 0; i < n; i++)
        if (logs[i] && logs[i]->len) {
            for (size_t at = 0; at < logs[i]->len && at < AHEAD_BYTES; at += 64)
                __builtin_prefetch(logs[i]->buf + at);
            m->cycle[m->n] = effect_at(logs[i], 0)->cycle;
            m->at[m->n] = 0;
            m->log[m->n++] = (uint32_t)i;
        }
}

/* The entry that comes first: lowest cycle, then lowest place. `m` is not empty. */
static const struct effect *merge_take(struct merge *m, struct effects *const *logs, size_t *log)
{
    size_t best = 0;
    for (size_t k = 1; k < m->n; k++)
        best = m->cycle[k] < m->cycle[best] ? k : best;
    const struct effects *fx = logs[ *log = m->log[best]];
    const struct effect *e = effect_at(fx, m->at[best]);
    m->at[best] += e->size;
    if (m->at[best] < fx->len) {
        m->cycle[best] = effect_at(fx, m->at[best])->cycle;
        return e;
    }
    m->n--;
    for (size_t k = best; k < m->n; k++) {
        m->cycle[k] = m->cycle[k + 1];
        m->at[k] = m->at[k + 1];
        m->log[k] = m->log[k + 1];
    }
    return e;
}

bool effects_apply(struct effects *const *logs, size_t n, effect_done_fn done, void *ctx,
                   size_t *at_fault)
{
    struct merge m;
    struct step s;
    bool ok = true;
    merge_begin(&m, logs, n);
    if (!m.n)
        return true;
    while (ok && m.n) {
        size_t i;
        const struct effect *e = merge_take(&m, logs, &i);
        if (e->kind == EFFECT_STORE) {
            apply_store(e);
            continue;
        }
        struct warp *w = e->warp;
        ok = apply_execute(e, &s);
        if (ok)
            done(ctx, i, w, &s);
        else
            logs[ *at_fault = i]->fault = &w->grid->fault;
    }
    for (size_t i = 0; i < n; i++)
        if (logs[i]) {
            logs[i]->len = 0;
            logs[i]->lines = 0;
        }
    return ok;
}

const struct fault *effects_fault(const struct effects *fx)
{
    return fx->fault;
}
