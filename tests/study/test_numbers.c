/* From results to tables: which number a metric is, what tables make of numbers, what they look
 * like. */
#include "study/study.h"

#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char run_text[] =
    "{\"cycles\": 1000, \"stats\": {\"dram\": {\"bandwidth_fraction\": 0.5, \"rd\": 30, \"wr\": "
    "10},"
    " \"cmem\": {\"ratio_bursts\": 0}}, \"summary\": {\"bottleneck\": \"DRAM bandwidth\"},"
    " \"machine\": {\"sm\": {\"registers\": 32768}},"
    " \"kernels\": [{\"cycles\": 300, \"block\": [64, 2, 1], \"ctas_per_sm\": 4, \"registers\": "
    "16},"
    "               {\"cycles\": 100, \"block\": [33, 1, 1], \"ctas_per_sm\": 8, \"registers\": "
    "32}]}";

static const char codec_text[] =
    "{\"files\": [{\"codecs\": {\"bdi\": {\"ratio\": 1.5}, \"gsr\": {\"ratio\": 1.25}},"
    " \"shannon\": {\"8\": {\"ratio\": 2.5}}}]}";

static void metrics_are_names_paths_sums_and_quotients(void **state)
{
    struct json_object *run = json_tokener_parse(run_text);
    (void)state;
    assert_float_equal(study_metric(run, "base", "cycles"), 1000, 0);
    assert_float_equal(study_metric(run, "base", "bandwidth"), 0.5, 0);
    assert_float_equal(study_metric(run, "base", "stats.dram.rd"), 30, 0);
    assert_float_equal(study_metric(run, "base", "stats.dram.rd+stats.dram.wr"), 40, 0);
    assert_float_equal(study_metric(run, "base", "stats.dram.rd/stats.dram.rd+stats.dram.wr"), 0.75,
                       0);
    json_object_put(run);
}

static void what_a_result_does_not_have_is_no_number(void **state)
{
    struct json_object *run = json_tokener_parse(run_text);
    (void)state;
    assert_true(isnan(study_metric(run, "base", "energy")));
    assert_true(isnan(study_metric(run, "base", "stats.dram.nosuch")));
    assert_true(isnan(study_metric(run, "base", "stats.dram")));
    assert_true(isnan(study_metric(run, "base", "cycles+nosuch")));
    assert_true(isnan(study_metric(run, "base", "ratio"))); /* of nothing: 0 */
    json_object_put(run);
}

static void of_codecs_the_design_names_the_column(void **state)
{
    struct json_object *r = json_tokener_parse(codec_text);
    (void)state;
    assert_float_equal(study_metric(r, "bdi", "codec_ratio"), 1.5, 0);
    assert_float_equal(study_metric(r, "gsr@values=7", "codec_ratio"), 1.25, 0);
    assert_float_equal(study_metric(r, "shannon-8", "codec_ratio"), 2.5, 0);
    assert_true(isnan(study_metric(r, "shannon-16", "codec_ratio")));
    json_object_put(r);
}

/* 4 blocks of 4 warps of 16 registers leave 3/4; 8 of 2 warps (33 threads) of 32 leave 1/2. */
static void a_digest_keeps_what_kernels_said(void **state)
{
    struct json_object *run = json_tokener_parse(run_text);
    (void)state;
    study_digest(run);
    json_object_object_del(run, "kernels");
    assert_float_equal(study_metric(run, "base", "static.unallocated_registers"),
                       (300 * 0.75 + 100 * 0.5) / 400, 1e-12);
    assert_string_equal(study_bottleneck(run), "DRAM bandwidth");
    assert_string_equal(study_bottleneck(NULL), "");
    json_object_put(run);
}

/* --- tables --- */

static const char *const programs[] = {"one", "two", "three"};
static const char *const designs[] = {"base", "fast"};

/* Three programs under two designs; the second has no result of `fast`. */
static void table_make(struct study_table *t)
{
    const double values[] = {100, 50, 100, NAN, 100, 200};
    study_table_init(t, 3, 2);
    memcpy(t->values, values, sizeof values);
    t->title = "a table";
    t->unit = "speedup";
    t->rows = programs;
    t->columns = designs;
}

static void means_are_of_programs_that_every_design_has(void **state)
{
    struct study_table t;
    (void)state;
    table_make(&t);
    study_table_normalise(&t, STUDY_BASE_OVER, 0);
    study_table_average(&t, STUDY_GEOMETRIC);
    assert_float_equal(t.values[1], 2, 0);
    assert_true(isnan(t.values[3]));
    assert_float_equal(t.values[5], 0.5, 0);
    assert_int_equal(t.complete, 2);
    assert_float_equal(t.means[1], 1, 1e-12);
    study_table_average(&t, STUDY_ARITHMETIC);
    assert_float_equal(t.means[1], 1.25, 1e-12);
    study_table_free(&t);
}

static void a_share_is_of_the_parts_of_one_design(void **state)
{
    const double values[] = {1, 3, 2, 2, 0, 0};
    struct study_table t;
    (void)state;
    study_table_init(&t, 1, 6);
    memcpy(t.values, values, sizeof values);
    t.stack = 2;
    study_table_normalise(&t, STUDY_SHARE, 0);
    assert_float_equal(t.values[0], 0.25, 0);
    assert_float_equal(t.values[1], 0.75, 0);
    assert_float_equal(t.values[2], 0.5, 0);
    assert_true(isnan(t.values[4])); /* nothing has no shares */
    study_table_free(&t);
}

typedef void (*writer)(const struct study_table *t, FILE *out);

static char *written(writer write, const struct study_table *t)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    write(t, f);
    fclose(f);
    return text;
}

static void every_form_has_programs_designs_and_the_mean(void **state)
{
    const writer writers[] = {study_table_print, study_table_markdown, study_table_csv,
                              study_table_plot};
    struct study_table t;
    (void)state;
    table_make(&t);
    study_table_normalise(&t, STUDY_BASE_OVER, 0);
    study_table_average(&t, STUDY_GEOMETRIC);
    for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
        char *text = written(writers[i], &t);
        for (size_t p = 0; p < ARRAY_LEN(programs); p++)
            assert_non_null(strstr(text, programs[p]));
        assert_non_null(strstr(text, "fast"));
        assert_non_null(strstr(text, "mean"));
        assert_null(strstr(text, "nan"));
        free(text);
    }
    study_table_free(&t);
}

static void a_picture_says_what_is_missing(void **state)
{
    struct study_table t;
    (void)state;
    table_make(&t);
    study_table_average(&t, STUDY_GEOMETRIC);
    char *whole = written(study_table_plot, &t);
    assert_null(strstr(whole, "missing"));
    t.missing = 1;
    char *partial = written(study_table_plot, &t);
    assert_non_null(strstr(partial, "1 runs are missing"));
    free(whole);
    free(partial);
    study_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_names_paths_sums_and_quotients),
        cmocka_unit_test(what_a_result_does_not_have_is_no_number),
        cmocka_unit_test(of_codecs_the_design_names_the_column),
        cmocka_unit_test(a_digest_keeps_what_kernels_said),
        cmocka_unit_test(means_are_of_programs_that_every_design_has),
        cmocka_unit_test(a_share_is_of_the_parts_of_one_design),
        cmocka_unit_test(every_form_has_programs_designs_and_the_mean),
        cmocka_unit_test(a_picture_says_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
