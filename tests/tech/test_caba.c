/* Which form lines get, what an engine makes of jobs, and what memory and packets make of forms. */
#include "support_memory.h"
#include "tech/caba/caba_capacity.h"
#include "tech/caba/caba_form.h"
#include "tech/caba/fixed_engine.h"
#include "tech/cmem.h"
#include "tech/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Few different words, far from each other: a dictionary finds them, differences do not. */
static void make_dictionary(struct memory *mem, uint32_t i)
{
    static const uint32_t words[] = {0x12345678, 0x9abcdef0};
    for (uint32_t k = 0; k < MEMORY_BLOCK / 4; k++)
        memcpy(mem->bytes + i * MEMORY_BLOCK + 4 * k, &words[(k * k / 3) & 1], 4);
}

static void the_smallest_code_is_taken(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs all, bdi, none;
    assert_true(line_codecs_init(&all, &mem->m, "t", "bdi,fpc-seg,cpack4", &err));
    assert_true(line_codecs_init(&bdi, &mem->m, "t", "bdi", &err));
    assert_true(line_codecs_init(&none, &mem->m, "t", "", &err));
    memory_make_close(mem, 1);
    memory_make_random(mem, 2);
    make_dictionary(mem, 3);
    for (uint32_t i = 0; i < 4; i++) {
        const struct line_form f = line_codecs_form(&all, memory_block(i));
        uint32_t least = 97; /* what saves no burst is raw */
        uint8_t which = 0;
        for (uint8_t k = 0; k < 3; k++) {
            uint32_t n = codec_bytes(codec_size(all.codecs[k], mem->bytes + i * MEMORY_BLOCK));
            if (n < least) {
                least = n;
                which = k;
            }
        }
        assert_int_equal(f.bytes, least < 97 ? least : 0);
        assert_int_equal(f.algorithm, which);
        assert_int_equal(line_codecs_form(&none, memory_block(i)).bytes, 0);
    }
    assert_int_equal(line_codecs_form(&all, memory_block(3)).algorithm, 2);
    assert_true(line_codecs_form(&bdi, memory_block(3)).bytes == 0 ||
                line_codecs_form(&bdi, memory_block(3)).bytes >
                    line_codecs_form(&all, memory_block(3)).bytes);
    assert_int_equal(line_codecs_form(&all, memory_block(2)).bytes, 0);
    assert_int_equal(line_codecs_form(&all, MEMORY_BASE - 128).bytes, 0); /* not device memory */
    assert_false(line_codecs_init(&none, &mem->m, "t", "bdy", &err));
    assert_non_null(strstr(err.msg, "t: unknown codec 'bdy'"));
    line_codecs_free(&all);
    line_codecs_free(&bdi);
    memory_free(mem);
}

static void lines_have_the_form_that_was_written(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct caba_form *f = caba_form_new(&mem->m, NULL, NULL, 0);
    const struct form_policy p = caba_form_policy(f, false);
    const addr_t a = memory_block(1), b = memory_block(2), outside = MEMORY_BASE - 128;
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 0);
    caba_form_host(f, a, (struct line_form){.bytes = 40, .algorithm = 2});
    caba_form_host(f, b, (struct line_form){0});
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 40);
    assert_int_equal(p.look(p.self, a, true, MEM_READ).algorithm, 2);
    assert_int_equal(p.look(p.self, b, true, MEM_READ).bytes, 0);
    p.store(p.self, b, (struct line_form){.bytes = 17, .algorithm = 0});
    assert_int_equal(p.look(p.self, b, true, MEM_READ).bytes, 17);
    assert_int_equal(p.look(p.self, b, true, MEM_READ).algorithm, 0);
    p.store(p.self, a, (struct line_form){0});
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 0);
    p.store(p.self, outside, (struct line_form){.bytes = 17, .algorithm = 0});
    assert_int_equal(p.look(p.self, outside, true, MEM_READ).bytes, 0);
    const struct caba_form_stats *st = caba_form_stats(f);
    assert_int_equal(st->host_encoded, 1);
    assert_int_equal(st->host_raw, 1);
    assert_int_equal(st->stored_encoded, 1);
    assert_int_equal(st->stored_raw, 1);
    assert_int_equal(st->opened, 1);
    caba_form_free(f);
    memory_free(mem);
}

/* Of lines that could be encoded, since they were written last: not of one that was tried in vain.
 */
static void reads_of_raw_lines_are_counted(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct caba_form *f = caba_form_new(&mem->m, NULL, NULL, 0);
    caba_form_count_reads(f);
    const struct form_policy p = caba_form_policy(f, false);
    const addr_t opened = memory_block(1), left = memory_block(2), tried = memory_block(3);
    caba_form_host(f, opened, (struct line_form){.bytes = 40});
    p.store(p.self, opened, (struct line_form){0});
    p.store(p.self, left, (struct line_form){.reads = 1});
    p.store(p.self, tried, (struct line_form){0});
    for (unsigned i = 0; i < 3; i++) {
        p.read(p.self, opened, true);
        p.read(p.self, left, true);
        p.read(p.self, tried, true);
    }
    assert_int_equal(p.look(p.self, opened, true, MEM_READ).reads, 4);
    assert_int_equal(p.look(p.self, left, true, MEM_READ).reads, 4);
    assert_int_equal(p.look(p.self, tried, true, MEM_READ).reads, 0);
    assert_false(p.change(p.self, opened));
    assert_int_equal(p.look(p.self, opened, true, MEM_READ).reads, 1);
    p.store(p.self, opened, (struct line_form){.bytes = 17});
    p.read(p.self, opened, true);
    assert_int_equal(p.look(p.self, opened, true, MEM_READ).reads, 0);
    assert_int_equal(caba_form_stats(f)->encoded_again, 1);
    caba_form_free(f);
    memory_free(mem);
}

/* What nobody has written has the form of its bytes when it is asked for first, and keeps it. */
static void untouched_lines_are_encoded_when_they_are_touched(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs bdi;
    assert_true(line_codecs_init(&bdi, &mem->m, "t", "bdi-lanes", &err));
    struct cmem_cfg cfg = {
        .codec = {NULL, 128, false}, .is_told = true, .md_bytes = 512, .md_ways = 1};
    struct cmem *memory = cmem_new(&mem->m, &cfg);
    struct caba_form *f = caba_form_new(&mem->m, NULL, NULL, 0);
    const struct form_policy p = caba_form_policy(f, false);
    caba_form_encode_untouched(f, &bdi, memory);
    const addr_t a = memory_block(1), b = memory_block(2);
    assert_int_equal(p.look(p.self, a, false, MEM_READ).bytes, 1); /* zeros */
    memory_make_random(mem, 1);
    assert_int_equal(p.look(p.self, a, false, MEM_READ).bytes, 1);
    p.store(p.self, b, (struct line_form){0});
    assert_int_equal(p.look(p.self, b, false, MEM_READ).bytes, 0);
    caba_form_free(f);
    cmem_free(memory);
    line_codecs_free(&bdi);
    memory_free(mem);
}

/* The L2 opens what it has read; memory keeps its code until the copy is changed. */
static void a_copy_is_raw_after_its_first_use(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct caba_form *f = caba_form_new(&mem->m, NULL, NULL, 0);
    const struct form_policy p = caba_form_policy(f, true);
    const addr_t a = memory_block(1);
    caba_form_host(f, a, (struct line_form){.bytes = 40, .algorithm = 2});
    p.enter(p.self, a, LINE_READ);
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 40);
    p.read(p.self, a, false);
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 0);
    assert_int_equal(p.look(p.self, a, false, MEM_READ).bytes, 40);
    p.enter(p.self, a, LINE_READ); /* it was away */
    assert_int_equal(p.look(p.self, a, true, MEM_READ).bytes, 40);
    assert_false(p.change(p.self, a));
    p.read(p.self, a, false);
    assert_true(p.change(p.self, a)); /* memory has to get all of it */
    assert_int_equal(p.look(p.self, a, false, MEM_READ).bytes, 0);
    assert_int_equal(caba_form_stats(f)->opened, 1);
    p.store(p.self, a, (struct line_form){.bytes = 17, .algorithm = 0});
    p.read(p.self, a, true); /* dirty: it goes to memory as the L2 has it */
    assert_int_equal(p.look(p.self, a, false, MEM_READ).bytes, 0);
    assert_int_equal(caba_form_stats(f)->opened, 2);
    caba_form_free(f);
    memory_free(mem);
}

static void an_engine_takes_its_time(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs bdi;
    struct codec_job job, out;
    assert_true(line_codecs_init(&bdi, &mem->m, "t", "bdi", &err));
    memory_make_close(mem, 1);
    memory_make_random(mem, 2);
    const uint32_t code = codec_bytes(codec_size(bdi.codecs[0], mem->bytes + MEMORY_BLOCK));
    struct fixed_engine *slow = fixed_engine_new(&bdi, 7), *fast = fixed_engine_new(&bdi, 0);
    const struct codec_engine s = fixed_engine_seam(slow), q = fixed_engine_seam(fast);
    job = (struct codec_job){.line = memory_block(1), .kind = CODEC_STORE, .bytes = 128};
    assert_int_equal(q.submit(q.self, 5, &job), CODEC_DONE);
    assert_int_equal(job.bytes, code);
    assert_false(q.done(q.self, 5, &out));
    assert_true(q.next(q.self, 5) == CYCLE_NEVER);
    for (uint32_t i = 0; i < 40; i++) { /* any number, and it grows */
        job = (struct codec_job){
            .line = memory_block(1 + i % 2), .kind = CODEC_STORE, .bytes = 128, .token = i};
        assert_int_equal(s.submit(s.self, 10 + i / 20, &job), CODEC_TAKEN);
    }
    assert_int_equal(s.next(s.self, 11), 17);
    assert_false(s.done(s.self, 16, &out));
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(s.done(s.self, 17 + i / 20, &out));
        assert_int_equal(out.token, i);
        assert_int_equal(out.bytes, i % 2 ? 128 : code);
        if (i == 19)
            assert_false(s.done(s.self, 17, &out));
    }
    assert_true(s.next(s.self, 18) == CYCLE_NEVER);
    fixed_engine_free(slow);
    fixed_engine_free(fast);
    line_codecs_free(&bdi);
    memory_free(mem);
}

/* Bursts are those of the size that the request says, whatever the bytes are now. */
static void memory_is_told_how_large_blocks_are(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    const struct cmem_cfg cfg = {
        .codec = {NULL, MEMORY_BLOCK, false}, .is_told = true, .md_bytes = 1024, .md_ways = 4};
    struct cmem *c = cmem_new(&mem->m, &cfg);
    const struct storage_policy p = cmem_policy(c);
    const addr_t local = interleave_locate(mem->m.il, memory_block(1)).local;
    struct storage_form f;
    cmem_tell(c, local, 40);
    struct mem_req read = memory_request(1, MEM_READ, 15, 0);
    read.form.bytes = 40;
    p.dram_form(p.self, 10, &read, local, 15, &f);
    assert_int_equal(f.bursts, 3);
    assert_int_equal(f.nextras, 1); /* the metadata, first */
    assert_true(f.extras_first);
    assert_int_equal(f.latency, 0);
    struct mem_req write = memory_request(1, MEM_WRITE, 15, 15);
    write.form.bytes = 70;
    p.dram_form(p.self, 11, &write, local, 15, &f);
    assert_int_equal(f.bursts, 7);
    assert_int_equal(f.reads, 0);
    assert_int_equal(f.delay, 0);
    assert_int_equal(f.nextras, 0);
    write.form.bytes = 0;
    p.dram_form(p.self, 12, &write, local, 15, &f);
    assert_int_equal(f.bursts, 15);
    struct mem_req part = memory_request(1, MEM_WRITE, 2, 2);
    p.dram_form(p.self, 13, &part, local, 2, &f);
    assert_int_equal(f.bursts, 2);
    assert_int_equal(f.reads, 0);
    assert_false(p.write_whole(p.self, memory_block(1)));
    const struct cmem_stats *st = cmem_stats(c);
    assert_int_equal(st->recompressed, 2); /* 2 to 3 to 4 bursts */
    assert_int_equal(st->encoded + st->decoded + st->rmw, 0);
    assert_int_equal(st->first_touches, 0);
    cmem_free(c);
    memory_free(mem);
}

static void packets_say_how_large_they_are(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    const struct wire_cfg cfg = {.is_told = true};
    struct wire *w = wire_new(&mem->m, &cfg);
    const struct packet_policy p = wire_policy(w);
    struct mem_req read = memory_request(1, MEM_READ, 15, 0);
    assert_int_equal(p.wire_bytes(p.self, &read, false, 0), 0);
    assert_int_equal(p.wire_bytes(p.self, &read, true, 128), 128); /* all 0, but raw */
    read.form.bytes = 40;
    read.wire_bytes = p.wire_bytes(p.self, &read, true, 128);
    assert_int_equal(read.wire_bytes, 40);
    assert_int_equal(p.fill_latency(p.self, &read, 10), 0);
    struct mem_req sector = memory_request(1, MEM_READ, 2, 0);
    sector.form.bytes = 40;
    assert_int_equal(p.wire_bytes(p.self, &sector, true, 32), 40); /* always the whole line */
    struct mem_req store = memory_request(1, MEM_WRITE, 15, 15);
    store.form.bytes = 9;
    assert_int_equal(p.wire_bytes(p.self, &store, false, 128), 9);
    assert_int_equal(p.send_latency(p.self, &store, 10), 0);
    assert_int_equal(wire_stats(w)->packets, 4);
    assert_int_equal(wire_stats(w)->encoded_packets, 3);
    wire_free(w);
    memory_free(mem);
}

static void lines_take_whole_segments(void **state)
{
    (void)state;
    struct memory *mem = memory_new();
    struct err err;
    struct line_codecs bdi;
    assert_true(line_codecs_init(&bdi, &mem->m, "t", "bdi", &err));
    memory_make_close(mem, 1);
    memory_make_random(mem, 2);
    const struct line_form close = line_codecs_form(&bdi, memory_block(1));
    struct caba_capacity c = {&bdi, 128, 8};
    const struct capacity_policy p = caba_capacity_policy(&c, 2);
    const struct line_form raw = {0}, coded = {.bytes = 41, .algorithm = 0};
    assert_int_equal(p.tag_factor, 2);
    assert_int_equal(p.line_bytes(p.self, memory_block(1), NULL), (close.bytes + 7) / 8 * 8);
    assert_int_equal(p.line_bytes(p.self, memory_block(2), NULL), 128);
    assert_int_equal(p.line_bytes(p.self, memory_block(1), &raw), 128);
    assert_int_equal(p.line_bytes(p.self, memory_block(1), &coded), 48);
    assert_int_equal(p.hit_latency(p.self, 48, 10), 0);
    line_codecs_free(&bdi);
    memory_free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_code_is_taken),
        cmocka_unit_test(lines_have_the_form_that_was_written),
        cmocka_unit_test(reads_of_raw_lines_are_counted),
        cmocka_unit_test(untouched_lines_are_encoded_when_they_are_touched),
        cmocka_unit_test(a_copy_is_raw_after_its_first_use),
        cmocka_unit_test(an_engine_takes_its_time),
        cmocka_unit_test(memory_is_told_how_large_blocks_are),
        cmocka_unit_test(packets_say_how_large_they_are),
        cmocka_unit_test(lines_take_whole_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
