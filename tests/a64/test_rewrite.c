/* Executables that get a new segment: which first instructions may move, what is refused. */
#include "a64/rewrite.h"

#include "a64/width.h"
#include "base/common.h"
#include "base/file.h"

#include <elf.h>
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

/* With 256 MB of zeros behind it, new code is further away than a branch reaches. */
static void what_is_too_far_is_refused(void **state)
{
    (void)state;
    char *from = xasprintf("%s/a64/programs/results.elf", getenv("PARSIM_TESTS"));
    char path[] = "/tmp/parsim-test-rewrite-XXXXXX";
    struct err err = {0};
    size_t len;
    char *bytes = file_read(from, &len, &err);
    assert_non_null(bytes);
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    for (unsigned k = 0; k < head.e_phnum; k++) {
        Elf64_Phdr h;
        char *at = bytes + head.e_phoff + k * sizeof h;
        memcpy(&h, at, sizeof h);
        h.p_memsz += h.p_type == PT_LOAD ? 256 << 20 : 0;
        memcpy(at, &h, sizeof h);
    }
    const int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    const struct rewrite_function function = {.entry = head.e_entry, .inputs = 1};
    assert_false(rewrite_file(path, "/dev/null", &function, 1, head.e_entry, &err));
    assert_non_null(strstr(err.msg, "a branch reaches 128 MB"));
    unlink(path);
    free(bytes);
    free(from);
}

static void widths_are_known(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        bool reads, writes;
    } rows[] = {
        {0x1e610800, false, false}, /* fmul d0, d0, d1 */
        {0x1f020400, false, false}, /* fmadd s0, s0, s2, s1 */
        {0x5e61d800, false, false}, /* scvtf d0, d0 */
        {0x2e211c00, false, false}, /* bsl v0.8b, v0.8b, v1.8b */
        {0x9e660000, false, false}, /* fmov x0, d0 */
        {0x9eae0000, true, true},   /* fmov x0, v0.d[1] */
        {0x5e1c0401, true, false},  /* mov s1, v0.s[3] */
        {0x5e0c0401, false, false}, /* mov s1, v0.s[1] */
        {0x4e040400, false, true},  /* dup v0.4s, v0.s[0] */
        {0x4e040c00, false, true},  /* dup v0.4s, w0 */
        {0x4ea01c08, true, true},   /* mov v8.16b, v0.16b */
        {0x7e30d800, true, true},   /* faddp s0, v0.2s: a pair counts */
        {0x5f821020, true, true},   /* fmla s0, s1, v2.s[0]: an element counts */
        {0x0e612800, true, true},   /* xtn v0.4h, v0.4s */
        {0x4f000400, false, true},  /* movi v0.4s, #0 */
        {0x0f000400, false, false}, /* movi v0.2s, #0 */
        {0x3d8003e0, true, true},   /* str q0, [sp] */
        {0xfd0003e0, false, false}, /* str d0, [sp] */
        {0x6d0107e0, false, false}, /* stp d0, d1, [sp, #16] */
        {0xad0007e0, true, true},   /* stp q0, q1, [sp] */
        {0x4c007000, true, true},   /* st1 {v0.16b}, [x0] */
        {0x8b010000, false, false}, /* add x0, x0, x1 */
    };
    for (unsigned k = 0; k < ARRAY_LEN(rows); k++) {
        const struct a64_width w = a64_width_of(rows[k].word);
        assert_int_equal(w.reads, rows[k].reads);
        assert_int_equal(w.writes, rows[k].writes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_depends_on_its_place_cannot_move),
        cmocka_unit_test(what_is_no_executable_is_refused),
        cmocka_unit_test(an_address_without_code_is_named),
        cmocka_unit_test(what_is_too_far_is_refused),
        cmocka_unit_test(widths_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
