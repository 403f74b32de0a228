/* How good an output is: Equation 4.2, and shares of elements by their error. */
#include "study/study_ax.h"

#include "base/common.h"

#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static char *file_of(const void *data, size_t len)
{
    char *path = xstrdup("/tmp/parsim-test-ax-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), (ssize_t)len);
    close(fd);
    return path;
}

static struct json_object *quality(const char *name, const void *a, size_t n, const void *b,
                                   size_t m, struct err *err)
{
    const struct study_ax *ax = study_ax_find(name, err);
    char *x = file_of(a, n), *y = file_of(b, m);
    struct json_object *o = study_ax_quality(ax, x, y, err);
    unlink(x);
    unlink(y);
    free(x);
    free(y);
    return o;
}

static double number(struct json_object *o, const char *key)
{
    struct json_object *v;
    assert_true(json_object_object_get_ex(o, key, &v));
    return json_object_get_double(v);
}

static void squares_of_differences_by_squares(void **state)
{
    const float exact[] = {3, 4}, is[] = {3, 4.1f};
    struct err err = {0};
    (void)state;
    struct json_object *o = quality("blk", exact, sizeof exact, is, sizeof is, &err);
    assert_true(fabs(number(o, "error") - 0.0004) < 1e-6); /* 0.01 / 25 */
    assert_true(number(o, "same") == 0.5);
    assert_true(number(o, "within_10") == 0.5);
    assert_true(number(o, "beyond") == 0);
    json_object_put(o);
}

static void booleans_are_counted(void **state)
{
    const char exact[] = {0, 1, 1, 0}, is[] = {0, 1, 0, 1};
    struct err err = {0};
    (void)state;
    struct json_object *o = quality("jm", exact, 4, is, 4, &err);
    assert_true(number(o, "error") == 0.5);
    assert_true(number(o, "beyond") == 0.5);
    json_object_put(o);
}

static void an_output_of_another_length_is_an_error(void **state)
{
    const float exact[] = {3, 4};
    struct err err = {0};
    (void)state;
    assert_null(quality("blk", exact, sizeof exact, exact, 4, &err));
    assert_non_null(strstr(err.msg, "4 bytes"));
}

static void an_unknown_program_is_refused_with_those_that_there_are(void **state)
{
    struct err err = {0};
    (void)state;
    assert_null(study_ax_find("doom", &err));
    assert_non_null(strstr(err.msg, "no program 'doom' of AxMemo; there are: blk "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_of_differences_by_squares),
        cmocka_unit_test(booleans_are_counted),
        cmocka_unit_test(an_output_of_another_length_is_an_error),
        cmocka_unit_test(an_unknown_program_is_refused_with_those_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
