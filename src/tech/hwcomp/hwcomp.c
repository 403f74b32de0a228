/* Compression by dedicated circuits: in DRAM; or in DRAM, the L2 and on the interconnect; or the
 * same without latency and cost of metadata ("A Framework for Accelerating Bottlenecks in GPU
 * Execution with Assist Warps", sections 5.3, 6 and 7). */
#include "parsim/codec.h"
#include "tech/cmem.h"
#include "tech/engine_energy.h"
#include "tech/published.h"
#include "tech/wire.h"

#include <stdio.h>
#include <stdlib.h>

enum hwcomp_variant { HWCOMP_MEM, HWCOMP_ALL, HWCOMP_IDEAL };

struct hwcomp_cfg {
#define ROWS_FILE "tech/hwcomp/hwcomp_cfg.def"
#include "parsim/rows_members.h"
};

struct hwcomp {
    struct tech_machine m;
    const char *name;
    struct codec *codec;
    struct cmem **channels;
    struct wire **sms, **slices; /* NULL: raw on the interconnect */
};

static void copied(void *self, addr_t addr, uint64_t bytes)
{
    const struct hwcomp *h = self;
    cmem_forget_all(h->channels, &h->m, addr, bytes);
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct hwcomp *h = self;
    char memory[128];
    cmem_describe(h->channels, h->m.channels, memory, sizeof memory);
    snprintf(buf, size, "%s: %s", h->name, memory);
}

static void hwcomp_free(void *self)
{
    struct hwcomp *h = self;
    for (uint32_t i = 0; i < h->m.channels; i++)
        cmem_free(h->channels[i]);
    for (uint32_t i = 0; h->sms && i < h->m.sms; i++)
        wire_free(h->sms[i]);
    for (uint32_t i = 0; h->slices && i < h->m.slices; i++)
        wire_free(h->slices[i]);
    free(h->channels);
    free(h->sms);
    free(h->slices);
    codec_free(h->codec);
    free(h);
}

static void bind_memory(struct hwcomp *h, const struct cmem_cfg *cfg,
                        struct storage_policy *policies, struct tech_seams *s)
{
    h->channels = xcalloc(h->m.channels, sizeof(struct cmem *));
    for (uint32_t i = 0; i < h->m.channels; i++) {
        h->channels[i] = cmem_new(&h->m, cfg);
        policies[i] = cmem_policy(h->channels[i]);
        stats_add(s->stats, "cmem", cmem_stat_rows, cmem_nstat_rows, cmem_stats(h->channels[i]));
    }
}

static struct wire **wires(const struct hwcomp *h, const struct wire_cfg *cfg, uint32_t n,
                           struct packet_policy *policies, const char *group, struct tech_seams *s)
{
    struct wire **all = xcalloc(n, sizeof(struct wire *));
    for (uint32_t i = 0; i < n; i++) {
        all[i] = wire_new(&h->m, cfg);
        policies[i] = wire_policy(all[i]);
        stats_add(s->stats, group, wire_stat_rows, wire_nstat_rows, wire_stats(all[i]));
    }
    return all;
}

/* What it binds; packets only where they are encoded. */
struct places {
    struct storage_policy *storage;
    struct packet_policy *l2, *sm;
};

static bool take(struct places *p, const struct tech_design *d, struct tech_seams *s,
                 struct err *err)
{
    p->storage = tech_take(s, SEAM_storage, d->name, TAKE_ALONE, err);
    if (!p->storage || d->variant == HWCOMP_MEM)
        return p->storage;
    p->l2 = tech_take(s, SEAM_l2_packets, d->name, TAKE_ALONE, err);
    p->sm = p->l2 ? tech_take(s, SEAM_sm_packets, d->name, TAKE_ALONE, err) : NULL;
    return p->sm;
}

static bool make_codec(struct hwcomp *h, const struct tech_design *d, struct err *err)
{
    struct codec_error why;
    const struct codec_params params = {.block_bytes = (unsigned)h->m.mc->block_bytes,
                                        .mag_bytes = (unsigned)h->m.mc->burst_bytes};
    if (!*d->codec)
        return true;
    h->codec = codec_new(d->codec, &params, &why);
    return h->codec || err_set(err, "%s: %s", d->name, why.msg);
}

static bool hwcomp_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct hwcomp_cfg *c = at->cfg;
    const struct tech_design *d = at->design;
    const struct tech_machine *m = at->machine;
    struct places places = {0};
    if (!cmem_check(m, d->name, c->md_size, c->md_ways, err) || !take(&places, d, at->seams, err))
        return false;
    struct hwcomp *h = xcalloc(1, sizeof *h);
    h->m = *m;
    h->name = d->name;
    if (!make_codec(h, d, err)) {
        free(h);
        return false;
    }
    struct cmem_cfg mem = {.codec = {h->codec, (uint32_t)m->mc->block_bytes, m->verify},
                           .is_raw_above = d->variant == HWCOMP_MEM,
                           .free_metadata = d->variant == HWCOMP_IDEAL,
                           .md_bytes = c->md_size,
                           .md_ways = (uint32_t)c->md_ways};
    if (h->codec && d->variant != HWCOMP_IDEAL) {
        mem.encode =
            (struct engine_cfg){published_encode(h->codec, c->compress_cycles), c->interval};
        mem.decode =
            (struct engine_cfg){published_decode(h->codec, c->decompress_cycles), c->interval};
    }
    bind_memory(h, &mem, places.storage, at->seams);
    if (d->variant != HWCOMP_MEM) {
        const struct wire_cfg sm = {mem.codec, mem.encode, mem.decode, false};
        const struct wire_cfg slice = {.codec = mem.codec}; /* its engine is that of the L2 */
        h->sms = wires(h, &sm, m->sms, places.sm, "wire_sm", at->seams);
        h->slices = wires(h, &slice, m->slices, places.l2, "wire_l2", at->seams);
    }
    *part =
        (struct tech_part){.self = h, .copied = copied, .describe = describe, .free = hwcomp_free};
    return true;
}

/* --- the technique --- */

/* hw-ALG-mem: compressed in DRAM. hw-ALG: in DRAM, in the L2 and on the interconnect. ideal-ALG: as
 * hw-ALG, without any latency and with metadata that costs nothing. */
#define DESIGNS(name, alg, what, is_compared)                                              \
    {"hw-" name "-mem", what " in DRAM", alg, HWCOMP_MEM, is_compared},                    \
        {"hw-" name, what " in DRAM, the L2 and on the interconnect", alg, HWCOMP_ALL,     \
         is_compared},                                                                     \
    {                                                                                      \
        "ideal-" name, what " as hw-" name ", without latency, metadata for nothing", alg, \
            HWCOMP_IDEAL, is_compared                                                      \
    }
static const struct tech_design designs[] = {
    DESIGNS("bdi", "bdi", "blocks compressed with bdi", true),
    DESIGNS("fpc", "fpc", "blocks compressed with fpc", false),
    DESIGNS("cpack", "cpack", "blocks compressed with cpack", false),
    DESIGNS("bpc", "bpc", "blocks compressed with bpc", false),
    DESIGNS("bestof", "bestof", "blocks compressed with bestof", false),
    DESIGNS("raw", "", "blocks as they are (for tests)", false),
    {"uncompressed-l2", "hw-bdi with a raw L2, which is hw-bdi-mem", "bdi", HWCOMP_MEM, false},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/hwcomp/hwcomp_cfg.def"
#define ROWS_STRUCT hwcomp_cfg
#include "parsim/rows_entries.h"
};

static const struct energy_row energy[] = {
    ENERGY_ENGINE_ENCODE("cmem.encoded? + wire_sm.encoded?"),
    ENERGY_ENGINE_DECODE("cmem.decoded? + cmem.l2_decoded? + wire_sm.decoded?"),
    ENERGY_MD_ACCESS,
};

const struct technique hwcomp_technique = {
    .name = "hwcomp",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"hwcomp", fields, ARRAY_LEN(fields), sizeof(struct hwcomp_cfg), NULL},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = hwcomp_bind,
};
