/* Speculative precomputation on assist warps: the design, its statistics and its report. */
#include "tech/precompute/precompute_int.h"
#include "tech/tech.h"

#include <stdio.h>
#include <stdlib.h>

struct units {
    struct precompute *at;
    uint32_t n;
    const char *name;
};

static const struct stat_row stat_rows[] = {
#define ROWS_FILE   "tech/precompute/precompute_stats.def"
#define ROWS_STRUCT precompute_stats
#include "parsim/rows_entries.h"
};

static void units_free(void *self)
{
    struct units *u = self;
    for (uint32_t i = 0; i < u->n; i++)
        precompute_free(&u->at[i]);
    free(u->at);
    free(u);
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    const struct units *u = self;
    (void)k;
    (void)err;
    for (uint32_t i = 0; i < u->n; i++)
        precompute_launch(&u->at[i]);
    return true;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct units *u = self;
    uint64_t main = 0, helpers = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        main += u->at[i].stats.iterations;
        helpers += u->at[i].stats.helper_iterations;
    }
    snprintf(buf, size, "%s: helpers ran ahead in %llu of %llu iterations of loops with a slice",
             u->name, (unsigned long long)helpers, (unsigned long long)main);
}

static const char *helper_name(const void *self, uint32_t number)
{
    (void)self, (void)number;
    return "precompute";
}

static bool precompute_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    struct warp_source *sources =
        tech_take(at->seams, SEAM_warps, at->design->name, TAKE_ALONE, err);
    if (!sources)
        return false;
    struct units *u = xcalloc(1, sizeof *u);
    u->n = at->machine->sms;
    u->at = xcalloc(u->n, sizeof *u->at);
    u->name = at->design->name;
    for (uint32_t i = 0; i < u->n; i++) {
        u->at[i].cfg = at->cfg;
        u->at[i].sm_cfg = at->machine->sm;
        sources[i].self = &u->at[i];
        sources[i].has_warps = true;
        sources[i].issue_idle = precompute_issue_idle;
        sources[i].is_pending = precompute_is_pending;
        sources[i].deploy = precompute_deploy;
        sources[i].events = EXTRA_ISSUE;
        sources[i].event = precompute_event;
        sources[i].name = helper_name;
        stats_add(at->seams->stats, "precompute", stat_rows, ARRAY_LEN(stat_rows), &u->at[i].stats);
    }
    *part =
        (struct tech_part){.self = u, .launch = launch, .describe = describe, .free = units_free};
    return true;
}

static const struct tech_design designs[] = {
    {"caba-precompute",
     "assist warps run ahead on the slices of loops that chase pointers, so that their loads hit",
     "", 0, false},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/precompute/precompute_cfg.def"
#define ROWS_STRUCT precompute_cfg
#include "parsim/rows_entries.h"
};

const struct technique precompute_technique = {
    .name = "precompute",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"precompute", fields, ARRAY_LEN(fields), sizeof(struct precompute_cfg), NULL},
    .bind = precompute_bind,
};
