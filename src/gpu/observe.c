/* Names of observers to bits, and each hung onto its probe. */
#include "gpu/observe.h"

#include "gpu/gpu_tech.h"
#include "gpu/observe_int.h"

#include <stdlib.h>
#include <string.h>

enum { OBSERVE_L1 = 1, OBSERVE_SCALAR = 2, OBSERVE_PORTS = 4 };

static const struct {
    const char *name;
    unsigned bit;
} names_known[] = {{"l1-usage", OBSERVE_L1}, {"scalar", OBSERVE_SCALAR}, {"ports", OBSERVE_PORTS}};

struct observe {
    uint32_t nsms;
    struct l1_usage *l1;        /* by SM, or NULL */
    struct scalar_view *scalar; /* by SM, or NULL */
};

static unsigned bit_of(const char *name, size_t len)
{
    for (unsigned i = 0; i < ARRAY_LEN(names_known); i++)
        if (strlen(names_known[i].name) == len && !memcmp(names_known[i].name, name, len))
            return names_known[i].bit;
    return 0;
}

static bool parse(const char *names, unsigned *bits, struct err *err)
{
    *bits = 0;
    for (const char *at = names;; at++) {
        size_t len = strcspn(at, ",+");
        unsigned bit = bit_of(at, len);
        if (!bit)
            return err_set(err,
                           "gpu.observe (--observe): '%.*s' is not known; there are l1-usage, "
                           "scalar and ports",
                           (int)len, at);
        *bits |= bit;
        at += len;
        if (!*at)
            return true;
    }
}

bool observe_check(const char *names, struct err *err)
{
    unsigned bits;
    return parse(names, &bits, err);
}

static void observe_l1(struct observe *o, struct gpu *g)
{
    const struct l1_cfg *c = &g->m->l1;
    const uint32_t line = (uint32_t)c->line_bytes;
    o->l1 = xcalloc(o->nsms, sizeof *o->l1);
    for (uint32_t i = 0; i < o->nsms; i++) {
        l1_usage_init(&o->l1[i],
                      (uint32_t)(c->size / line) * g->tech->seams.l1_capacity[i].tag_factor, line);
        sm_add_l1_probe(g->sms[i], &o->l1[i].probe);
        stats_add(g->stats, "l1_usage", l1_usage_rows, l1_usage_nrows, &o->l1[i].stats);
        stats_add(g->stats, "l1_evicted", l1_usage_rows, l1_usage_nrows, &o->l1[i].evicted);
    }
}

const struct stat_row noc_port_rows[] = {
#define ROWS_FILE   "gpu/observe_ports.def"
#define ROWS_STRUCT noc_port_flits
#include "parsim/rows_entries.h"
};
const size_t noc_port_nrows = ARRAY_LEN(noc_port_rows);

static void observe_scalar(struct observe *o, struct gpu *g)
{
    o->scalar = xcalloc(o->nsms, sizeof *o->scalar);
    for (uint32_t i = 0; i < o->nsms; i++) {
        scalar_view_init(&o->scalar[i]);
        sm_add_inst_probe(g->sms[i], &o->scalar[i].probe);
        stats_add(g->stats, "scalar", scalar_rows, scalar_nrows, &o->scalar[i].stats);
    }
}

/* What SMs put into the interconnect are requests, what slices do are replies. */
static void observe_ports(struct gpu *g)
{
    for (unsigned net = 0; net < 2 && g->noc[net]; net++) {
        for (uint32_t i = 0; i < g->nsms; i++)
            stats_add(g->stats, "noc_sms", noc_port_rows, noc_port_nrows,
                      noc_port_flits(g->noc[net], g->sm_nodes[i]));
        for (uint32_t i = 0; i < g->nslices; i++)
            stats_add(g->stats, "noc_slices", noc_port_rows, noc_port_nrows,
                      noc_port_flits(g->noc[net], g->slice_nodes[i]));
    }
}

struct observe *observe_new(struct gpu *g, const char *names)
{
    struct observe *o = xcalloc(1, sizeof *o);
    struct err err = {0};
    unsigned bits = 0;
    if (!parse(names, &bits, &err))
        assert(!"observe_check() has passed the names");
    o->nsms = g->nsms;
    if (bits & OBSERVE_L1)
        observe_l1(o, g);
    if (bits & OBSERVE_SCALAR)
        observe_scalar(o, g);
    if (bits & OBSERVE_PORTS)
        observe_ports(g);
    return o;
}

void observe_free(struct observe *o)
{
    if (!o)
        return;
    for (uint32_t i = 0; o->l1 && i < o->nsms; i++)
        free(o->l1[i].lines);
    free(o->l1);
    free(o->scalar);
    free(o);
}
