#include "tech/ccache/ccache.h"

#include "tech/block_codec.h"
#include "tech/engine.h"
#include "tech/published.h"

#include <stdio.h>
#include <stdlib.h>

const struct conf_field ccache_fields[] = {
#define ROW(...) CONF_FIELD(ccache_cfg, __VA_ARGS__)
#include "tech/ccache/ccache_cfg.def"
#undef ROW
};

const size_t ccache_nfields = ARRAY_LEN(ccache_fields);

struct ccache_stats {
#define COUNTER(...) STAT_MEMBER_COUNTER(__VA_ARGS__)
#define FORMULA(...)
#include "tech/ccache/ccache_stats.def"
#undef COUNTER
#undef FORMULA
};

#define COUNTER(...)
#define FORMULA(...) STAT_FN_FORMULA(ccache_stats, __VA_ARGS__)
#include "tech/ccache/ccache_stats.def"
#undef COUNTER
#undef FORMULA

static const struct stat_row stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(ccache_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(ccache_stats, __VA_ARGS__)
#include "tech/ccache/ccache_stats.def"
#undef COUNTER
#undef FORMULA
};

/* One cache's. */
struct store {
    struct block_codec codec;
    struct mem_image image;
    uint32_t segment_bytes;
    struct engine decode;
    struct ccache_stats stats;
};

struct ccache {
    struct codec *codec;
    struct store *stores;
    uint32_t n;
    const char *name;
};

bool ccache_cfg_check(const struct ccache_cfg *cfg, struct err *err)
{
    return is_pow2((uint64_t)cfg->segment_bytes) ||
           err_set(err, "ccache.segment_bytes: %lld is not a power of two",
                   (long long)cfg->segment_bytes);
}

/* As the codec of the cache makes it now, however it came. */
static uint32_t line_bytes(void *self, addr_t line, const struct line_form *form)
{
    struct store *st = self;
    (void)form;
    const uint32_t raw = st->codec.block_bytes;
    const void *block = st->image.at(st->image.self, line, raw);
    uint32_t bytes = block ? block_codec_bytes(&st->codec, line, block) : raw;
    bytes = (uint32_t)align_up(bytes, st->segment_bytes);
    st->stats.lines++;
    st->stats.line_bytes += raw;
    st->stats.place_bytes += bytes;
    st->stats.encoded_lines += bytes < raw;
    return bytes;
}

static uint32_t hit_latency(void *self, uint32_t bytes, cycle_t now)
{
    struct store *st = self;
    if (bytes == st->codec.block_bytes || !st->decode.cfg.latency)
        return 0;
    uint64_t before = st->decode.waited;
    uint32_t cycles = engine_use(&st->decode, now);
    st->stats.decoded++;
    st->stats.decode_waits += st->decode.waited - before;
    return cycles;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct ccache *c = self;
    struct ccache_stats sum = {0};
    for (uint32_t i = 0; i < c->n; i++) {
        sum.line_bytes += c->stores[i].stats.line_bytes;
        sum.place_bytes += c->stores[i].stats.place_bytes;
    }
    snprintf(buf, size, "%s: lines take 1/%.2f of their size", c->name, ccache_stats_ratio(&sum));
}

static void ccache_free(void *self)
{
    struct ccache *c = self;
    free(c->stores);
    codec_free(c->codec);
    free(c);
}

/* A new line displaces at most a line's worth of others, which may all be dirty and must find room
 * on their way to memory, or nothing would ever move. */
bool ccache_room_check(const struct tech_machine *m, const char *name, bool is_l1,
                       int64_t segment_bytes, struct err *err)
{
    if (is_l1)
        return m->l1->write_global < L1_BACK ||
               err_set(err, "%s: l1.write_global must be through_evict or through_update", name);
    const int64_t most = 1 + m->l2->line_bytes / segment_bytes;
    return m->l2->memory_queue >= most ||
           err_set(err,
                   "%s: l2.memory_queue: %lld is less than %lld, a fetch and all the lines of "
                   "a segment (segment_bytes) that may give way to one",
                   name, (long long)m->l2->memory_queue, (long long)most);
}

static bool make_codec(struct ccache *c, const struct technique *t, uint32_t bytes, struct err *err)
{
    struct codec_error why;
    const struct codec_params params = {.block_bytes = bytes};
    if (!*t->codec)
        return true;
    c->codec = codec_new(t->codec, &params, &why);
    return c->codec || err_set(err, "%s: %s", t->name, why.msg);
}

bool ccache_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
                 struct tech_seams *s, struct tech_part *part, struct err *err)
{
    const struct ccache_cfg *k = cfg;
    const bool is_l1 = t->variant & CCACHE_L1;
    const uint32_t n = is_l1 ? m->sms : m->slices;
    const uint32_t bytes = (uint32_t)(is_l1 ? m->l1->line_bytes : m->l2->line_bytes);
    struct capacity_policy *policies = is_l1 ? s->l1_capacity : s->l2_capacity;
    struct ccache *c = xcalloc(1, sizeof *c);
    if (!ccache_room_check(m, t->name, is_l1, k->segment_bytes, err) ||
        !tech_claim(s, is_l1 ? TECH_L1_CAPACITY : TECH_L2_CAPACITY, t->name, false, err) ||
        !make_codec(c, t, bytes, err)) {
        ccache_free(c);
        return false;
    }
    const struct engine_cfg decode = {
        c->codec ? published_decode(c->codec, k->decompress_cycles) : 0, k->interval};
    c->stores = xcalloc(n, sizeof *c->stores);
    c->n = n;
    c->name = t->name;
    for (uint32_t i = 0; i < n; i++) {
        struct store *st = &c->stores[i];
        *st = (struct store){.codec = {c->codec, bytes, m->verify},
                             .image = m->image,
                             .segment_bytes = (uint32_t)k->segment_bytes};
        engine_init(&st->decode, &decode);
        policies[i] = (struct capacity_policy){(uint32_t)t->variant & CCACHE_FACTOR, line_bytes,
                                               hit_latency, st};
        stats_add(s->stats, is_l1 ? "ccache_l1" : "ccache_l2", stat_rows, ARRAY_LEN(stat_rows),
                  &st->stats);
    }
    *part = (struct tech_part){.self = c, .describe = describe, .free = ccache_free};
    return true;
}
