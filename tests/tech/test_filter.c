/* Data criticality by its parts: what answers weigh, a memory node's table, and its engines. */
#include "support_memory.h"

#include "base/rng.h"
#include "tech/filter/filter_node.h"
#include "tech/filter/filter_table.h"
#include "tech/filter/filter_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 128, WORDS = 32, ALL = 0xf };

/* --- what an answer takes --- */

static const struct l1_cfg l1 = {.line_bytes = LINE, .sector_bytes = 32, .mshrs = 32};

static struct filter_wire wire_of(struct memory *mem, enum filter_method method,
                                  enum filter_fill fill)
{
    const struct tech_design d = {"df", "", "bdi", 0, false};
    const struct filter_cfg c = {.man_fill = (int)fill};
    struct filter_wire w;
    struct err err;
    mem->m.l1 = &l1;
    if (!filter_wire_init(&w, method, &c, &mem->m, &d, &err))
        fail_msg("%s", err.msg);
    return w;
}

static uint32_t mixed(unsigned i)
{
    return 0x9e3779b9u * (i + 1);
}

static void line_of_zeros(uint32_t *w)
{
    memset(w, 0, LINE);
}

static void line_of_numbers(uint32_t *w)
{
    for (unsigned i = 0; i < WORDS; i++)
        w[i] = i;
}

static void line_of_floats(uint32_t *w)
{
    for (unsigned i = 0; i < WORDS; i++) {
        const float f = 1 + (float)i / 32;
        memcpy(&w[i], &f, 4);
    }
}

static void line_of_few_numbers(uint32_t *w)
{
    for (unsigned i = 0; i < WORDS; i++)
        w[i] = i < 8 ? i : mixed(i);
}

static void line_without_pattern(uint32_t *w)
{
    for (unsigned i = 0; i < WORDS; i++)
        w[i] = mixed(i);
}

/* The examples: bits of DPC, of the part that is cut out, and of the line filled in. */
static const struct example {
    void (*make)(uint32_t *words);
    unsigned map;
    uint32_t dpc, truc, man;
} examples[] = {{line_of_zeros, 0x1, 65, 69, 65},
                {line_of_numbers, 0x1, 220, 90, 158},
                {line_of_numbers, 0x3, 220, 129, 189},
                {line_of_numbers, 0x8, 220, 90, 220},
                {line_of_floats, 0x1, 220, 90, 220},
                {line_of_few_numbers, 0x1, 1024, 90, 158},
                {line_of_few_numbers, 0x3, 1024, 512, 1024},
                {line_without_pattern, 0x1, 1024, 256, 1024}};

static void codes_have_the_bits_of_the_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        const struct example *e = &examples[i];
        uint32_t line[WORDS];
        e->make(line);
        assert_int_equal(codec_dpc_truc_size(line, LINE, ALL), e->dpc);
        assert_int_equal(codec_dpc_truc_size(line, LINE, e->map), e->truc);
        assert_int_equal(codec_dpc_man_size(line, LINE, e->map), e->man);
    }
}

static void answers_weigh_what_the_examples_say(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    const struct filter_wire dpc = wire_of(mem, FILTER_WHOLE, FILTER_ZERO);
    const struct filter_wire truc = wire_of(mem, FILTER_TRUNCATE, FILTER_ZERO);
    const struct filter_wire man = wire_of(mem, FILTER_MANIPULATE, FILTER_ZERO);
    const struct filter_wire raw = wire_of(mem, FILTER_RAW, FILTER_ZERO);
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        const struct example *e = &examples[i];
        uint32_t line[WORDS];
        const uint32_t n = mem_sector_count((uint16_t)e->map);
        e->make(line);
        const struct filter_size d = filter_wire_size(&dpc, 0, line, ALL, false);
        const struct filter_size t = filter_wire_size(&truc, 0, line, e->map, true);
        const struct filter_size m = filter_wire_size(&man, 0, line, e->map, true);
        assert_int_equal(d.bytes, codec_bytes(e->dpc));
        assert_int_equal(t.bytes, codec_bytes(e->truc));
        assert_int_equal(m.bytes, codec_bytes(e->man));
        assert_int_equal(d.is_raw, d.bytes == LINE);
        assert_int_equal(t.is_raw, t.bytes == 32 * n);
        assert_int_equal(m.is_raw, m.bytes == LINE);
        assert_int_equal(filter_wire_size(&raw, 0, line, e->map, true).bytes, 32 * n);
        assert_int_equal(m.is_filled, m.bytes < d.bytes);
    }
    memory_free(mem);
}

/* Where both copies are as large, the line as it is goes. */
static void at_a_tie_the_line_goes_as_it_is(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    const struct filter_wire man = wire_of(mem, FILTER_MANIPULATE, FILTER_ZERO);
    uint32_t line[WORDS];
    line_of_numbers(line);
    assert_false(filter_wire_size(&man, 0, line, 0x8, true).is_filled);
    assert_true(filter_wire_size(&man, 0, line, 0x1, true).is_filled);
    memory_free(mem);
}

static void random_line(struct rng *r, uint32_t *line)
{
    const uint32_t mask = UINT32_MAX >> rng_below(r, 32), base = (uint32_t)rng_u64(r);
    const bool has_blanks = rng_below(r, 2);
    for (unsigned i = 0; i < WORDS; i++)
        line[i] = has_blanks && i / 8 == rng_below(r, 4) ? 0 : base + ((uint32_t)rng_u64(r) & mask);
}

/* All are encoded, decoded and compared on the way (memory_new() says verify). */
static void cutting_is_never_worse_than_filling_in_by_more_than_the_map(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct rng r = {3};
    const struct filter_wire truc = wire_of(mem, FILTER_TRUNCATE, FILTER_ZERO);
    const struct filter_wire man = wire_of(mem, FILTER_MANIPULATE, FILTER_ZERO);
    const struct filter_wire copy = wire_of(mem, FILTER_MANIPULATE, FILTER_COPY);
    uint64_t zeros = 0, copies = 0;
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t line[WORDS];
        random_line(&r, line);
        const unsigned map = 1 + rng_below(&r, ALL);
        const unsigned bits = codec_dpc_man_size(line, LINE, map);
        const struct filter_size t = filter_wire_size(&truc, 0, line, map, true);
        const struct filter_size m = filter_wire_size(&man, 0, line, map, true);
        const struct filter_size c = filter_wire_size(&copy, 0, line, map, true);
        assert_true(codec_dpc_truc_size(line, LINE, map) <= bits + 4);
        assert_int_equal(m.bytes, codec_bytes(bits));
        assert_true(t.bytes <= m.bytes + 1 && t.bytes <= c.bytes + 1);
        zeros += m.is_filled;
        copies += c.is_filled;
    }
    assert_true(zeros > 100 && copies > zeros);
    memory_free(mem);
}

/* BDI: a block of zeros is one byte, three sub-blocks are blocks of two and of one. */
static void other_codecs_take_sub_blocks_as_blocks(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct filter_wire bdi = wire_of(mem, FILTER_CODEC, FILTER_ZERO);
    uint32_t line[WORDS];
    line_of_zeros(line);
    const uint32_t zeros = filter_wire_size(&bdi, 0, line, 0x1, true).bytes;
    assert_int_equal(filter_wire_size(&bdi, 0, line, ALL, false).bytes, zeros);
    assert_int_equal(filter_wire_size(&bdi, 0, line, 0x7, true).bytes, 2 * zeros);
    line_without_pattern(line);
    for (unsigned map = 1; map <= ALL; map++) {
        const struct filter_size s = filter_wire_size(&bdi, 0, line, map, true);
        assert_int_equal(s.bytes, 32 * mem_sector_count((uint16_t)map));
        assert_true(s.is_raw);
    }
    assert_int_equal(filter_wire_decode_cycles(&bdi, 7), 7);
    assert_int_equal(filter_wire_decode_cycles(&bdi, -1),
                     (int)codec_hw(bdi.codecs[2]).decompress.latency_cycles);
    filter_wire_free(&bdi);
    memory_free(mem);
}

/* Lines of 128 bytes in two sub-blocks of 64. */
static void sub_blocks_may_be_larger_than_the_codecs(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    mem->l2.sector_bytes = 64;
    const struct filter_wire raw = wire_of(mem, FILTER_RAW, FILTER_ZERO);
    const struct filter_wire truc = wire_of(mem, FILTER_TRUNCATE, FILTER_ZERO);
    line_of_few_numbers((uint32_t *)(void *)(mem->bytes + LINE));
    const struct mem_req r = {.addr = memory_block(1), .bytes = 64, .sectors = 1, .meta = 1};
    assert_int_equal(filter_wire_answer(&raw, &r, 1).bytes, 64);
    assert_int_equal(filter_wire_answer(&truc, &r, 1).bytes, 64); /* map 0x3: no pattern */
    line_of_numbers((uint32_t *)(void *)(mem->bytes + LINE));
    assert_int_equal(filter_wire_answer(&truc, &r, 1).bytes, 17);
    memory_free(mem);
}

static void other_lines_and_sub_blocks_are_refused(void **state)
{
    (void)state;
    const struct filter_cfg c = {0};
    const struct tech_design raw = {"df-raw", "", "", 0, false};
    struct memory *mem = memory_new();
    struct filter_wire w;
    struct err err;
    mem->m.l1 = &l1;
    mem->l2.sector_bytes = 16;
    assert_false(filter_wire_init(&w, FILTER_RAW, &c, &mem->m, &raw, &err));
    assert_non_null(strstr(err.msg, "df-raw: l1.sector_bytes is "));
    mem->l2.sector_bytes = 32;
    mem->l2.line_bytes = 256;
    assert_false(filter_wire_init(&w, FILTER_RAW, &c, &mem->m, &raw, &err));
    assert_non_null(strstr(err.msg, "l2.line_bytes is 256"));
    memory_free(mem);
}

/* --- the table --- */

enum { ENTRIES = 24, LINES = 40, REQUESTS = 64 };

static void the_table_finds_what_it_holds_and_nothing_else(void **state)
{
    (void)state;
    struct filter_table t;
    struct rng r = {7};
    struct mem_req reqs[REQUESTS] = {0};
    struct filter_entry *held[REQUESTS] = {0};
    filter_table_init(&t, ENTRIES);
    for (unsigned step = 0; step < 50000; step++) {
        const unsigned i = rng_below(&r, REQUESTS);
        struct mem_req *q = &reqs[i];
        const addr_t line = (addr_t)(i % LINES) * LINE;
        q->src = (uint16_t)(i / LINES + 1);
        assert_ptr_equal(filter_table_of(&t, q, line), held[i]);
        if (held[i]) {
            assert_ptr_equal(filter_table_find(&t, q->src, line), held[i]);
            filter_table_remove(&t, held[i]);
            held[i] = NULL;
        } else {
            assert_null(filter_table_find(&t, q->src, line));
            const bool is_full = filter_table_used(&t) == ENTRIES;
            held[i] = filter_table_add(&t, q, line);
            assert_int_equal(!held[i], is_full);
        }
    }
    filter_table_free(&t);
}

/* --- a memory node --- */

struct node_rig {
    struct memory *mem;
    struct filter_cfg cfg;
    struct filter_wire wire;
    struct filter_node node;
    struct packet_policy p;
};

static struct node_rig *node_new(int64_t table)
{
    struct node_rig *g = xcalloc(1, sizeof *g);
    g->mem = memory_new();
    g->mem->m.noc_mhz = 1400;
    g->mem->m.flit_bytes = 32;
    g->cfg.merge = true;
    g->cfg.table = table;
    g->cfg.compress_cycles = 2;
    g->cfg.interval = 1;
    g->wire = wire_of(g->mem, FILTER_TRUNCATE, FILTER_ZERO);
    filter_node_init(&g->node, &g->cfg, &g->wire, &g->mem->m);
    g->p = filter_node_packets(&g->node, true);
    return g;
}

static void node_free(struct node_rig *g)
{
    filter_node_free(&g->node);
    memory_free(g->mem);
    free(g);
}

static struct mem_req request(uint16_t src, uint32_t block, uint16_t map)
{
    struct mem_req r = memory_request(block, MEM_READ, map, ALL);
    r.src = src;
    r.meta = (uint8_t)map;
    return r;
}

/* As a slice does it. */
static bool arrives(struct node_rig *g, struct mem_req *r)
{
    const bool is_absorbed = g->p.arrive(g->p.self, r, 0);
    r->node = is_absorbed ? MEM_NODE_ABSORBED : MEM_NODE_NONE;
    return is_absorbed;
}

static void is_answered(struct node_rig *g, struct mem_req *r)
{
    r->node = MEM_NODE_ANSWERS;
    g->p.answer(g->p.self, r, 0);
    r->node = MEM_NODE_NONE;
}

/* With 8 bytes of header, in flits of 32: of DPC, of the part, of the line filled in. */
static void and_take_their_flits(void **state)
{
    (void)state;
    static const struct {
        enum filter_method method;
        uint32_t flits[ARRAY_LEN(examples)];
    } rows[] = {{FILTER_WHOLE, {1, 2, 2, 2, 2, 5, 5, 5}},
                {FILTER_TRUNCATE, {1, 1, 1, 1, 1, 1, 3, 2}},
                {FILTER_MANIPULATE, {1, 1, 1, 2, 2, 1, 5, 5}}};
    for (size_t k = 0; k < ARRAY_LEN(rows); k++)
        for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
            struct node_rig *g = node_new(256);
            const bool is_whole = rows[k].method == FILTER_WHOLE;
            const struct mem_req r = request(7, 1, is_whole ? ALL : (uint16_t)examples[i].map);
            g->wire = wire_of(g->mem, rows[k].method, FILTER_ZERO);
            examples[i].make((uint32_t *)(void *)(g->mem->bytes + LINE));
            g->p.wire_bytes(g->p.self, &r, true, r.bytes);
            assert_int_equal(g->node.stats.flits.max, rows[k].flits[i]);
            node_free(g);
        }
}

static void requests_that_meet_have_one_answer(void **state)
{
    (void)state;
    struct node_rig *g = node_new(256);
    struct mem_req a = request(7, 1, 0x1), b = request(7, 1, 0xe), other = request(8, 1, 0x2);
    assert_false(arrives(g, &a));
    assert_false(arrives(g, &other)); /* of another SM */
    assert_true(arrives(g, &b));
    is_answered(g, &a);
    assert_int_equal(a.sectors, ALL);
    assert_ptr_equal(a.next, &b);
    assert_null(b.next);
    is_answered(g, &other);
    assert_int_equal(other.sectors, 0x2);
    assert_int_equal(filter_table_used(&g->node.table), 0);
    struct mem_req late = request(7, 1, 0x8); /* after the answer: one of its own */
    assert_false(arrives(g, &late));
    is_answered(g, &late);
    assert_int_equal(late.sectors, 0x8);
    assert_int_equal(g->node.stats.entered, 3);
    assert_int_equal(g->node.stats.absorbed, 1);
    assert_int_equal(g->node.stats.occupancy.max, 2);
    node_free(g);
}

static void what_finds_the_table_full_is_answered_with_the_line(void **state)
{
    (void)state;
    struct node_rig *g = node_new(1);
    struct mem_req a = request(7, 1, 0x1), b = request(8, 2, 0x1), whole = request(9, 3, ALL);
    assert_false(arrives(g, &a));
    assert_false(arrives(g, &b));
    assert_false(arrives(g, &whole)); /* takes no entry */
    is_answered(g, &b);
    is_answered(g, &a);
    is_answered(g, &whole);
    assert_int_equal(a.sectors, 0x1);
    assert_int_equal(b.sectors, ALL);
    assert_int_equal(b.bytes, LINE);
    assert_int_equal(whole.sectors, ALL);
    assert_int_equal(g->node.stats.overflow, 1);
    assert_int_equal(g->node.stats.partial, 2);
    assert_int_equal(g->node.stats.whole, 1);
    node_free(g);
}

/* A line of small numbers: 12 bytes for one sub-block, 17 for two, all in a flit of 32 with 8 of
 * header; 28 for the line are two flits. */
static void sub_blocks_that_cost_no_flit_come_too(void **state)
{
    (void)state;
    static const struct {
        uint16_t asked, held, sent;
    } rows[] = {
        {0x1, ALL, 0x7}, {0x8, ALL, 0xe}, {0x4, ALL, 0xe}, {0x1, 0x9, 0x9}, {ALL, ALL, ALL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct node_rig *g = node_new(256);
        struct mem_req a = request(7, 1, rows[i].asked);
        g->cfg.fill_flit = true;
        line_of_numbers((uint32_t *)(void *)(g->mem->bytes + LINE));
        a.full = rows[i].held;
        assert_false(arrives(g, &a));
        is_answered(g, &a);
        assert_int_equal(a.sectors, rows[i].sent);
        assert_int_equal(g->node.stats.extra,
                         mem_sector_count(rows[i].sent) - mem_sector_count(rows[i].asked));
        node_free(g);
    }
}

/* Where nothing compresses, nothing is free. */
static void and_what_does_not_compress_costs_one(void **state)
{
    (void)state;
    struct node_rig *g = node_new(256);
    struct mem_req a = request(7, 1, 0x2);
    g->cfg.fill_flit = true;
    line_without_pattern((uint32_t *)(void *)(g->mem->bytes + LINE));
    assert_false(arrives(g, &a));
    is_answered(g, &a);
    assert_int_equal(a.sectors, 0x2);
    node_free(g);
}

/* With fewer than filter.idle_queue before it, an answer brings what the slice holds of the line,
 * unless the SM has asked for all that it lacks, or is sure that it needs no more. */
static void an_idle_node_sends_the_line(void **state)
{
    (void)state;
    static const struct {
        uint16_t queue, held;
        int64_t idle;
        uint8_t meta;
        uint16_t sent;
    } rows[] = {{3, ALL, 4, 0, ALL},
                {4, ALL, 4, 0, 0x2},
                {0, ALL, 0, 0, 0x2},
                {0, 0x3, 4, 0, 0x3},
                {0, ALL, 4, FILTER_META_SURE, 0x2},
                {0, ALL, 4, FILTER_META_REST, 0x2}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct node_rig *g = node_new(256);
        struct mem_req a = request(7, 1, 0x2);
        g->cfg.idle_queue = rows[i].idle;
        line_without_pattern((uint32_t *)(void *)(g->mem->bytes + LINE));
        a.full = rows[i].held;
        a.queue = rows[i].queue;
        a.meta |= rows[i].meta;
        assert_false(arrives(g, &a));
        is_answered(g, &a);
        assert_int_equal(a.sectors, rows[i].sent);
        assert_int_equal(g->node.stats.idle, rows[i].sent != 0x2);
        assert_int_equal(g->node.stats.extra, mem_sector_count(rows[i].sent) - 1);
        node_free(g);
    }
}

/* Requests past the tags, of other caches and for local memory are none of its business. */
static void others_pass(void **state)
{
    (void)state;
    struct node_rig *g = node_new(256);
    struct mem_req r = request(7, 1, 0x1);
    r.meta = 0;
    assert_false(arrives(g, &r));
    is_answered(g, &r);
    assert_int_equal(r.sectors, 0x1);
    assert_int_equal(g->node.stats.partial + g->node.stats.whole, 0);
    node_free(g);
}

/* Two cycles of the interconnect are one of the L2, which makes an answer every two. */
static void the_compressor_has_the_interconnects_clock(void **state)
{
    (void)state;
    struct node_rig *g = node_new(256);
    struct mem_req read = request(7, 1, 0x1);
    struct mem_req write = memory_request(1, MEM_WRITE, ALL, ALL), code = request(7, 1, ALL);
    code.space = MEM_INST;
    assert_int_equal(g->p.send_latency(g->p.self, &read, 10), 1);
    assert_int_equal(g->p.send_latency(g->p.self, &read, 10), 2); /* half a cycle behind it */
    assert_int_equal(g->p.send_latency(g->p.self, &read, 11), 1);
    assert_int_equal(g->p.send_latency(g->p.self, &write, 20), 0);
    assert_int_equal(g->p.send_latency(g->p.self, &code, 20), 0);
    assert_int_equal(g->p.wire_bytes(g->p.self, &code, true, LINE), LINE);
    assert_int_equal(g->p.wire_bytes(g->p.self, &read, true, 32), 9); /* zeros */
    node_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_the_bits_of_the_examples),
        cmocka_unit_test(answers_weigh_what_the_examples_say),
        cmocka_unit_test(and_take_their_flits),
        cmocka_unit_test(at_a_tie_the_line_goes_as_it_is),
        cmocka_unit_test(cutting_is_never_worse_than_filling_in_by_more_than_the_map),
        cmocka_unit_test(other_codecs_take_sub_blocks_as_blocks),
        cmocka_unit_test(sub_blocks_may_be_larger_than_the_codecs),
        cmocka_unit_test(other_lines_and_sub_blocks_are_refused),
        cmocka_unit_test(the_table_finds_what_it_holds_and_nothing_else),
        cmocka_unit_test(requests_that_meet_have_one_answer),
        cmocka_unit_test(what_finds_the_table_full_is_answered_with_the_line),
        cmocka_unit_test(sub_blocks_that_cost_no_flit_come_too),
        cmocka_unit_test(and_what_does_not_compress_costs_one),
        cmocka_unit_test(an_idle_node_sends_the_line),
        cmocka_unit_test(others_pass),
        cmocka_unit_test(the_compressor_has_the_interconnects_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
