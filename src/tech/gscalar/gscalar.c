/* G-Scalar: vector registers compressed by bytes, whose encoding says which instructions one lane
 * can execute for all (Z. Liu, "Energy efficient computing exploiting data similarity and
 * computation redundancy", chapter 2); and what it is compared with there. */
#include "base/outfile.h"
#include "tech/gscalar/gscalar_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const gs_move_names[] = {"always", "live", NULL};
static const char *const gs_hold_names[] = {"pipe", "collector", NULL};
static const char *const gs_mask_names[] = {"equal", "subset", NULL};

#define ROWS_FILE   "tech/gscalar/gscalar_stats.def"
#define ROWS_STRUCT gscalar_stats
#include "parsim/rows_formulas.h"

const struct stat_row gs_stat_rows[] = {
#define ROWS_FILE   "tech/gscalar/gscalar_stats.def"
#define ROWS_STRUCT gscalar_stats
#include "parsim/rows_entries.h"
};
const size_t gs_nstat_rows = ARRAY_LEN(gs_stat_rows);

/* --- designs --- */

enum gs_variant {
    GS_VARIANT_ALL,
    GS_VARIANT_NODIV,
    GS_VARIANT_NOHALF,
    GS_VARIANT_RVC,
    GS_VARIANT_ALU,
    GS_VARIANT_SCALAR_RF,
    GS_VARIANT_DELTAS,
    GS_VARIANT_NULL,
};

enum { PRIOR_RF = GS_SCALAR_BANK | GS_META_SCALAR | GS_NO_CIRCUITS };

const struct gs_design gs_variants[] = {
    [GS_VARIANT_ALL] = {&gs_form_halves, GS_USE_PIPES | GS_USE_HALF | GS_USE_DIVERGENT, 2, 1, 2},
    [GS_VARIANT_NODIV] = {&gs_form_whole, GS_USE_PIPES, 2, 1, 1},
    [GS_VARIANT_NOHALF] = {&gs_form_whole, GS_USE_PIPES | GS_USE_DIVERGENT, 2, 1, 1},
    [GS_VARIANT_RVC] = {&gs_form_halves, 0, 2, 1, 2},
    [GS_VARIANT_ALU] = {&gs_form_scalar, GS_USE_SP | PRIOR_RF, 1, 1, 1},
    [GS_VARIANT_SCALAR_RF] = {&gs_form_scalar, PRIOR_RF, 1, 1, 1},
    [GS_VARIANT_DELTAS] = {&gs_form_deltas, GS_DELTA_ENERGY | GS_NO_CIRCUITS, 1, 2, 0},
    [GS_VARIANT_NULL] = {&gs_form_raw, GS_NO_CIRCUITS, 0, 0, 0},
};

static const struct tech_design designs[] = {
    {"gscalar", "compressed registers, scalar execution of whole, half and divergent warps", "",
     GS_VARIANT_ALL, true},
    {"gscalar-nodiv", "compressed registers, scalar execution of whole warps alone", "",
     GS_VARIANT_NODIV, false},
    {"gscalar-nohalf", "gscalar without half-warps, one array of metadata", "", GS_VARIANT_NOHALF,
     false},
    {"gscalar-rvc", "registers compressed by bytes of half-warps, no scalar execution", "",
     GS_VARIANT_RVC, false},
    {"alu-scalar", "scalar registers in a bank of their own, scalar execution on the SP pipes", "",
     GS_VARIANT_ALU, false},
    {"scalar-rf", "the registers of alu-scalar, no scalar execution", "", GS_VARIANT_SCALAR_RF,
     false},
    {"warped-compression", "registers as a base and differences of 0, 1 or 2 bytes", "",
     GS_VARIANT_DELTAS, false},
    {"gscalar-null", "metadata that is looked at and used for nothing (for tests)", "",
     GS_VARIANT_NULL, false},
};

/* --- kernels --- */

static bool is_in_use(const void *self, const struct kernel_plan *p)
{
    const struct gscalar *g = self;
    for (uint32_t i = 0; i < g->nsms; i++)
        for (unsigned k = 0; k < GS_SLOTS; k++)
            if (g->sms[i].slots[k].plan == (const struct gs_plan *)p)
                return true;
    return false;
}

static void plan_end(void *self, struct kernel_plan *of)
{
    struct gscalar *g = self;
    struct gs_plan *p = (struct gs_plan *)of;
    if (g->lines)
        gs_lines_end(g->lines, p, g->nsms);
    gs_plan_free(p);
}

void gs_launch(struct gscalar *g, const struct kernel *k, const struct decoded *code)
{
    if (!kernel_plans_lack(&g->plans, k, is_in_use, plan_end, g))
        return;
    struct gs_plan *p = gs_plan_new(k, code, g->sm_cfg, g, g->cfg->moves == GS_MOVES_LIVE);
    if (g->lines)
        gs_lines_begin(p, g->nsms);
    kernel_plans_add(&g->plans, &p->of);
}

static bool launch(void *self, const struct sm_kernel *k, struct err *err)
{
    (void)err;
    gs_launch(self, k->root->kernel, k->code);
    return true;
}

void gs_plans_free(struct gscalar *g)
{
    kernel_plans_end(&g->plans, plan_end, g);
}

/* --- an SM --- */

void gs_sm_init(struct gs_sm *m, const struct gscalar *g)
{
    const bool is_held = g->cfg->hold == GS_HOLD_COLLECTOR;
    const unsigned meta = g->design.meta;
    m->g = g;
    m->design = &g->design;
    m->hold = is_held ? g->design.read : 0;
    m->enter = is_held ? 0 : g->design.read;
    m->write = g->design.write;
    m->meta = meta && g->cfg->meta_arrays ? (uint32_t)g->cfg->meta_arrays : meta;
    m->bank = (uint32_t)g->sm_cfg->banks;
}

void gs_sm_free(struct gs_sm *m)
{
    for (unsigned k = 0; k < GS_SLOTS; k++)
        gs_slot_free(&m->slots[k]);
    gs_wide_free(m);
    free(m->carry);
}

struct rf_policy gs_registers(struct gs_sm *m)
{
    struct rf_policy p = rf_policy_null;
    p.wants = WANT_COST | WANT_WARPS | WANT_FOLDED;
    p.cost = gs_cost;
    p.folded = gs_folded;
    p.start = gs_start;
    p.end = gs_end;
    p.self = m;
    if (m->design->uses & GS_SCALAR_BANK) {
        p.wants |= WANT_BANK | WANT_WAITED;
        p.bank = gs_bank;
        p.waited = gs_waited;
    }
    return p;
}

struct issue_policy gs_issue(struct gs_sm *m)
{
    struct issue_policy p = issue_policy_null;
    p.wants = WANT_PRECEDE;
    p.precede = gs_precede;
    p.self = m;
    if (m->g->cfg->fast) {
        p.wants |= WANT_INITIATION;
        p.initiation = gs_initiation;
    }
    if (m->g->verify) {
        p.wants |= WANT_BEFORE;
        p.before = gs_verify_sources;
    }
    return p;
}

/* --- a machine --- */

static void describe(const void *self, char *buf, size_t size)
{
    const struct gscalar *g = self;
    double eligible = 0, power = 0;
    stats_get(g->stats, "gscalar.eligible", &eligible);
    stats_get(g->stats, "gscalar.rf_power_bare", &power);
    snprintf(buf, size,
             "%s: %.1f%% of instructions by fewer lanes, registers at %.1f%% of their energy "
             "without metadata",
             g->name, 100 * eligible, 100 * power);
}

static bool finish(void *self, struct err *err)
{
    struct gscalar *g = self;
    gs_plans_free(g);
    return !g->lines || gs_lines_write(g->lines, g->cfg->lines, err);
}

static void gscalar_free(void *self)
{
    struct gscalar *g = self;
    for (uint32_t i = 0; i < g->nsms; i++)
        gs_sm_free(&g->sms[i]);
    gs_plans_free(g);
    gs_lines_free(g->lines);
    free(g->sms);
    free(g);
}

/* What is bound, for when all designs are: another one may decide what packets take. */
struct service {
    struct gscalar *g;
};

static void *open_service(const struct tech_site *at)
{
    (void)at;
    return xcalloc(1, sizeof(struct service));
}

static bool settle(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct service *s = at->state;
    (void)part;
    return !s->g || !s->g->cfg->carry || gs_carry_bind(s->g, at->seams, err);
}

/* Fields that build on bytes which registers share. */
static bool check_fields(const struct gscalar_cfg *cfg, const struct tech_design *d,
                         struct err *err)
{
    const char *field = cfg->affine ? "affine" : cfg->carry ? "carry" : NULL;
    return !field || gs_variants[d->variant].form->has_bytes ||
           err_set(err,
                   "gscalar.%s needs registers compressed by bytes, which %s does not have: use "
                   "gscalar, gscalar-nohalf, gscalar-nodiv or gscalar-rvc",
                   field, d->name);
}

static bool gscalar_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tech_design *d = at->design;
    const struct tech_machine *machine = at->machine;
    const struct gscalar_cfg *cfg = at->cfg;
    if (!check_fields(cfg, d, err) || (*cfg->lines && !outfile_probe(cfg->lines, err)))
        return false;
    struct rf_policy *registers = tech_take(at->seams, SEAM_registers, d->name, TAKE_ALONE, err);
    struct issue_policy *issue =
        registers ? tech_take(at->seams, SEAM_issue, d->name, TAKE_ALONE, err) : NULL;
    if (!issue)
        return false;
    struct gscalar *g = xcalloc(1, sizeof *g);
    *g = (struct gscalar){.cfg = cfg,
                          .sm_cfg = machine->sm,
                          .design = gs_variants[d->variant],
                          .name = d->name,
                          .nsms = machine->sms,
                          .stats = at->seams->stats,
                          .verify = machine->verify,
                          .lines = *cfg->lines ? gs_lines_new() : NULL,
                          .sms = xcalloc(machine->sms, sizeof *g->sms)};
    for (uint32_t i = 0; i < g->nsms; i++) {
        struct gs_sm *m = &g->sms[i];
        gs_sm_init(m, g);
        m->breach = &at->seams->breaches[PER_SM][i];
        registers[i] = gs_registers(m);
        issue[i] = gs_issue(m);
        stats_add(at->seams->stats, "gscalar", gs_stat_rows, gs_nstat_rows, &m->stats);
    }
    ((struct service *)at->state)->g = g;
    *part = (struct tech_part){
        .self = g, .launch = launch, .describe = describe, .finish = finish, .free = gscalar_free};
    return true;
}

/* --- the technique --- */

static const struct conf_field fields[] = {
#define ROWS_FILE   "tech/gscalar/gscalar_cfg.def"
#define ROWS_STRUCT gscalar_cfg
#include "parsim/rows_entries.h"
};

#define SEED "seed 002, Table 2.3 and section 2.4.1"
static const struct energy_row energy[] = {
    {"register_file", NULL, "rf_read", 156, "- gscalar.read_saved16 / 16",
     "Gebhart: 1024 bits and a mm, at 40 nm"},
    {"register_file", NULL, "rf_write", 186,
     "- gscalar.write_saved16 / 16 + gscalar.write_added16 / 16",
     "Gebhart: 1024 bits and a mm, at 40 nm"},
    {"register_file", NULL, "gs_meta_read", 8.1, "gscalar.meta_reads",
     SEED ": 5.2% of a read, 38 bits"},
    {"register_file", NULL, "gs_meta_write", 9.7, "gscalar.meta_writes",
     SEED ": 5.2% of a write, 38 bits"},
    {"register_file", NULL, "gs_encode", 11.6, "gscalar.encoded - gscalar.carried_loads",
     SEED ": 16.22 mW / 1.4 GHz"},
    {"register_file", NULL, "gs_decode", 11.3, "gscalar.decoded", SEED ": 15.86 mW / 1.4 GHz"},
    {"register_file", NULL, "gs_delta_encode", 61, "gscalar.delta_encoded",
     SEED ": 16.22 mW / 1.4 GHz / 19%"},
    {"register_file", NULL, "gs_delta_decode", 38, "gscalar.delta_decoded",
     SEED ": 15.86 mW / 1.4 GHz / 30%"},
    {"alu", NULL, "alu_lane", 50.5, "- gscalar.lanes_gated",
     "GPUSimPow: 0.7 x 40 pJ integer + 0.3 x 75 pJ float"},
    {"sfu", NULL, "sfu_inst", 2864, "- gscalar.sfu_lanes_gated / 32",
     "140 pJ a lane: SFUs take 25% of dynamic power with 14% of the instructions (seed 002)"},
    {"dp", NULL, "dp_inst", 3184, "- gscalar.dp_lanes_gated / 32",
     "150 pJ a lane: GPUSimPow's float twice"},
};

const struct technique gscalar_technique = {
    .name = "gscalar",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .section = {"gscalar", fields, ARRAY_LEN(fields), sizeof(struct gscalar_cfg), NULL},
    .energy = energy,
    .nenergy = ARRAY_LEN(energy),
    .bind = gscalar_bind,
    .open = open_service,
    .settle = settle,
    .close = free,
};
