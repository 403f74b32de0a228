/* A technique outside the tree: every packet of an SM leaves `tally.cycles` later than it would,
 * what it did is counted, costs energy, and is in the report. Built from include/parsim alone. */
#include <parsim/tech.h>

#include <stdio.h>
#include <stdlib.h>

struct tally_cfg {
    int64_t cycles;
};

static const struct conf_field fields[] = {
    CONF_FIELD(tally_cfg, INT, cycles, "0", 0, 1000, "cycles", "that a packet leaves later")};

struct tally_stats {
    uint64_t packets, stores;
};

static const struct stat_row rows[] = {
    STAT_ROW_COUNTER(tally_stats, packets, "packets", "that have left")
        STAT_ROW_COUNTER(tally_stats, stores, "packets", "of those: with a store")};

/* Of one SM: what was bound there, and what this adds. */
struct tally {
    const struct tech_api *api;
    struct packet_policy inner;
    uint32_t cycles;
    struct tally_stats stats;
};

struct all {
    uint32_t n;
    struct tally *sms;
};

static uint32_t wire_bytes(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    struct tally *t = self;
    return t->inner.wire_bytes(t->inner.self, r, reply, payload);
}

static uint32_t send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct tally *t = self;
    t->stats.packets++;
    t->stats.stores += t->api->request(r).kind == MEM_WRITE;
    return t->inner.send_latency(t->inner.self, r, now) + t->cycles;
}

static uint32_t fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct tally *t = self;
    return t->inner.fill_latency(t->inner.self, r, now);
}

static void describe(const void *self, char *buf, size_t size)
{
    const struct all *a = self;
    unsigned long long sum = 0;
    for (uint32_t i = 0; i < a->n; i++)
        sum += a->sms[i].stats.packets;
    snprintf(buf, size, "tally: %llu packets have left the SMs", sum);
}

static void tally_free(void *self)
{
    struct all *a = self;
    free(a->sms);
    free(a);
}

static bool tally_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const struct tally_cfg *cfg = at->cfg;
    struct packet_policy *packets =
        at->api->take(at->seams, SEAM_sm_packets, at->design->name, TAKE_WRAP, err);
    if (!packets)
        return false;
    struct all *a = calloc(1, sizeof *a);
    a->n = at->api->count(at->machine, PER_SM);
    a->sms = calloc(a->n, sizeof *a->sms);
    for (uint32_t i = 0; i < a->n; i++) {
        a->sms[i] = (struct tally){at->api, packets[i], (uint32_t)cfg->cycles, {0, 0}};
        packets[i] = (struct packet_policy){wire_bytes, send_latency, fill_latency, &a->sms[i]};
        at->api->add_stats(at->seams, "tally", rows, sizeof rows / sizeof *rows, &a->sms[i].stats);
    }
    *part = (struct tech_part){.self = a, .describe = describe, .free = tally_free};
    return true;
}

static bool check(const struct tech_api *api, const void *cfg, struct err *err)
{
    const struct tally_cfg *c = cfg;
    return c->cycles != 13 || api->fail(err, "tally.cycles: 13 brings bad luck");
}

static const struct tech_design designs[] = {
    {"tally", "packets of the SMs counted, and later", "", 0, false}};

static const struct energy_row energy[] = {
    {"tally", "counters of packets", "tally_count", 2.5, "tally.packets", "made up"}};

extern const struct technique tally_technique;
const struct technique tally_technique = {
    .name = "tally",
    .designs = designs,
    .ndesigns = 1,
    .section = {"tally", fields, 1, sizeof(struct tally_cfg), check},
    .energy = energy,
    .nenergy = 1,
    .bind = tally_bind,
};

PARSIM_PLUGIN(tally_technique);
