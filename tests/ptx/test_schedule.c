/* The order that an assembler would make: what moves, and what does not. */
#include "ptx/support_parse.h"

#include "ptx/schedule.h"

/* The mnemonics in their new order, with spaces between. */
static const char *scheduled(const char *body, char *to, size_t size)
{
    struct ptx_module *m = parse_body_text(body);
    struct ptx_func *f = m->funcs[0];
    char word[64];
    for (uint32_t i = 0; i < m->nfuncs; i++)
        f = m->funcs[i]->ninsts ? m->funcs[i] : f;
    ptx_func_schedule(f);
    to[0] = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        strncat(to, ptx_inst_text(&f->insts[i], word, sizeof word), size - strlen(to) - 1);
        strncat(to, i + 1 < f->ninsts ? " " : "", size - strlen(to) - 1);
    }
    ptx_module_free(m);
    return to;
}

#define EXPECT(body, order)                                               \
    do {                                                                  \
        char text_[512];                                                  \
        assert_string_equal(scheduled(body, text_, sizeof text_), order); \
    } while (0)

static void loads_go_before_what_waits_for_others(void **state)
{
    (void)state;
    EXPECT("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; ld.global.u32 %r3, [%rd1+4];"
           "xor.b32 %r4, %r3, %r2; ret;",
           "ld.global.u32 ld.global.u32 add.s32 xor.b32 ret");
}

static void a_load_stays_behind_a_store_that_may_be_to_its_place(void **state)
{
    (void)state;
    EXPECT("add.s32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd2];"
           "xor.b32 %r4, %r3, 1; ret;",
           "add.s32 st.global.u32 ld.global.u32 xor.b32 ret");
    EXPECT("add.s32 %r1, %r1, 1; st.shared.u32 [sh], %r1; ld.global.u32 %r3, [%rd2];"
           "xor.b32 %r4, %r3, 1; ret;",
           "ld.global.u32 add.s32 st.shared.u32 xor.b32 ret");
}

static void nothing_crosses_barriers_and_exchanges(void **state)
{
    (void)state;
    EXPECT("add.s32 %r1, %r1, 1; add.s32 %r5, %r1, 1; bar.sync 0; ld.shared.u32 %r3, [sh]; add.s32 "
           "%r4, %r3, 1;"
           "ret;",
           "add.s32 add.s32 bar.sync ld.shared.u32 add.s32 ret");
    EXPECT("add.s32 %r1, %r1, 1; mul.lo.s32 %r2, %r1, 3; ld.volatile.shared.u32 %r3, [sh]; ret;",
           "add.s32 mul.lo.s32 ld.volatile.shared.u32 ret");
}

static void registers_keep_their_writers_and_readers(void **state)
{
    (void)state;
    /* %r1 is read before it is loaded anew: the second load waits for its reader */
    EXPECT("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; ld.global.u32 %r1, [%rd1+4];"
           "xor.b32 %r4, %r1, %r2; ret;",
           "ld.global.u32 add.s32 ld.global.u32 xor.b32 ret");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_go_before_what_waits_for_others),
        cmocka_unit_test(a_load_stays_behind_a_store_that_may_be_to_its_place),
        cmocka_unit_test(nothing_crosses_barriers_and_exchanges),
        cmocka_unit_test(registers_keep_their_writers_and_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
