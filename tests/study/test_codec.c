/* The analysis of files: what every column counts adds up, whoever counted; a file in a codec's
 * format comes back as it was. */
#include "base/file.h"
#include "base/rng.h"
#include "study/codec/codec_study.h"
#include "study/support_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 128, MAG = 32, BLOCKS = 6000, TAIL = 5, BYTES = BLOCKS * BLOCK + TAIL };

static struct err err;

/* A third zero, a third small numbers, a third noise. */
static void write_data(void **state)
{
    static uint8_t data[BYTES];
    struct rng rng = {7};
    for (size_t i = 0; i < BYTES; i++)
        data[i] = i / BLOCK % 3 == 0   ? 0
                  : i / BLOCK % 3 == 1 ? (i % 4 ? 0 : (uint8_t)rng_below(&rng, 16))
                                       : (uint8_t)rng_u64(&rng);
    folder_write(state, "data", data, sizeof data);
}

static struct codec_options options(unsigned threads)
{
    struct codec_options o = {.block_bytes = BLOCK,
                              .mag_bytes = MAG,
                              .threads = threads,
                              .values = CODEC_VALUES,
                              .shannon = true};
    const char *const names[] = {"bdi", "zero", "e2mc", "zstd"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        o.names[o.ncolumns++] = names[i];
    return o;
}

static void scan(void **state, const struct codec_options *o, struct codec_report *r)
{
    char *path = folder_path(state, "data");
    if (!codec_scan(path, o, r, &err))
        fail_msg("%s", err.msg);
    r->file = "data";
    free(path);
}

static void all_that_is_counted_adds_up(void **state)
{
    const struct codec_options o = options(1);
    struct codec_report r;
    write_data(state);
    scan(state, &o, &r);
    assert_int_equal(r.blocks, BLOCKS);
    assert_int_equal(r.tail_bytes, TAIL);
    for (unsigned i = 0; i < r.ncolumns; i++) {
        const struct codec_column *c = &r.columns[i];
        uint64_t blocks = 0, bursts = 0, classes = 0, bytes = 0;
        for (unsigned k = 0; k < CODEC_BURSTS_MAX; k++) {
            blocks += c->burst_blocks[k];
            bursts += k * c->burst_blocks[k];
        }
        for (unsigned k = 0; k < CODEC_CLASSES; k++)
            classes += c->class_blocks[k];
        for (uint64_t w = 0; w < r.nwindows; w++)
            bytes += r.window_sizes[w * r.ncolumns + i];
        assert_int_equal(blocks, BLOCKS);
        assert_int_equal(classes, BLOCKS);
        assert_int_equal(bursts, c->bursts);
        assert_int_equal(bytes, c->bytes);
        assert_true(codec_ratio(&r, c) > 1 && codec_ratio(&r, c) < 3.5);
        assert_true(codec_ratio_mag(&r, c) <= codec_ratio(&r, c));
    }
    codec_report_free(&r);
}

/* `zero` needs nothing for a block of zeros, and encodes no other. */
static void a_column_has_what_its_codec_says_of_each_block(void **state)
{
    const struct codec_options o = options(1);
    struct codec_report r;
    write_data(state);
    scan(state, &o, &r);
    assert_int_equal(r.columns[1].burst_blocks[0], BLOCKS / 3);
    assert_int_equal(r.columns[1].burst_blocks[BLOCK / MAG], BLOCKS - BLOCKS / 3);
    codec_report_free(&r);
}

static void threads_and_windows_change_no_sum(void **state)
{
    struct codec_options one = options(1), four = options(4);
    struct codec_report a, b;
    four.window_bytes = 5 * BLOCK;
    write_data(state);
    scan(state, &one, &a);
    scan(state, &four, &b);
    for (unsigned i = 0; i < a.ncolumns; i++) {
        assert_int_equal(a.columns[i].bytes, b.columns[i].bytes);
        assert_int_equal(a.columns[i].bursts, b.columns[i].bursts);
        assert_memory_equal(a.columns[i].kinds, b.columns[i].kinds, sizeof a.columns[i].kinds);
    }
    for (unsigned l = 0; l < CODEC_LENGTHS; l++)
        assert_float_equal(a.entropy[l], b.entropy[l], 0);
    codec_report_free(&a);
    codec_report_free(&b);
}

/* While a table is made from a sample, its codec's blocks go raw. */
static void sampled_blocks_stay_raw(void **state)
{
    struct codec_options o = options(1);
    struct codec_report r;
    write_data(state);
    o.sample_bytes = BYTES;
    scan(state, &o, &r);
    assert_int_equal(r.columns[2].bytes, BLOCKS * BLOCK);
    assert_true(r.columns[0].bytes < BLOCKS * BLOCK);
    codec_report_free(&r);
}

static void the_plain_name_is_in_the_json_beside_the_long_one(void **state)
{
    struct codec_options o = options(1);
    struct codec_report r;
    write_data(state);
    o.names[2] = "e2mc-16";
    scan(state, &o, &r);
    char *path = folder_path(state, "out.json");
    assert_true(codec_write_json(path, &r, 1, false, &err));
    char *text = folder_read(state, "out.json");
    assert_non_null(strstr(text, "\"e2mc-16\""));
    assert_non_null(strstr(text, "\"e2mc\""));
    free(text);
    free(path);
    codec_report_free(&r);
}

static void an_encoded_file_comes_back_with_its_tail(void **state)
{
    const char *const codecs[] = {"bdi", "e2mc-8", "bestof"};
    char *in = folder_path(state, "data"), *code = folder_path(state, "code"),
         *out = folder_path(state, "back");
    size_t n = 0, coded = 0, back = 0;
    write_data(state);
    for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
        const struct codec_file to = {codecs[i], in, code, NULL, BLOCK, MAG};
        const struct codec_file from = {.in = code, .out = out};
        if (!codec_encode_file(&to, &err) || !codec_decode_file(&from, &err))
            fail_msg("%s: %s", codecs[i], err.msg);
        char *a = file_read(in, &n, &err), *b = file_read(out, &back, &err),
             *c = file_read(code, &coded, &err);
        assert_int_equal(n, back);
        assert_memory_equal(a, b, n);
        assert_true(coded < n);
        free(a);
        free(b);
        free(c);
    }
    free(in);
    free(code);
    free(out);
}

static void what_cannot_be_is_refused_by_name(void **state)
{
    struct codec_options o = options(1);
    (void)state;
    assert_false(codec_check_name(&o, "nosuch", &err));
    assert_non_null(strstr(err.msg, "nosuch"));
    assert_true(codec_check_name(&o, "lz4", &err));
    assert_true(codec_check_name(&o, "e2mc-8", &err)); /* its table comes later */
    o.block_bytes = 48;
    assert_false(codec_check_name(&o, "bdi", &err));
    assert_non_null(strstr(err.msg, "48"));
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(all_that_is_counted_adds_up),
        IN_FOLDER(a_column_has_what_its_codec_says_of_each_block),
        IN_FOLDER(threads_and_windows_change_no_sum),
        IN_FOLDER(sampled_blocks_stay_raw),
        IN_FOLDER(the_plain_name_is_in_the_json_beside_the_long_one),
        IN_FOLDER(an_encoded_file_comes_back_with_its_tail),
        cmocka_unit_test(what_cannot_be_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
