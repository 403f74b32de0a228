/* Techniques on the memory system's seams, through a whole machine: a filter that asks for parts of
 * lines, memory nodes that answer two requests with one packet, answers that leave later, a byte
 * that travels, and policies that wrap others. On the wire a packet is a header of 8 bytes and its
 * payload, in flits of 32 bytes. */
#include "eight_threads.h"

#include "gpu/gpu_tech.h"
#include "tech/tech_list_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- policies --- */

enum { SLICES = 16, LATE = 40, LATER = 7, MARK = 40 };

/* Asks for what is needed, and learns what was read. */
struct sieve {
    struct request_policy inner;
    uint32_t sent, settled;
    struct line_life life; /* of the last line that settled */
};

static uint16_t ask_needed(const void *self, const struct line_view *v)
{
    (void)self;
    return v->missing;
}

static void note_sent(void *self, const struct line_view *v, uint16_t asked, cycle_t now)
{
    (void)v, (void)asked, (void)now;
    ((struct sieve *)self)->sent++;
}

static void note_settled(void *self, addr_t line, const struct line_life *life, cycle_t now)
{
    struct sieve *s = self;
    (void)line, (void)now;
    s->settled++;
    s->life = *life;
}

/* Asks for the sector behind it, too. */
static uint16_t ask_next_too(const void *self, const struct line_view *v)
{
    const uint16_t asked = request_wrap_ask(self, v);
    return asked | (v->fetch & (uint16_t)(asked << 1));
}

/* One line of a slice: who asked for it first, and who rides on the answer. */
struct table {
    struct packet_policy inner;
    struct mem_req *first, *rider;
};

static bool absorb_second(void *self, struct mem_req *r, cycle_t now)
{
    struct table *t = self;
    if (r->space == MEM_GLOBAL && r->kind == MEM_READ && t->first) {
        t->rider = r;
        return true;
    }
    if (r->space == MEM_GLOBAL && r->kind == MEM_READ)
        t->first = r;
    return packet_wrap_arrive(self, r, now);
}

static void answer_both(void *self, struct mem_req *r, cycle_t now)
{
    struct table *t = self;
    if (r == t->first && t->rider) {
        assert_true(tech_api.widen(r, t->rider->sectors));
        assert_true(tech_api.ride(r, t->rider));
    }
    if (r == t->first)
        t->first = t->rider = NULL;
    packet_wrap_answer(self, r, now);
}

struct late {
    struct packet_policy inner;
    uint32_t cycles;
};

static uint32_t reads_later(void *self, const struct mem_req *r, cycle_t now)
{
    const struct late *l = self;
    return packet_wrap_send_latency(self, r, now) + (r->kind == MEM_READ ? l->cycles : 0);
}

/* A byte that costs a flit on the wire, and its value in cycles where an answer brings it to a
 * read.
 */
static void mark(void *self, struct mem_req *r, cycle_t now)
{
    (void)now;
    (void)self;
    tech_api.set_meta(r, MARK);
}

static uint32_t a_flit_more(void *self, const struct mem_req *r, bool reply, uint32_t payload)
{
    return packet_wrap_wire_bytes(self, r, reply, payload) +
           (r->kind == MEM_WRITE && r->meta ? 32 : 0);
}

static uint32_t meta_cycles(void *self, const struct mem_req *r, cycle_t now)
{
    (void)self, (void)now;
    return r->kind == MEM_READ ? tech_api.request(r).meta : 0;
}

/* --- the technique --- */

enum design { SIEVE, NEIGHBOUR, ABSORB, SLOW, SLOWER, MARKED };

static struct sieve sieve, neighbour;
static struct table tables[SLICES];
static struct late late[2][SLICES];
static struct packet_policy plain[SLICES + 1];

static void bind_requests(struct request_policy *p, struct sieve *s)
{
    *s = (struct sieve){.inner = *p};
    *p = request_policy_wrap(&s->inner);
}

static void bind_marks(struct tech_seams *s, uint32_t slices)
{
    plain[SLICES] = *s->sm_packets;
    *s->sm_packets = packet_policy_wrap(&plain[SLICES]);
    s->sm_packets->request = mark;
    s->sm_packets->wire_bytes = a_flit_more;
    s->sm_packets->fill_latency = meta_cycles;
    for (uint32_t i = 0; i < slices; i++) {
        plain[i] = s->l2_packets[i];
        s->l2_packets[i] = packet_policy_wrap(&plain[i]);
        s->l2_packets[i].wire_bytes = a_flit_more;
    }
}

static void bind_late(struct packet_policy *p, uint32_t slices, struct late *l, uint32_t cycles)
{
    for (uint32_t i = 0; i < slices; i++) {
        l[i] = (struct late){p[i], cycles};
        p[i] = packet_policy_wrap(&l[i].inner);
        p[i].send_latency = reads_later;
    }
}

static void bind_tables(struct packet_policy *p, uint32_t slices)
{
    for (uint32_t i = 0; i < slices; i++) {
        tables[i] = (struct table){.inner = p[i]};
        p[i] = packet_policy_wrap(&tables[i].inner);
        p[i].arrive = absorb_second;
        p[i].answer = answer_both;
    }
}

static bool bind(const struct tech_site *at, struct tech_part *part, struct err *err)
{
    const enum design d = (enum design)at->design->variant;
    const bool is_requests = d == SIEVE || d == NEIGHBOUR;
    const uint32_t n = at->machine->slices;
    struct tech_seams *s = at->seams;
    part->self = &sieve;
    assert_true(n <= SLICES);
    if (!tech_take(s, is_requests ? SEAM_requests : SEAM_l2_packets, at->design->name, TAKE_WRAP,
                   err))
        return false;
    switch (d) {
    case SIEVE:
        bind_requests(s->requests, &sieve);
        s->requests->ask = ask_needed;
        s->requests->sent = note_sent;
        s->requests->settled = note_settled;
        break;
    case NEIGHBOUR:
        bind_requests(s->requests, &neighbour);
        s->requests->ask = ask_next_too;
        break;
    case ABSORB:
        bind_tables(s->l2_packets, n);
        break;
    case SLOW:
    case SLOWER:
        bind_late(s->l2_packets, n, late[d - SLOW], d == SLOW ? LATE : LATER);
        break;
    case MARKED:
        bind_marks(s, n);
        break;
    }
    return true;
}

static const struct tech_design designs[] = {
    {"sieve", "", "", SIEVE, false},   {"neighbour", "", "", NEIGHBOUR, false},
    {"absorb", "", "", ABSORB, false}, {"slow", "", "", SLOW, false},
    {"slower", "", "", SLOWER, false}, {"marked", "", "", MARKED, false}};

static const struct technique memory_seams = {
    .name = "memory_seams", .designs = designs, .ndesigns = ARRAY_LEN(designs), .bind = bind};

/* --- eight threads read a sector of a line; another one of it; write one of another line --- */

static const char load[] = KERNEL(LOAD), two_loads[] = KERNEL(LOAD OTHER);
static const char load_and_store[] = KERNEL(LOAD STORE);

/* One launch, and a second one, that finds everything in the L2. */
struct measured {
    int64_t first, second; /* cycles */
    int64_t wire, packets; /* of all networks: bytes, packets */
    int64_t dram;          /* bytes */
    int64_t lookups;       /* of the L2 */
};

static int64_t sum_of(struct gpu *g, const char *const *keys)
{
    int64_t sum = 0;
    for (double v; *keys; keys++)
        sum += stats_get(gpu_stats(g), *keys, &v) ? (int64_t)v : 0;
    return sum;
}

static struct measured measure(const char *machine, const char *text, const char *with,
                               const char *const *more)
{
    static const char *const wire[] = {"noc.bytes", "noc_request.bytes", "noc_reply.bytes", NULL};
    static const char *const packets[] = {"noc.packets_out", "noc_request.packets_out",
                                          "noc_reply.packets_out", NULL};
    static const char *const dram[] = {"mc.bytes_moved", NULL}, *const l2[] = {"l2.requests", NULL};
    const struct gpu_case c = eight_threads(text);
    const char *sets[8] = {"gpu.sms=1"};
    size_t n = 1;
    struct case_run t;
    struct measured m;
    for (; more && *more; more++)
        sets[n++] = *more;
    case_open(&t, &c, machine, sets, n, 0);
    tech_list_add(t.m->techs, &memory_seams, NULL);
    t.m->gpu.with = with;
    case_start(&t, 1);
    case_run(&t);
    m.first = (int64_t)gpu_cycles(t.gpu);
    m.wire = sum_of(t.gpu, wire);
    m.packets = sum_of(t.gpu, packets);
    m.dram = sum_of(t.gpu, dram);
    m.lookups = sum_of(t.gpu, l2);
    case_run(&t);
    m.second = (int64_t)gpu_cycles(t.gpu) - m.first;
    case_close(&t);
    return m;
}

static const char *const sectored_l2[] = {"l2.sectored=true", NULL};

/* --- the filter --- */

/* One sector of four: its answer is 96 bytes shorter; the L2 of mesh56 fetches the line anyway. */
static void a_filter_saves_three_sectors_on_the_wire(void **state)
{
    (void)state;
    const struct measured base = measure("mesh56", load, "base", NULL);
    const struct measured m = measure("mesh56", load, "sieve", NULL);
    assert_int_equal(m.wire - base.wire, -96);
    assert_int_equal(m.dram - base.dram, 0);
    assert_int_equal(m.packets - base.packets, 0);
    assert_int_equal(sieve.sent, 2); /* a launch each */
    assert_int_equal(sieve.settled, 2);
    assert_int_equal(sieve.life.first, 0x1);
    assert_int_equal(sieve.life.asked, 0x1);
}

/* Where the L2 has sectors, too, DRAM moves one burst for four. */
static void and_in_dram_below_an_l2_with_sectors(void **state)
{
    (void)state;
    const struct measured base = measure("mesh56", load, "base", sectored_l2);
    const struct measured m = measure("mesh56", load, "sieve", sectored_l2);
    assert_int_equal(m.wire - base.wire, -96);
    assert_int_equal(m.dram - base.dram, -96);
}

/* What mesh56 was: there is nothing to choose from. */
static void with_one_sector_a_line_it_can_do_nothing(void **state)
{
    (void)state;
    static const char *const one[] = {"l1.sector_bytes=128",
                                      "l1c.sector_bytes=128",
                                      "l1t.sector_bytes=128",
                                      "l1i.sector_bytes=128",
                                      "l2.sector_bytes=128",
                                      "mc.sector_bytes=128",
                                      NULL};
    const struct measured base = measure("mesh56", load, "base", one);
    const struct measured m = measure("mesh56", load, "sieve", one);
    assert_memory_equal(&m, &base, sizeof m);
}

/* Two requests of a flit and two answers of two (8 + 32 bytes), for one of a flit and one of five
 * (8 + 128): as many flits, in two packets more. */
static void a_second_part_of_the_line_is_a_second_request(void **state)
{
    (void)state;
    const struct measured base = measure("mesh56", two_loads, "base", NULL);
    const struct measured m = measure("mesh56", two_loads, "sieve", NULL);
    assert_int_equal(m.wire - base.wire, 0);
    assert_int_equal(m.packets - base.packets, 2);
    assert_int_equal(m.lookups - base.lookups, 1);
    assert_int_equal(sieve.life.first, 0x1);
    assert_int_equal(sieve.life.used, 0x9);
    assert_int_equal(sieve.settled, 2); /* of two replies the last */
}

/* --- the memory node --- */

/* The second request comes while the first is in the L2: one lookup, and one answer of three flits
 * (8 + 64 bytes) for two of two. */
static void a_node_answers_both_requests_with_one_packet(void **state)
{
    (void)state;
    const struct measured apart = measure("mesh56", two_loads, "sieve", NULL);
    const struct measured m = measure("mesh56", two_loads, "sieve,absorb", NULL);
    assert_int_equal(m.wire - apart.wire, -32);
    assert_int_equal(m.packets - apart.packets, -1);
    assert_int_equal(m.lookups - apart.lookups, -1);
}

/* Code, the parameter and the line, one behind the other; the L2 has the SMs' clock. */
static void answers_leave_a_slice_later(void **state)
{
    (void)state;
    const struct measured base = measure("gtx480-gpgpusim", load, "base", NULL);
    const struct measured m = measure("gtx480-gpgpusim", load, "slow", NULL);
    assert_int_equal(m.second - base.second, 3 * LATE);
}

/* --- the byte --- */

/* The store and its answer are a flit longer. */
static void a_byte_costs_what_the_technique_says(void **state)
{
    (void)state;
    const struct measured base = measure("mesh56", load_and_store, "base", NULL);
    const struct measured m = measure("mesh56", load_and_store, "marked", NULL);
    assert_int_equal(m.wire - base.wire, 2 * 32);
    assert_int_equal(m.packets - base.packets, 0);
}

/* It comes back: the parameter and the line are used that many cycles later. Code has no seam. */
static void a_byte_comes_back_with_the_answer(void **state)
{
    (void)state;
    const struct measured base = measure("gtx480-gpgpusim", load, "base", NULL);
    const struct measured m = measure("gtx480-gpgpusim", load, "marked", NULL);
    assert_int_equal(m.second - base.second, 2 * MARK);
}

/* --- policies around policies --- */

static void wrapped_latencies_add_up(void **state)
{
    (void)state;
    const struct measured base = measure("gtx480-gpgpusim", load, "base", NULL);
    const struct measured m = measure("gtx480-gpgpusim", load, "slow,slower", NULL);
    assert_int_equal(m.second - base.second, 3 * (LATE + LATER));
}

/* The outer one adds a sector to the inner one's: two of four. The inner one is told, too. */
static void a_wrapped_filter_is_asked_first(void **state)
{
    (void)state;
    const struct measured base = measure("mesh56", load, "base", NULL);
    const struct measured m = measure("mesh56", load, "sieve,neighbour", NULL);
    assert_int_equal(m.wire - base.wire, -64);
    assert_int_equal(sieve.sent, 2);
    assert_int_equal(sieve.settled, 2);
    assert_int_equal(sieve.life.used, 0x1);
    assert_int_equal(sieve.life.asked, 0x3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_saves_three_sectors_on_the_wire),
        cmocka_unit_test(and_in_dram_below_an_l2_with_sectors),
        cmocka_unit_test(with_one_sector_a_line_it_can_do_nothing),
        cmocka_unit_test(a_second_part_of_the_line_is_a_second_request),
        cmocka_unit_test(a_node_answers_both_requests_with_one_packet),
        cmocka_unit_test(answers_leave_a_slice_later),
        cmocka_unit_test(a_byte_costs_what_the_technique_says),
        cmocka_unit_test(a_byte_comes_back_with_the_answer),
        cmocka_unit_test(wrapped_latencies_add_up),
        cmocka_unit_test(a_wrapped_filter_is_asked_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
