/* Redundant multithreading on assist warps: the design, its statistics and its report. */
#include "sm/sm.h"
#include "tech/rmt/rmt_int.h"
#include "tech/tech.h"

#include <stdio.h>
#include <stdlib.h>

struct units {
    struct rmt *at;
    uint32_t n;
    const char *name;
    const struct sm_cfg *sm;
    struct rmt_bare bare;
};

#define ROWS_FILE   "tech/rmt/rmt_stats.def"
#define ROWS_STRUCT rmt_stats
#include "parsim/rows_formulas.h"

static const struct stat_row stat_rows[] = {
#define ROWS_FILE   "tech/rmt/rmt_stats.def"
#define ROWS_STRUCT rmt_stats
#include "parsim/rows_entries.h"
};

static void units_free(void *self)
{
    struct units *u = self;
    for (uint32_t i = 0; i < u->n; i++)
        rmt_free(&u->at[i]);
    vec_free(&u->bare.kernels);
    free(u->at);
    free(u);
}

/* Blocks that are on SMs keep the registers that they were given: whether a kernel is covered
 * changes between kernels only. */
static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    struct units *u = self;
    const struct kernel *kernel = k->root->kernel;
    const bool fits = sm_capacity(u->sm, k, kernel->regs) > 0;
    bool is_quiet = true;
    for (uint32_t i = 0; i < u->n; i++)
        is_quiet &= rmt_launch(&u->at[i]);
    u->at[0].stats.bare += !fits;
    if (fits != rmt_is_bare(&u->bare, kernel))
        return true;
    if (!is_quiet)
        return err_set(err,
                       "caba-rmt: kernel %s has blocks with and without room for twice the "
                       "registers at a time",
                       kernel->src->name);
    if (!fits)
        vec_push(&u->bare.kernels, kernel);
    else
        vec_drop(&u->bare.kernels, kernel);
    return true;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct units *u = self;
    struct rmt_stats all = {0};
    for (uint32_t i = 0; i < u->n; i++) {
        all.covered += u->at[i].stats.covered;
        all.uncovered += u->at[i].stats.uncovered;
        all.injected += u->at[i].stats.injected;
        all.detected += u->at[i].stats.detected;
        all.masked += u->at[i].stats.masked;
    }
    snprintf(buf, size,
             "%s: %.1f %% of the instructions executed again; of %llu faults %llu found, %llu "
             "without effect",
             u->name, 100 * stat_ratio((double)all.covered, (double)(all.covered + all.uncovered)),
             (unsigned long long)all.injected, (unsigned long long)all.detected,
             (unsigned long long)all.masked);
}

/* The assist warp's are as many as the program's. */
static uint32_t extra_registers(const void *self, const struct kernel *k)
{
    const struct rmt *r = self;
    return rmt_is_bare(r->bare, k) ? 0 : k->regs;
}

static const char *assist_name(const void *self, uint32_t number)
{
    (void)self;
    (void)number;
    return "rmt";
}

static bool rmt_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tech_machine *m = at->machine;
    struct warp_source *sources =
        tech_take(at->seams, SEAM_warps, at->design->name, TAKE_ALONE, err);
    if (!sources)
        return false;
    struct units *u = xcalloc(1, sizeof *u);
    u->n = m->sms;
    u->at = xcalloc(u->n, sizeof *u->at);
    u->name = at->design->name;
    u->sm = m->sm;
    for (uint32_t i = 0; i < u->n; i++) {
        rmt_init(&u->at[i], at->cfg, m->sm, &u->bare, i);
        sources[i].self = &u->at[i];
        sources[i].has_warps = true;
        sources[i].issue_first = rmt_issue_first;
        sources[i].issue_idle = rmt_issue_idle;
        sources[i].is_pending = rmt_is_pending;
        sources[i].extra_registers = extra_registers;
        sources[i].deploy = rmt_deploy;
        sources[i].events = EXTRA_ISSUE;
        sources[i].event = rmt_event;
        sources[i].name = assist_name;
        stats_add(at->seams->stats, "rmt", stat_rows, ARRAY_LEN(stat_rows), &u->at[i].stats);
    }
    *part =
        (struct tech_part){.self = u, .launch = launch, .describe = describe, .free = units_free};
    return true;
}

static const struct tech_design designs[] = {
    {"caba-rmt",
     "assist warps execute arithmetic again and compare: faults in registers are found and put "
     "right",
     "", 0, false},
};

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/rmt/rmt_cfg.def"
#define ROWS_STRUCT rmt_cfg
#include "parsim/rows_entries.h"
};

const struct technique rmt_technique = {
    .name = "rmt",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"rmt", fields, ARRAY_LEN(fields), sizeof(struct rmt_cfg), NULL},
    .bind = rmt_bind,
};
