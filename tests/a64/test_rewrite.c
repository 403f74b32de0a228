/* Executables that get a new segment: which first instructions may move, what is refused. */
#include "a64/rewrite.h"

#include "base/common.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static void what_depends_on_its_place_cannot_move(void **state)
{
    (void)state;
    static const uint32_t fixed[] = {0x90000000 /* adrp */, 0x10000000 /* adr */,
                                     0x14000002 /* b */,    0x94000002 /* bl */,
                                     0x54000041 /* b.ne */, 0xb4000040 /* cbz */,
                                     0x36000040 /* tbz */,  0x58000040 /* ldr literal */};
    static const uint32_t free_words[] = {0xa9bf7bfd /* stp */,  0xd503233f /* paciasp */,
                                          0x1e204001 /* fmov */, 0xd10083ff /* sub sp */,
                                          0xf9400000 /* ldr */,  0xd65f03c0 /* ret */};
    for (unsigned k = 0; k < ARRAY_LEN(fixed); k++)
        assert_false(rewrite_can_move(fixed[k]));
    for (unsigned k = 0; k < ARRAY_LEN(free_words); k++)
        assert_true(rewrite_can_move(free_words[k]));
}

static void what_is_no_executable_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/parsim-test-rewrite-XXXXXX";
    struct err err = {0};
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, "text", 4), 4);
    close(fd);
    assert_false(rewrite_file(path, "/dev/null", NULL, 0, 0, &err));
    assert_non_null(strstr(err.msg, "not an executable (ELF)"));
    unlink(path);
}

static void an_address_without_code_is_named(void **state)
{
    (void)state;
    const struct rewrite_function at = {.entry = 0x123450, .inputs = 1};
    char *path = xasprintf("%s/a64/programs/integers.elf", getenv("PARSIM_TESTS"));
    struct err err = {0};
    assert_false(rewrite_file(path, "/dev/null", &at, 1, 0x400000, &err));
    assert_true(strstr(err.msg, "no code at 0x") || strstr(err.msg, "no program header"));
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_depends_on_its_place_cannot_move),
        cmocka_unit_test(what_is_no_executable_is_refused),
        cmocka_unit_test(an_address_without_code_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
