/* Requests that meet, the sub-blocks of answers, their bytes and the compressor. */
#include "tech/filter/filter_node.h"

#include "mem/packets.h"

#include <math.h>

enum { HEADER = 8 }; /* bytes of a packet beside its payload */

#define ROWS_FILE   "tech/filter/filter_node_stats.def"
#define ROWS_STRUCT filter_node_stats
#include "parsim/rows_formulas.h"

const struct stat_row filter_node_stat_rows[] = {
#define ROWS_FILE   "tech/filter/filter_node_stats.def"
#define ROWS_STRUCT filter_node_stats
#include "parsim/rows_entries.h"
};
const size_t filter_node_nstat_rows = ARRAY_LEN(filter_node_stat_rows);

/* Every SM has one entry a line, and a miss register for each. */
static uint32_t table_entries(const struct filter_cfg *c, const struct tech_machine *m)
{
    const uint32_t lines = m->sms * (uint32_t)m->l1->mshrs;
    const uint32_t most =
        c->merge ? lines : lines * (uint32_t)(m->l1->line_bytes / m->l1->sector_bytes);
    return c->table ? (uint32_t)c->table : most;
}

/* A node's engine is in the interconnect's clock, a slice counts in its own. */
static struct engine_cfg encoder(const struct filter_cfg *c, const struct filter_wire *w,
                                 const struct tech_machine *m)
{
    const double scale = m->l2_mhz / m->noc_mhz;
    const double cycles = filter_wire_encode_cycles(w, c->compress_cycles);
    return (struct engine_cfg){(uint32_t)ceil(cycles * scale), c->interval * scale};
}

void filter_node_init(struct filter_node *n, const struct filter_cfg *cfg,
                      const struct filter_wire *wire, const struct tech_machine *m)
{
    const struct engine_cfg encode = encoder(cfg, wire, m);
    *n = (struct filter_node){.cfg = cfg, .wire = wire, .flit_bytes = m->flit_bytes};
    n->all = (uint16_t)((1u << (m->l1->line_bytes / m->l1->sector_bytes)) - 1);
    filter_table_init(&n->table, table_entries(cfg, m));
    engine_init(&n->encode, &encode);
}

void filter_node_free(struct filter_node *n)
{
    filter_table_free(&n->table);
}

/* --- requests --- */

static addr_t line_of(const struct filter_node *n, const struct mem_req *r)
{
    return r->addr & ~(addr_t)(n->wire->line_bytes - 1);
}

static bool arrive(void *self, struct mem_req *r, cycle_t now)
{
    struct filter_node *n = self;
    struct filter_node_stats *st = &n->stats;
    (void)now;
    if (!filter_is_cut(r))
        return false;
    const addr_t line = line_of(n, r);
    struct filter_entry *e = n->cfg->merge ? filter_table_find(&n->table, r->src, line) : NULL;
    ++*(r->sectors == n->all ? &st->whole : &st->partial);
    if (e) {
        filter_table_join(e, r);
        st->absorbed++;
        return true;
    }
    if (r->sectors == n->all)
        return false;
    if (!filter_table_add(&n->table, r, line)) {
        r->meta |= FILTER_META_OVERFLOW;
        st->overflow++;
        return false;
    }
    st->entered++;
    hist_add(&st->occupancy, filter_table_used(&n->table));
    return false;
}

/* --- answers --- */

static uint32_t flits_of(const struct filter_node *n, uint32_t bytes)
{
    return (HEADER + bytes + n->flit_bytes - 1) / n->flit_bytes;
}

/* Whether sub-block `s` is that far from one of `map`. */
static bool is_at(uint16_t map, unsigned s, unsigned distance)
{
    return (map >> s >> distance | map << distance >> s) & 1;
}

/* What the slice holds of the line, the nearest first, goes with the answer if it costs no flit. */
static void fill_flit(struct filter_node *n, struct mem_req *r)
{
    const uint16_t map = r->sectors;
    const uint32_t flits = flits_of(n, filter_wire_answer(n->wire, r, map).bytes);
    for (unsigned distance = 1; distance < 16; distance++)
        for (unsigned s = 0; s < 16; s++) {
            const uint16_t more = (uint16_t)(1u << s);
            if (!(r->full & ~r->sectors & more) || !is_at(map, s, distance))
                continue;
            const uint32_t bytes = filter_wire_answer(n->wire, r, r->sectors | more).bytes;
            if (flits_of(n, bytes) == flits && packet_widen(r, more))
                n->stats.extra++;
        }
}

/* Requests that were absorbed come back with the answer to the first. */
static void give_back(struct filter_node *n, struct mem_req *r)
{
    struct filter_entry *e = filter_table_of(&n->table, r, line_of(n, r));
    if (!e)
        return;
    for (struct mem_req *rider = e->riders, *next; rider; rider = next) {
        next = rider->next;
        if (rider->meta & FILTER_META_LATER) {
            packet_follow(r, rider);
            continue;
        }
        packet_widen(r, rider->sectors); /* or, where the slice lacks some of it, */
        packet_ride(r, rider);           /* it is looked up again */
    }
    filter_table_remove(&n->table, e);
}

/* Where few are before it and more may be needed, little is gained by sending a part: the line
 * goes. */
static void send_line(struct filter_node *n, struct mem_req *r)
{
    const uint32_t asked = mem_sector_count(r->sectors);
    if (!packet_widen(r, r->full))
        return;
    n->stats.idle++;
    n->stats.extra += mem_sector_count(r->sectors) - asked;
}

static void answer(void *self, struct mem_req *r, cycle_t now)
{
    struct filter_node *n = self;
    (void)now;
    if (!filter_is_cut(r) || r->kind != MEM_READ || r->sectors == n->all)
        return;
    if (r->meta & FILTER_META_OVERFLOW)
        packet_widen(r, r->meta & FILTER_META_LATER ? 0 : r->full);
    else
        give_back(n, r);
    if (r->meta & FILTER_META_REST)
        return;
    if (r->queue < n->cfg->idle_queue && !(r->meta & FILTER_META_SURE))
        send_line(n, r);
    else if (n->cfg->fill_flit)
        fill_flit(n, r);
}

static void count_answer(struct filter_node *n, const struct mem_req *r, uint32_t payload,
                         const struct filter_size *size)
{
    struct filter_node_stats *st = &n->stats;
    uint64_t *const out[] = {&st->out_1, &st->out_2, &st->out_3, &st->out_4};
    const uint32_t parts = mem_sector_count(filter_sent_sectors(n->cfg, r));
    const bool is_cut = filter_is_cut(r);
    st->answers++;
    st->behind += r->node == MEM_NODE_FOLLOWS;
    st->raw += size->is_raw;
    st->payload_bytes += !is_cut ? payload : r->meta & FILTER_META_LATER ? 0 : n->wire->line_bytes;
    st->needed_bytes += parts << n->wire->sector_shift;
    st->wire_bytes += size->bytes;
    hist_add(&st->flits, flits_of(n, size->bytes));
    if (!is_cut)
        return;
    ++*out[parts - 1];
    if (n->wire->method == FILTER_MANIPULATE && parts != mem_sector_count(n->all))
        ++*(size->is_filled ? &st->man_zeroed : &st->man_original);
}

/* Answers that the filter sees: to reads, but those of code. */
static bool is_data(const struct mem_req *r)
{
    return r->kind == MEM_READ && r->space != MEM_INST;
}

static uint32_t wire_bytes(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    struct filter_node *n = self;
    if (!reply || !is_data(r))
        return payload;
    const struct filter_size size = filter_wire_answer(n->wire, r, filter_sent_sectors(n->cfg, r));
    count_answer(n, r, payload, &size);
    return size.bytes;
}

static uint32_t send_latency(void *self, const struct mem_req *r, cycle_t now)
{
    struct filter_node *n = self;
    return is_data(r)
               ? engine_use_counted(&n->encode, now, &n->stats.encoded, &n->stats.encode_waits)
               : 0;
}

struct packet_policy filter_node_packets(struct filter_node *n, bool cuts)
{
    struct packet_policy p = {.wire_bytes = wire_bytes, .send_latency = send_latency, .self = n};
    if (cuts) {
        p.arrive = arrive;
        p.answer = answer;
    }
    return p;
}
