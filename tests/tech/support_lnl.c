/* Binds the design's policies before every run of the rig, as the technique does on a machine. */
#include "tech/support_lnl.h"

#include <string.h>

extern const struct technique lnl_technique;

static void prepare(void *ctx)
{
    struct lnl_rig *b = ctx;
    struct err err;
    lnl_sm_free(&b->m);
    lnl_plans_free(&b->g);
    b->m = (struct lnl_sm){.inner = rf_policy_null};
    b->g.npool = b->g.nlaunches = 0;
    b->g.inherited = 0;
    vec_free(&b->g.launches);
    b->g.unit = lnl_unit_of(&b->cfg, &b->g.design);
    lnl_levels_of(&b->g.unit, b->g.levels);
    lnl_sm_init(&b->m, &b->g);
    if (!lnl_launch(&b->g, b->r->kernel, b->r->code, &err))
        fail_msg("%s", err.msg);
    b->registers = lnl_registers(&b->m);
    b->issue = lnl_issue(&b->m);
}

static int variant_of(const char *name)
{
    for (size_t i = 0; i < lnl_technique.ndesigns; i++)
        if (!strcmp(lnl_technique.designs[i].name, name))
            return lnl_technique.designs[i].variant;
    fail_msg("there is no design %s", name);
    return 0;
}

void lnl_rig_open(struct lnl_rig *b, const char *ptx, const char *const *sets, const char *design)
{
    *b = (struct lnl_rig){.r = sm_rig_new(ptx, sets)};
    conf_defaults(lnl_technique.section.fields, lnl_technique.section.nfields, &b->cfg);
    if (!design)
        return;
    b->g = (struct lnl){.cfg = &b->cfg,
                        .sm_cfg = &b->r->cfg,
                        .design = lnl_variants[variant_of(design)],
                        .name = design,
                        .sms = &b->m,
                        .nsms = 1};
    b->r->rf = &b->registers;
    b->r->issue = &b->issue;
    b->r->prepare = prepare;
    b->r->prepare_ctx = b;
}

void lnl_rig_close(struct lnl_rig *b)
{
    lnl_sm_free(&b->m);
    lnl_plans_free(&b->g);
    vec_free(&b->g.launches);
    sm_rig_free(b->r);
}

const struct lnl_stats *lnl_rig_run(struct lnl_rig *b, uint32_t grid, uint32_t threads)
{
    sm_rig_run(b->r, grid, threads);
    if (b->r->is_breached)
        fail_msg("%s", b->r->breach.what);
    return &b->m.stats;
}

float lnl_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

uint32_t lnl_bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}
