/* Compressed caches: a data array of segments that holds more lines than it would raw, with 2 or 4
 * times the tags, in the data L1 of every SM or in the L2 (CABA, section 7.5). */
#include "tech/block_codec.h"
#include "tech/engine.h"
#include "tech/engine_energy.h"
#include "tech/published.h"
#include "tech/segments.h"

#include <stdio.h>
#include <stdlib.h>

/* A design's variant is one of these, or-ed with the factor of the tags. */
enum { CCACHE_L1 = 16, CCACHE_L2 = 32, CCACHE_FACTOR = 15 };

struct ccache_cfg {
#define ROWS_FILE "tech/ccache/ccache_cfg.def"
#include "parsim/rows_members.h"
};

struct ccache_stats {
#define ROWS_FILE "tech/ccache/ccache_stats.def"
#include "parsim/rows_members.h"
};

#define ROWS_FILE   "tech/ccache/ccache_stats.def"
#define ROWS_STRUCT ccache_stats
#include "parsim/rows_formulas.h"

static const struct stat_row stat_rows[] = {
#define ROWS_FILE   "tech/ccache/ccache_stats.def"
#define ROWS_STRUCT ccache_stats
#include "parsim/rows_entries.h"
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

static bool check(const struct tech_api *api, const void *p, struct err *err)
{
    const struct ccache_cfg *cfg = p;
    (void)api;
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
    const uint32_t bytes = block ? block_codec_bytes(&st->codec, line, block) : raw;
    return (uint32_t)align_up(bytes, st->segment_bytes);
}

static void placed(void *self, addr_t line, uint32_t bytes)
{
    (void)line;
    struct store *st = self;
    const uint32_t raw = st->codec.block_bytes;
    st->stats.lines++;
    st->stats.line_bytes += raw;
    st->stats.place_bytes += bytes;
    st->stats.encoded_lines += bytes < raw;
}

static uint32_t hit_latency(void *self, uint32_t bytes, cycle_t now)
{
    struct store *st = self;
    return bytes == st->codec.block_bytes
               ? 0
               : engine_use_counted(&st->decode, now, &st->stats.decoded, &st->stats.decode_waits);
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

static bool make_codec(struct ccache *c, const struct tech_design *d, uint32_t bytes,
                       struct err *err)
{
    struct codec_error why;
    const struct codec_params params = {.block_bytes = bytes};
    if (!*d->codec)
        return true;
    c->codec = codec_new(d->codec, &params, &why);
    return c->codec || err_set(err, "%s: %s", d->name, why.msg);
}

static bool ccache_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct ccache_cfg *k = at->cfg;
    const struct tech_design *d = at->design;
    const struct tech_machine *m = at->machine;
    const bool is_l1 = d->variant & CCACHE_L1;
    const uint32_t n = is_l1 ? m->sms : m->slices;
    const uint32_t bytes = (uint32_t)(is_l1 ? m->l1->line_bytes : m->l2->line_bytes);
    struct capacity_policy *policies;
    struct ccache *c = xcalloc(1, sizeof *c);
    if (!segments_check(m, d->name, is_l1, k->segment_bytes, err) ||
        !(policies = tech_take(at->seams, is_l1 ? SEAM_l1_capacity : SEAM_l2_capacity, d->name,
                               TAKE_ALONE, err)) ||
        !make_codec(c, d, bytes, err)) {
        ccache_free(c);
        return false;
    }
    const struct engine_cfg decode = {
        c->codec ? published_decode(c->codec, k->decompress_cycles) : 0, k->interval};
    c->stores = xcalloc(n, sizeof *c->stores);
    c->n = n;
    c->name = d->name;
    for (uint32_t i = 0; i < n; i++) {
        struct store *st = &c->stores[i];
        *st = (struct store){.codec = {c->codec, bytes, m->verify},
                             .image = m->image,
                             .segment_bytes = (uint32_t)k->segment_bytes};
        engine_init(&st->decode, &decode);
        policies[i] = (struct capacity_policy){.tag_factor = (uint32_t)d->variant & CCACHE_FACTOR,
                                               .line_bytes = line_bytes,
                                               .hit_latency = hit_latency,
                                               .placed = placed,
                                               .self = st};
        stats_add(at->seams->stats, is_l1 ? "ccache_l1" : "ccache_l2", stat_rows,
                  ARRAY_LEN(stat_rows), &st->stats);
    }
    *part = (struct tech_part){.self = c, .describe = describe, .free = ccache_free};
    return true;
}

/* --- the technique --- */

/* cc-CACHE-ALG-Nx: N times the tags. */
#define DESIGNS(name, alg)                                                                         \
    {"cc-l1-" name "-2x", "lines of the L1 as " name ", twice the tags", alg, CCACHE_L1 | 2,       \
     false},                                                                                       \
        {"cc-l1-" name "-4x", "lines of the L1 as " name ", 4 times the tags", alg, CCACHE_L1 | 4, \
         false},                                                                                   \
        {"cc-l2-" name "-2x", "lines of the L2 as " name ", twice the tags", alg, CCACHE_L2 | 2,   \
         false},                                                                                   \
    {                                                                                              \
        "cc-l2-" name "-4x", "lines of the L2 as " name ", 4 times the tags", alg, CCACHE_L2 | 4,  \
            false                                                                                  \
    }
static const struct tech_design designs[] = {
    DESIGNS("bdi", "bdi"),       DESIGNS("fpc", "fpc"), DESIGNS("cpack", "cpack"),
    DESIGNS("bestof", "bestof"), DESIGNS("raw", ""),
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/ccache/ccache_cfg.def"
#define ROWS_STRUCT ccache_cfg
#include "parsim/rows_entries.h"
};

static const struct energy_row energy[] = {
    ENERGY_ENGINE_ENCODE("ccache_l1.encoded_lines? + ccache_l2.encoded_lines?"),
    ENERGY_ENGINE_DECODE("ccache_l1.decoded? + ccache_l2.decoded?"),
};

const struct technique ccache_technique = {
    .name = "ccache",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"ccache", fields, ARRAY_LEN(fields), sizeof(struct ccache_cfg), check},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = ccache_bind,
};
