/* A technique outside the tree: every packet of an SM leaves `tollgate.cycles` later than it would,
 * what it did is counted, costs energy, and is in the report. Built from include/parsim alone. */
#include <parsim/tech.h>

#include <stdio.h>
#include <stdlib.h>

struct tollgate_cfg {
    int64_t cycles;
};

static const struct conf_field fields[] = {
    CONF_FIELD(tollgate_cfg, INT, cycles, "0", 0, 1000, "cycles", "that a packet leaves later")};

struct tollgate_stats {
    uint64_t packets, stores;
};

static const struct stat_row rows[] = {
    STAT_ROW_COUNTER(tollgate_stats, packets, "packets", "that have left")
        STAT_ROW_COUNTER(tollgate_stats, stores, "packets", "of those: with a store")};

/* Of one SM: what was bound there, and what this adds. */
struct tollgate {
    struct packet_policy inner; /* first, as packet_policy_wrap() wants it */
    const struct tech_api *api;
    const struct tech_machine *machine;
    uint32_t sm, cycles;
    struct tollgate_stats stats;
};

struct all {
    uint32_t n;
    struct tollgate *sms;
};

static uint32_t send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct tollgate *t = self;
    t->stats.packets++;
    t->stats.stores += t->api->request(r).kind == MEM_WRITE;
    const struct tech_mark held = {"toll", t->stats.packets, now, now + t->cycles};
    t->api->mark(t->machine, PER_SM, t->sm, &held);
    return t->inner.send_latency(t->inner.self, r, now) + t->cycles;
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct all *a = self;
    unsigned long long sum = 0;
    for (uint32_t i = 0; i < a->n; i++)
        sum += a->sms[i].stats.packets;
    snprintf(buf, size, "tollgate: %llu packets have left the SMs", sum);
}

static void tollgate_free(void *self)
{
    struct all *a = self;
    free(a->sms);
    free(a);
}

static bool tollgate_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tollgate_cfg *cfg = at->cfg;
    struct packet_policy *packets =
        at->api->take(at->seams, SEAM_sm_packets, at->design->name, TAKE_WRAP, err);
    if (!packets)
        return false;
    struct all *a = calloc(1, sizeof *a);
    a->n = at->api->count(at->machine, PER_SM);
    a->sms = calloc(a->n, sizeof *a->sms);
    for (uint32_t i = 0; i < a->n; i++) {
        a->sms[i] =
            (struct tollgate){packets[i], at->api, at->machine, i, (uint32_t)cfg->cycles, {0, 0}};
        packets[i] = packet_policy_wrap(&a->sms[i].inner);
        packets[i].send_latency = send_latency;
        at->api->add_stats(at->seams, "tollgate", rows, sizeof rows / sizeof *rows,
                           &a->sms[i].stats);
    }
    *part = (struct tech_part){.self = a, .describe = describe, .free = tollgate_free};
    return true;
}

static bool check(const struct tech_api *api, const void *cfg, struct err *err)
{
    const struct tollgate_cfg *c = cfg;
    return c->cycles != 13 || api->fail(err, "tollgate.cycles: 13 brings bad luck");
}

static const struct tech_design designs[] = {
    {"tollgate", "packets of the SMs counted, and later", "", 0, false}};

static const struct energy_row energy[] = {
    {"tollgate", "counters of packets", "tollgate_count", 2.5, "tollgate.packets", "made up"}};

extern const struct technique tollgate_technique;
const struct technique tollgate_technique = {
    .name = "tollgate",
    .designs = designs,
    .ndesigns = 1,
    .section = {"tollgate", fields, 1, sizeof(struct tollgate_cfg), check},
    .energy = energy,
    .nenergy = 1,
    .bind = tollgate_bind,
};

PARSIM_PLUGIN(tollgate_technique);
