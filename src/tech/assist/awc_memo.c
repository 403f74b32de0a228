/* Memoization: a lookup when a warp comes to a region, blocking; if all its lanes hit, their
 * results go to the region's output and the warp goes on behind it. If not, the region runs, and
 * what it has made is kept by an update of low priority. */
#include "tech/assist/awc_int.h"

#include <string.h>

enum { ENTRY_BYTES = 16 };

/* --- making one --- */

static const struct routine *routine_on(const struct aws *s, enum routine_on on)
{
    for (uint32_t i = s->nroutines; i-- > 0;)
        if (s->routines[i].decl.on == on)
            return &s->routines[i];
    return NULL;
}

void memo_init(struct memo *m, const struct aws *s)
{
    *m =
        (struct memo){.lookup = routine_on(s, ON_MEMO_BEGIN), .update = routine_on(s, ON_MEMO_END)};
}

void memo_free(struct memo *m)
{
    for (uint32_t i = 0; i < m->nfuncs; i++)
        free(m->funcs[i].regions);
    free(m->funcs);
    u64map_free(&m->by_fn);
}

/* Functions may have gone with their program since, and others may be where they were. */
void awc_launch(struct awc *c)
{
    struct memo *m = &c->memo;
    if (!m->lookup || c->used || c->waiting.len)
        return;
    memo_free(m);
    memo_init(m, c->aws);
    memset(c->shared[m->lookup->module], 0, c->aws->modules[m->lookup->module].shared_bytes);
}

/* --- regions --- */

/* The function's, found when it is met first. NULL: a fault has stopped the SM. */
static const struct memo_func *func_of(struct memo *m, struct sm *sm, struct warp *w)
{
    const struct xfunc *fn = warp_top(w)->frame->fn;
    const uint64_t *at = u64map_get(&m->by_fn, (uintptr_t)fn);
    if (at)
        return &m->funcs[*at];
    struct memo_func f = {0};
    struct err err;
    const bool ok = memo_regions_find(fn->src, &f.regions, &f.nregions, &err);
    f.first = 1;
    for (uint32_t i = 0; i < m->nfuncs; i++)
        f.first += m->funcs[i].nregions;
    m->funcs = xrealloc(m->funcs, (m->nfuncs + 1) * sizeof *m->funcs);
    m->funcs[m->nfuncs] = f;
    u64map_put(&m->by_fn, (uintptr_t)fn, m->nfuncs++);
    if (!ok) {
        warp_fault(w, warp_peek(w), 0, FAULT_ILLEGAL_INSTRUCTION, "%s", err.msg);
        extra_stop(sm, w);
        return NULL;
    }
    return &m->funcs[m->nfuncs - 1];
}

/* --- registers of the parent --- */

static void read_register(struct warp *w, const struct xfunc *fn, uint32_t reg, void *to)
{
    warp_use_frame(w);
    memcpy(to, lane_at(&fn->regs[reg], w->base), WARP_LANES * 4);
}

static void write_register(struct warp *w, const struct xfunc *fn, uint32_t reg, const void *from,
                           uint32_t mask)
{
    warp_use_frame(w);
    char *to = lane_at(&fn->regs[reg], w->base);
    FOR_LANES (l, mask)
        memcpy(to + (size_t)l * 4, (const char *)from + (size_t)l * 4, 4);
}

bool awc_memo_is_ready(struct awc *c, const struct sm *sm, const struct instance *in)
{
    const struct memo_region *r = in->region;
    bool ok = true;
    if (!r)
        return true;
    if (in->r == c->memo.update)
        ok = extra_is_written(sm, in->slot, in->fn, r->out);
    else
        for (uint32_t i = 0; i < r->nin; i++)
            ok &= extra_is_written(sm, in->slot, in->fn, r->in[i]);
    if (!ok)
        c->may_start = c->has_moved = true; /* asked again in the next cycle */
    return ok;
}

/* --- the table --- */

/* As much of the variable as the blocks leave; what was there is lost when that changes. */
static uint32_t table_entries(struct awc *c, const struct sm *sm)
{
    const uint32_t module = c->memo.lookup->module;
    uint64_t bytes = extra_spare_shared(sm);
    const uint64_t most = c->aws->modules[module].shared_bytes;
    bytes = bytes < most ? bytes : most;
    uint32_t n = bytes >= ENTRY_BYTES ? 1 : 0;
    while (n && (uint64_t)n * 2 * ENTRY_BYTES <= bytes)
        n *= 2;
    if (n != c->memo.entries)
        memset(c->shared[module], 0, most);
    c->memo.entries = n;
    if ((uint64_t)n * ENTRY_BYTES > c->stats.memo_bytes)
        c->stats.memo_bytes = (uint64_t)n * ENTRY_BYTES;
    return n;
}

/* --- what happens --- */

static struct instance *instance_of(struct awc *c, const struct routine *r, unsigned slot,
                                    const struct xfunc *fn, const struct memo_region *region,
                                    uint32_t id, uint32_t mask)
{
    struct instance *in = instance_new(c, false);
    in->r = r;
    in->slot = slot;
    in->fn = fn;
    in->region = region;
    in->value = id;
    in->mask = mask;
    return in;
}

static void begin(struct awc *c, struct sm *sm, unsigned slot, const struct memo_region *r,
                  uint32_t id, cycle_t now)
{
    struct memo *m = &c->memo;
    struct warp *w = extra_parent(sm, slot);
    const struct split *s = warp_top(w);
    m->open[slot] = NULL;
    c->stats.memo_regions++;
    if (m->rest || !awc_has_spares(c, sm, m->lookup) || !awc_has_spares(c, sm, m->update) ||
        !table_entries(c, sm)) {
        m->rest -= m->rest > 0;
        c->stats.memo_off++;
        return;
    }
    struct instance *in = instance_of(c, m->lookup, slot, s->frame->fn, r, id, s->mask);
    for (uint32_t i = 0; i < r->nin; i++)
        read_register(w, in->fn, r->in[i], (char *)in->addrs + (size_t)i * WARP_LANES * 4);
    c->stats.triggered++;
    awc_trigger(c, sm, in, now);
}

/* With the lanes that began it, or not at all. */
static void end(struct awc *c, struct sm *sm, unsigned slot, const struct memo_region *r,
                uint32_t id, cycle_t now)
{
    struct memo *m = &c->memo;
    struct warp *w = extra_parent(sm, slot);
    const struct split *s = warp_top(w);
    if (m->open[slot] != r || m->mask[slot] != s->mask)
        return;
    m->open[slot] = NULL;
    m->ran++;
    m->region_cycles += now - m->since[slot];
    c->stats.triggered++;
    if (c->contexts[m->update->id].nwaiting >= m->update->decl.waiting) {
        c->stats.overflow++;
        return;
    }
    struct instance *in = instance_of(c, m->update, slot, s->frame->fn, r, id, s->mask);
    memcpy(in->addrs, m->in[slot], sizeof m->in[slot]);
    read_register(w, in->fn, r->out, in->raw);
    c->stats.memo_updates++;
    awc_trigger(c, sm, in, now);
}

void awc_memo_event(struct awc *c, struct sm *sm, unsigned slot, cycle_t now)
{
    struct warp *w = extra_parent(sm, slot);
    if (warp_is_deferred(w) || !warp_peek(w))
        return;
    const struct memo_func *f = func_of(&c->memo, sm, w);
    for (uint32_t i = 0; f && i < f->nregions; i++)
        if (f->regions[i].end == warp_top(w)->pc)
            end(c, sm, slot, &f->regions[i], f->first + i, now);
    for (uint32_t i = 0; f && i < f->nregions; i++)
        if (f->regions[i].begin == warp_top(w)->pc)
            begin(c, sm, slot, &f->regions[i], f->first + i, now);
}

/* What skipping has saved, as long as regions take that ran, against what all lookups took. */
static bool is_worth_it(const struct memo *m)
{
    return !m->ran || (double)m->hits * (double)m->region_cycles / (double)m->ran >=
                          (double)m->lookups * (double)m->lookup_cycles / (double)m->looked;
}

/* Switched off for a while where too few lookups have paid: for four times as long every time. */
static void judge(struct awc *c)
{
    struct memo *m = &c->memo;
    if (++m->lookups < (uint32_t)c->cfg->memo_window || !c->cfg->memo_throttle)
        return;
    if (m->hits < c->cfg->memo_hits * m->lookups || !is_worth_it(m)) {
        const uint32_t most = (uint32_t)c->cfg->memo_rest;
        m->pause = m->pause ? 4 * m->pause : m->lookups;
        m->pause = m->pause < most ? m->pause : most;
        m->rest = m->pause;
    } else {
        m->pause = 0;
    }
    m->lookups = m->hits = 0;
}

void awc_memo_finish(struct awc *c, struct sm *sm, const struct awt_row *row, cycle_t now)
{
    struct memo *m = &c->memo;
    const struct instance *in = row->in;
    if (in->r != m->lookup)
        return;
    uint32_t result;
    const char *dst = awc_results(c, row, &result);
    c->stats.memo_lookups++;
    m->looked++;
    m->lookup_cycles += now - in->triggered;
    if ((result & in->mask) == in->mask) {
        struct warp *w = extra_parent(sm, in->slot);
        write_register(w, in->fn, in->region->out, dst, in->mask);
        extra_jump(sm, in->slot, in->region->end);
        c->stats.memo_skips++;
        m->hits++;
    } else {
        m->open[in->slot] = in->region;
        m->mask[in->slot] = in->mask;
        m->since[in->slot] = now;
        memcpy(m->in[in->slot], in->addrs, sizeof m->in[in->slot]);
    }
    judge(c);
}
