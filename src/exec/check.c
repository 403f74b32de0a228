/* Bits for bytes that were written, and who touched which byte of shared memory since the last
 * barrier. */
#include "exec/check.h"

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/memory.h"

#include <stdio.h>
#include <string.h>

/* One bit a byte of an allocation: it has been written. */
struct shadow {
    uint64_t serial; /* of the allocation it belongs to; another one may have its place now */
    uint64_t *bits;
};

struct checker {
    bool memory, race;
    void (*report)(const char *msg, void *arg);
    void *arg;
    struct u64map shadows; /* base of an allocation -> struct shadow * */
    struct u64map said;    /* instructions that have been reported */
    VEC(struct shadow *) all;
};

/* What is known of a byte of shared memory. Phases only grow, also from block to block. */
struct check_cell {
    uint32_t write_phase, read_phase;
    uint16_t writer, reader; /* warp + 1; 0 = none */
    bool by_atomic;
    const struct ptx_inst *write_inst, *read_inst;
};

enum { SEVERAL = UINT16_MAX };

struct checker *checker_new(bool memory, bool race, void (*report)(const char *msg, void *arg),
                            void *arg)
{
    struct checker *k = xcalloc(1, sizeof *k);
    k->memory = memory;
    k->race = race;
    k->report = report;
    k->arg = arg;
    return k;
}

void checker_free(struct checker *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->all.len; i++) {
        free(k->all.data[i]->bits);
        free(k->all.data[i]);
    }
    vec_free(&k->all);
    u64map_free(&k->shadows);
    u64map_free(&k->said);
    free(k);
}

/* --- who has been written --- */

static struct shadow *shadow_get(struct checker *k, const struct mem_alloc *a)
{
    if (!a || a->kind != MEM_DEVICE || a->name)
        return NULL;
    uint64_t *slot = u64map_get(&k->shadows, a->base);
    struct shadow *s = slot ? (struct shadow *)(uintptr_t)*slot : NULL;
    if (!s) {
        s = xcalloc(1, sizeof *s);
        u64map_put(&k->shadows, a->base, (uintptr_t)s);
        vec_push(&k->all, s);
    }
    if (s->serial != a->serial) {
        free(s->bits);
        s->bits = xcalloc(a->bytes / 64 + 1, sizeof *s->bits);
        s->serial = a->serial;
    }
    return s;
}

static bool bit_get(const struct shadow *s, uint64_t i)
{
    return s->bits[i / 64] >> (i % 64) & 1;
}

static void bits_set(struct shadow *s, uint64_t from, uint64_t n)
{
    for (uint64_t i = from, end = from + n; i < end;) {
        if (i % 64 == 0 && end - i >= 64) {
            s->bits[i / 64] = UINT64_MAX;
            i += 64;
        } else {
            s->bits[i / 64] |= UINT64_C(1) << (i % 64);
            i++;
        }
    }
}

void check_written(struct checker *k, const struct devmem *m, addr_t at, uint64_t bytes)
{
    const struct mem_alloc *a = devmem_find(m, at, bytes);
    struct shadow *s = k->memory ? shadow_get(k, a) : NULL;
    if (s)
        bits_set(s, at - a->base, bytes);
}

void check_copied(struct checker *k, const struct devmem *m, addr_t dst, addr_t src, uint64_t bytes)
{
    const struct mem_alloc *to = devmem_find(m, dst, bytes), *from = devmem_find(m, src, bytes);
    struct shadow *d = k->memory ? shadow_get(k, to) : NULL, *s = d ? shadow_get(k, from) : NULL;
    if (!s) {
        check_written(k, m, dst, bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++)
        if (bit_get(s, src - from->base + i))
            bits_set(d, dst - to->base + i, 1);
}

/* --- findings --- */

static void say(struct warp *w, const struct xinst *x, unsigned lane, const char *what)
{
    struct checker *k = w->grid->dev->check;
    char msg[1024];
    if (u64map_get(&k->said, (uintptr_t)x->src))
        return;
    u64map_put(&k->said, (uintptr_t)x->src, 1);
    warp_describe(w, x, lane, what, msg, sizeof msg);
    k->report(msg, k->arg);
}

static void check_global_read(struct warp *w, const struct xinst *x, addr_t at, unsigned bytes,
                              unsigned lane, const struct mem_alloc *a, const struct shadow *s)
{
    char what[256];
    for (unsigned i = 0; i < bytes; i++)
        if (!bit_get(s, at - a->base + i)) {
            snprintf(what, sizeof what,
                     "reads %u bytes that nobody wrote, at byte %llu of allocation #%llu (%llu "
                     "bytes at 0x%llx)",
                     bytes, (unsigned long long)(at - a->base), (unsigned long long)a->serial,
                     (unsigned long long)a->bytes, (unsigned long long)a->base);
            say(w, x, lane, what);
            return;
        }
}

static void check_global_access(struct warp *w, const struct xinst *x, const struct access *a)
{
    struct checker *k = w->grid->dev->check;
    unsigned bytes = (unsigned)a->bytes * a->count;
    bool reads = !a->is_write || x->src->op == PTX_OP_ATOM || x->src->op == PTX_OP_RED;
    FOR_LANES (l, a->mask) {
        const struct mem_alloc *m = devmem_find(w->grid->dev->mem, a->addr[l], bytes);
        struct shadow *s = shadow_get(k, m);
        if (s && reads)
            check_global_read(w, x, a->addr[l], bytes, l, m, s);
        if (s && a->is_write)
            bits_set(s, a->addr[l] - m->base, bytes);
    }
}

/* --- shared memory --- */

static void say_race(struct warp *w, const struct xinst *x, unsigned lane, uint64_t offset,
                     bool is_write, const struct ptx_inst *other, bool other_writes, unsigned warp)
{
    char what[256], who[32] = "other warps";
    if (warp != SEVERAL)
        snprintf(who, sizeof who, "warp %u", warp - 1);
    snprintf(what, sizeof what,
             "race: warp %u %s byte %llu of shared memory that %s %s in line %u, with no barrier "
             "between",
             w->id, is_write ? "writes" : "reads", (unsigned long long)offset, who,
             other_writes ? "wrote" : "read", other->line);
    say(w, x, lane, what);
}

static void check_race(struct warp *w, const struct xinst *x, unsigned lane, uint64_t offset,
                       bool is_write, bool is_atomic)
{
    const struct check_cell *c = &w->cta->cells[offset];
    uint32_t phase = w->cta->phase;
    unsigned self = w->id + 1;
    if (c->writer && c->write_phase == phase && c->writer != self && !(is_atomic && c->by_atomic))
        say_race(w, x, lane, offset, is_write, c->write_inst, true, c->writer);
    else if (is_write && c->reader && c->read_phase == phase && c->reader != self)
        say_race(w, x, lane, offset, is_write, c->read_inst, false, c->reader);
}

static void note_access(struct warp *w, const struct xinst *x, uint64_t offset, bool is_write,
                        bool is_atomic)
{
    struct check_cell *c = &w->cta->cells[offset];
    uint32_t phase = w->cta->phase;
    uint16_t self = (uint16_t)(w->id + 1);
    if (is_write) {
        c->write_phase = phase;
        c->writer = self;
        c->by_atomic = is_atomic;
        c->write_inst = x->src;
        return;
    }
    c->reader = c->reader && c->read_phase == phase && c->reader != self ? SEVERAL : self;
    c->read_phase = phase;
    c->read_inst = x->src;
}

static void check_shared_access(struct warp *w, const struct xinst *x, const struct access *a)
{
    struct checker *k = w->grid->dev->check;
    struct cta *c = w->cta;
    unsigned bytes = (unsigned)a->bytes * a->count;
    bool is_atomic = x->src->op == PTX_OP_ATOM || x->src->op == PTX_OP_RED;
    if (x->src->op == PTX_OP_MBARRIER) { /* orders what comes before it and after it */
        c->phase++;
        is_atomic = true;
    }
    if (!c->cells)
        c->cells = xcalloc(c->shared_bytes, sizeof *c->cells);
    FOR_LANES (l, a->mask)
        for (uint64_t at = a->addr[l], end = at + bytes; at < end; at++) {
            const struct check_cell *cell = &c->cells[at];
            if (k->memory && !a->is_write &&
                !(cell->writer && cell->write_phase >= c->first_phase)) {
                char what[128];
                snprintf(what, sizeof what, "reads byte %llu of shared memory, which nobody wrote",
                         (unsigned long long)at);
                say(w, x, l, what);
            }
            if (k->race)
                check_race(w, x, l, at, a->is_write, is_atomic);
            note_access(w, x, at, a->is_write, is_atomic);
        }
}

void check_access(struct warp *w, const struct xinst *x, const struct access *a)
{
    if (a->space == PTX_SPACE_SHARED)
        check_shared_access(w, x, a);
    else if (w->grid->dev->check->memory)
        check_global_access(w, x, a);
}
