#include "tech/hwcomp/hwcomp.h"

#include "parsim/codec.h"
#include "tech/cmem.h"
#include "tech/published.h"
#include "tech/wire.h"

#include <stdio.h>
#include <stdlib.h>

const struct conf_field hwcomp_fields[] = {
#define ROW(...) CONF_FIELD(hwcomp_cfg, __VA_ARGS__)
#include "tech/hwcomp/hwcomp_cfg.def"
#undef ROW
};

const size_t hwcomp_nfields = ARRAY_LEN(hwcomp_fields);

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

static void bind_memory(struct hwcomp *h, const struct cmem_cfg *cfg, struct tech_seams *s)
{
    h->channels = xcalloc(h->m.channels, sizeof(struct cmem *));
    for (uint32_t i = 0; i < h->m.channels; i++) {
        h->channels[i] = cmem_new(&h->m, cfg);
        s->storage[i] = cmem_policy(h->channels[i]);
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

static bool claim(const struct technique *t, struct tech_seams *s, struct err *err)
{
    if (!tech_claim(s, TECH_STORAGE, t->name, false, err))
        return false;
    return t->variant == HWCOMP_MEM || (tech_claim(s, TECH_L2_PACKETS, t->name, false, err) &&
                                        tech_claim(s, TECH_SM_PACKETS, t->name, false, err));
}

static bool make_codec(struct hwcomp *h, const struct technique *t, struct err *err)
{
    struct codec_error why;
    const struct codec_params params = {.block_bytes = (unsigned)h->m.mc->block_bytes,
                                        .mag_bytes = (unsigned)h->m.mc->burst_bytes};
    if (!*t->codec)
        return true;
    h->codec = codec_new(t->codec, &params, &why);
    return h->codec || err_set(err, "%s: %s", t->name, why.msg);
}

bool hwcomp_bind(const struct technique *t, const struct tech_machine *m, const void *cfg,
                 struct tech_seams *s, struct tech_part *part, struct err *err)
{
    const struct hwcomp_cfg *c = cfg;
    if (!cmem_check(m, t->name, c->md_size, c->md_ways, err) || !claim(t, s, err))
        return false;
    struct hwcomp *h = xcalloc(1, sizeof *h);
    h->m = *m;
    h->name = t->name;
    if (!make_codec(h, t, err)) {
        free(h);
        return false;
    }
    struct cmem_cfg mem = {.codec = {h->codec, (uint32_t)m->mc->block_bytes, m->verify},
                           .is_raw_above = t->variant == HWCOMP_MEM,
                           .free_metadata = t->variant == HWCOMP_IDEAL,
                           .md_bytes = c->md_size,
                           .md_ways = (uint32_t)c->md_ways};
    if (h->codec && t->variant != HWCOMP_IDEAL) {
        mem.encode =
            (struct engine_cfg){published_encode(h->codec, c->compress_cycles), c->interval};
        mem.decode =
            (struct engine_cfg){published_decode(h->codec, c->decompress_cycles), c->interval};
    }
    bind_memory(h, &mem, s);
    if (t->variant != HWCOMP_MEM) {
        const struct wire_cfg wire = {mem.codec, mem.encode, mem.decode, false};
        h->sms = wires(h, &wire, m->sms, s->sm_packets, "wire_sm", s);
        h->slices = wires(h, &wire, m->slices, s->l2_packets, "wire_l2", s);
    }
    *part =
        (struct tech_part){.self = h, .copied = copied, .describe = describe, .free = hwcomp_free};
    return true;
}
