/* Timelines: events of several sources come out in the order of time, then of sources. */
#include "base/file.h"
#include "out/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void put(struct timeline_source *s, uint64_t ps, const char *name, uint64_t number)
{
    timeline_put(
        s, &(struct timeline_event){
               .ps = ps, .name = name, .form = TIMELINE_NUMBERED, .number = number, .ph = 'B'});
}

static char *names_of(const char *path)
{
    struct err err = {0};
    size_t len;
    char *text = file_read(path, &len, &err), *names = xstrdup("");
    assert_non_null(text);
    for (char *at = text; (at = strstr(at, "\"tid\":")) && (at = strstr(at, "\"name\":\""));) {
        char *more = xasprintf("%s%.*s;", names, (int)strcspn(at + 8, "\""), at + 8);
        free(names);
        names = more;
    }
    free(text);
    return names;
}

static void test_order(void **state)
{
    char path[] = "/tmp/parsim-timeline-XXXXXX";
    struct err err = {0};
    (void)state;
    close(mkstemp(path));
    struct timeline *t = timeline_new(path, 4, &err);
    struct timeline_source *a = timeline_add_source(t, 1, NULL),
                           *b = timeline_add_source(t, 2, NULL);
    timeline_name_process(t, 1, "SM", 0);
    put(b, 10, "b", 1);
    put(a, 20, "a", 2);
    put(a, 10, "a", 1);
    assert_true(timeline_flush(t));
    put(a, 30, "a", 3);
    put(b, 30, "b", 3);
    assert_false(timeline_flush(t)); /* four are written, the fifth is too many */
    timeline_write(t, 0, &(struct timeline_event){.name = "all", .dur = 30, .ph = 'X'});
    assert_true(timeline_close(t, 0, &err));
    timeline_free(t);
    char *names = names_of(path);
    assert_string_equal(names, "a 1;b 1;a 2;a 3;all;");
    free(names);
    unlink(path);
}

static void test_no_file_unless_closed(void **state)
{
    char path[] = "/tmp/parsim-timeline-XXXXXX";
    struct err err = {0};
    (void)state;
    close(mkstemp(path));
    unlink(path);
    timeline_free(timeline_new(path, 4, &err));
    assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_file_unless_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
