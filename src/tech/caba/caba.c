/* Binds the memory side, tells it what the host writes, and says what came of it. */
#include "tech/caba/caba.h"

#include "tech/assist/assist.h"
#include "tech/caba/adapt.h"
#include "tech/caba/adapt_rules.h"
#include "tech/caba/caba_capacity.h"
#include "tech/caba/caba_form.h"
#include "tech/caba/caba_place.h"
#include "tech/caba/fixed_engine.h"
#include "tech/caba/split_engine.h"
#include "tech/cmem.h"
#include "tech/segments.h"
#include "tech/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct caba {
    struct tech_machine m;
    const struct tech_design *d;
    struct line_codecs codec;
    struct cmem **memory;     /* by channel */
    struct caba_form **forms; /* by channel */
    struct wire **sms, **slices;
    struct assist *assist;          /* NULL: fixed engines stand in */
    struct fixed_engine **engines;  /* by SM */
    struct split_engine *splits;    /* by SM, where both work */
    struct encoding_counts *stores; /* by SM */
    struct caba_capacity *capacities;
    struct adapt *adapt;      /* or NULL */
    struct caba_place *place; /* or NULL */
};

/* Notes the form of blocks that no SM has written. */
static void note_blocks(const struct caba *c, addr_t addr, uint64_t bytes)
{
    const struct tech_machine *m = &c->m;
    const addr_t step = (addr_t)m->mc->block_bytes;
    if (addr < m->memory_base || addr + bytes > m->memory_base + m->memory_range)
        return;
    for (addr_t a = addr - addr % step; a < addr + bytes; a += step) {
        const struct mem_place p = interleave_locate(m->il, a);
        const struct line_form f = line_codecs_form(&c->codec, a);
        caba_form_host(c->forms[p.channel], a, f);
        cmem_tell(c->memory[p.channel], p.local, f.bytes ? f.bytes : (uint32_t)step);
    }
}

/* A piece of a region. */
static void host_wrote_both(const struct caba *c, addr_t addr, uint64_t bytes)
{
    const addr_t step = (addr_t)c->m.mc->block_bytes;
    const int k = adapt_measure(c->adapt, addr, bytes);
    for (addr_t a = addr - addr % step; a < addr + bytes; a += step) {
        const struct mem_place p = interleave_locate(c->m.il, a);
        const struct line_form f =
            k == ADAPT_RAW ? (struct line_form){0} : line_codecs_form_as(&c->codec, (uint32_t)k, a);
        caba_form_host_both(c->forms[p.channel], a, f);
        cmem_tell(c->memory[p.channel], p.local, (uint32_t)step);
    }
}

/* The host encodes what it sends, and what it lets the device be filled with. */
static void copied(void *self, addr_t addr, uint64_t bytes)
{
    const struct caba *c = self;
    const struct tech_machine *m = &c->m;
    if (!c->adapt) {
        note_blocks(c, addr, bytes);
        return;
    }
    if (addr < m->memory_base || addr + bytes > m->memory_base + m->memory_range)
        return;
    const uint64_t region = adapt_region_bytes(c->adapt);
    for (uint64_t n; bytes; addr += n, bytes -= n) {
        n = region - (addr - m->memory_base) % region;
        n = n < bytes ? n : bytes;
        host_wrote_both(c, addr, n);
    }
}

static void look(void *self, const struct tech_look *at)
{
    adapt_look(((struct caba *)self)->adapt, at);
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    (void)err;
    adapt_launch(((struct caba *)self)->adapt, k);
    return true;
}

static bool place(void *self, const struct sm_kernel *k, struct err *err)
{
    (void)err;
    caba_place_launch(((struct caba *)self)->place, k);
    return true;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct caba *c = self;
    struct caba_form_stats sum = {0};
    char memory[128];
    cmem_describe(c->memory, c->m.channels, memory, sizeof memory);
    for (uint32_t i = 0; i < c->m.channels; i++) {
        const struct caba_form_stats *s = caba_form_stats(c->forms[i]);
        sum.stored_encoded += s->stored_encoded;
        sum.stored_raw += s->stored_raw;
    }
    snprintf(buf, size, "%s: %s; of lines written as a whole, %llu came encoded and %llu raw",
             c->d->name, memory, (unsigned long long)sum.stored_encoded,
             (unsigned long long)sum.stored_raw);
}

static void caba_free(void *self)
{
    struct caba *c = self;
    for (uint32_t i = 0; c->memory && i < c->m.channels; i++) {
        cmem_free(c->memory[i]);
        caba_form_free(c->forms[i]);
    }
    for (uint32_t i = 0; c->sms && i < c->m.sms; i++) {
        wire_free(c->sms[i]);
        if (c->engines)
            fixed_engine_free(c->engines[i]);
    }
    for (uint32_t i = 0; c->slices && i < c->m.slices; i++)
        wire_free(c->slices[i]);
    free(c->memory);
    free(c->forms);
    free(c->sms);
    free(c->slices);
    free(c->engines);
    free(c->splits);
    free(c->stores);
    assist_free(c->assist);
    free(c->capacities);
    adapt_free(c->adapt);
    caba_place_free(c->place);
    line_codecs_free(&c->codec);
    free(c);
}

/* Lines have one size on their way, or nobody could decode what another has encoded. */
static bool check(const struct tech_design *d, const struct tech_machine *m,
                  const struct caba_cfg *cfg, struct err *err)
{
    const struct {
        const char *name;
        int64_t bytes;
    } lines[] = {{"l1.line_bytes", m->l1->line_bytes},
                 {"l2.line_bytes", m->l2->line_bytes},
                 {"mc.block_bytes", m->mc->block_bytes}};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (lines[i].bytes != 128)
            return err_set(err, "%s: lines have 128 bytes everywhere, but %s is %lld", d->name,
                           lines[i].name, (long long)lines[i].bytes);
    if (!cmem_check(m, d->name, cfg->md_size, cfg->md_ways, err))
        return false;
    return !(d->variant & (CABA_L1 | CABA_L2)) ||
           segments_check(m, d->name, d->variant & CABA_L1, cfg->segment_bytes, err);
}

static bool take(const struct tech_design *d, struct tech_seams *s, struct err *err)
{
    const enum tech_seam seams[] = {SEAM_storage, SEAM_l2_packets,    SEAM_sm_packets,
                                    SEAM_forms,   SEAM_codec_engines, SEAM_encodings};
    for (size_t i = 0; i < ARRAY_LEN(seams); i++)
        if (!tech_take(s, seams[i], d->name, TAKE_ALONE, err))
            return false;
    return (!(d->variant & CABA_L1) || tech_take(s, SEAM_l1_capacity, d->name, TAKE_ALONE, err)) &&
           (!(d->variant & CABA_L2) || tech_take(s, SEAM_l2_capacity, d->name, TAKE_ALONE, err));
}

static void bind_memory(struct caba *c, const struct caba_cfg *cfg, struct tech_seams *s)
{
    struct cmem_cfg mem = {.codec = {NULL, c->codec.block_bytes, false},
                           .is_told = true,
                           .free_metadata = cfg->free_metadata || !c->codec.n,
                           .md_bytes = cfg->md_size,
                           .md_ways = (uint32_t)cfg->md_ways};
    c->memory = xcalloc(c->m.channels, sizeof(struct cmem *));
    c->forms = xcalloc(c->m.channels, sizeof(struct caba_form *));
    for (uint32_t i = 0; i < c->m.channels; i++) {
        c->forms[i] =
            caba_form_new(&c->m, c->adapt ? adapt_switch(c->adapt) : NULL,
                          c->adapt ? adapt_raw_only(c->adapt) : NULL, (uint64_t)cfg->region);
        mem.is_mixed = c->adapt ? caba_form_is_mixed : NULL;
        mem.is_mixed_ctx = c->forms[i];
        c->memory[i] = cmem_new(&c->m, &mem);
        if (cfg->first_touch && c->codec.n)
            caba_form_encode_untouched(c->forms[i], &c->codec, c->memory[i]);
        s->storage[i] = cmem_policy(c->memory[i]);
        if (cfg->encode_reads)
            caba_form_count_reads(c->forms[i]);
        s->forms[i] = caba_form_policy(c->forms[i], c->d->variant & CABA_RAW_L2);
        stats_add(s->stats, "cmem", cmem_stat_rows, cmem_nstat_rows, cmem_stats(c->memory[i]));
        stats_add(s->stats, "caba_form", caba_form_stat_rows, caba_form_nstat_rows,
                  caba_form_stats(c->forms[i]));
    }
}

static struct wire **wires(const struct caba *c, uint32_t n, struct packet_policy *policies,
                           const char *group, struct tech_seams *s)
{
    const struct wire_cfg cfg = {.is_told = true};
    struct wire **all = xcalloc(n, sizeof(struct wire *));
    for (uint32_t i = 0; i < n; i++) {
        all[i] = wire_new(&c->m, &cfg);
        policies[i] = wire_policy(all[i]);
        stats_add(s->stats, group, wire_stat_rows, wire_nstat_rows, wire_stats(all[i]));
    }
    return all;
}

/* The files of assist/ with the codecs' routines. */
static void name_modules(const struct line_codecs *k, char *names, size_t size)
{
    *names = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        const enum codec_id id = codec_id(k->codecs[i]);
        const size_t len = strlen(names);
        snprintf(names + len, size - len, "%s%s", i ? "," : "",
                 id == CODEC_BDI_LANES ? "bdi"
                 : id == CODEC_FPC_SEG ? "fpc"
                                       : "cpack");
    }
}

static bool bind_assist(struct caba *c, const struct caba_cfg *cfg, struct tech_seams *s,
                        struct err *err)
{
    const struct store_room room = {(uint32_t)cfg->store_buffer_lines,
                                    (uint32_t)cfg->store_shared_lines, (uint32_t)cfg->hold_cycles};
    char modules[64];
    name_modules(&c->codec, modules, sizeof modules);
    c->assist = assist_new(c->d->name, modules, &c->m, s, err);
    if (!c->assist || !assist_check_codec(c->assist, &c->codec, err))
        return false;
    for (uint32_t i = 0; i < c->m.sms; i++)
        s->codec_engines[i] = assist_engine(c->assist, i, &c->codec, &room, s);
    return true;
}

/* Engines that take the same time for every line. */
static void bind_fixed(struct caba *c, uint32_t latency, struct tech_seams *s)
{
    c->engines = xcalloc(c->m.sms, sizeof(struct fixed_engine *));
    for (uint32_t i = 0; i < c->m.sms; i++) {
        c->engines[i] = fixed_engine_new(&c->codec, latency);
        s->codec_engines[i] = fixed_engine_seam(c->engines[i]);
    }
}

/* Assist warps, beside engines for one half of the jobs. */
static bool bind_both(struct caba *c, const struct caba_cfg *cfg, struct tech_seams *s,
                      struct err *err)
{
    if (!bind_assist(c, cfg, s, err))
        return false;
    c->splits = xcalloc(c->m.sms, sizeof *c->splits);
    for (uint32_t i = 0; i < c->m.sms; i++)
        c->splits[i] = (struct split_engine){s->codec_engines[i], s->codec_engines[i]};
    bind_fixed(c, (uint32_t)cfg->engine_latency, s);
    for (uint32_t i = 0; i < c->m.sms; i++) {
        *(cfg->engine_jobs == ENGINE_DECODES ? &c->splits[i].decodes : &c->splits[i].encodes) =
            s->codec_engines[i];
        s->codec_engines[i] = split_engine_seam(&c->splits[i]);
    }
    return true;
}

static const struct stat_row store_rows[] = {
#define ROWS_FILE   "tech/caba/caba_store_stats.def"
#define ROWS_STRUCT encoding_counts
#include "parsim/rows_entries.h"
};

/* Assist warps, unless a latency is given for engines that stand in for them. */
static bool bind_engines(struct caba *c, const struct caba_cfg *cfg, struct tech_seams *s,
                         struct err *err)
{
    const int v = c->d->variant;
    const struct encoding_cfg code = {
        .mode = v & CABA_L1       ? ENCODED_KEPT
                : v & CABA_DIRECT ? ENCODED_DIRECT
                                  : ENCODED_DECODED,
        .direct_latency = (uint32_t)cfg->direct_latency,
        .store_lines =
            c->codec.n ? (uint32_t)(cfg->store_buffer_lines + cfg->store_shared_lines) : 0,
        .encode_reads = c->codec.n ? (uint32_t)cfg->encode_reads : 0,
        .encode_hits = c->codec.n && cfg->encode_hits,
        .encode_refused = c->codec.n && cfg->encode_refused,
        .most_bytes = line_codecs_most(&c->codec),
        .line_buffers = (uint32_t)cfg->line_buffers,
    };
    c->stores = xcalloc(c->m.sms, sizeof *c->stores);
    for (uint32_t i = 0; i < c->m.sms; i++) {
        s->encodings[i] = code;
        s->encodings[i].counts = &c->stores[i];
        stats_add(s->stats, "caba_store", store_rows, ARRAY_LEN(store_rows), &c->stores[i]);
    }
    if (c->codec.n && cfg->engine_latency < 0)
        return bind_assist(c, cfg, s, err);
    if (c->codec.n && cfg->engine_jobs != ENGINE_ALL)
        return bind_both(c, cfg, s, err);
    bind_fixed(c, cfg->engine_latency < 0 ? 0 : (uint32_t)cfg->engine_latency, s);
    return true;
}

static void bind_capacity(struct caba *c, const struct caba_cfg *cfg, struct tech_seams *s)
{
    const bool is_l1 = c->d->variant & CABA_L1;
    const uint32_t n = is_l1 ? c->m.sms : c->m.slices;
    c->capacities = xcalloc(n, sizeof *c->capacities);
    for (uint32_t i = 0; i < n; i++) {
        c->capacities[i] = (struct caba_capacity){.codec = &c->codec,
                                                  .line_bytes = c->codec.block_bytes,
                                                  .segment_bytes = (uint32_t)cfg->segment_bytes};
        (is_l1 ? s->l1_capacity : s->l2_capacity)[i] =
            caba_capacity_policy(&c->capacities[i], (uint32_t)c->d->variant & CABA_FACTOR);
    }
}

static void bind_adapt(struct caba *c, struct tech_seams *s)
{
    adapt_bind_sources(c->adapt, &(struct adapt_sources){c->memory, c->forms, c->sms, c->slices});
    if (c->assist)
        adapt_bind_assist(c->adapt, c->assist, assist_service(s)->cfg->spare_registers);
    for (uint32_t i = 0; i < c->m.sms; i++)
        s->codec_engines[i] = adapt_gate(c->adapt, i, s->codec_engines[i]);
    stats_add(s->stats, "caba_adapt", adapt_stat_rows, adapt_nstat_rows, adapt_stats(c->adapt));
}

bool caba_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct caba_cfg *k = at->cfg;
    const struct tech_design *d = at->design;
    const struct tech_machine *m = at->machine;
    struct tech_seams *s = at->seams;
    struct caba *c = xcalloc(1, sizeof *c);
    c->m = *m;
    c->d = d;
    if (!check(d, m, k, err) || !take(d, s, err) ||
        !line_codecs_init(&c->codec, m, d->name, d->codec, err)) {
        caba_free(c);
        return false;
    }
    if (d->variant & CABA_ADAPTIVE)
        c->adapt = adapt_new(&c->m, k, &c->codec);
    c->codec.is_chosen = c->adapt;
    bind_memory(c, k, s);
    c->sms = wires(c, m->sms, s->sm_packets, "wire_sm", s);
    c->slices = wires(c, m->slices, s->l2_packets, "wire_l2", s);
    if (!bind_engines(c, k, s, err)) {
        caba_free(c);
        return false;
    }
    if (d->variant & (CABA_L1 | CABA_L2))
        bind_capacity(c, k, s);
    if (c->adapt)
        bind_adapt(c, s);
    else if (c->assist && k->keep_blocks && assist_service(s)->cfg->spare_registers)
        c->place = caba_place_new(c->m.sm, c->assist, (uint32_t)k->spare_instances);
    *part =
        (struct tech_part){.self = c, .copied = copied, .describe = describe, .free = caba_free};
    if (c->adapt) {
        part->look = look;
        part->launch = launch;
    } else if (c->place) {
        part->launch = place;
    }
    return true;
}
