/* Statistics from rows: sums, histograms, formulas, samples; as text, CSV, JSON and SQLite. */
#include "stats/stats_int.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TOY_ROWS(COUNTER, HIST, FORMULA)            \
    COUNTER(hits, "accesses", "found")              \
    COUNTER(misses, "accesses", "not found")        \
    HIST(latency, "cycles", "from request to data") \
    FORMULA(hit_rate, "", "share found", stat_ratio((double)s->hits, (double)(s->hits + s->misses)))

#define NONE(...)
struct toy_stats {
    TOY_ROWS(STAT_MEMBER_COUNTER, STAT_MEMBER_HIST, NONE)
};
#define FN(...) STAT_FN_FORMULA(toy_stats, __VA_ARGS__)
TOY_ROWS(NONE, NONE, FN)
static const struct stat_row toy_rows[] = {
#define C(...) STAT_ROW_COUNTER(toy_stats, __VA_ARGS__)
#define H(...) STAT_ROW_HIST(toy_stats, __VA_ARGS__)
#define F(...) STAT_ROW_FORMULA(toy_stats, __VA_ARGS__)
    TOY_ROWS(C, H, F)};

struct fixture {
    struct stats *st;
    struct toy_stats a, b;
};

static void fixture_open(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->st = stats_new();
    stats_add(f->st, "l1", toy_rows, ARRAY_LEN(toy_rows), &f->a);
    stats_add(f->st, "l1", toy_rows, ARRAY_LEN(toy_rows), &f->b);
    f->a.hits = 3;
    f->b.hits = 1;
    f->b.misses = 4;
    hist_add(&f->a.latency, 10);
    hist_add(&f->b.latency, 30);
}

static void groups_sum_and_formulas_use_the_sum(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    double v;
    assert_true(stats_get(f.st, "l1.hits", &v) && v == 4);
    assert_true(stats_get(f.st, "l1.hit_rate", &v) && v == 0.5);
    assert_true(stats_get(f.st, "l1.latency", &v) && v == 20);
    assert_false(stats_get(f.st, "l1.nothing", &v));
    stats_free(f.st);
}

static void histogram_is_exact_below_64_and_near_above(void **state)
{
    (void)state;
    struct hist h = {0};
    for (uint64_t i = 0; i < 100; i++)
        hist_add(&h, i);
    assert_int_equal(hist_percentile(&h, 0.5), 49);
    assert_int_equal(h.min, 0);
    assert_int_equal(h.max, 99);
    for (uint64_t v = 1; v < (1ull << 39); v = v * 3 + 1) {
        uint64_t low = hist_bin_low(hist_bin(v));
        assert_true(low <= v && v - low <= v / 8);
    }
}

static char *slurp(void (*write)(const struct stats *, FILE *), const struct stats *st)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    write(st, out);
    fclose(out);
    return text;
}

static void csv_and_text_come_from_the_rows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    char *csv = slurp(stats_write_csv, f.st);
    assert_non_null(strstr(csv, "l1,,hits,accesses,4\n"));
    assert_non_null(strstr(csv, "l1,1,misses,accesses,4\n"));
    assert_non_null(strstr(csv, "l1,,latency.mean,cycles,20\n"));
    free(csv);
    char *text = slurp(stats_write_text, f.st);
    assert_non_null(strstr(text, "l1.hit_rate"));
    free(text);
    stats_free(f.st);
}

static void json_holds_sums_and_instances(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    stats_note(f.st, "seed", "7");
    json_object *root = stats_to_json(f.st, true), *o = root;
    const char *const path[] = {"groups", "l1", "instances", "1", "misses"};
    for (size_t i = 0; i < ARRAY_LEN(path); i++)
        assert_true(json_object_object_get_ex(o, path[i], &o));
    assert_int_equal(json_object_get_int64(o), 4);
    json_object_put(root);
    stats_free(f.st);
}

static void samples_are_differences(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    stats_sample(f.st, 100);
    f.a.hits += 5;
    stats_sample(f.st, 200);
    char *csv = slurp(stats_write_series_csv, f.st);
    assert_string_equal(csv, "cycle,group,name,delta\n100,l1,hits,4\n100,l1,misses,4\n"
                             "200,l1,hits,5\n200,l1,misses,0\n");
    free(csv);
    stats_free(f.st);
}

static void add_run(const struct stats *st, const char *path, const char *name, bool keep)
{
    struct err err = {0};
    struct stats_db *db = stats_db_open(path, &err);
    assert_non_null(db);
    assert_true(stats_db_add(db, st, name, &err));
    assert_true(stats_db_close(db, keep, &err));
}

static void sqlite_keeps_runs_apart(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    struct err err = {0};
    char path[] = "/tmp/parsim-stats-XXXXXX";
    close(mkstemp(path));
    add_run(f.st, path, "first", true);
    f.a.hits = 50;
    add_run(f.st, path, "not kept", false);
    f.a.hits = 100;
    add_run(f.st, path, "second", true);
    assert_true(stats_db_probe(path, &err));
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_prepare_v2(db,
                       "SELECT value FROM stat JOIN run ON run.id = stat.run WHERE grp = 'l1' AND "
                       "stat.name = 'hits' AND instance IS NULL ORDER BY run.id",
                       -1, &s, NULL);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_true(sqlite3_column_double(s, 0) == 4);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_true(sqlite3_column_double(s, 0) == 101);
    sqlite3_finalize(s);
    sqlite3_close(db);
    unlink(path);
    assert_null(stats_db_open("/nonexistent/x.db", &err));
    assert_non_null(strstr(err.msg, "/nonexistent/x.db"));
    stats_free(f.st);
}

static void what_is_no_database_is_refused_before_the_run(void **state)
{
    (void)state;
    struct err err = {0};
    char path[] = "/tmp/parsim-stats-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "this is a text and no database at all", 37), 37);
    close(fd);
    assert_false(stats_db_probe(path, &err));
    assert_non_null(strstr(err.msg, "not a database"));
    assert_false(stats_db_probe("/nonexistent/x.db", &err));
    assert_false(stats_db_probe("/dev/null", &err));
    unlink(path);
}

static void differences_are_what_was_added_since(void **state)
{
    (void)state;
    struct fixture f;
    double v;
    fixture_open(&f);
    struct stats *before = stats_sums(f.st, NULL);
    f.a.hits += 5;
    f.b.misses += 1;
    hist_add(&f.a.latency, 50);
    hist_add(&f.b.latency, 60);
    struct stats *since = stats_sums(f.st, before);
    assert_true(stats_get(before, "l1.hits", &v) && v == 4); /* a copy: it stays */
    assert_true(stats_get(since, "l1.hits", &v) && v == 5);
    assert_true(stats_get(since, "l1.misses", &v) && v == 1);
    assert_true(stats_get(since, "l1.hit_rate", &v) && v == 5.0 / 6);
    assert_true(stats_get(since, "l1.latency", &v) && v == 55);
    const struct toy_stats *d = since->groups.data[0].instances.data[0];
    assert_int_equal(d->latency.count, 2);
    assert_int_equal(d->latency.min, 50);
    assert_int_equal(d->latency.max, 60);
    assert_int_equal(d->latency.bins[10], 0);
    struct stats *nothing = stats_sums(f.st, NULL), *none = stats_sums(f.st, nothing);
    d = none->groups.data[0].instances.data[0];
    assert_true(!d->hits && !d->latency.count && !d->latency.min && !d->latency.max);
    stats_free(none);
    stats_free(nothing);
    stats_free(since);
    stats_free(before);
    stats_free(f.st);
}

/* Multiples of parts add up, histograms with them. */
static void test_scaled_sums(void **state)
{
    (void)state;
    struct toy_stats a = {.hits = 10, .misses = 4};
    hist_add(&a.latency, 100);
    hist_add(&a.latency, 100);
    struct stats *st = stats_new();
    stats_add(st, "toy", toy_rows, ARRAY_LEN(toy_rows), &a);
    struct stats *sum = stats_zero(st);
    double v = -1;
    assert_true(stats_get(sum, "toy.hits", &v) && v == 0);
    stats_add_scaled(sum, st, 2.5);
    stats_add_scaled(sum, st, 1);
    assert_true(stats_get(sum, "toy.hits", &v) && v == 35);
    assert_true(stats_get(sum, "toy.misses", &v) && v == 14);
    assert_true(stats_get(sum, "toy.latency", &v) && v == 100);
    assert_true(stats_get(st, "toy.hits", &v) && v == 10);
    assert_true(stats_has(sum, "toy"));
    assert_false(stats_has(sum, "sample"));
    stats_free(sum);
    stats_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaled_sums),
        cmocka_unit_test(groups_sum_and_formulas_use_the_sum),
        cmocka_unit_test(histogram_is_exact_below_64_and_near_above),
        cmocka_unit_test(csv_and_text_come_from_the_rows),
        cmocka_unit_test(json_holds_sums_and_instances),
        cmocka_unit_test(samples_are_differences),
        cmocka_unit_test(sqlite_keeps_runs_apart),
        cmocka_unit_test(what_is_no_database_is_refused_before_the_run),
        cmocka_unit_test(differences_are_what_was_added_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
