/* What encoded packets weigh, and what engines at an SM make of them. */
#include "support_memory.h"
#include "tech/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void packets_carry_codes_where_they_are_smaller(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    const struct codec_params params = {.block_bytes = MEMORY_BLOCK, .mag_bytes = 32};
    struct codec_error err;
    struct codec *codec = codec_new("bdi", &params, &err);
    const struct wire_cfg cfg = {{codec, MEMORY_BLOCK, true}, {5, 1}, {1, 1}, false};
    struct wire *w = wire_new(&mem->m, &cfg);
    struct packet_policy p = wire_policy(w);
    memory_make_close(mem, 1);
    memory_make_random(mem, 2);
    const uint32_t code = codec_bytes(codec_size(codec, mem->bytes + MEMORY_BLOCK));
    assert_true(code > 32 && code < 64);

    struct mem_req read = memory_request(1, MEM_READ, 15, 0);
    assert_int_equal(p.wire_bytes(p.self, &read, false, 0), 0);
    read.wire_bytes = p.wire_bytes(p.self, &read, true, 128);
    assert_int_equal(read.wire_bytes, code);
    assert_int_equal(p.fill_latency(p.self, &read, 10), 1);
    assert_int_equal(p.fill_latency(p.self, &read, 10), 2); /* behind the other */
    struct mem_req sector = memory_request(1, MEM_READ, 2, 0);
    sector.wire_bytes = p.wire_bytes(p.self, &sector, true, 32);
    assert_int_equal(sector.wire_bytes, 32);
    assert_int_equal(p.fill_latency(p.self, &sector, 20), 0);
    struct mem_req random = memory_request(2, MEM_READ, 15, 0);
    assert_int_equal(p.wire_bytes(p.self, &random, true, 128), 128);

    struct mem_req store = memory_request(1, MEM_WRITE, 15, 15);
    store.wire_bytes = p.wire_bytes(p.self, &store, false, 128);
    assert_int_equal(store.wire_bytes, code);
    assert_int_equal(p.send_latency(p.self, &store, 30), 5);
    assert_int_equal(p.wire_bytes(p.self, &store, true, 0), 0);
    struct mem_req part = memory_request(1, MEM_WRITE, 7, 7);
    assert_int_equal(p.wire_bytes(p.self, &part, false, 96), 96);
    assert_int_equal(p.send_latency(p.self, &part, 40), 0);
    struct mem_req atomic = memory_request(0, MEM_ATOMIC, 15, 0);
    assert_int_equal(p.wire_bytes(p.self, &atomic, false, 128), 128);
    assert_int_equal(p.wire_bytes(p.self, &atomic, true, 128), 128);

    const struct wire_stats *st = wire_stats(w);
    assert_int_equal(st->packets, 7);
    assert_int_equal(st->encoded_packets, 2);
    assert_int_equal(st->payload_bytes - st->wire_bytes, 2 * (128 - code));
    assert_int_equal(st->decoded, 2);
    assert_int_equal(st->decode_waits, 1);
    assert_int_equal(st->encoded, 1);
    wire_free(w);
    codec_free(codec);
    memory_free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_carry_codes_where_they_are_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
