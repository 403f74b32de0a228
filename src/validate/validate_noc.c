/* Interconnect against BookSim. */
#include "noc/noc_traffic.h"
#include "validate/validate_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESH_SIDE = 8, MESH_NODES = 64, NMEM = 8, XBAR_A = 15, XBAR_B = 6 };

static const uint16_t memory_nodes[NMEM] = {1, 3, 4, 6, 57, 59, 60, 62};

/* Senders and receivers of the reference's traffic names. */
struct pattern {
    uint16_t src[MESH_NODES], dst[MESH_NODES];
    uint32_t nsrc, ndst;
    bool mesh;
};

static bool is_memory(uint32_t node)
{
    for (uint32_t i = 0; i < NMEM; i++)
        if (memory_nodes[i] == node)
            return true;
    return false;
}

static void side_fill(uint16_t *nodes, uint32_t *n, bool mesh, bool all, bool memory)
{
    *n = 0;
    for (uint32_t i = 0; i < (mesh ? MESH_NODES : XBAR_A + XBAR_B); i++)
        if (all || (mesh ? is_memory(i) : i >= XBAR_A) == memory)
            nodes[(*n)++] = (uint16_t)i;
}

static bool pattern_make(struct pattern *p, const char *traffic, struct err *err)
{
    static const struct {
        const char *name;
        bool mesh, all, from_memory;
    } kinds[] = {
        {"uniform", true, true, false},      {"request_56to8", true, false, false},
        {"reply_8to56", true, false, true},  {"request_15to6", false, false, false},
        {"reply_6to15", false, false, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (!strcmp(kinds[i].name, traffic)) {
            p->mesh = kinds[i].mesh;
            side_fill(p->src, &p->nsrc, p->mesh, kinds[i].all, kinds[i].from_memory);
            side_fill(p->dst, &p->ndst, p->mesh, kinds[i].all, !kinds[i].from_memory);
            return true;
        }
    return err_set(err, "unknown traffic '%s' in the reference", traffic);
}

static void cfg_make(struct noc_cfg *cfg, bool mesh, int64_t vcs, int64_t flits)
{
    conf_defaults(noc_fields, noc_nfields, cfg);
    cfg->topology = mesh ? NOC_MESH : NOC_CROSSBAR;
    cfg->width = cfg->height = MESH_SIDE;
    cfg->nodes = XBAR_A + XBAR_B;
    cfg->vcs = vcs;
    cfg->vc_flits = flits;
}

/* Long enough for a steady average at any rate, and not longer. */
static cycle_t measure_cycles(const struct validate_run *o, double packets_a_cycle)
{
    double cycles = 60000 / packets_a_cycle;
    double most = o->quick ? 8000 : 30000, least = o->quick ? 3000 : 8000;
    return (cycle_t)(cycles > most ? most : cycles < least ? least : cycles);
}

static void row_run(const struct validate_run *o, const struct noc_cfg *cfg,
                    const struct pattern *p, double offered, uint32_t flits, bool overload,
                    struct noc_traffic_result *out)
{
    /* a crossbar beyond saturation takes long to find its steady rate, and is cheap */
    cycle_t warmup = !overload ? 3000 : p->mesh || o->quick ? 6000 : 40000;
    struct noc_traffic t = {.nsrc = p->nsrc,
                            .ndst = p->ndst,
                            .src = p->src,
                            .dst = p->dst,
                            .flits = flits,
                            .packets_a_cycle = offered / flits,
                            .warmup = warmup,
                            .measure = overload && !p->mesh && !o->quick
                                           ? warmup
                                           : measure_cycles(o, offered / flits * p->nsrc),
                            .drain_max = overload ? 0 : 10000,
                            .seed = 1};
    noc_traffic_run(cfg, &t, out);
}

/* The most any row of this configuration accepted. */
static double saturation_of(const struct reference *t, const char *config)
{
    double most = 0;
    for (size_t i = 0; i < t->nrows; i++)
        if (!strcmp(reference_text(t, i, "config_id"), config))
            most = fmax(most, reference_number(t, i, "accepted_flits_per_src_cycle"));
    return most;
}

static void row_check(const struct validate_run *o, const struct reference *t, size_t i,
                      const char *file, const struct pattern *p, struct checks *r,
                      struct curve *curve)
{
    const char *config = reference_text(t, i, "config_id");
    double offered = reference_number(t, i, "offered_flits_per_src_cycle");
    double theirs = reference_number(t, i, "avg_packet_latency");
    double saturation = saturation_of(t, config);
    bool saturated = reference_number(t, i, "saturated") != 0;
    struct noc_cfg cfg;
    struct noc_traffic_result res;
    cfg_make(&cfg, p->mesh, (int64_t)reference_number(t, i, "num_vcs"),
             (int64_t)reference_number(t, i, "vc_buf_flits"));
    row_run(o, &cfg, p, offered, (uint32_t)reference_number(t, i, "packet_flits"),
            saturated || offered > saturation, &res);
    vec_push(&curve->offered, offered);
    vec_push(&curve->theirs, theirs);
    vec_push(&curve->ours, res.packet_latency);
    if (offered <= 0.8 * saturation)
        checks_add(r, file, "latency", res.packet_latency, theirs, 0.05, "%s %g", config, offered);
    else
        checks_add(r, file, saturated ? "saturation" : "accepted", res.accepted_flits,
                   reference_number(t, i, "accepted_flits_per_src_cycle"), 0.05, "%s %g", config,
                   offered);
}

static bool curve_plot(const struct validate_run *o, const char *config, const struct curve *c,
                       struct err *err)
{
    const struct plot_line lines[] = {{.name = "BookSim",
                                       .x = c->offered.data,
                                       .y = c->theirs.data,
                                       .n = c->offered.len,
                                       .has_points = true,
                                       .colour = 2},
                                      {.name = "Parsim",
                                       .x = c->offered.data,
                                       .y = c->ours.data,
                                       .n = c->offered.len,
                                       .colour = 1}};
    const struct plot_panel panel = {.x = "offered flits a source and cycle",
                                     .y = "packet latency (cycles)",
                                     .top = 512,
                                     .is_log = true,
                                     .lines = lines,
                                     .nlines = ARRAY_LEN(lines)};
    const struct plot p = {.title = config, .panels = &panel, .npanels = 1};
    return plot_save(&p, o->pictures, config, err);
}

/* In a quick run one configuration a traffic pattern stands for all. */
static bool row_wanted(const struct validate_run *o, const char *config)
{
    return !o->quick || strstr(config, "vc2_buf8_len") || strstr(config, "vc1_buf8_isp1");
}

static bool table_check(const struct validate_run *o, const char *file, struct checks *r,
                        struct err *err)
{
    struct reference t;
    bool ok = reference_load(&t, o->data, file, err);
    for (size_t i = 0; ok && i < t.nrows;) {
        const char *config = reference_text(&t, i, "config_id");
        struct pattern p;
        ok = pattern_make(&p, reference_text(&t, i, "traffic"), err);
        struct curve curve = {0};
        size_t end = i;
        for (; end < t.nrows && !strcmp(config, reference_text(&t, end, "config_id")); end++)
            if (ok && row_wanted(o, config))
                row_check(o, &t, end, file, &p, r, &curve);
        ok = ok && (!o->pictures || !curve.offered.len || curve_plot(o, config, &curve, err));
        curve_free(&curve);
        i = end;
    }
    reference_free(&t);
    return ok;
}

struct lone {
    cycle_t arrived;
};

static void lone_deliver(void *self, const struct noc_packet *p, cycle_t now)
{
    (void)p;
    ((struct lone *)self)->arrived = now;
}

/* One packet in an empty network: exact, per pipeline and distance. */
static bool zero_load_check(const struct validate_run *o, struct checks *r, struct err *err)
{
    static const struct noc_client_ops ops = {lone_deliver, NULL};
    static const char file[] = "booksim_zero_load.csv";
    struct reference t;
    bool ok = reference_load(&t, o->data, file, err);
    for (size_t i = 0; ok && i < t.nrows; i++) {
        struct noc_cfg cfg;
        struct lone lone = {0};
        cfg_make(&cfg, true, (int64_t)reference_number(&t, i, "num_vcs"),
                 (int64_t)reference_number(&t, i, "vc_buf_flits"));
        cfg.routing_cycles = (int64_t)reference_number(&t, i, "routing_delay");
        cfg.speculative = reference_number(&t, i, "speculative") != 0;
        struct noc *n = noc_new(&cfg, &ops, &lone);
        uint32_t flits = (uint32_t)reference_number(&t, i, "packet_flits");
        uint32_t dst = (uint32_t)reference_number(&t, i, "dst");
        noc_send(n, 0, 0, dst, 0, flits, NULL);
        for (cycle_t now = 0; !lone.arrived && now < 1000; now++)
            noc_tick(n, now);
        noc_free(n);
        /* their average holds a few packets that met each other: the whole part is the latency */
        checks_add(r, file, "zero load", (double)lone.arrived,
                   floor(reference_number(&t, i, "network_latency_cycles")), 0,
                   "%s buf%g len%u to %u", reference_text(&t, i, "pipeline"),
                   reference_number(&t, i, "vc_buf_flits"), flits, dst);
    }
    reference_free(&t);
    return ok;
}

bool validate_noc(const struct validate_run *o, struct checks *r, struct err *err)
{
    return zero_load_check(o, r, err) && table_check(o, "booksim_mesh_uniform.csv", r, err) &&
           table_check(o, "booksim_mesh_gpu.csv", r, err) &&
           table_check(o, "booksim_xbar.csv", r, err);
}
