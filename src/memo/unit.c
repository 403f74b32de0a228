/* What the memo instructions do. */
#include "memo/memo.h"

#include <stdlib.h>

struct memo_unit *memo_unit_new(const struct memo_cfg *c, unsigned l2_way_sets)
{
    struct memo_unit *u = xcalloc(1, sizeof *u);
    u->cfg = *c;
    u->rule = (struct memo_rule){.every = (uint64_t)c->sample_every,
                                 .window = (uint64_t)c->sample_window,
                                 .bad_error = c->bad_error,
                                 .bad_share = c->bad_share,
                                 .is_coarse = c->compare,
                                 .stays_on = c->adapt};
    memo_crc_init(&u->crc, 16u << c->crc_bits);
    lut_init(&u->luts.l1, (unsigned)(c->l1_bytes / MEMO_SET_BYTES), memo_ways(c));
    lut_init(&u->luts.l2, (unsigned)c->l2_ways * l2_way_sets, memo_ways(c));
    if (c->sizes) {
        u->sizes = xcalloc(1, sizeof *u->sizes);
        memo_sizes_init(u->sizes, MEMO_SET_BYTES, memo_ways(c));
    }
    for (unsigned l = 0; l < MEMO_LUTS; l++) {
        u->epoch[l] = 1;
        for (unsigned t = 0; t < MEMO_THREADS; t++)
            u->hvr[t][l] = (struct memo_hvr){.crc = u->crc.start, .print = memo_print_start(l)};
    }
    return u;
}

void memo_unit_free(struct memo_unit *u)
{
    if (!u)
        return;
    lut_free(&u->luts.l1);
    lut_free(&u->luts.l2);
    memo_keys_free(&u->keys);
    if (u->sizes)
        memo_sizes_free(u->sizes);
    free(u->sizes);
    vec_free(&u->ideal);
    free(u);
}

static struct memo_monitor *monitor_of(struct memo_unit *u, unsigned lut)
{
    return &u->monitor[u->cfg.monitor ? lut : 0];
}

bool memo_is_off(const struct memo_unit *u, unsigned lut)
{
    return u->monitor[u->cfg.monitor ? lut : 0].is_off;
}

static void drop_pending(struct memo_unit *u, struct memo_hvr *h)
{
    u->stats.dropped_updates += h->is_pending;
    h->is_pending = h->has_sample = false;
}

/* --- inputs --- */

void memo_input(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t value, unsigned bytes,
                unsigned n, bool is_float)
{
    struct memo_hvr *h = &u->hvr[tid][lut];
    if (memo_is_off(u, lut))
        return;
    if (h->is_closed) {
        drop_pending(u, h);
        h->crc = u->crc.start;
        h->print = memo_print_start(lut);
        h->is_closed = false;
    }
    const unsigned cut = memo_adapt_cut(&u->adapt[lut], n, bytes, is_float);
    const uint64_t v = memo_truncate(value, cut, bytes);
    h->crc = memo_crc_add(&u->crc, h->crc, v, bytes);
    if (u->cfg.shadow)
        memo_print_add(&h->print, v, bytes);
    u->stats.inputs++;
    u->stats.input_bytes += bytes;
    u->stats.crc_words += (bytes + 3) / 4;
}

/* --- lookups --- */

/* The number of the inputs, where they are remembered. */
static uint32_t key_of(struct memo_unit *u, unsigned lut, const struct memo_hvr *h)
{
    bool is_new;
    if (!u->cfg.shadow)
        return 0;
    const uint32_t key = memo_key_of(&u->keys, h->print, &is_new);
    u->lut_stats[lut].distinct += is_new;
    if (u->cfg.ideal && is_new)
        vec_push(&u->ideal, (struct memo_ideal){0});
    return key;
}

static enum memo_answer find(struct memo_unit *u, unsigned lut, const struct memo_hvr *h,
                             uint64_t *data)
{
    const uint32_t key = key_of(u, lut, h);
    struct lut_entry e;
    if (u->cfg.force_miss)
        return MEMO_MISS;
    if (u->cfg.ideal) {
        *data = u->ideal.data[key].data;
        return u->ideal.data[key].epoch == u->epoch[lut] ? MEMO_L1 : MEMO_MISS;
    }
    const enum lut_level level = lut_pair_find(&u->luts, lut, h->crc, &e);
    if (level == LUT_NONE)
        return MEMO_MISS;
    *data = e.data;
    u->stats.collisions += u->cfg.shadow && e.key != key;
    return level == LUT_L1 ? MEMO_L1 : MEMO_L2;
}

static void count_moves(struct memo_unit *u)
{
    u->stats.fills = u->luts.moves.fills;
    u->stats.evict_l1 = u->luts.moves.evict_l1;
    u->stats.evict_l2 = u->luts.moves.evict_l2;
    u->stats.back_invalidated = u->luts.moves.back_invalidated;
}

static void count_lookup(struct memo_unit *u, unsigned lut, enum memo_answer found)
{
    u->stats.lookups++;
    u->stats.misses += found == MEMO_MISS;
    u->stats.l1_hits += found == MEMO_L1;
    u->stats.l2_hits += found == MEMO_L2;
    u->lut_stats[lut].lookups++;
    u->lut_stats[lut].hits += found != MEMO_MISS;
    count_moves(u);
}

enum memo_answer memo_lookup(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t *data)
{
    struct memo_hvr *h = &u->hvr[tid][lut];
    uint64_t value = 0;
    if (memo_is_off(u, lut)) {
        u->stats.off_lookups++;
        return u->last = MEMO_OFF;
    }
    drop_pending(u, h);
    h->is_closed = true;
    u->last = find(u, lut, h, &value);
    if (u->sizes)
        memo_sizes_lookup(u->sizes, lut, h->crc);
    count_lookup(u, lut, u->last);
    if (u->last != MEMO_MISS && memo_monitor_hit(monitor_of(u, lut), &u->rule)) {
        u->stats.sampled++;
        h->has_sample = true;
        h->sample = value;
        u->last = MEMO_SAMPLED;
    }
    h->is_pending = !memo_is_hit(u->last);
    if (!h->is_pending)
        *data = value;
    return u->last;
}

/* --- updates, invalidation --- */

static void adapt(struct memo_unit *u, unsigned lut, double error)
{
    const struct memo_adapt_rule rule = {(uint64_t)u->cfg.adapt_window, u->cfg.adapt_error,
                                         u->cfg.adapt_share};
    const int more = memo_adapt_see(&u->adapt[lut], &rule, error);
    u->lut_stats[lut].widened += more > 0 ? (uint64_t)more : 0;
    u->lut_stats[lut].narrowed += more < 0 ? (uint64_t)-more : 0;
}

static void compare(struct memo_unit *u, unsigned lut, const struct memo_hvr *h, uint64_t data,
                    struct memo_type type)
{
    struct memo_monitor *m = monitor_of(u, lut);
    u->stats.compared++;
    u->stats.bad += memo_monitor_compare(m, &u->rule, type, h->sample, data);
    if (m->is_off && !u->stats.disabled++)
        u->stats.disabled_at = u->now;
    if (u->cfg.adapt)
        adapt(u, lut, memo_error(type, h->sample, data));
}

void memo_update(struct memo_unit *u, unsigned tid, unsigned lut, uint64_t data,
                 struct memo_type type)
{
    struct memo_hvr *h = &u->hvr[tid][lut];
    if (memo_is_off(u, lut))
        return;
    if (!h->is_pending) {
        u->stats.stray_updates++;
        return;
    }
    const uint32_t key = key_of(u, lut, h);
    const struct lut_entry e = {.hash = h->crc, .data = data, .key = key, .id = (uint8_t)lut};
    if (u->cfg.ideal)
        u->ideal.data[key] = (struct memo_ideal){data, u->epoch[lut]};
    else
        lut_pair_put(&u->luts, &e);
    count_moves(u);
    u->stats.updates++;
    if (h->has_sample)
        compare(u, lut, h, data, type);
    h->is_pending = h->has_sample = false;
}

void memo_invalidate(struct memo_unit *u, unsigned tid, unsigned lut)
{
    struct memo_hvr *h = &u->hvr[tid][lut];
    if (memo_is_off(u, lut))
        return;
    drop_pending(u, h);
    lut_pair_drop(&u->luts, lut);
    if (u->sizes)
        memo_sizes_drop(u->sizes, lut);
    u->epoch[lut]++;
    u->stats.invalidates++;
    *h = (struct memo_hvr){.crc = u->crc.start, .print = memo_print_start(lut)};
}
