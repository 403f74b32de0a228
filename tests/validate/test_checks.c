/* What results are held against: reference tables, how near a number must be, how near a bit
 * pattern must be to a real GPU's. */
#include "base/file.h"
#include "validate/golden.h"
#include "validate/validate_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- tables --- */

static bool load(struct reference *t, const char *text, struct err *err)
{
    char path[] = "/tmp/parsim-test-table-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(file_write(path, text, strlen(text), err));
    const bool ok = reference_load(t, "/tmp", path + strlen("/tmp/"), err);
    unlink(path);
    return ok;
}

static void fields_are_found_by_column(void **state)
{
    struct reference t;
    struct err err = {0};
    (void)state;
    assert_true(load(&t, "name,cycles\r\n\"a, \"\"b\"\"\",12.5\r\nshort\n", &err));
    assert_int_equal(t.nrows, 2);
    assert_string_equal(reference_text(&t, 0, "name"), "a, \"b\"");
    assert_float_equal(reference_number(&t, 0, "cycles"), 12.5, 0);
    assert_string_equal(reference_text(&t, 1, "cycles"), "");
    assert_string_equal(reference_text(&t, 0, "nosuch"), "");
    reference_free(&t);
}

static void a_table_without_rows_is_an_error(void **state)
{
    struct reference t;
    struct err err = {0};
    (void)state;
    assert_false(load(&t, "name,cycles\n", &err));
    assert_non_null(strstr(err.msg, "no rows"));
    reference_free(&t);
}

/* --- checks --- */

static void a_bound_is_relative_and_none_means_equal(void **state)
{
    struct checks r = {.out = fopen("/dev/null", "w")};
    (void)state;
    checks_add(&r, "t.csv", "cycles", 101.9, 100, 0.02, "row %d", 1);
    checks_add(&r, "t.csv", "cycles", 102.1, 100, 0.02, "row %d", 2);
    checks_add(&r, "t.csv", "latency", 27, 27, 0, "row %d", 3);
    checks_add(&r, "t.csv", "latency", 27.001, 27, 0, "row %d", 4);
    assert_int_equal(r.passed, 2);
    assert_int_equal(r.failed, 2);
    assert_true(r.at.data[0].ok && !r.at.data[1].ok && r.at.data[2].ok && !r.at.data[3].ok);
    assert_string_equal(r.at.data[3].row, "row 4");
    fclose(r.out);
    checks_free(&r);
}

/* --- vectors of a real GPU --- */

static bool accepts(const char *tolerance, enum ptx_type t, uint64_t want, uint64_t got)
{
    struct tolerance tol;
    assert_true(tolerance_parse(tolerance, &tol));
    return tolerance_accepts(&tol, t, want, got);
}

static void tolerances_are_exact_or_a_distance(void **state)
{
    struct tolerance tol;
    (void)state;
    assert_true(accepts("exact", PTX_U32, 7, 7));
    assert_false(accepts("exact", PTX_F32, 0x3f800000, 0x3f800001));
    assert_true(accepts("ulp:2", PTX_F32, 0x3f800000, 0x3f800002));
    assert_false(accepts("ulp:2", PTX_F32, 0x3f800000, 0x3f800003));
    assert_true(accepts("rel:2^-10", PTX_F16, 0x3c00, 0x3c01));
    assert_false(accepts("rel:2^-11", PTX_F16, 0x3c00, 0x3c01));
    assert_true(accepts("exact", PTX_F32, 0x7fc00000, 0x7fffffff)); /* any NaN is one */
    assert_false(accepts("abs:1", PTX_F32, 0, 0x80000000));         /* zeros have signs */
    assert_false(tolerance_parse("nearly", &tol));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_column),
        cmocka_unit_test(a_table_without_rows_is_an_error),
        cmocka_unit_test(a_bound_is_relative_and_none_means_equal),
        cmocka_unit_test(tolerances_are_exact_or_a_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
