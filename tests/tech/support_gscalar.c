/* Binds the design's policies before every run of the rig, as the technique does on a machine. */
#include "tech/support_gscalar.h"

#include <string.h>

extern const struct technique gscalar_technique;

static void cost(void *self, const struct rf_event *e, struct rf_cost *sum)
{
    struct gs_rig *b = ((struct gs_around *)self)->b;
    gs_cost(&b->m, e, sum);
    if (b->plant && !e->is_extra)
        b->plant(b, e);
}

static const struct dinst *no_move(void *self, struct sm *sm, unsigned slot, struct warp *w,
                                   const struct dinst *d)
{
    (void)self, (void)sm, (void)slot, (void)w, (void)d;
    return NULL;
}

static void prepare(void *ctx)
{
    struct gs_rig *b = ctx;
    gs_sm_free(&b->m);
    gs_plans_free(&b->g);
    b->m = (struct gs_sm){0};
    gs_sm_init(&b->m, &b->g);
    b->m.breach = &b->r->breach;
    gs_launch(&b->g, b->r->kernel, b->r->code);
    b->around.inner = gs_registers(&b->m);
    b->registers = rf_policy_wrap(&b->around.inner);
    b->registers.cost = cost;
    b->issue = gs_issue(&b->m);
    if (b->drops_moves)
        b->issue.precede = no_move;
}

static int variant_of(const char *name)
{
    for (size_t i = 0; i < gscalar_technique.ndesigns; i++)
        if (!strcmp(gscalar_technique.designs[i].name, name))
            return gscalar_technique.designs[i].variant;
    fail_msg("there is no design %s", name);
    return 0;
}

void gs_rig_open(struct gs_rig *b, const char *ptx, const char *const *sets, const char *design)
{
    *b = (struct gs_rig){.r = sm_rig_new(ptx, sets)};
    conf_defaults(gscalar_technique.section.fields, gscalar_technique.section.nfields, &b->cfg);
    b->g = (struct gscalar){.cfg = &b->cfg,
                            .sm_cfg = &b->r->cfg,
                            .design = gs_variants[variant_of(design)],
                            .name = design,
                            .sms = &b->m,
                            .nsms = 1};
    b->around.b = b;
    b->r->rf = &b->registers;
    b->r->issue = &b->issue;
    b->r->prepare = prepare;
    b->r->prepare_ctx = b;
}

void gs_rig_close(struct gs_rig *b)
{
    gs_sm_free(&b->m);
    gs_plans_free(&b->g);
    sm_rig_free(b->r);
}

const struct gscalar_stats *gs_rig_run(struct gs_rig *b, uint32_t threads)
{
    sm_rig_run(b->r, 1, threads);
    return &b->m.stats;
}

static struct gscalar_stats stats_in(const char *ptx, struct gs_way way)
{
    struct gs_rig b;
    gs_rig_open(&b, ptx, NULL, way.design);
    b.cfg.affine = way.is_affine;
    b.g.verify = true;
    const struct gscalar_stats s = *gs_rig_run(&b, way.threads);
    if (b.r->is_breached)
        fail_msg("%s", b.r->breach.what);
    gs_rig_close(&b);
    return s;
}

struct gscalar_stats gs_stats_of(const char *ptx, const char *design, uint32_t threads)
{
    return stats_in(ptx, (struct gs_way){design, threads, false});
}

struct gscalar_stats gs_added_to(const char *body, const char *more, struct gs_way way)
{
    static const char whole[] = GS_KERNEL("@");
    const size_t head = (size_t)(strrchr(whole, '@') - whole);
    char text[4096];
    struct gscalar_stats s[2];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%.*s %s %s %s", (int)head, whole, body, i ? more : "",
                 whole + head + 1);
        s[i] = stats_in(text, way);
    }
    uint64_t *a = (uint64_t *)&s[0], *b = (uint64_t *)&s[1];
    for (size_t k = 0; k < sizeof s[0] / sizeof *a; k++)
        b[k] -= a[k];
    return s[1];
}

struct gscalar_stats gs_added(const char *body, const char *more, const char *design,
                              uint32_t threads)
{
    return gs_added_to(body, more, (struct gs_way){design, threads, false});
}
