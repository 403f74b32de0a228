/* Addresses of the patterns, and requests at the pace of the load mode. */
#include "dram/dram_traffic.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { POOL = 4096, SPAN = 64 << 20, ARRAY_BYTES = 16 << 20 };

struct driver {
    const struct dram_traffic *t;
    const struct dram_cfg *cfg;
    struct dram *dram;
    struct rng rng;
    uint64_t issued, done, reads, reads_done;
    struct mem_req *current;
    struct mem_req *pool;
    struct mem_req *free_list;
};

int dram_pattern_find(const char *name)
{
    static const char *const names[] = {
#define X(n) #n,
        DRAM_PATTERNS(X)
#undef X
    };
    for (int i = 0; i < DRAM_PATTERN_COUNT; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

int dram_load_find(const char *name)
{
    static const char *const names[] = {
#define X(n) #n,
        DRAM_LOADS(X)
#undef X
    };
    for (int i = 0; i < DRAM_LOAD_COUNT; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

/* Each pass over the span starts one access further on. */
static addr_t stride_address(const struct driver *g, uint64_t i, uint64_t stride)
{
    uint64_t at = i * stride;
    return at % SPAN + at / SPAN * (uint64_t)g->cfg->access_bytes;
}

static addr_t row_address(const struct driver *g, uint32_t row, uint32_t col)
{
    struct dram_addr at = {.row = row, .col = col};
    return dram_address(g->dram, &at);
}

/* The arrays start five rows further than a multiple of all banks, so in different banks. */
static addr_t triad_address(const struct driver *g, uint64_t i)
{
    uint64_t array = i % 3, row_bytes = (uint64_t)g->cfg->row_bytes;
    return array * (ARRAY_BYTES + 5 * row_bytes) + i / 3 * (uint64_t)g->cfg->access_bytes;
}

static uint64_t request_bytes(const struct driver *g)
{
    return g->t->request_bytes ? g->t->request_bytes : (uint64_t)g->cfg->access_bytes;
}

/* The array whose turn request `i` is. */
static uint32_t stream_of(const struct driver *g, uint64_t i)
{
    return (uint32_t)(i / g->t->streams.run % g->t->streams.arrays);
}

static addr_t stream_address(const struct driver *g, uint64_t i)
{
    const struct dram_streams *s = &g->t->streams;
    const uint64_t row_bytes = (uint64_t)g->cfg->row_bytes;
    const uint32_t turn = stream_of(g, i);
    const uint64_t array = turn - (s->rewritten && turn == s->arrays - 1);
    const uint64_t at = i / s->run / s->arrays * s->run + i % s->run;
    return array * (ARRAY_BYTES + s->apart * row_bytes) + at * request_bytes(g);
}

static addr_t address(struct driver *g, uint64_t i)
{
    uint64_t bytes = request_bytes(g);
    uint32_t cols = (uint32_t)(g->cfg->row_bytes / g->cfg->access_bytes);
    switch (g->t->pattern) {
    case DRAM_PATTERN_b_random_read:
    case DRAM_PATTERN_d2_random_2R1W:
        return rng_below(&g->rng, (uint32_t)(SPAN / bytes)) * bytes;
    case DRAM_PATTERN_c1_pingpong2rows_1bank:
        return row_address(g, i & 1, (uint32_t)(i / 2) % cols);
    case DRAM_PATTERN_c2_newrow_each_1bank:
        return row_address(g, (uint32_t)i & (uint32_t)(g->cfg->rows - 1), 0);
    case DRAM_PATTERN_d3_triad_2R1W:
        return triad_address(g, i);
    case DRAM_PATTERN_e1_stride_1row:
        return stride_address(g, i, (uint64_t)g->cfg->row_bytes);
    case DRAM_PATTERN_e2_stride_16rows:
        return stride_address(g, i, (uint64_t)g->cfg->row_bytes * 16);
    case DRAM_PATTERN_f_streams:
        return stream_address(g, i);
    default:
        return i * bytes;
    }
}

static bool is_write(const struct driver *g, uint64_t i)
{
    enum dram_pattern p = g->t->pattern;
    if (p == DRAM_PATTERN_f_streams)
        return g->t->streams.written >> stream_of(g, i) & 1;
    return (p == DRAM_PATTERN_d1_seq_2R1W || p == DRAM_PATTERN_d2_random_2R1W ||
            p == DRAM_PATTERN_d3_triad_2R1W) &&
           i % 3 == 2;
}

static bool may_issue(const struct driver *g, cycle_t now)
{
    if (g->issued == g->t->requests)
        return false;
    if (g->t->load == DRAM_LOAD_one_per_100)
        return now >= 100 * g->issued;
    return g->t->load == DRAM_LOAD_high || g->done == g->issued;
}

static struct mem_req *driver_peek(void *self, cycle_t now)
{
    struct driver *g = self;
    if (g->current || !may_issue(g, now) || !g->free_list)
        return g->current;
    struct mem_req *r = g->free_list;
    g->free_list = r->next;
    *r = (struct mem_req){.addr = address(g, g->issued),
                          .bytes = g->t->request_bytes,
                          .kind = is_write(g, g->issued) ? MEM_WRITE : MEM_READ};
    g->current = r;
    return r;
}

static void driver_pop(void *self, cycle_t now)
{
    (void)now;
    struct driver *g = self;
    g->reads += !mem_req_is_write(g->current);
    g->issued++;
    g->current = NULL;
}

static void driver_done(void *self, struct mem_req *req, cycle_t now)
{
    (void)now;
    struct driver *g = self;
    g->done++;
    g->reads_done += !mem_req_is_write(req);
    req->next = g->free_list;
    g->free_list = req;
}

static const struct dram_client_ops driver_ops = {driver_peek, driver_pop, driver_done, NULL};

cycle_t dram_traffic_run(const struct dram_cfg *cfg, const struct dram_traffic *t,
                         struct dram_stats *stats)
{
    struct driver g = {.t = t, .cfg = cfg, .rng = {t->seed}};
    g.pool = xcalloc(POOL, sizeof *g.pool);
    for (int i = 0; i < POOL; i++) {
        g.pool[i].next = g.free_list;
        g.free_list = &g.pool[i];
    }
    g.dram = dram_new(cfg, &driver_ops, &g);
    if (t->probe)
        dram_add_probe(g.dram, t->probe);
    cycle_t now = 0;
    while (g.issued < t->requests || g.reads_done < g.reads) {
        cycle_t next = dram_tick(g.dram, now);
        if (t->load == DRAM_LOAD_one_per_100 && g.issued < t->requests && next > 100 * g.issued)
            next = 100 * g.issued;
        now = next > now ? next : now + 1;
    }
    *stats = *dram_stats(g.dram);
    dram_free(g.dram);
    free(g.pool);
    return now;
}
