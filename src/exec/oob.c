/* Places that were told already, and what an access outside every allocation reads and writes
 * instead. */
#include "exec/oob.h"

#include "base/u64map.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room of a lane: the widest access, aligned. */
enum { LANE_BYTES = 128 };

/* One for all SMs, which may run on threads of their own, and results do not depend on them:
 * `zeros` is never written; `scratch` is used by atom and red on global memory alone, which an SM
 * never executes itself: they are deferred to where all SMs meet (step.h) and run there one after
 * another, each from zeros. `known` and the counts change between runs (oob_report()). */
struct oob {
    addr_t zeros;        /* for reads: nobody writes there */
    addr_t scratch;      /* for atomics: by lane, cleared before each */
    struct u64map known; /* const struct ptx_inst * of places that were reported */
    uint64_t accesses, places;
};

struct oob_place {
    const struct ptx_inst *inst;
    uint64_t count, clock; /* of the first */
    char *msg;             /* of the first */
};

struct oob_log {
    VEC(struct oob_place) places;
};

struct oob *oob_new(struct device *d, struct err *err)
{
    const addr_t at = devmem_set_aside(d->mem, UINT64_C(2) * WARP_LANES * LANE_BYTES);
    if (!at) {
        err_set(err, "no device memory for --oob warn");
        return NULL;
    }
    struct oob *o = xcalloc(1, sizeof *o);
    o->zeros = at;
    o->scratch = at + (addr_t)WARP_LANES * LANE_BYTES;
    return o;
}

void oob_free(struct oob *o)
{
    if (!o)
        return;
    u64map_free(&o->known);
    free(o);
}

uint64_t oob_accesses(const struct oob *o)
{
    return o->accesses;
}

uint64_t oob_places(const struct oob *o)
{
    return o->places;
}

void oob_log_free(struct oob_log *l)
{
    for (size_t i = 0; l && i < l->places.len; i++)
        free(l->places.data[i].msg);
    if (l)
        vec_free(&l->places);
    free(l);
}

static struct oob_place *find_place(struct grid *g, const struct ptx_inst *inst)
{
    if (!g->oob_log)
        g->oob_log = xcalloc(1, sizeof *g->oob_log);
    for (size_t i = 0; i < g->oob_log->places.len; i++)
        if (g->oob_log->places.data[i].inst == inst)
            return &g->oob_log->places.data[i];
    vec_push(&g->oob_log->places, ((struct oob_place){.inst = inst}));
    return &vec_last(&g->oob_log->places);
}

bool oob_note(struct warp *w, const struct xinst *x, const struct access *a, unsigned lane)
{
    if (!w->grid->dev->oob)
        return false;
    struct oob_place *p = find_place(w->grid, x->src);
    if (!p->count++) {
        char what[600], msg[1024];
        access_explain(w, a, lane, what, sizeof what);
        warp_describe(w, x, lane, what, msg, sizeof msg);
        p->msg = xstrdup(msg);
        p->clock = w->grid->clock;
    }
    return true;
}

void oob_redirect(struct warp *w, const struct xinst *x, struct access *a, uint32_t lanes)
{
    const struct oob *o = w->grid->dev->oob;
    const unsigned bytes = (unsigned)a->bytes * a->count;
    const bool is_atomic = x->src->op == PTX_OP_ATOM || x->src->op == PTX_OP_RED;
    assert(!is_atomic || x->is_deferred); /* nobody else is at the scratch */
    if (is_atomic)
        memset(devmem_ptr(o->scratch), 0, (size_t)WARP_LANES * LANE_BYTES);
    FOR_LANES (l, lanes) {
        if (devmem_is_mapped(w->grid->dev->mem, a->addr[l], bytes))
            continue;
        if (a->is_write && !is_atomic)
            a->mask &= ~(UINT32_C(1) << l);
        else
            a->addr[l] = is_atomic ? o->scratch + (addr_t)l * LANE_BYTES : o->zeros;
    }
    addr_t addr[WARP_LANES];
    memcpy(addr, a->addr, sizeof addr);
    FOR_LANES (l, ~a->mask)
        addr[l] = o->zeros; /* lanes that do nothing had the address of one that may be dropped */
    w->grid->lanes->addresses(addr, 8, 0, a->mask ? a->mask : UINT32_MAX, a->addr, &a->span);
}

void oob_merge(struct grid *into, struct grid *part)
{
    for (size_t i = 0; part->oob_log && i < part->oob_log->places.len; i++) {
        struct oob_place *from = &part->oob_log->places.data[i], *to = find_place(into, from->inst);
        if (!to->count || from->clock < to->clock) {
            char *msg = to->msg;
            to->msg = from->msg;
            from->msg = msg;
            to->clock = from->clock;
        }
        to->count += from->count;
    }
    oob_log_free(part->oob_log);
    part->oob_log = NULL;
}

static int by_clock(const void *a, const void *b)
{
    const struct oob_place *x = a, *y = b;
    return x->clock != y->clock ? (x->clock > y->clock) - (x->clock < y->clock)
                                : (x->inst->line > y->inst->line) - (x->inst->line < y->inst->line);
}

void oob_report(struct grid *g)
{
    struct oob *o = g->dev->oob;
    struct oob_log *log = g->oob_log;
    if (!log)
        return;
    qsort(log->places.data, log->places.len, sizeof *log->places.data, by_clock);
    for (size_t i = 0; i < log->places.len; i++) {
        const struct oob_place *p = &log->places.data[i];
        o->accesses += p->count;
        if (u64map_get(&o->known, (uintptr_t)p->inst))
            continue;
        u64map_put(&o->known, (uintptr_t)p->inst, 1);
        o->places++;
        fprintf(stderr, "parsim: warning: %s\n", p->msg);
    }
    oob_log_free(log);
    g->oob_log = NULL;
}
