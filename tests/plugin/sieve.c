/* A technique outside the tree on the memory system's seams: misses of global memory ask for the
 * sectors that they need; a slice answers reads of one line by one cache, that come while the first
 * is in it, with one packet; a byte with it says how many. Built from include/parsim alone. */
#include <parsim/tech.h>

#include <stdio.h>
#include <stdlib.h>

enum { ENTRIES = 64, LINE = 128 };

struct sm_stats {
    uint64_t asked, spared, settled, inconsistent, together;
};

static const struct stat_row sm_rows[] = {
    STAT_ROW_COUNTER(sm_stats, asked, "sectors", "that misses have asked for")
        STAT_ROW_COUNTER(sm_stats, spared, "sectors", "that they would have asked for")
            STAT_ROW_COUNTER(sm_stats, settled, "lines", "that have come")
                STAT_ROW_COUNTER(sm_stats, inconsistent, "lines", "of which more was read later")
                    STAT_ROW_COUNTER(sm_stats, together, "requests", "that came with others")};

struct node_stats {
    uint64_t entered, absorbed, overflow;
};

static const struct stat_row node_rows[] = {
    STAT_ROW_COUNTER(node_stats, entered, "requests", "that others may join")
        STAT_ROW_COUNTER(node_stats, absorbed, "requests", "that have joined one")
            STAT_ROW_COUNTER(node_stats, overflow, "requests", "that found the table full")};

/* The wrapped policy is first (parsim/wrap_mem.h). */
struct filter {
    struct request_policy inner;
    const struct tech_api *api;
    struct sm_stats stats;
};

struct gate { /* of an SM's packets */
    struct packet_policy inner;
    const struct tech_api *api;
    struct sm_stats *stats;
};

struct entry {
    struct mem_req *first, *riders[16];
    uint8_t n;
};

struct node {
    struct packet_policy inner;
    const struct tech_api *api;
    struct entry table[ENTRIES];
    struct node_stats stats;
};

struct all {
    struct filter *filters;
    struct gate *gates;
    struct node *nodes;
    uint32_t sms, slices;
};

/* --- an SM --- */

static uint16_t ask(const void *self, const struct line_view *v)
{
    const struct filter *f = self;
    const uint16_t asked = request_wrap_ask(self, v);
    return f->api->access(v->access).space == MEM_GLOBAL ? asked & v->missing : asked;
}

static void sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    struct filter *f = self;
    request_wrap_sent(self, v, asked, now);
    f->stats.asked += (uint64_t)__builtin_popcount(asked);
    f->stats.spared += (uint64_t)__builtin_popcount(v->fetch & ~asked);
}

static void settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct filter *f = self;
    request_wrap_settled(self, line, life, now);
    f->stats.settled++;
    f->stats.inconsistent += line_life_is_inconsistent(life);
}

static uint32_t fill_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct gate *g = self;
    g->stats->together += g->api->request(r).meta;
    return packet_wrap_fill_latency(self, r, now);
}

/* --- a slice --- */

static bool is_same_line(const struct tech_api *api, const struct mem_req *a,
                         const struct tech_request *b)
{
    const struct tech_request r = api->request(a);
    return r.owner == b->owner && r.addr / LINE == b->addr / LINE;
}

static bool arrive(void *self, struct mem_req *r, cycle_t now)
{
    struct node *n = self;
    const struct tech_request q = n->api->request(r);
    struct entry *free_one = NULL;
    if (q.kind != MEM_READ || q.space != MEM_GLOBAL)
        return packet_wrap_arrive(self, r, now);
    for (struct entry *e = n->table; e < n->table + ENTRIES; e++) {
        if (!e->first)
            free_one = free_one ? free_one : e;
        else if (is_same_line(n->api, e->first, &q) && e->n < 16) {
            e->riders[e->n++] = r;
            n->stats.absorbed++;
            return true;
        }
    }
    if (packet_wrap_arrive(self, r, now))
        return true;
    ++*(free_one ? &n->stats.entered : &n->stats.overflow);
    if (free_one)
        free_one->first = r;
    return false;
}

static void answer(void *self, struct mem_req *r, cycle_t now)
{
    struct node *n = self;
    packet_wrap_answer(self, r, now);
    for (struct entry *e = n->table; e < n->table + ENTRIES; e++) {
        if (e->first != r)
            continue;
        for (uint8_t i = 0; i < e->n; i++) {
            n->api->widen(r, n->api->request(e->riders[i]).sectors);
            n->api->ride(r, e->riders[i]);
        }
        n->api->set_meta(r, e->n);
        *e = (struct entry){0};
    }
}

/* --- the technique --- */

static void describe(const void *self, char *buf, size_t size)
{
    const struct all *a = self;
    unsigned long long asked = 0, spared = 0;
    for (uint32_t i = 0; i < a->sms; i++) {
        asked += a->filters[i].stats.asked;
        spared += a->filters[i].stats.spared;
    }
    snprintf(buf, size, "sieve: %llu sectors asked for, %llu spared", asked, spared);
}

static void sieve_free(void *self)
{
    struct all *a = self;
    free(a->filters);
    free(a->gates);
    free(a->nodes);
    free(a);
}

static void bind_sm(const struct tech_site *at, struct all *a, uint32_t i,
                    struct request_policy *requests, struct packet_policy *packets)
{
    struct filter *f = &a->filters[i];
    struct gate *g = &a->gates[i];
    *f = (struct filter){.inner = requests[i], .api = at->api};
    requests[i] = request_policy_wrap(&f->inner);
    requests[i].ask = ask;
    requests[i].sent = sent;
    requests[i].settled = settled;
    *g = (struct gate){packets[i], at->api, &f->stats};
    packets[i] = packet_policy_wrap(&g->inner);
    packets[i].fill_latency = fill_latency;
    at->api->add_stats(at->seams, "sieve", sm_rows, sizeof sm_rows / sizeof *sm_rows, &f->stats);
}

static void bind_slice(const struct tech_site *at, struct node *n, struct packet_policy *packets)
{
    n->inner = *packets;
    n->api = at->api;
    *packets = packet_policy_wrap(&n->inner);
    packets->arrive = arrive;
    packets->answer = answer;
    at->api->add_stats(at->seams, "sieve_node", node_rows, sizeof node_rows / sizeof *node_rows,
                       &n->stats);
}

static bool sieve_bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const char *name = at->design->name;
    struct request_policy *r = at->api->take(at->seams, SEAM_requests, name, TAKE_WRAP, err);
    struct packet_policy *sm =
        r ? at->api->take(at->seams, SEAM_sm_packets, name, TAKE_WRAP, err) : NULL;
    struct packet_policy *l2 =
        sm ? at->api->take(at->seams, SEAM_l2_packets, name, TAKE_WRAP, err) : NULL;
    if (!l2)
        return false;
    struct all *a = calloc(1, sizeof *a);
    a->sms = at->api->count(at->machine, PER_SM);
    a->slices = at->api->count(at->machine, PER_SLICE);
    a->filters = calloc(a->sms, sizeof *a->filters);
    a->gates = calloc(a->sms, sizeof *a->gates);
    a->nodes = calloc(a->slices, sizeof *a->nodes);
    for (uint32_t i = 0; i < a->sms; i++)
        bind_sm(at, a, i, r, sm);
    for (uint32_t i = 0; i < a->slices; i++)
        bind_slice(at, &a->nodes[i], &l2[i]);
    *part = (struct tech_part){.self = a, .describe = describe, .free = sieve_free};
    return true;
}

static const struct tech_design designs[] = {
    {"sieve", "misses ask for what they need, slices answer requests together", "", 0, false}};

extern const struct technique sieve_technique;
const struct technique sieve_technique = {
    .name = "sieve", .designs = designs, .ndesigns = 1, .bind = sieve_bind};

PARSIM_PLUGIN(sieve_technique);
