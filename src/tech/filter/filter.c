/* The technique: its designs and what it puts at every SM and memory node. */
#include "tech/filter/filter.h"

#include "tech/engine_energy.h"
#include "tech/filter/filter_node.h"
#include "tech/filter/filter_sm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const filter_decide_names[] = {"rc", "need", "full", NULL};
static const char *const filter_windows_names[] = {"used", "first", NULL};
static const char *const filter_predict_names[] = {"none", "region", "load", NULL};
static const char *const filter_learn_names[] = {"used", "asked", NULL};
static const char *const filter_sub_names[] = {"rest", "need", NULL};
static const char *const filter_refill_names[] = {"replace", "append", NULL};
static const char *const filter_wake_names[] = {"all", "own", NULL};
static const char *const filter_fill_names[] = {"zero", "copy", NULL};

/* A design's variant: enum filter_method, whether it is the bound, or ours, and with more tags. */
enum { METHOD = 15, IDEAL = 16, OURS = 32, FITS = 64 };

/* Of df-idle and df-fit these fields are fixed, but for the queue and the tags, of which another
 * number may be set. */
static void set_ours(struct filter_cfg *c, bool fits)
{
    enum { IDLE_QUEUE = 2, TAGS = 4 };
    c->refill = FILTER_APPEND;
    c->wake = FILTER_WAKE_OWN;
    c->windows = FILTER_BY_FIRST;
    c->fill_flit = true;
    c->idle_queue = c->idle_queue ? c->idle_queue : IDLE_QUEUE;
    if (fits && c->tags == 1)
        c->tags = TAGS;
}

struct filter {
    const char *name;
    struct filter_cfg cfg;
    struct filter_wire wire;
    struct replay_shape shape;
    struct replay *replay;
    uint32_t sms, slices;
    struct filter_sm *sm;
    struct filter_node *node;
};

static void describe(const void *self, char *buf, size_t size)
{
    const struct filter *f = self;
    uint64_t line = 0, sent = 0, cut = 0, all = 0;
    for (uint32_t i = 0; i < f->slices; i++) {
        const struct filter_node_stats *st = &f->node[i].stats;
        line += st->payload_bytes;
        sent += st->wire_bytes;
        cut += st->partial;
        all += st->partial + st->whole;
    }
    int n = snprintf(buf, size, "%s: %.1f%% of the answers' bytes saved", f->name,
                     100 * (1 - stat_ratio((double)sent, (double)line)));
    if (f->wire.method != FILTER_WHOLE && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, ", %.1f%% of the requests ask for a part",
                 100 * stat_ratio((double)cut, (double)all));
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    struct filter *f = self;
    (void)k, (void)err;
    for (uint32_t i = 0; i < f->sms && !f->cfg.keep_windows; i++)
        f->sm[i].windows = (struct rc_windows){0};
    return true;
}

/* The record that filter.record asks for. */
static bool finish(void *self, struct err *err)
{
    struct filter *f = self;
    if (!*f->cfg.record)
        return true;
    struct replay_notes **notes = xcalloc(f->sms, sizeof *notes);
    for (uint32_t i = 0; i < f->sms; i++)
        notes[i] = &f->sm[i].notes;
    const bool ok = replay_write(f->cfg.record, &f->shape, notes, err);
    free(notes);
    return ok;
}

static void filter_free(void *self)
{
    struct filter *f = self;
    for (uint32_t i = 0; i < f->sms; i++)
        filter_sm_free(&f->sm[i]);
    for (uint32_t i = 0; i < f->slices; i++)
        filter_node_free(&f->node[i]);
    filter_wire_free(&f->wire);
    replay_close(f->replay);
    free(f->sm);
    free(f->node);
    free(f);
}

/* What it binds; requests only where they say what they need. */
struct places {
    struct request_policy *requests;
    struct packet_policy *l2, *sm;
    struct capacity_policy *lines; /* NULL: lines are of one size */
};

static bool take(struct places *p, const struct tech_site *at, bool cuts, bool fits,
                 struct err *err)
{
    const char *name = at->design->name;
    if (fits && !(p->lines = tech_take(at->seams, SEAM_l1_capacity, name, TAKE_ALONE, err)))
        return false;
    if (cuts && !(p->requests = tech_take(at->seams, SEAM_requests, name, TAKE_ALONE, err)))
        return false;
    p->l2 = tech_take(at->seams, SEAM_l2_packets, name, TAKE_ALONE, err);
    p->sm = p->l2 ? tech_take(at->seams, SEAM_sm_packets, name, TAKE_ALONE, err) : NULL;
    return p->sm;
}

static void bind_parts(struct filter *f, const struct tech_site *at, const struct places *p)
{
    const bool cuts = p->requests;
    struct stats *st = at->seams->stats;
    f->sm = xcalloc(f->sms, sizeof *f->sm);
    f->node = xcalloc(f->slices, sizeof *f->node);
    for (uint32_t i = 0; i < f->sms; i++) {
        filter_sm_init(&f->sm[i], &f->cfg, &f->wire, at->machine, i);
        f->sm[i].replay = f->replay;
        f->sm[i].records = *f->cfg.record;
        p->sm[i] = filter_sm_packets(&f->sm[i], cuts);
        if (cuts)
            p->requests[i] = filter_sm_requests(&f->sm[i]);
        if (p->lines)
            p->lines[i] =
                (struct capacity_policy){.tag_factor = (uint32_t)f->cfg.tags, .by_sector = true};
        stats_add(st, "filter", filter_stat_rows, filter_nstat_rows, &f->sm[i].stats);
    }
    for (uint32_t i = 0; i < f->slices; i++) {
        filter_node_init(&f->node[i], &f->cfg, &f->wire, at->machine);
        p->l2[i] = filter_node_packets(&f->node[i], cuts);
        stats_add(st, "filter_node", filter_node_stat_rows, filter_node_nstat_rows,
                  &f->node[i].stats);
    }
}

static bool check_region(const struct filter_cfg *c, struct err *err)
{
    return !(c->predict_region & (c->predict_region - 1)) ||
           err_set(err, "filter.predict_region is %" PRId64 "; it must be a power of two",
                   c->predict_region);
}

/* A record is of what misses ask for. */
static bool open_replay(struct filter *f, const struct tech_machine *m, bool cuts, struct err *err)
{
    const struct filter_cfg *c = &f->cfg;
    f->shape =
        (struct replay_shape){m->sms, (uint32_t)m->l1->line_bytes, (uint32_t)m->l1->sector_bytes};
    if (!cuts && (*c->record || *c->replay))
        return err_set(err, "filter.%s: %s asks for whole lines; a df- design has maps to record",
                       *c->record ? "record" : "replay", f->name);
    return !*c->replay || (f->replay = replay_open(c->replay, &f->shape, err));
}

/* Of l1_cfg_check()'s kind: a miss must be able to send all of its requests. */
static bool check_queue(const struct filter_cfg *c, const struct l1_cfg *l1, struct err *err)
{
    const int64_t sectors = l1->line_bytes / l1->sector_bytes, most = l1->request_sectors;
    const int64_t parts = most ? (sectors + most - 1) / most : 1;
    return !c->critical_first || l1->miss_queue >= parts + 2 ||
           err_set(err,
                   "l1.miss_queue: %" PRId64 " can never hold a line's %" PRId64
                   " requests (filter.critical_first) and a write-back",
                   l1->miss_queue, parts + 1);
}

static bool filter_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const enum filter_method method = (enum filter_method)(at->design->variant & METHOD);
    const struct tech_machine *m = at->machine;
    const bool cuts = method != FILTER_WHOLE;
    struct places places = {0};
    struct filter *f = xcalloc(1, sizeof *f);
    f->name = at->design->name;
    f->cfg = *(const struct filter_cfg *)at->cfg;
    f->cfg.ideal |= (at->design->variant & IDEAL) != 0;
    if (at->design->variant & OURS)
        set_ours(&f->cfg, at->design->variant & FITS);
    if (!check_region(&f->cfg, err) || !check_queue(&f->cfg, m->l1, err) ||
        !filter_wire_init(&f->wire, method, &f->cfg, m, at->design, err) ||
        !open_replay(f, m, cuts, err) || !take(&places, at, cuts, cuts && f->cfg.tags > 1, err)) {
        filter_free(f);
        return false;
    }
    f->sms = m->sms;
    f->slices = m->slices;
    bind_parts(f, at, &places);
    *part = (struct tech_part){
        .self = f, .launch = launch, .describe = describe, .finish = finish, .free = filter_free};
    return true;
}

/* --- the technique --- */

#define DF_CODEC(name, codec)                                                                    \
    {                                                                                            \
        "df-" name, "as df-truc, what is left compressed with " name, codec, FILTER_CODEC, false \
    }

static const struct tech_design designs[] = {
    {"dpc", "answers to reads compressed whole with dpc, on the interconnect", "dpc", FILTER_WHOLE,
     false},
    {"df-truc", "misses ask for what they need, answers are cut to it and compressed", "dpc",
     FILTER_TRUNCATE, false},
    {"df-man", "as df-truc, the answers as lines that compress well where nobody asked", "dpc",
     FILTER_MANIPULATE, false},
    {"df-idle", "as df-truc, improved, and answered with the line where the network is idle", "dpc",
     FILTER_TRUNCATE | OURS, false},
    {"df-fit", "as df-idle, and lines that are there in part take a part of the L1", "dpc",
     FILTER_TRUNCATE | OURS | FITS, false},
    DF_CODEC("bdi", "bdi"),
    DF_CODEC("fpc", "fpc"),
    DF_CODEC("cpack", "cpack"),
    DF_CODEC("bpc", "bpc"),
    DF_CODEC("bestof", "bestof:dpc+bdi+fpc+cpack+bpc"),
    {"df-raw", "as df-truc, not compressed", "", FILTER_RAW, false},
    {"df-ideal", "a bound: whole lines that cost what df-truc sends for their first access", "dpc",
     FILTER_TRUNCATE | IDEAL, false},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/filter/filter_cfg.def"
#define ROWS_STRUCT filter_cfg
#include "parsim/rows_entries.h"
};

/* DPC's planes are found by one and and one or of all words, as BDI's differences are found by one
 * subtraction each: its circuits are taken as BDI's. The table is 256 entries of 36 bits, an eighth
 * of Keckler's 8 KB for 64 bits at 14 pJ: half of that by width, an eighth of the rest by the root
 * of the size. Maps are 13 bits of the tags that are read and written again; a read looks at 4 that
 * are valid, and reads and writes 4 that were used. */
static const struct energy_row energy[] = {
    ENERGY_ENGINE_ENCODE("filter_node.encoded?"),
    ENERGY_ENGINE_DECODE("filter.decoded?"),
    {"filter", "maps and tables of data criticality", "filter_table", 2.8,
     "filter_node.partial? + filter_node.whole? + filter_node.entered?",
     "Keckler: 36 of 64 bits at 14 pJ, times 0.35 for 1 KB of 8"},
    {"filter", NULL, "filter_map", 2.8,
     "filter.fm? + filter.sub? + filter.hi? + filter.delivered? + filter.fdr_pushes?",
     "Keckler: 13 of 64 bits of tags at 14 pJ"},
    {"filter", NULL, "filter_lookup", 2.6, "filter.map_reads?",
     "Keckler: 12 of 64 bits of tags at 14 pJ"},
};

const struct technique filter_technique = {
    .name = "filter",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"filter", fields, ARRAY_LEN(fields), sizeof(struct filter_cfg), NULL},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = filter_bind,
};
