/* Lookups and updates of one SM. A warp that comes to a region waits until its inputs are written
 * and the table has answered for all lanes; if each has found its result, it goes on behind the
 * region. */
#include "tech/memo_sm/memo_sm_int.h"

#include <string.h>

void memo_sm_init(struct memo_sm *m, const struct memo_sm_cfg *cfg)
{
    m->cfg = cfg;
    lut_init(&m->table, (unsigned)(cfg->bytes / MEMO_SM_SET_BYTES), MEMO_SM_WAYS);
}

static void forget(struct memo_sm *m)
{
    for (size_t k = 0; k < m->funcs.len; k++)
        free(m->funcs.data[k].regions);
    vec_free(&m->funcs);
    u64map_free(&m->by_fn);
}

void memo_sm_free(struct memo_sm *m)
{
    forget(m);
    lut_free(&m->table);
}

/* Functions may have gone with their program since, and others may be where they were. */
void memo_sm_launch(struct memo_sm *m)
{
    if (m->waiting)
        return;
    forget(m);
    m->by_fn = (struct u64map){0};
    lut_free(&m->table);
    memo_sm_init(m, m->cfg);
    memset(m->visits, 0, sizeof m->visits);
}

/* The function's regions, found when it is met first. NULL: a fault has stopped the SM. */
static const struct memo_sm_func *func_of(struct memo_sm *m, struct sm *sm, struct warp *w)
{
    const struct xfunc *fn = warp_top(w)->frame->fn;
    const uint64_t *at = u64map_get(&m->by_fn, (uintptr_t)fn);
    if (at)
        return &m->funcs.data[*at];
    struct memo_sm_func f = {.first = 1};
    struct err err;
    const bool is_ok = memo_regions_find(fn->src, &f.regions, &f.nregions, &err);
    for (size_t k = 0; k < m->funcs.len; k++)
        f.first += m->funcs.data[k].nregions;
    u64map_put(&m->by_fn, (uintptr_t)fn, m->funcs.len);
    vec_push(&m->funcs, f);
    if (is_ok)
        return &vec_last(&m->funcs);
    warp_fault(w, warp_peek(w), 0, FAULT_ILLEGAL_INSTRUCTION, "%s", err.msg);
    extra_stop(sm, w);
    return NULL;
}

/* --- keys --- */

/* One to one on 64 bits, so that equal keys are equal inputs; the low bits choose the set. */
static uint64_t spread(uint64_t v)
{
    v = (v ^ v >> 33) * UINT64_C(0xff51afd7ed558ccd);
    v = (v ^ v >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return v ^ v >> 33;
}

static void read_register(struct warp *w, const struct xfunc *fn, uint32_t reg, uint32_t *to)
{
    warp_use_frame(w);
    memcpy(to, lane_at(&fn->regs[reg], w->base), WARP_LANES * sizeof *to);
}

static void read_keys(const struct memo_sm *m, struct warp *w, struct memo_sm_visit *v)
{
    const uint32_t keep = UINT32_MAX << (32 - m->cfg->bits);
    uint32_t in[MEMO_INPUTS][WARP_LANES] = {0};
    for (uint32_t k = 0; k < v->region->nin; k++)
        read_register(w, v->fn, v->region->in[k], in[k]);
    for (unsigned l = 0; l < WARP_LANES; l++)
        v->keys.at[l] = spread((uint64_t)(in[1][l] & keep) << 32 | (in[0][l] & keep));
}

/* Lanes whose key no lane before them has. */
static uint32_t distinct(const struct memo_sm_visit *v)
{
    uint32_t first = 0;
    FOR_LANES (l, v->mask) {
        bool is_known = false;
        FOR_LANES (k, first)
            is_known |= v->keys.at[k] == v->keys.at[l];
        if (!is_known)
            first |= 1u << l;
    }
    return first;
}

/* --- a lookup --- */

static bool is_written(const struct sm *sm, unsigned slot, const struct memo_sm_visit *v)
{
    for (uint32_t k = 0; k < v->region->nin; k++)
        if (!extra_is_written(sm, slot, v->fn, v->region->in[k]))
            return false;
    return true;
}

/* When the table is done with `accesses` more. */
static cycle_t take_port(struct memo_sm *m, cycle_t from, uint32_t accesses)
{
    const cycle_t start = from > m->port ? from : m->port;
    const uint32_t ports = (uint32_t)m->cfg->ports;
    m->stats.accesses += accesses;
    m->port = start + (accesses + ports - 1) / ports;
    return m->port;
}

static void look_up(struct memo_sm *m, struct memo_sm_visit *v, cycle_t now)
{
    uint32_t hits = 0;
    FOR_LANES (l, v->mask) {
        struct lut_entry *e = lut_find(&m->table, v->id & 0xff, v->keys.at[l]);
        if (!e)
            continue;
        lut_touch(&m->table, e);
        v->found[l] = (uint32_t)e->data;
        hits |= 1u << l;
    }
    m->stats.lookups++;
    m->stats.lanes += (uint64_t)__builtin_popcount(v->mask);
    m->stats.lane_hits += (uint64_t)__builtin_popcount(hits);
    v->is_hit = hits == v->mask;
    v->is_started = true;
    const cycle_t hashed = now + (cycle_t)m->cfg->hash_cycles * v->region->nin;
    v->done =
        take_port(m, hashed, (uint32_t)__builtin_popcount(distinct(v))) + (cycle_t)m->cfg->cycles;
}

static void finish(struct memo_sm *m, struct sm *sm, unsigned slot, cycle_t now)
{
    struct memo_sm_visit *v = &m->visits[slot];
    m->waiting &= ~(UINT64_C(1) << slot);
    m->stats.wait_cycles += now - v->since;
    v->is_waiting = false;
    if (v->is_hit) {
        struct warp *w = extra_parent(sm, slot);
        warp_use_frame(w);
        char *to = lane_at(&v->fn->regs[v->region->out], w->base);
        FOR_LANES (l, v->mask)
            memcpy(to + (size_t)l * 4, &v->found[l], 4);
        extra_jump(sm, slot, v->region->end);
        m->stats.skips++;
        v->region = NULL;
    }
    extra_block(sm, slot, false);
    extra_release(sm, slot, now);
}

void memo_sm_deploy(void *self, struct sm *sm, cycle_t now)
{
    struct memo_sm *m = self;
    for (uint64_t left = m->waiting; left; left &= left - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(left);
        struct memo_sm_visit *v = &m->visits[slot];
        if (!v->is_started && is_written(sm, slot, v))
            look_up(m, v, now);
        if (v->is_started && now >= v->done)
            finish(m, sm, slot, now);
    }
}

bool memo_sm_is_pending(const void *self)
{
    return ((const struct memo_sm *)self)->waiting != 0;
}

/* --- what warps do --- */

static void begin(struct memo_sm *m, struct sm *sm, unsigned slot, const struct memo_region *r,
                  uint32_t id, cycle_t now)
{
    struct warp *w = extra_parent(sm, slot);
    const struct split *s = warp_top(w);
    struct memo_sm_visit *v = &m->visits[slot];
    m->stats.regions++;
    *v = (struct memo_sm_visit){
        .region = r, .fn = s->frame->fn, .id = id, .mask = s->mask, .since = now};
    read_keys(m, w, v);
    v->is_waiting = extra_hold(sm, slot);
    if (!v->is_waiting)
        return;
    m->waiting |= UINT64_C(1) << slot;
    extra_block(sm, slot, true);
}

/* With the lanes that began it, or not at all. */
static void end(struct memo_sm *m, struct sm *sm, unsigned slot, const struct memo_region *r,
                cycle_t now)
{
    struct warp *w = extra_parent(sm, slot);
    struct memo_sm_visit *v = &m->visits[slot];
    uint32_t out[WARP_LANES];
    if (v->region != r || v->is_waiting || v->mask != warp_top(w)->mask)
        return;
    read_register(w, v->fn, r->out, out);
    const uint32_t first = distinct(v);
    FOR_LANES (l, first) {
        struct lut_entry *e = lut_find(&m->table, v->id & 0xff, v->keys.at[l]);
        if (!e) {
            e = lut_victim(&m->table, v->keys.at[l]);
            m->stats.evictions += e->used != 0;
        }
        *e = (struct lut_entry){.hash = v->keys.at[l], .data = out[l], .id = (uint8_t)v->id};
        lut_touch(&m->table, e);
    }
    take_port(m, now, (uint32_t)__builtin_popcount(first));
    m->stats.updates++;
    v->region = NULL;
}

void memo_sm_event(void *self, struct sm *sm, const struct extra_trigger *t, cycle_t now)
{
    struct memo_sm *m = self;
    struct warp *w = extra_parent(sm, t->slot);
    if (t->slot >= MEMO_SM_SLOTS || warp_is_deferred(w) || !warp_peek(w))
        return;
    const struct memo_sm_func *f = func_of(m, sm, w);
    for (uint32_t k = 0; f && k < f->nregions; k++)
        if (f->regions[k].end == warp_top(w)->pc)
            end(m, sm, t->slot, &f->regions[k], now);
    for (uint32_t k = 0; f && k < f->nregions; k++)
        if (f->regions[k].begin == warp_top(w)->pc)
            begin(m, sm, t->slot, &f->regions[k], f->first + k, now);
}
