/* The L1 of the rig with what the filter binds, as gpu/ would. */
#include "support_filter_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

const struct filter_cfg filter_rig_default = {.window = 16,
                                              .ica_percent = 50,
                                              .fdr_percent = 90,
                                              .refill = FILTER_APPEND,
                                              .wake = FILTER_WAKE_OWN,
                                              .merge = true,
                                              .tags = 1};

struct filter_rig *filter_rig_new(const struct filter_cfg *cfg, const char *const *sets)
{
    const struct tech_design raw = {"df-raw", "", "", 0, false};
    struct filter_rig *g = xcalloc(1, sizeof *g);
    struct l1_seams seams = l1_seams_null;
    struct err err;
    g->mem = memory_new();
    g->cfg = *cfg;
    g->l1 = l1_rig_new(sets);
    g->mem->m.l1 = &g->l1->cfg;
    g->mark = &probe_null; /* no timeline */
    g->seams.marks[PER_SM] = &g->mark;
    g->mem->m.seams = &g->seams;
    if (!filter_wire_init(&g->wire, FILTER_RAW, &g->cfg, &g->mem->m, &raw, &err))
        fail_msg("%s", err.msg);
    filter_sm_init(&g->sm, &g->cfg, &g->wire, &g->mem->m, 0);
    g->requests = filter_sm_requests(&g->sm);
    g->requests.valid = request_policy_null.valid;
    g->packets = packet_policy_null;
    const struct packet_policy p = filter_sm_packets(&g->sm, true);
    g->packets.request = p.request;
    g->packets.fill_latency = p.fill_latency;
    g->packets.self = p.self;
    seams.requests = &g->requests;
    seams.sm_packets = &g->packets;
    l1_rig_bind(g->l1, &seams);
    return g;
}

void filter_rig_free(struct filter_rig *g)
{
    l1_rig_free(g->l1);
    filter_sm_free(&g->sm);
    memory_free(g->mem);
    free(g);
}
