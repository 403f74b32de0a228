/* Lock and Load: values are compared where they are loaded; in regions that the program marks, a
 * few anchor threads of a warp whose values were similar compute, and the others' results are
 * interpolated where they are stored (Z. Liu, "Energy efficient computing exploiting data
 * similarity and computation redundancy", chapter 3); and what it is compared with there. */
#include "base/outfile.h"
#include "tech/lnl/lnl_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS_FILE   "tech/lnl/lnl_stats.def"
#define ROWS_STRUCT lnl_stats
#include "parsim/rows_formulas.h"

const struct stat_row lnl_stat_rows[] = {
#define ROWS_FILE   "tech/lnl/lnl_stats.def"
#define ROWS_STRUCT lnl_stats
#include "parsim/rows_entries.h"
};
const size_t lnl_nstat_rows = ARRAY_LEN(lnl_stat_rows);

/* --- designs --- */

enum lnl_variant {
    LNL_VARIANT_ALL,
    LNL_VARIANT_NOFUSE,
    LNL_VARIANT_REPLICATE,
    LNL_VARIANT_BITS,
    LNL_VARIANT_EXACT,
    LNL_VARIANT_WARP,
    LNL_VARIANT_ADAPTIVE,
    LNL_VARIANT_PERTURB,
};

const struct lnl_design lnl_variants[] = {
    [LNL_VARIANT_ALL] = {LNL_TEST_CIRCUIT, LNL_USE_FUSE},
    [LNL_VARIANT_NOFUSE] = {LNL_TEST_CIRCUIT, 0},
    [LNL_VARIANT_REPLICATE] = {LNL_TEST_CIRCUIT, LNL_USE_REPLICATE},
    [LNL_VARIANT_BITS] = {LNL_TEST_BITS, 0},
    [LNL_VARIANT_EXACT] = {LNL_TEST_EXACT, 0},
    [LNL_VARIANT_WARP] = {LNL_TEST_BITS, LNL_USE_WARP},
    [LNL_VARIANT_ADAPTIVE] = {LNL_TEST_CIRCUIT, LNL_USE_FUSE | LNL_USE_ADAPT},
    [LNL_VARIANT_PERTURB] = {LNL_TEST_CIRCUIT, LNL_USE_PERTURB},
};

static const struct tech_design designs[] = {
    {"lnl", "marked regions by anchor threads where loads were similar, two warps as one", "",
     LNL_VARIANT_ALL, false},
    {"lnl-nofuse", "lnl without fusion of warps", "", LNL_VARIANT_NOFUSE, false},
    {"lnl-replicate", "lnl-nofuse, but stores take their anchor's value", "", LNL_VARIANT_REPLICATE,
     false},
    {"lnl-bits", "lnl-nofuse, but loads are similar whose upper bits are equal (lnl.drop_bits)", "",
     LNL_VARIANT_BITS, false},
    {"lnl-exact", "lnl-nofuse, but relative differences are exact", "", LNL_VARIANT_EXACT, false},
    {"warp-approx", "in marked regions one lane for all where operands agree but for lnl.drop_bits",
     "", LNL_VARIANT_WARP, false},
    {"lnl-adaptive", "lnl whose threshold and groups follow from sampled regions, by lnl.max_error",
     "", LNL_VARIANT_ADAPTIVE, false},
    {"lnl-perturb", "nothing is approximated; loads of marked regions are off by lnl.perturb", "",
     LNL_VARIANT_PERTURB, false},
};

struct lnl_unit lnl_unit_of(const struct lnl_cfg *cfg, const struct lnl_design *d)
{
    return (struct lnl_unit){.test = d->test,
                             .pieces = {(uint32_t)cfg->recip2, (uint32_t)cfg->recip3},
                             .threshold =
                                 (uint32_t)floor(cfg->threshold * (1 << COARSE_ERROR_BITS)),
                             .exact = cfg->threshold,
                             .drop_bits = (unsigned)cfg->drop_bits,
                             .absolute = cfg->absolute};
}

/* Whether outputs may be others than the program's. */
static bool changes_values(const struct lnl *g)
{
    if (g->design.uses & LNL_USE_WARP)
        return g->cfg->drop_bits > 0;
    if (g->design.uses & LNL_USE_ADAPT)
        return g->cfg->max_error > 0;
    if (g->design.uses & LNL_USE_PERTURB)
        return g->cfg->perturb > 0;
    return g->cfg->group > 1 &&
           !(lnl_unit_passes_none(&g->unit, false) && lnl_unit_passes_none(&g->unit, true));
}

void lnl_levels_of(const struct lnl_unit *unit, struct lnl_unit *levels)
{
    for (unsigned l = 0; l < LNL_LEVELS; l++) {
        levels[l] = *unit;
        levels[l].threshold = (uint32_t)floor(lnl_level_relative[l] * (1 << COARSE_ERROR_BITS));
        levels[l].absolute = lnl_level_absolute[l];
    }
}

/* --- kernels --- */

static bool is_in_use(const void *self, const struct kernel_plan *p)
{
    const struct lnl *g = self;
    for (uint32_t i = 0; i < g->nsms; i++)
        for (unsigned k = 0; k < LNL_SLOTS; k++)
            if (g->sms[i].slots[k].plan == (const struct lnl_plan *)p)
                return true;
    return false;
}

static void plan_end(void *self, struct kernel_plan *p)
{
    (void)self;
    lnl_plan_free((struct lnl_plan *)p);
}

bool lnl_launch(struct lnl *g, const struct kernel *k, const struct decoded *code, struct err *err)
{
    if (g->is_watched)
        lnl_watch_launch(g, k);
    if (kernel_plans_lack(&g->plans, k, is_in_use, plan_end, g)) {
        struct lnl_plan *p = lnl_plan_new(k, code, g->sm_cfg, g, err);
        if (!p)
            return false;
        kernel_plans_add(&g->plans, &p->of);
    }
    if (g->design.uses & LNL_USE_ADAPT)
        lnl_adapt_launch(g, (const struct lnl_plan *)kernel_plans_find(g->plans, k));
    return true;
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    return lnl_launch(self, k->root->kernel, k->code, err);
}

void lnl_plans_free(struct lnl *g)
{
    kernel_plans_end(&g->plans, plan_end, g);
}

/* --- an SM --- */

void lnl_sm_init(struct lnl_sm *m, const struct lnl *g)
{
    m->g = g;
}

void lnl_sm_free(struct lnl_sm *m)
{
    for (unsigned k = 0; k < LNL_SLOTS; k++) {
        free(m->slots[k].stale);
        free(m->slots[k].visits);
        free(m->slots[k].stored);
    }
    lnl_watched_free(&m->watched);
    vec_free(&m->places);
}

static void start(void *self, unsigned slot, const struct warp *w, uint32_t registers)
{
    struct lnl_sm *m = self;
    m->inner.start(m->inner.self, slot, w, registers);
    lnl_slot_start(m, slot, w);
}

static void end(void *self, unsigned slot)
{
    struct lnl_sm *m = self;
    lnl_slot_end(m, slot);
    m->inner.end(m->inner.self, slot);
}

/* Around m->inner. */
struct rf_policy lnl_registers(struct lnl_sm *m)
{
    struct rf_policy p = rf_policy_wrap(&m->inner);
    p.wants |= WANT_COST | WANT_WARPS;
    p.cost = lnl_cost;
    p.start = start;
    p.end = end;
    return p;
}

struct issue_policy lnl_issue(struct lnl_sm *m)
{
    struct issue_policy p = issue_policy_null;
    p.wants = WANT_BEFORE;
    p.before = lnl_before;
    p.self = m;
    if (!(m->g->design.uses & LNL_USE_WARP)) {
        p.wants |= WANT_PRECEDE;
        p.precede = lnl_precede;
    }
    if (lnl_fuses(m->g)) {
        p.wants |= WANT_PARTNER | WANT_INITIATION;
        p.partner = lnl_partner;
        p.initiation = lnl_initiation;
    }
    return p;
}

/* --- a machine --- */

static void describe(const void *self, char *buf, size_t size)
{
    const struct lnl *g = self;
    struct lnl_stats sum = {0};
    for (uint32_t i = 0; i < g->nsms; i++) {
        sum.inst += g->sms[i].stats.inst;
        sum.region_inst += g->sms[i].stats.region_inst;
        sum.approx_inst += g->sms[i].stats.approx_inst;
    }
    snprintf(buf, size, "%s: %.1f%% of instructions by anchors only, %.1f%% in regions", g->name,
             100 * lnl_stats_approximated(&sum), 100 * lnl_stats_coverage(&sum));
}

static void lnl_free(void *self)
{
    struct lnl *g = self;
    for (uint32_t i = 0; i < g->nsms; i++)
        lnl_sm_free(&g->sms[i]);
    lnl_plans_free(g);
    vec_free(&g->launches);
    free(g->sms);
    free(g->requests);
    free(g);
}

static void look(void *self, const struct tech_look *at)
{
    (void)at;
    lnl_adapt_look(self);
}

static bool finish(void *self, struct err *err)
{
    struct lnl *g = self;
    return (!g->is_watched || lnl_watch_finish(g, err)) &&
           (!g->has_places || lnl_where_finish(g, err));
}

static struct lnl *lnl_new(const struct tech_site *at)
{
    struct lnl *g = xcalloc(1, sizeof *g);
    *g = (struct lnl){.cfg = at->cfg,
                      .sm_cfg = at->machine->sm,
                      .design = lnl_variants[at->design->variant],
                      .name = at->design->name,
                      .nsms = at->machine->sms,
                      .verify = at->machine->verify,
                      .is_watched = *((const struct lnl_cfg *)at->cfg)->watch,
                      .has_places = *((const struct lnl_cfg *)at->cfg)->where,
                      .sms = xcalloc(at->machine->sms, sizeof *g->sms),
                      .requests = xcalloc(at->machine->sms, sizeof *g->requests)};
    g->unit = lnl_unit_of(g->cfg, &g->design);
    lnl_levels_of(&g->unit, g->levels);
    return g;
}

static bool lnl_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct lnl_cfg *cfg = at->cfg;
    const char *name = at->design->name;
    if ((*cfg->watch && !outfile_probe(cfg->watch, err)) ||
        (*cfg->where && !outfile_probe(cfg->where, err)))
        return false;
    struct rf_policy *registers = tech_take(at->seams, SEAM_registers, name, TAKE_WRAP, err);
    struct issue_policy *issue =
        registers ? tech_take(at->seams, SEAM_issue, name, TAKE_ALONE, err) : NULL;
    if (!issue)
        return false;
    struct request_policy *requests =
        cfg->sectors ? tech_take(at->seams, SEAM_requests, name, TAKE_WRAP, err) : NULL;
    if (cfg->sectors && !requests)
        return false;
    const bool adapts = lnl_variants[at->design->variant].uses & LNL_USE_ADAPT;
    struct block_policy *blocks =
        adapts ? tech_take(at->seams, SEAM_blocks, name, TAKE_ALONE, err) : NULL;
    if (adapts && !blocks)
        return false;
    struct lnl *g = lnl_new(at);
    if (blocks)
        *blocks = (struct block_policy){lnl_adapt_block, g};
    for (uint32_t i = 0; i < g->nsms; i++) {
        struct lnl_sm *m = &g->sms[i];
        lnl_sm_init(m, g);
        m->inner = registers[i];
        registers[i] = lnl_registers(m);
        issue[i] = lnl_issue(m);
        if (requests) {
            g->requests[i] = (struct lnl_requests){requests[i], m};
            requests[i] = lnl_request_policy(&g->requests[i]);
        }
        stats_add(at->seams->stats, "lnl", lnl_stat_rows, lnl_nstat_rows, &m->stats);
    }
    *part = (struct tech_part){.self = g,
                               .changes_values = changes_values(g),
                               .launch = launch,
                               .look = g->design.uses & LNL_USE_ADAPT ? look : NULL,
                               .describe = describe,
                               .finish = finish,
                               .free = lnl_free};
    return true;
}

/* --- the technique --- */

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/lnl/lnl_cfg.def"
#define ROWS_STRUCT lnl_cfg
#include "parsim/rows_entries.h"
};

static bool check(const struct tech_api *api, const void *section, struct err *err)
{
    const struct lnl_cfg *cfg = section;
    (void)api;
    return !(cfg->group & (cfg->group - 1)) ||
           err_set(err, "lnl.group: %lld should be 1, 2, 4, 8 or 16", (long long)cfg->group);
}

#define CONTROL "Horowitz: control of an instruction"
#define UNIT    "seed 002, section 3.5.2: 0.3 mW / 1.4 GHz a lane"
static const struct energy_row energy[] = {
    {"front_end", NULL, "issue", 70, "- lnl.fused_inst", CONTROL},
    {"register_file", NULL, "rf_read", 156, "- lnl.read_saved8 / 8",
     "Gebhart: 1024 bits and a mm, at 40 nm"},
    {"alu", NULL, "alu_lane", 50.5, "- lnl.start_lanes",
     "GPUSimPow: 0.7 x 40 pJ integer + 0.3 x 75 pJ float"},
    {"sfu", NULL, "sfu_inst", 2864, "- lnl.sfu_lanes_skipped / 32",
     "140 pJ a lane: SFUs take 25% of dynamic power with 14% of the instructions (seed 002)"},
    {"dp", NULL, "dp_inst", 3184, "- lnl.dp_lanes_skipped / 32",
     "150 pJ a lane: GPUSimPow's float twice"},
    {"engines", NULL, "lnl_compare", 6.9, "lnl.checked_registers", UNIT},
    {"engines", NULL, "lnl_history", 1, "lnl.checked + lnl.starts",
     "a bound: 96 bytes an SM, an entry of 4 bits"},
    {"engines", NULL, "lnl_interpolate", 50.5, "lnl.interpolated + lnl.sampled",
     "one lane operation; the text's filter is the texture unit's"},
};

const struct technique lnl_technique = {
    .name = "lnl",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"lnl", fields, ARRAY_LEN(fields), sizeof(struct lnl_cfg), check},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = lnl_bind,
};
