/* What a channel with compressed blocks asks of DRAM, access by access. */
#include "support_memory.h"
#include "tech/cmem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct rig {
    struct memory *mem;
    struct codec *codec;
    struct cmem *c;
    struct storage_policy p;
};

static struct rig rig_new(bool is_raw_above, bool free_metadata)
{
    struct rig r = {.mem = memory_new()};
    const struct codec_params params = {.block_bytes = MEMORY_BLOCK, .mag_bytes = 32};
    struct codec_error err;
    r.codec = codec_new("bdi", &params, &err);
    const struct cmem_cfg cfg = {.codec = {r.codec, MEMORY_BLOCK, true},
                                 .is_raw_above = is_raw_above,
                                 .free_metadata = free_metadata,
                                 .md_bytes = 128,
                                 .md_ways = 2,
                                 .encode = {5, 1},
                                 .decode = {1, 1}};
    r.c = cmem_new(&r.mem->m, &cfg);
    r.p = cmem_policy(r.c);
    return r;
}

static void rig_free(struct rig *r)
{
    cmem_free(r->c);
    codec_free(r->codec);
    memory_free(r->mem);
}

static struct storage_form form(struct rig *r, const struct mem_req *q, uint32_t raw)
{
    struct storage_form f;
    memset(&f, 0xff, sizeof f);
    r->p.dram_form(r->p.self, 100, q, q->addr & ~(addr_t)127, raw, &f);
    return f;
}

static struct storage_form read_all(struct rig *r, uint32_t block)
{
    struct mem_req q = memory_request(block, MEM_READ, 15, 0);
    return form(r, &q, 15);
}

static struct storage_form write_some(struct rig *r, uint32_t block, uint16_t sectors)
{
    struct mem_req q = memory_request(block, MEM_WRITE, sectors, sectors);
    return form(r, &q, sectors);
}

static void a_read_moves_the_bursts_of_the_code(void **state)
{
    (void)state;
    struct rig r = rig_new(true, true);
    memory_make_close(r.mem, 1); /* 4-byte base, 1-byte differences: 36 bytes and a head */
    memory_make_random(r.mem, 2);
    struct storage_form f = read_all(&r, 0);
    assert_int_equal(f.bursts, 1);
    assert_int_equal(f.latency, 1);
    assert_int_equal(f.nextras, 0);
    assert_int_equal(f.reads, 0);
    assert_int_equal(f.delay, 0);
    f = read_all(&r, 1);
    assert_int_equal(f.bursts, 3);
    f = read_all(&r, 2);
    assert_int_equal(f.bursts, 15);
    assert_int_equal(f.latency, 0);
    struct mem_req sector = memory_request(2, MEM_READ, 4, 0);
    assert_int_equal(form(&r, &sector, 4).bursts, 4); /* of a raw block */
    sector = memory_request(1, MEM_READ, 4, 0);
    assert_int_equal(form(&r, &sector, 4).bursts, 3); /* all of a code */
    const struct cmem_stats *st = cmem_stats(r.c);
    assert_int_equal(st->reads, 5);
    assert_int_equal(st->read_bursts, 1 + 2 + 4 + 1 + 2);
    assert_int_equal(st->read_bursts_raw, 4 + 4 + 4 + 1 + 1);
    assert_int_equal(st->first_touches, 3);
    rig_free(&r);
}

static void sizes_are_those_of_the_last_write_back(void **state)
{
    (void)state;
    struct rig r = rig_new(true, true);
    assert_int_equal(read_all(&r, 3).bursts, 1);
    memory_make_random(r.mem, 3); /* stored, but still in the L2 */
    assert_int_equal(read_all(&r, 3).bursts, 1);
    assert_true(r.p.write_whole(r.p.self, memory_block(3)));
    struct storage_form f = write_some(&r, 3, 15);
    assert_int_equal(f.bursts, 15);
    assert_int_equal(f.delay, 5);
    assert_int_equal(f.latency, 0);
    assert_int_equal(read_all(&r, 3).bursts, 15);
    assert_false(r.p.write_whole(r.p.self, memory_block(3)));
    memset(r.mem->bytes + 3 * MEMORY_BLOCK, 0, MEMORY_BLOCK);
    assert_int_equal(read_all(&r, 3).bursts, 15);
    cmem_forget(r.c, memory_block(3)); /* the host wrote it */
    assert_int_equal(read_all(&r, 3).bursts, 1);
    rig_free(&r);
}

static void a_part_of_a_code_is_changed_by_reading_it(void **state)
{
    (void)state;
    struct rig r = rig_new(false, true);
    memory_make_close(r.mem, 4);
    struct storage_form f = write_some(&r, 4, 2);
    assert_int_equal(f.reads, 3);
    assert_int_equal(f.bursts, 3);
    assert_int_equal(f.delay, 1 + 5);
    f = write_some(&r, 4, 15); /* encoded above: no engine here */
    assert_int_equal(f.reads, 0);
    assert_int_equal(f.delay, 0);
    memory_make_random(r.mem, 5);
    f = write_some(&r, 5, 2);
    assert_int_equal(f.reads, 0);
    assert_int_equal(f.bursts, 2);
    struct mem_req bytes = memory_request(5, MEM_WRITE, 6, 2); /* of the third sector a part */
    f = form(&r, &bytes, 6);
    assert_int_equal(f.reads, 4);
    assert_int_equal(f.bursts, 6);
    assert_int_equal(cmem_stats(r.c)->rmw, 2);
    assert_int_equal(cmem_stats(r.c)->rmw_bursts, 3);
    rig_free(&r);
}

/* A burst of metadata is for 128 blocks; the cache has two sets of two. */
static void metadata_misses_are_accesses(void **state)
{
    (void)state;
    struct rig r = rig_new(true, false);
    struct storage_form f = read_all(&r, 0);
    const addr_t top = MEMORY_BASE + MEMORY_BLOCKS * MEMORY_BLOCK - MEMORY_BLOCKS / 4;
    assert_int_equal(f.nextras, 1);
    assert_true(f.extras_first);
    assert_int_equal(f.extras[0].kind, MEM_READ);
    assert_int_equal(f.extras[0].addr, top);
    assert_int_equal(read_all(&r, 127).nextras, 0);
    f = read_all(&r, 128);
    assert_int_equal(f.nextras, 1);
    assert_int_equal(f.extras[0].addr, top + 32);
    f = write_some(&r, 256, 15); /* changes metadata, waits for none */
    assert_int_equal(f.nextras, 1);
    assert_false(f.extras_first);
    read_all(&r, 512);
    f = read_all(&r, 768);
    assert_int_equal(f.nextras, 2);
    assert_int_equal(f.extras[1].kind, MEM_WRITE);
    assert_int_equal(f.extras[1].addr, top + 2 * 32);
    const struct cmem_stats *st = cmem_stats(r.c);
    assert_int_equal(st->md_hits, 1);
    assert_int_equal(st->md_misses, 5);
    assert_int_equal(st->md_write_backs, 1);
    rig_free(&r);
}

static void what_is_no_device_memory_passes(void **state)
{
    (void)state;
    struct rig r = rig_new(true, false);
    struct mem_req q = memory_request(MEMORY_BLOCKS + 5, MEM_READ, 15, 0);
    struct storage_form f = form(&r, &q, 15);
    assert_int_equal(f.bursts, 15);
    assert_int_equal(f.nextras, 0);
    assert_int_equal(cmem_stats(r.c)->raw_bursts, 4);
    assert_false(r.p.write_whole(r.p.self, memory_block(MEMORY_BLOCKS + 5)));
    rig_free(&r);
}

static void an_encoded_l2_decodes_for_atomics_and_parts(void **state)
{
    (void)state;
    struct rig r = rig_new(false, true), raw = rig_new(true, true);
    memory_make_random(r.mem, 7);
    memory_make_close(r.mem, 8);
    struct mem_req all = memory_request(0, MEM_READ, 15, 0);
    struct mem_req part = memory_request(8, MEM_READ, 1, 0);
    struct mem_req large = memory_request(8, MEM_READ, 3, 0); /* the code is not larger */
    struct mem_req atomic = memory_request(0, MEM_ATOMIC, 1, 0);
    struct mem_req none = memory_request(7, MEM_READ, 1, 0);
    assert_int_equal(r.p.l2_latency(r.p.self, &all), 0);
    assert_int_equal(r.p.l2_latency(r.p.self, &part), 1);
    assert_int_equal(r.p.l2_latency(r.p.self, &large), 0);
    assert_int_equal(r.p.l2_latency(r.p.self, &atomic), 6);
    assert_int_equal(r.p.l2_latency(r.p.self, &none), 0);
    assert_int_equal(raw.p.l2_latency(raw.p.self, &atomic), 0);
    rig_free(&r);
    rig_free(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_moves_the_bursts_of_the_code),
        cmocka_unit_test(sizes_are_those_of_the_last_write_back),
        cmocka_unit_test(a_part_of_a_code_is_changed_by_reading_it),
        cmocka_unit_test(metadata_misses_are_accesses),
        cmocka_unit_test(what_is_no_device_memory_passes),
        cmocka_unit_test(an_encoded_l2_decodes_for_atomics_and_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
