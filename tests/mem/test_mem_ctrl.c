/* The memory controller to the cycle, between slices and a DRAM that are not there. Times are the
 * controller's. Unless said otherwise: latency_in 100, DRAM's answer is there 21 cycles after the
 * access was sent. */
#include "mem/mem_ctrl.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLICES = 2, REQS = 8192, SENT = 1 << 16 };

struct rig {
    struct conf *conf;
    struct mem_ctrl_cfg cfg;
    struct interleave il;
    struct mem_ctrl *mc;
    struct port *from[SLICES], *to[SLICES], *to_dram, *from_dram;
    cycle_t now;
    cycle_t dram_latency;
    bool hold_dram;
    struct {
        struct mem_req *req;
        cycle_t at;
    } flight[1024];
    uint32_t nflight;
    struct mem_req reqs[REQS];
    cycle_t back[REQS];
    struct mem_req sent[SENT]; /* what DRAM was given */
    cycle_t sent_at[SENT];
    uint32_t nsent;
};

static struct rig *rig_new(const char *const *sets, int64_t channels,
                           const struct storage_policy *storage)
{
    struct rig *r = xcalloc(1, sizeof *r);
    struct interleave_cfg il = {channels, SLICES, 256, false};
    struct err err;
    r->conf = conf_new();
    conf_add(r->conf, "mc", mem_ctrl_fields, mem_ctrl_nfields, &r->cfg);
    for (; sets && *sets; sets++)
        if (!conf_set(r->conf, *sets, &err))
            fail_msg("%s", err.msg);
    assert_true(mem_ctrl_cfg_check(&r->cfg, "mc", &err));
    interleave_init(&r->il, &il);
    struct channel_seams seams = channel_seams_null;
    seams.storage = storage;
    r->mc = mem_ctrl_new(&r->cfg, &r->il, SLICES, &seams);
    for (uint32_t i = 0; i < SLICES; i++) {
        r->from[i] = port_new("from", 1, 4);
        r->to[i] = port_new("to", 1, 4);
        mem_ctrl_bind_slice(r->mc, i, r->from[i], r->to[i]);
    }
    r->to_dram = port_new("to_dram", 1, 4);
    r->from_dram = port_new("from_dram", 1, 64);
    mem_ctrl_bind_dram(r->mc, r->to_dram, r->from_dram);
    r->dram_latency = 20;
    r->now = 1;
    return r;
}

static void rig_free(struct rig *r)
{
    mem_ctrl_free(r->mc);
    for (uint32_t i = 0; i < SLICES; i++) {
        port_free(r->from[i]);
        port_free(r->to[i]);
    }
    port_free(r->to_dram);
    port_free(r->from_dram);
    conf_free(r->conf);
    free(r);
}

static void dram_cycle(struct rig *r)
{
    uint32_t kept = 0;
    struct mem_req *req;
    for (uint32_t i = 0; i < r->nflight; i++) {
        if (r->flight[i].at <= r->now + 1 && port_can_push(r->from_dram, r->now))
            port_push(r->from_dram, r->now, r->flight[i].req);
        else
            r->flight[kept++] = r->flight[i];
    }
    r->nflight = kept;
    while (!r->hold_dram && (req = port_pop(r->to_dram, r->now))) {
        assert_true(r->nsent < SENT && r->nflight < ARRAY_LEN(r->flight));
        r->sent_at[r->nsent] = r->now - 1;
        r->sent[r->nsent++] = *req;
        r->flight[r->nflight].req = req;
        r->flight[r->nflight++].at = r->now + r->dram_latency;
    }
}

static void rig_cycle(struct rig *r)
{
    struct mem_req *req;
    assert_true(mem_ctrl_tick(r->mc, r->now) > r->now);
    dram_cycle(r);
    for (uint32_t i = 0; i < SLICES; i++)
        while ((req = port_pop(r->to[i], r->now))) {
            assert_int_equal(req->src, i);
            assert_int_equal(r->back[req->token], 0);
            r->back[req->token] = r->now - 1;
        }
}

static void rig_run(struct rig *r, cycle_t until)
{
    for (; r->now < until; r->now++)
        rig_cycle(r);
}

/* The controller sees request `token` of `slice` at cycle `at`. */
static void give(struct rig *r, cycle_t at, uint32_t slice, uint32_t token, enum mem_kind kind,
                 addr_t addr, uint16_t sectors)
{
    rig_run(r, at - 1);
    r->reqs[token] = (struct mem_req){.addr = addr,
                                      .bytes = (uint32_t)__builtin_popcount(sectors) * 32,
                                      .kind = (uint8_t)kind,
                                      .sectors = sectors,
                                      .src = (uint16_t)slice,
                                      .token = token};
    assert_true(port_can_push(r->from[slice], r->now));
    port_push(r->from[slice], r->now, &r->reqs[token]);
}

static void a_sector_is_one_burst(void **state)
{
    (void)state;
    const char *const sets[] = {"mc.latency_out=7", NULL};
    struct rig *r = rig_new(sets, 1, &storage_policy_null);
    give(r, 10, 0, 1, MEM_READ, 0x1060, 8);
    rig_run(r, 300);
    assert_int_equal(r->nsent, 1);
    assert_int_equal(r->sent_at[0], 110);
    assert_int_equal(r->sent[0].addr, 0x1040);
    assert_int_equal(r->sent[0].bytes, 64);
    assert_int_equal(r->back[1], 110 + 21 + 7);
    assert_int_equal(r->reqs[1].at[MEM_AT_MC_IN], 10);
    assert_int_equal(r->reqs[1].at[MEM_AT_MC_OUT], 131);
    assert_int_equal(mem_ctrl_stats(r->mc)->bytes_asked, 32);
    assert_int_equal(mem_ctrl_stats(r->mc)->bytes_moved, 64);
    assert_true(mem_ctrl_idle(r->mc));
    rig_free(r);
}

static void a_line_is_several_bursts_answered_with_the_last(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &storage_policy_null);
    give(r, 10, 1, 1, MEM_WRITE, 0, 15);
    give(r, 20, 1, 2, MEM_READ, 128, 9); /* sectors 0 and 3: both bursts */
    rig_run(r, 300);
    assert_int_equal(r->nsent, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r->sent[i].addr, i * 64);
        assert_int_equal(r->sent[i].kind, i < 2 ? MEM_WRITE : MEM_READ);
        assert_int_equal(r->sent_at[i], 110 + i % 2 + (i < 2 ? 0 : 10));
    }
    assert_int_equal(r->back[1], 111 + 21);
    assert_int_equal(r->back[2], 121 + 21);
    rig_free(r);
}

static void bursts_may_come_back_in_any_order(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &storage_policy_null);
    give(r, 10, 0, 1, MEM_READ, 0, 15);
    rig_run(r, 112); /* the first burst is slow, the second fast */
    r->dram_latency = 2;
    rig_run(r, 130);
    assert_int_equal(r->nsent, 2);
    assert_int_equal(r->back[1], 0);
    rig_run(r, 200);
    assert_int_equal(r->back[1], 110 + 21);
    rig_free(r);
}

static void bursts_smaller_than_sectors(void **state)
{
    (void)state;
    const char *const sets[] = {"mc.burst_bytes=16", "mc.bursts_per_cycle=2", NULL};
    struct rig *r = rig_new(sets, 1, &storage_policy_null);
    give(r, 10, 0, 1, MEM_READ, 0x40, 12);
    rig_run(r, 300);
    assert_int_equal(r->nsent, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r->sent[i].addr, 0x40 + 16 * i);
        assert_int_equal(r->sent_at[i], 110 + i / 2);
    }
    rig_free(r);
}

/* Of a block whose third sector is not asked for: two bursts, and the one behind it. */
static void adjacent_bursts_go_as_one_request(void **state)
{
    (void)state;
    const char *const sets[] = {"mc.burst_bytes=32", "mc.bursts_per_request=4", NULL};
    struct rig *r = rig_new(sets, 1, &storage_policy_null);
    give(r, 10, 0, 1, MEM_READ, 0x80, 15);
    give(r, 11, 0, 2, MEM_WRITE, 0x100, 11);
    rig_run(r, 300);
    const addr_t addr[] = {0x80, 0x100, 0x160};
    const uint32_t bytes[] = {128, 64, 32};
    assert_int_equal(r->nsent, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(r->sent[i].addr, addr[i]);
        assert_int_equal(r->sent[i].bytes, bytes[i]);
        assert_int_equal(r->sent_at[i], 110 + i);
    }
    assert_int_equal(r->back[1], 110 + 21);
    const struct mem_ctrl_stats *st = mem_ctrl_stats(r->mc);
    assert_int_equal(st->burst_reads, 4);
    assert_int_equal(st->burst_writes, 3);
    assert_int_equal(st->bytes_moved, 7 * 32);
    rig_free(r);
}

static void addresses_are_the_channels_own(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 6, &storage_policy_null);
    addr_t addr = interleave_address(&r->il, 4, 0x12380);
    give(r, 10, 0, 1, MEM_READ, addr, 1);
    rig_run(r, 300);
    assert_int_equal(r->sent[0].addr, 0x12380);
    rig_free(r);
}

static void slices_take_turns(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &storage_policy_null);
    for (uint32_t i = 0; i < 3; i++)
        give(r, 10, 0, i, MEM_READ, i * 128, 1);
    for (uint32_t i = 0; i < 3; i++)
        give(r, 10, 1, 10 + i, MEM_READ, 4096 + i * 128, 1);
    rig_run(r, 300);
    const addr_t order[] = {0, 4096, 128, 4096 + 128, 256, 4096 + 256};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(r->sent[i].addr, order[i]);
        assert_int_equal(r->sent_at[i], 110 + i);
    }
    rig_free(r);
}

static void a_full_dram_holds_everything_in_order(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &storage_policy_null);
    r->hold_dram = true;
    for (uint32_t i = 0; i < 4; i++)
        give(r, 10 + i, 0, i, MEM_READ, i * 128, 15);
    rig_run(r, 150);
    assert_int_equal(mem_ctrl_stats(r->mc)->burst_reads, 4); /* what the port holds */
    assert_int_equal(mem_ctrl_stats(r->mc)->fail_dram, 1);
    r->hold_dram = false;
    rig_run(r, 400);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(r->sent[i].addr, i * 64);
    assert_int_equal(r->sent_at[4], 151); /* a place is free one cycle after the pop at 150 */
    assert_true(mem_ctrl_idle(r->mc));
    rig_free(r);
}

static void so_many_requests_are_in_dram_at_once(void **state)
{
    (void)state;
    const char *const sets[] = {"mc.in_flight=1", NULL};
    struct rig *r = rig_new(sets, 1, &storage_policy_null);
    give(r, 10, 0, 1, MEM_READ, 0, 1);
    give(r, 11, 0, 2, MEM_READ, 128, 1);
    rig_run(r, 300);
    assert_int_equal(r->back[1], 131);
    assert_int_equal(r->sent_at[1], 132); /* its place is free when the answer has left */
    assert_int_equal(mem_ctrl_stats(r->mc)->fail_in_flight, 1);
    rig_free(r);
}

static void the_queue_is_bounded(void **state)
{
    (void)state;
    const char *const sets[] = {"mc.latency_in=0", "mc.queue=3", "mc.in_flight=1", NULL};
    struct rig *r = rig_new(sets, 1, &storage_policy_null);
    r->hold_dram = true;
    for (uint32_t i = 0; i < 4; i++) {
        give(r, 10 + i, 0, i, MEM_READ, i * 128, 1);
        give(r, 10 + i, 1, 10 + i, MEM_READ, 4096 + i * 128, 1);
    }
    rig_run(r, 60);
    /* one in DRAM, three wait, four are still in the ports */
    assert_int_equal(mem_ctrl_stats(r->mc)->reads, 4);
    assert_int_equal(port_count(r->from[0]) + port_count(r->from[1]), 4);
    r->hold_dram = false;
    rig_run(r, 500);
    assert_int_equal(mem_ctrl_stats(r->mc)->answers, 8);
    rig_free(r);
}

/* Blocks beyond 64 KB are compressed to one burst; where that is written must be read first. Every
 * eighth of them from 128 KB on is all zeros, which the metadata says; the rest there are raw, with
 * metadata read and written beside them. */
static void half_form(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                      uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now;
    *f = (struct storage_form){.bursts = bursts};
    if (local < 0x10000)
        return;
    f->bursts = 1;
    f->latency = r->kind == MEM_READ ? 9 : 0;
    f->extras_first = true;
    f->nextras = 1;
    f->extras[0] = (struct storage_access){0x80000 + local / 128, MEM_READ};
    if (local < 0x20000)
        return;
    f->extras_first = false;
    f->bursts = local / 128 % 8 ? bursts : 0;
    f->nextras = 2;
    f->extras[1] = (struct storage_access){0x80000 + local / 128, MEM_WRITE};
}

static uint32_t form_latency(void *self, cycle_t now, const struct mem_req *r,
                             const struct storage_form *f)
{
    (void)self, (void)now, (void)r;
    return f->latency;
}

static const struct storage_policy half_policy = {.dram_form = half_form,
                                                  .dram_done = form_latency};

static void a_policy_may_read_metadata_first_and_move_less(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &half_policy);
    give(r, 10, 0, 1, MEM_READ, 0x11000, 15);
    give(r, 11, 0, 2, MEM_READ, 0x100, 15); /* raw: does not wait for the other's metadata */
    rig_run(r, 400);
    assert_int_equal(r->nsent, 4);
    assert_int_equal(r->sent[0].addr, 0x80000 + 0x11000 / 128);
    assert_int_equal(r->sent_at[0], 110);
    assert_int_equal(r->sent[1].addr, 0x100);
    assert_int_equal(r->sent_at[1], 111);
    assert_int_equal(r->sent[2].addr, 0x140);
    assert_int_equal(r->sent[3].addr, 0x11000);
    assert_int_equal(r->sent_at[3], 131);
    assert_int_equal(r->back[2], 112 + 21);
    assert_int_equal(r->back[1], 131 + 21 + 9);
    assert_int_equal(mem_ctrl_stats(r->mc)->extra_reads, 1);
    assert_int_equal(mem_ctrl_stats(r->mc)->burst_reads, 3);
    rig_free(r);
}

/* Metadata, then the first burst, before the second is written, all after 5 cycles. */
static void modify_form(void *self, cycle_t now, const struct mem_req *r, addr_t local,
                        uint32_t bursts, struct storage_form *f)
{
    (void)self, (void)now;
    *f = (struct storage_form){.bursts = bursts};
    if (!mem_req_is_write(r))
        return;
    *f = (struct storage_form){
        .bursts = 2, .reads = 1, .delay = 5, .latency = 3, .extras_first = true, .nextras = 1};
    f->extras[0] = (struct storage_access){0x80000 + local / 128, MEM_READ};
}

static const struct storage_policy modify_policy = {.dram_form = modify_form,
                                                    .dram_done = form_latency};

static void a_write_may_read_its_block_first(void **state)
{
    (void)state;
    struct rig *r = rig_new(NULL, 1, &modify_policy);
    give(r, 10, 0, 1, MEM_WRITE, 0x1000, 1);
    rig_run(r, 500);
    assert_int_equal(r->nsent, 3);
    assert_int_equal(r->sent[0].addr, 0x80000 + 0x1000 / 128);
    assert_int_equal(r->sent_at[0], 115);
    assert_int_equal(r->sent[1].addr, 0x1000);
    assert_int_equal(r->sent[1].kind, MEM_READ);
    assert_int_equal(r->sent_at[1], 115 + 21);
    assert_int_equal(r->sent[2].addr, 0x1040);
    assert_int_equal(r->sent[2].kind, MEM_WRITE);
    assert_int_equal(r->sent_at[2], 115 + 42);
    assert_int_equal(r->back[1], 115 + 63 + 3);
    assert_int_equal(mem_ctrl_stats(r->mc)->extra_reads, 2);
    assert_int_equal(mem_ctrl_stats(r->mc)->burst_writes, 1);
    rig_free(r);
}

static void check_random(const struct storage_policy *policy, uint64_t seed)
{
    struct rig *r = rig_new(NULL, 1, policy);
    struct rng rng = {seed};
    uint64_t writes = 0, asked = 0;
    for (uint32_t token = 0; token < REQS; r->now++) {
        r->dram_latency = 1 + rng_below(&rng, 80);
        r->hold_dram = rng_below(&rng, 3) == 0;
        rig_cycle(r);
        uint32_t slice = rng_below(&rng, SLICES);
        if (!port_can_push(r->from[slice], r->now))
            continue;
        uint16_t sectors = (uint16_t)(1 + rng_below(&rng, 15));
        bool write = rng_below(&rng, 3) == 0;
        writes += write;
        asked += (uint64_t)__builtin_popcount(sectors) * 32;
        give(r, r->now + 1, slice, token++, write ? MEM_WRITE : MEM_READ,
             rng_below(&rng, 2048) * 128 + (addr_t)__builtin_ctz(sectors) * 32, sectors);
    }
    r->hold_dram = false;
    rig_run(r, r->now + 2000);
    const struct mem_ctrl_stats *st = mem_ctrl_stats(r->mc);
    for (uint32_t i = 0; i < REQS; i++)
        assert_true(r->back[i] != 0);
    assert_int_equal(st->writes, writes);
    assert_int_equal(st->reads, REQS - writes);
    assert_int_equal(st->answers, REQS);
    assert_int_equal(st->bytes_asked, asked);
    assert_int_equal(st->occupancy.count, REQS);
    assert_int_equal(st->latency.count, REQS);
    uint64_t accesses = st->burst_reads + st->burst_writes + st->extra_reads + st->extra_writes;
    assert_int_equal(accesses, r->nsent);
    assert_int_equal(st->bytes_moved, accesses * 64);
    assert_true(st->fail_dram > 0);
    assert_true(mem_ctrl_idle(r->mc));
    rig_free(r);
}

static void every_request_is_answered_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_random(&storage_policy_null, seed);
        check_random(&modify_policy, seed);
        check_random(&half_policy, seed);
    }
}

static void check_rejected(const char *set, const char *message)
{
    struct mem_ctrl_cfg cfg;
    struct err err;
    struct conf *conf = conf_new();
    conf_add(conf, "mc", mem_ctrl_fields, mem_ctrl_nfields, &cfg);
    assert_true(conf_set(conf, set, &err));
    assert_false(mem_ctrl_cfg_check(&cfg, "mc", &err));
    assert_string_equal(err.msg, message);
    conf_free(conf);
}

static void bad_configurations_are_named(void **state)
{
    (void)state;
    check_rejected("mc.burst_bytes=48", "mc.burst_bytes: 48 is not a power of two");
    check_rejected("mc.burst_bytes=256", "mc.burst_bytes: 256 is more than block_bytes (128)");
    check_rejected("mc.sector_bytes=256", "mc.sector_bytes: 256 is more than block_bytes (128)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sector_is_one_burst),
        cmocka_unit_test(a_line_is_several_bursts_answered_with_the_last),
        cmocka_unit_test(bursts_may_come_back_in_any_order),
        cmocka_unit_test(bursts_smaller_than_sectors),
        cmocka_unit_test(adjacent_bursts_go_as_one_request),
        cmocka_unit_test(addresses_are_the_channels_own),
        cmocka_unit_test(slices_take_turns),
        cmocka_unit_test(a_full_dram_holds_everything_in_order),
        cmocka_unit_test(so_many_requests_are_in_dram_at_once),
        cmocka_unit_test(the_queue_is_bounded),
        cmocka_unit_test(a_policy_may_read_metadata_first_and_move_less),
        cmocka_unit_test(a_write_may_read_its_block_first),
        cmocka_unit_test(every_request_is_answered_once),
        cmocka_unit_test(bad_configurations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
