/* A memoization unit at each SM (AxMemo's, for warps): marked regions whose results all lanes find
 * in its table are left out. The hardware counterpart of assist warps that do the same
 * (tech/assist_memo), on the same marks. */
#include "tech/memo_sm/memo_sm_int.h"

#include "parsim/rows.h"
#include "tech/tech.h"

#include <stdio.h>

struct units {
    struct memo_sm *at;
    uint32_t n;
    const char *name;
};

#define ROWS_FILE   "tech/memo_sm/memo_sm_stats.def"
#define ROWS_STRUCT memo_sm_stats
#include "parsim/rows_formulas.h"

static const struct stat_row stat_rows[] = {
#define ROWS_FILE   "tech/memo_sm/memo_sm_stats.def"
#define ROWS_STRUCT memo_sm_stats
#include "parsim/rows_entries.h"
};

static bool check(const struct tech_api *api, const void *cfg, struct err *err)
{
    const struct memo_sm_cfg *c = cfg;
    return is_pow2(c->bytes) || api->fail(err, "memo_sm.bytes: %llu is not a power of two",
                                          (unsigned long long)c->bytes);
}

static void units_free(void *self)
{
    struct units *u = self;
    for (uint32_t i = 0; i < u->n; i++)
        memo_sm_free(&u->at[i]);
    free(u->at);
    free(u);
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    const struct units *u = self;
    (void)k;
    (void)err;
    for (uint32_t i = 0; i < u->n; i++)
        memo_sm_launch(&u->at[i]);
    return true;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct units *u = self;
    uint64_t lookups = 0, skips = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        lookups += u->at[i].stats.lookups;
        skips += u->at[i].stats.skips;
    }
    snprintf(buf, size, "%s: %llu of %llu regions left out", u->name, (unsigned long long)skips,
             (unsigned long long)lookups);
}

static bool memo_sm_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct memo_sm_cfg *cfg = at->cfg;
    struct warp_source *sources =
        tech_take(at->seams, SEAM_warps, at->design->name, TAKE_ALONE, err);
    if (!sources)
        return false;
    struct units *u = xcalloc(1, sizeof *u);
    u->n = at->machine->sms;
    u->at = xcalloc(u->n, sizeof *u->at);
    u->name = at->design->name;
    for (uint32_t i = 0; i < u->n; i++) {
        memo_sm_init(&u->at[i], cfg);
        sources[i].self = &u->at[i];
        sources[i].events = EXTRA_ISSUE;
        sources[i].event = memo_sm_event;
        sources[i].deploy = memo_sm_deploy;
        sources[i].is_pending = memo_sm_is_pending;
        stats_add(at->seams->stats, "memo_sm", stat_rows, ARRAY_LEN(stat_rows), &u->at[i].stats);
    }
    *part = (struct tech_part){.self = u,
                               .changes_values = cfg->bits < 32,
                               .launch = launch,
                               .describe = describe,
                               .free = units_free};
    return true;
}

static const struct tech_design designs[] = {
    {"memo-sm", "a memoization unit at each SM keeps results of marked regions, and skips them", "",
     0, false},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/memo_sm/memo_sm_cfg.def"
#define ROWS_STRUCT memo_sm_cfg
#include "parsim/rows_entries.h"
};

static const struct energy_row energy[] = {
    {"memo_sm", "memoization units of the SMs", "memo_sm_access", 9.043, "memo_sm.accesses",
     "AxMemo, Table 4.6: 16 KB, 7.234 pJ at 32 nm x 1.25"},
    {"memo_sm", NULL, "memo_sm_hash", 3.643, "memo_sm.lanes",
     "AxMemo, Table 4.6: a word of CRC-32, 2.9143 pJ at 32 nm x 1.25"},
};

const struct technique memo_sm_technique = {
    .name = "memo_sm",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"memo_sm", fields, ARRAY_LEN(fields), sizeof(struct memo_sm_cfg), check},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = memo_sm_bind,
};
