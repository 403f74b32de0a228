/* Entropy encoding based memory compression: "E2MC: Entropy Encoding Based Memory Compression for
 * GPUs". Blocks are compressed in DRAM only; the L2 and the SMs see nothing of it.
 *
 * The code comes from a file, or from the blocks that are read and written until a number of
 * instructions (or blocks) has passed. Sampling and code generation take no time of their own. */
#include "base/vec.h"
#include "parsim/codec.h"
#include "tech/cmem.h"
#include "tech/engine_energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct e2mc_tech_cfg {
#define ROWS_FILE "tech/e2mc/e2mc_cfg.def"
#include "parsim/rows_members.h"
};

struct e2mc_stats {
#define ROWS_FILE "tech/e2mc/e2mc_stats.def"
#include "parsim/rows_members.h"
};

static const struct stat_row stat_rows[] = {
#define ROWS_FILE   "tech/e2mc/e2mc_stats.def"
#define ROWS_STRUCT e2mc_stats
#include "parsim/rows_entries.h"
};

/* What a channel has seen since the last look. */
struct sampler {
    bool is_on;
    uint32_t block_bytes;
    VEC(uint8_t) bytes;
};

struct e2mc {
    struct tech_machine m;
    struct e2mc_tech_cfg cfg;
    struct cmem **channels;
    struct sampler *samplers; /* by channel */
    struct codec_counts *counts;
    struct codec_table *table;
    struct codec *codec;
    struct e2mc_stats stats;
};

static bool check(const struct tech_api *api, const void *cfg, struct err *err)
{
    const struct e2mc_tech_cfg *c = cfg;
    (void)api;
    if (!is_pow2((uint64_t)c->symbol_bits))
        return err_set(err, "e2mc.symbol_bits: %lld is not 4, 8, 16 or 32",
                       (long long)c->symbol_bits);
    return is_pow2((uint64_t)c->ways) ||
           err_set(err, "e2mc.ways: %lld is not 1, 2, 4 or 8", (long long)c->ways);
}

/* --- the code --- */

static void seen(void *ctx, const void *block)
{
    struct sampler *s = ctx;
    if (!s->is_on)
        return;
    size_t at = s->bytes.len;
    for (uint32_t i = 0; i < s->block_bytes; i++)
        vec_push(&s->bytes, 0);
    memcpy(s->bytes.data + at, block, s->block_bytes);
}

static struct codec *codec_of(const struct e2mc *e, struct codec_error *why)
{
    char name[32];
    const struct codec_params params = {.block_bytes = (unsigned)e->m.mc->block_bytes,
                                        .mag_bytes = (unsigned)e->m.mc->burst_bytes,
                                        .table = e->table};
    snprintf(name, sizeof name, "e2mc-%dw%d", (int)e->cfg.symbol_bits, (int)e->cfg.ways);
    return codec_new(name, &params, why);
}

/* Channels in order, so that the counts do not depend on host threads. */
static void count_samples(struct e2mc *e)
{
    for (uint32_t i = 0; i < e->m.channels; i++) {
        struct sampler *s = &e->samplers[i];
        codec_counts_add(e->counts, s->bytes.data, s->bytes.len);
        if (!e->codec)
            e->stats.sampled_blocks += s->bytes.len / s->block_bytes;
        s->bytes.len = 0;
    }
}

enum { LEAST_BLOCKS = 512, SHARE_OF_MEMORY = 8 };

/* How long a run will be is not known; how much memory it has is. */
static uint64_t enough_blocks(const struct e2mc *e)
{
    if (e->cfg.sample_blocks)
        return (uint64_t)e->cfg.sample_blocks;
    uint64_t used = e->m.image.used_bytes(e->m.image.self) / (uint64_t)e->m.mc->block_bytes;
    return used / SHARE_OF_MEMORY > LEAST_BLOCKS ? used / SHARE_OF_MEMORY : LEAST_BLOCKS;
}

static void look(void *self, const struct tech_look *at)
{
    struct e2mc *e = self;
    const uint64_t thread_inst = at->thread_inst;
    struct codec_error why;
    if (!e->samplers[0].is_on)
        return;
    count_samples(e);
    bool by_inst = thread_inst >= (uint64_t)e->cfg.sample_inst;
    if (e->codec || (!by_inst && e->stats.sampled_blocks < enough_blocks(e)))
        return;
    e->table = codec_table_build(e->counts);
    e->codec = codec_of(e, &why);
    if (!e->codec)
        panic("e2mc: %s", why.msg);
    e->stats.sampled_inst = thread_inst;
    e->stats.ended_by_blocks = !by_inst;
    for (uint32_t i = 0; i < e->m.channels; i++) {
        cmem_turn_on(e->channels[i], e->codec);
        e->samplers[i].is_on = *e->cfg.save_profile != 0;
    }
}

static bool load_profile(struct e2mc *e, struct err *err)
{
    struct codec_error why;
    if (!*e->cfg.profile)
        return true;
    e->table = codec_table_load(e->cfg.profile, &why);
    if (!e->table)
        return err_set(err, "e2mc.profile: %s", why.msg);
    if (codec_table_symbol_bits(e->table) != (unsigned)e->cfg.symbol_bits)
        return err_set(err, "e2mc.profile: %s is for symbols of %u bits, not of e2mc.symbol_bits",
                       e->cfg.profile, codec_table_symbol_bits(e->table));
    e->codec = codec_of(e, &why);
    return e->codec || err_set(err, "e2mc.profile: %s", why.msg);
}

static bool save_profile(void *self, struct err *err)
{
    struct e2mc *e = self;
    struct codec_error why;
    if (!*e->cfg.save_profile)
        return true;
    count_samples(e);
    struct codec_table *all = codec_table_build(e->counts);
    bool ok = codec_table_save(all, e->cfg.save_profile, &why) ||
              err_set(err, "e2mc.save_profile: %s", why.msg);
    codec_table_free(all);
    return ok;
}

/* --- engines --- */

/* Tables VI (cycles of 1002 MHz, the paper's DRAM, for a block of 128 bytes, one way) and IV (units
 * for 4 x 192.4 GB/s), by length of a symbol. Circuits are as fast on other machines. */
static const struct {
    int64_t symbol_bits;
    double compress, decompress;
    double compress_units, decompress_units;
} published[] = {
    {4, 154, 233, 464, 692}, {8, 84, 143, 252, 424}, {16, 46, 82, 136, 240}, {32, 24, 42, 68, 120}};

enum { PUBLISHED_BLOCK = 128, PUBLISHED_MHZ = 1002 };
static const double published_bandwidth = 192.4e9;

static uint64_t units(int64_t set, double table, double bandwidth)
{
    return set ? (uint64_t)set : (uint64_t)ceil(table * bandwidth / published_bandwidth - 1e-9);
}

/* `cycles`: of one unit for a block, which `ways` units work on together. */
static struct engine_cfg engine(const struct e2mc *e, double cycles, double ways, uint64_t all)
{
    const struct tech_machine *m = &e->m;
    double here = cycles * e->cfg.latency_scale * m->l2_mhz / PUBLISHED_MHZ *
                  (double)m->mc->block_bytes / PUBLISHED_BLOCK;
    return (struct engine_cfg){.latency = (uint32_t)ceil(here / ways - 1e-9),
                               .interval = here * m->channels / (double)all};
}

static void set_engines(struct e2mc *e, struct cmem_cfg *c)
{
    unsigned k = 0;
    while (published[k].symbol_bits != e->cfg.symbol_bits)
        k++;
    e->stats.compress_units =
        units(e->cfg.compress_units, published[k].compress_units, e->m.dram_bandwidth);
    e->stats.decompress_units =
        units(e->cfg.decompress_units, published[k].decompress_units, e->m.dram_bandwidth);
    c->encode = engine(e, published[k].compress, 1, e->stats.compress_units);
    c->decode = engine(e, published[k].decompress, (double)e->cfg.ways, e->stats.decompress_units);
    e->stats.compress_latency = c->encode.latency;
    e->stats.decompress_latency = c->decode.latency;
}

/* --- the technique --- */

static void describe(const void *self, char *buf, size_t size)
{
    const struct e2mc *e = self;
    const unsigned long long inst = e->stats.sampled_inst, blocks = e->stats.sampled_blocks;
    char memory[128];
    cmem_describe(e->channels, e->m.channels, memory, sizeof memory);
    if (!e->codec)
        snprintf(buf, size, "e2mc: the run ended while it was sampling, nothing was encoded");
    else if (!inst)
        snprintf(buf, size, "e2mc: %s", memory);
    else
        snprintf(buf, size, "e2mc: %s; sampled until %llu instructions, %llu blocks%s", memory,
                 inst, blocks,
                 e->stats.ended_by_blocks ? " (shortened for a small run: e2mc.sample_blocks)"
                                          : "");
}

static void copied(void *self, addr_t addr, uint64_t bytes)
{
    const struct e2mc *e = self;
    cmem_forget_all(e->channels, &e->m, addr, bytes);
}

static void e2mc_free(void *self)
{
    struct e2mc *e = self;
    for (uint32_t i = 0; e->channels && i < e->m.channels; i++) {
        cmem_free(e->channels[i]);
        vec_free(&e->samplers[i].bytes);
    }
    free(e->channels);
    free(e->samplers);
    codec_counts_free(e->counts);
    codec_free(e->codec);
    codec_table_free(e->table);
    free(e);
}

static void bind_memory(struct e2mc *e, struct storage_policy *policies, struct tech_seams *s)
{
    const bool samples = !e->codec || *e->cfg.save_profile;
    struct cmem_cfg c = {
        .codec = {e->codec, (uint32_t)e->m.mc->block_bytes, e->m.verify},
        .is_raw_above = true,
        .is_off = !e->codec,
        .md_bytes = e->cfg.md_size,
        .md_ways = (uint32_t)e->cfg.md_ways,
        .seen = samples ? seen : NULL,
    };
    set_engines(e, &c);
    e->counts = codec_counts_new((unsigned)e->cfg.symbol_bits, (size_t)e->cfg.values);
    e->channels = xcalloc(e->m.channels, sizeof(struct cmem *));
    e->samplers = xcalloc(e->m.channels, sizeof *e->samplers);
    for (uint32_t i = 0; i < e->m.channels; i++) {
        e->samplers[i].is_on = samples;
        e->samplers[i].block_bytes = c.codec.block_bytes;
        c.seen_ctx = &e->samplers[i];
        e->channels[i] = cmem_new(&e->m, &c);
        policies[i] = cmem_policy(e->channels[i]);
        stats_add(s->stats, "cmem", cmem_stat_rows, cmem_nstat_rows, cmem_stats(e->channels[i]));
    }
    stats_add(s->stats, "e2mc", stat_rows, ARRAY_LEN(stat_rows), &e->stats);
}

static bool e2mc_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct e2mc_tech_cfg *c = at->cfg;
    const char *name = at->design->name;
    struct storage_policy *policies;
    if (!cmem_check(at->machine, name, c->md_size, c->md_ways, err) ||
        !(policies = tech_take(at->seams, SEAM_storage, name, TAKE_ALONE, err)))
        return false;
    struct e2mc *e = xcalloc(1, sizeof *e);
    e->m = *at->machine;
    e->cfg = *c;
    if (!load_profile(e, err)) {
        e2mc_free(e);
        return false;
    }
    bind_memory(e, policies, at->seams);
    *part = (struct tech_part){.self = e,
                               .copied = copied,
                               .look = look,
                               .describe = describe,
                               .finish = save_profile,
                               .free = e2mc_free};
    return true;
}

static const struct tech_design designs[] = {
    {"e2mc", "entropy coding in DRAM, at the memory controller", "", 0, false}};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/e2mc/e2mc_cfg.def"
#define ROWS_STRUCT e2mc_tech_cfg
#include "parsim/rows_entries.h"
};

/* 5.47 mW / 1.43 GHz and 11.89 mW / 0.80 GHz a symbol of 16 bits: 3.83 and 14.86 pJ; 64 symbols, at
 * 40 nm. */
static const struct energy_row energy[] = {
    {"engines", NULL, "e2mc_encode", 306, "cmem.encoded",
     "seed 004, Table III: 64 symbols x 5.47 mW / 1.43 GHz, at 40 nm"},
    {"engines", NULL, "e2mc_decode", 1189, "cmem.decoded",
     "seed 004, Table III: 64 symbols x 11.89 mW / 0.80 GHz, at 40 nm"},
    ENERGY_MD_ACCESS,
};

const struct technique e2mc_technique = {
    .name = "e2mc",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"e2mc", fields, ARRAY_LEN(fields), sizeof(struct e2mc_tech_cfg), check},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = e2mc_bind,
};
