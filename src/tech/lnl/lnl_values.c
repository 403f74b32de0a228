/* Registers that lanes of an approximated warp get from their anchors: for one instruction, behind
 * which they hold what they held (a store's data, a branch's predicate), or for good (what is read
 * behind a region). */
#include "tech/lnl/lnl_int.h"

#include <assert.h>
#include <string.h>

/* --- for one instruction --- */

static void write_words(const struct lane_ref *r, char *const *base, uint32_t mask,
                        const uint32_t *words)
{
    FOR_LANES (l, mask) {
        const uint64_t upper = lane_u64(r, base, l) >> 32 << 32;
        lane_set_u64(r, base, l, upper | words[l]);
    }
}

static void read_words(const struct lane_ref *r, char *const *base, uint32_t *words)
{
    for (unsigned l = 0; l < WARP_LANES; l++)
        words[l] = (uint32_t)lane_u64(r, base, l);
}

static uint32_t *predicate_at(const struct lane_ref *r, char *const *base)
{
    return (uint32_t *)(void *)lane_at(r, base);
}

void lnl_save(struct lnl_sm *m, const struct lane_ref *r, char *const *base)
{
    assert(m->nsaved < LNL_MAX_SAVED);
    struct lnl_saved *v = &m->saved[m->nsaved++];
    v->ref = *r;
    if (r->bytes)
        read_words(r, base, v->lanes);
    else
        memcpy(v->lanes, predicate_at(r, base), sizeof *v->lanes);
}

void lnl_put_back(struct lnl_sm *m, char *const *base)
{
    while (m->nsaved) {
        const struct lnl_saved *v = &m->saved[--m->nsaved];
        if (v->ref.bytes)
            write_words(&v->ref, base, UINT32_MAX, v->lanes);
        else
            memcpy(predicate_at(&v->ref, base), v->lanes, sizeof *v->lanes);
    }
}

/* --- between anchors --- */

static void fill(struct lnl_sm *m, const struct lnl_slot *s, char *const *base,
                 const struct lane_ref *r, enum lnl_format format, uint32_t mask)
{
    const struct lnl_groups g = s->groups;
    const uint32_t others = mask & ~lnl_anchors(mask, g.n);
    uint32_t words[WARP_LANES];
    read_words(r, base, words);
    if (m->g->design.uses & LNL_USE_REPLICATE) {
        lnl_replicate(&g, mask, words);
        m->stats.replicated += lanes_in(others);
    } else {
        lnl_interpolate(&g, format, mask, words);
        m->stats.interpolated += lanes_in(others);
        m->filtered++;
    }
    write_words(r, base, others, words);
}

static bool is_same(const struct lane_ref *a, const struct lane_ref *b)
{
    return a->sel == b->sel && a->off == b->off;
}

void lnl_fill_store(struct lnl_sm *m, const struct lnl_slot *s, struct warp *w,
                    const struct xinst *x, enum lnl_format format, uint32_t mask)
{
    if (!(mask & ~lnl_anchors(mask, s->groups.n)))
        return;
    m->stats.interp_stores++;
    for (unsigned k = 0; k < x->mem.nregs && k < LNL_MAX_SAVED; k++) {
        const struct lane_ref *r = &x->mem.regs[k];
        bool is_done = r->sel != LANE_REGS || is_same(r, &x->mem.addr); /* its own, if an address */
        for (unsigned j = 0; j < k; j++)
            is_done |= is_same(r, &x->mem.regs[j]);
        if (is_done)
            continue;
        lnl_save(m, r, w->base);
        fill(m, s, w->base, r, format, mask);
    }
}

void lnl_fill_register(struct lnl_sm *m, const struct lnl_slot *s, struct warp *w,
                       const struct lane_ref *r, enum lnl_format format, uint32_t mask)
{
    m->stats.interp_registers++;
    fill(m, s, w->base, r, format, mask);
}

/* --- branches --- */

static void spread_words(uint32_t *words, uint32_t mask, unsigned n)
{
    lnl_replicate(&(struct lnl_groups){.n = n}, mask, words);
}

void lnl_spread_branch(struct lnl_sm *m, const struct lnl_slot *s, const struct warp *w,
                       const struct xinst *x, uint32_t mask)
{
    if (x->has_guard) {
        const struct lane_ref guard = {.off = x->guard_off, .sel = LANE_REGS};
        uint32_t *p = predicate_at(&guard, w->base);
        lnl_save(m, &guard, w->base);
        *p = lnl_spread(*p, mask, s->groups.n);
    }
    if (!x->is_branch) { /* by a table */
        const struct lane_ref *index = &x->op.refs[0];
        uint32_t words[WARP_LANES];
        lnl_save(m, index, w->base);
        read_words(index, w->base, words);
        spread_words(words, mask, s->groups.n);
        write_words(index, w->base, mask, words);
    }
}
