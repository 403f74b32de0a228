/* Jobs and results: each job once, results that outlive the command, figures made of what is
 * known. */
#include "study/study_figures.h"
#include "study/support_folder.h"

#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct err err;

/* --- plans --- */

static void an_equal_job_is_planned_once_with_the_lower_rank(void **state)
{
    struct study_plan *p = study_plan_new();
    struct study_job a = {.gpu = "g", .workload = "w", .design = "base", .rank = 3};
    struct study_job b = {.gpu = "g", .workload = "w", .design = "other", .rank = 2};
    size_t n;
    (void)state;
    assert_int_equal(study_plan_add(p, &a), 0);
    assert_int_equal(study_plan_add(p, &b), 1);
    a.rank = 1;
    assert_int_equal(study_plan_add(p, &a), 0);
    struct study_job *jobs = study_plan_jobs(p, &n);
    assert_int_equal(n, 2);
    assert_int_equal(jobs[0].rank, 1);
    study_plan_free(p);
}

/* "{FIELD}" is a file of the run with what stands before it. */
static void a_job_that_needs_a_file_brings_its_maker(void **state)
{
    struct study_plan *p = study_plan_new();
    const struct study_job j = {
        .gpu = "g", .workload = "w", .design = "t@t.bits=8@t.table={t.save}@t.ways=2"};
    size_t n;
    (void)state;
    assert_int_equal(study_plan_add(p, &j), 1);
    struct study_job *jobs = study_plan_jobs(p, &n);
    assert_int_equal(n, 2);
    assert_string_equal(jobs[0].design, "t@t.bits=8");
    assert_string_equal(jobs[0].saves, "t.save");
    study_plan_free(p);
}

/* Codecs look at arrays, which are the same on every machine. */
static void codec_jobs_of_all_machines_are_one(void **state)
{
    struct study_plan *p = study_plan_new();
    struct study_job j = {.kind = STUDY_CODEC, .gpu = "g", .workload = "w", .design = "bdi"};
    size_t n;
    (void)state;
    const size_t first = study_plan_add(p, &j);
    j.gpu = "h";
    assert_int_equal(study_plan_add(p, &j), first);
    study_plan_jobs(p, &n);
    assert_int_equal(n, 2); /* it, and the dump that it reads */
    study_plan_free(p);
}

/* --- the store --- */

static struct study_store *open_store(void **state)
{
    char *path = folder_path(state, "results.db");
    struct study_store *st = study_store_open(path, &err);
    assert_non_null(st);
    free(path);
    return st;
}

static void put(struct study_store *st, const struct study_setup *s, struct study_job j,
                double cycles)
{
    j.result = json_object_new_object();
    json_object_object_add(j.result, "cycles", json_object_new_double(cycles));
    j.seconds = cycles / 100;
    assert_true(study_store_put(st, s, &j, &err));
    json_object_put(j.result);
}

static double cycles_of(struct study_store *st, const struct study_setup *s,
                        const struct study_job *j)
{
    double seconds;
    struct json_object *o = study_store_get(st, s, j, &seconds, NULL);
    double v = o ? study_metric(o, "", "cycles") : NAN;
    json_object_put(o);
    return v;
}

static void a_result_is_found_again_by_its_own_build_and_size(void **state)
{
    struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    const struct study_job j = {.gpu = "g", .workload = "w", .design = "base"};
    struct study_store *st = open_store(state);
    put(st, &s, j, 700);
    study_store_close(st);
    st = open_store(state);
    assert_float_equal(cycles_of(st, &s, &j), 700, 0);
    s.size = "small";
    assert_true(isnan(cycles_of(st, &s, &j)));
    s.size = "tiny";
    s.build = "fedcba9876543210";
    assert_true(isnan(cycles_of(st, &s, &j)));
    study_store_close(st);
}

static void a_failure_is_told_until_there_is_a_result(void **state)
{
    const struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    struct study_job j = {.gpu = "g", .workload = "w", .design = "base", .error = "it broke"};
    struct study_store *st = open_store(state);
    char *why = NULL;
    double seconds;
    assert_true(study_store_put(st, &s, &j, &err));
    assert_null(study_store_get(st, &s, &j, &seconds, &why));
    assert_string_equal(why, "it broke");
    free(why);
    why = NULL;
    put(st, &s, j, 1);
    json_object_put(study_store_get(st, &s, &j, &seconds, &why));
    assert_null(why);
    study_store_close(st);
}

static void time_is_expected_from_the_same_design_then_from_others(void **state)
{
    struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    struct study_job j = {.gpu = "g", .workload = "w", .design = "a"};
    struct study_store *st = open_store(state);
    assert_true(isnan(study_store_expect(st, &s, &j, true)));
    put(st, &s, j, 100);
    j.design = "b";
    put(st, &s, j, 300);
    assert_float_equal(study_store_expect(st, &s, &j, false), 3, 0);
    j.design = "c";
    assert_float_equal(study_store_expect(st, &s, &j, false), 2, 0);
    s.size = "large";
    assert_true(isnan(study_store_expect(st, &s, &j, false)));
    assert_float_equal(study_store_expect(st, &s, &j, true), 2, 0);
    study_store_close(st);
}

/* --- figures --- */

static const char experiment[] = "figure:\n"
                                 "  title: \"a test\"\n"
                                 "  unit: \"speedup\"\n"
                                 "  gpu: g\n"
                                 "  workloads: [w1, w2]\n"
                                 "  designs: [base, fast]\n"
                                 "  metric: cycles\n"
                                 "  normalise: base_over\n"
                                 "  reported: [\"-\", \"1.5\"]\n";

static bool any_workload(const char *name, struct err *e)
{
    (void)name, (void)e;
    return true;
}

static PRINTF_LIKE(1, 2) void keep_error(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err.msg, sizeof err.msg, fmt, ap);
    va_end(ap);
}

/* The pages of what the store in the folder has. */
static enum study_end report(void **state, char *name)
{
    char *pages = folder_path(state, "pages");
    const struct study_figures o = {.setup = {.size = "tiny", .folder = *state, .quiet = true},
                                    .report = pages,
                                    .build = "newest",
                                    .check_workload = any_workload,
                                    .say = keep_error};
    FILE *out = fopen("/dev/null", "w");
    enum study_end end = study_figures(&o, &name, 1, out);
    fclose(out);
    free(pages);
    return end;
}

static void a_page_is_made_of_what_is_known(void **state)
{
    const struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    const double cycles[] = {100, 50, 300, 200};
    struct study_store *st = open_store(state);
    folder_write(state, "test.yaml", experiment, strlen(experiment));
    for (int i = 0; i < 4; i++)
        put(st, &s,
            (struct study_job){
                .gpu = "g", .workload = i < 2 ? "w1" : "w2", .design = i % 2 ? "fast" : "base"},
            cycles[i]);
    study_store_close(st);
    char *name = folder_path(state, "test.yaml");
    assert_int_equal(report(state, name), STUDY_DONE);
    char *page = folder_read(state, "pages/test.md"), *all = folder_read(state, "pages/README.md");
    assert_non_null(strstr(page, "2.000"));
    assert_non_null(strstr(page, "1.500"));
    assert_non_null(strstr(all, "a test"));
    assert_non_null(strstr(all, "1.732")); /* sqrt(2 * 1.5) */
    free(page);
    free(all);
    free(name);
}

static void a_figure_without_some_runs_is_incomplete(void **state)
{
    const struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    struct study_store *st = open_store(state);
    folder_write(state, "test.yaml", experiment, strlen(experiment));
    put(st, &s, (struct study_job){.gpu = "g", .workload = "w1", .design = "base"}, 100);
    study_store_close(st);
    char *name = folder_path(state, "test.yaml");
    assert_int_equal(report(state, name), STUDY_INCOMPLETE);
    free(name);
}

static void what_is_no_experiment_is_refused(void **state)
{
    const struct study_setup s = {.build = "0123456789abcdef", .size = "tiny"};
    struct study_store *st = open_store(state);
    put(st, &s, (struct study_job){.gpu = "g", .workload = "w1", .design = "base"}, 100);
    study_store_close(st);
    assert_int_equal(report(state, "nosuch"), STUDY_REFUSED);
    assert_non_null(strstr(err.msg, "no experiment 'nosuch'"));
    folder_write(state, "test.yaml", "figure:\n  designs: [base]\n", 26);
    char *name = folder_path(state, "test.yaml");
    assert_int_equal(report(state, name), STUDY_REFUSED);
    assert_non_null(strstr(err.msg, "figure.workloads and figure.designs are needed"));
    free(name);
}

static void every_experiment_that_comes_with_parsim_can_be_read(void **state)
{
    size_t n = 0;
    (void)state;
    for (const struct study_text *t = study_texts(); t->name; t++, n++) {
        struct study_file *f = study_file_load(t->name, &err);
        if (!f)
            fail_msg("%s", err.msg);
        assert_true(*f->figure.title);
        study_file_free(f);
    }
    assert_true(n > 0);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_equal_job_is_planned_once_with_the_lower_rank),
        cmocka_unit_test(a_job_that_needs_a_file_brings_its_maker),
        cmocka_unit_test(codec_jobs_of_all_machines_are_one),
        IN_FOLDER(a_result_is_found_again_by_its_own_build_and_size),
        IN_FOLDER(a_failure_is_told_until_there_is_a_result),
        IN_FOLDER(time_is_expected_from_the_same_design_then_from_others),
        IN_FOLDER(a_page_is_made_of_what_is_known),
        IN_FOLDER(a_figure_without_some_runs_is_incomplete),
        IN_FOLDER(what_is_no_experiment_is_refused),
        cmocka_unit_test(every_experiment_that_comes_with_parsim_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
