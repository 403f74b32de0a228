/* What a run has recorded of its lines, and what another one makes of it. */
#include "base/file.h"
#include "tech/filter/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LINE = 128 };

static const struct replay_shape shape = {2, LINE, 32};
static char path[] = "/tmp/parsim-replay-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Two SMs; SM 0 sees line 1 live twice, and line 3 between. */
static void record(void)
{
    struct replay_notes sm[2] = {0};
    struct replay_notes *const notes[] = {&sm[0], &sm[1]};
    struct err err = {0};
    replay_note_begin(&sm[0], LINE, 0x1);
    replay_note_begin(&sm[0], 3 * LINE, 0x8);
    replay_note_used(&sm[0], LINE, 0x3);
    replay_note_used(&sm[0], LINE, 0x7);
    replay_note_begin(&sm[0], LINE, 0x2);
    replay_note_begin(&sm[1], 3 * LINE, 0x1);
    replay_note_begin(&sm[1], 5 * LINE, 0x4);
    assert_true(replay_write(path, &shape, notes, &err));
    replay_notes_free(&sm[0]);
    replay_notes_free(&sm[1]);
}

static struct replay *reopen(void)
{
    struct err err = {0};
    record();
    struct replay *r = replay_open(path, &shape, &err);
    assert_non_null(r);
    return r;
}

static void each_life_has_what_was_read_in_it(void **state)
{
    (void)state;
    struct replay *r = reopen();
    assert_int_equal(replay_map(r, 0, LINE), 0x7);
    assert_int_equal(replay_map(r, 0, LINE), 0x7); /* asked again */
    replay_begin(r, 0, LINE);
    assert_int_equal(replay_map(r, 0, LINE), 0x2);
    replay_begin(r, 0, LINE);
    assert_int_equal(replay_map(r, 0, LINE), 0x2); /* one more than there were: as the last */
    assert_int_equal(replay_map(r, 0, 3 * LINE), 0x8);
    replay_close(r);
}

static void a_line_of_another_sm_goes_by_what_anybody_read(void **state)
{
    (void)state;
    struct replay *r = reopen();
    replay_begin(r, 1, LINE);
    assert_int_equal(replay_map(r, 1, LINE), 0x7);
    assert_int_equal(replay_map(r, 0, 5 * LINE), 0x4);
    assert_int_equal(replay_map(r, 1, 3 * LINE), 0x1); /* its own comes first */
    assert_int_equal(replay_map(r, 0, 7 * LINE), 0);
    replay_close(r);
}

static void nothing_recorded_is_a_record(void **state)
{
    (void)state;
    struct replay_notes sm[2] = {0};
    struct replay_notes *const notes[] = {&sm[0], &sm[1]};
    struct err err = {0};
    assert_true(replay_write(path, &shape, notes, &err));
    struct replay *r = replay_open(path, &shape, &err);
    assert_non_null(r);
    assert_int_equal(replay_map(r, 0, LINE), 0);
    replay_close(r);
}

static void of_another_machine_it_is_refused(void **state)
{
    (void)state;
    const struct replay_shape other = {3, LINE, 32};
    struct err err = {0};
    record();
    assert_null(replay_open(path, &other, &err));
    assert_non_null(strstr(err.msg, "recorded with 2 SMs"));
    assert_non_null(strstr(err.msg, path));
}

/* Every shorter file, and one whose byte is another, is refused or read without harm. */
static void spoilt_files_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    size_t len;
    record();
    char *data = file_read(path, &len, &err);
    assert_non_null(data);
    for (size_t n = 0; n < len; n++) {
        assert_true(file_write(path, data, n, &err));
        assert_null(replay_open(path, &shape, &err));
        err = (struct err){0};
    }
    for (size_t i = 0; i < len; i++) {
        data[i] ^= 0x55;
        assert_true(file_write(path, data, len, &err));
        replay_close(replay_open(path, &shape, &err));
        data[i] ^= 0x55;
        err = (struct err){0};
    }
    assert_true(file_write(path, data, len + 1, &err)); /* with the 0 behind it */
    assert_null(replay_open(path, &shape, &err));
    assert_non_null(strstr(err.msg, "too many"));
    free(data);
}

static void lines_out_of_order_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    size_t len;
    uint64_t life;
    record();
    char *data = file_read(path, &len, &err);
    const size_t at = 8 + sizeof shape + 8; /* SM 0's first life */
    memcpy(&life, data + at, sizeof life);
    life += 9 * LINE;
    memcpy(data + at, &life, sizeof life);
    assert_true(file_write(path, data, len, &err));
    assert_null(replay_open(path, &shape, &err));
    assert_non_null(strstr(err.msg, "wrong lives of SM 0"));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_life_has_what_was_read_in_it),
        cmocka_unit_test(a_line_of_another_sm_goes_by_what_anybody_read),
        cmocka_unit_test(nothing_recorded_is_a_record),
        cmocka_unit_test(of_another_machine_it_is_refused),
        cmocka_unit_test(spoilt_files_are_refused),
        cmocka_unit_test(lines_out_of_order_are_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
