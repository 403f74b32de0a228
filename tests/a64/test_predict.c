/* Branches and strides that are learned, and those that are not. */
#include "a64/bpred.h"
#include "a64/frames.h"
#include "a64/stride.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
/* cmocka.h needs those before it */
#include <cmocka.h>

static const struct bpred_cfg hpi = {64, 1024, 128, 18, 8};

static unsigned wrong_in_loops(struct bpred *b, unsigned loops, unsigned rounds)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < loops; i++)
        for (unsigned k = 0; k < rounds; k++)
            wrong += !bpred_branch(b, A64_IF, 0x1000, k + 1 < rounds ? 0xf00 : 0x1004);
    return wrong;
}

static void a_short_loop_is_learned_with_its_end(void **state)
{
    (void)state;
    struct bpred b;
    bpred_init(&b, &hpi);
    wrong_in_loops(&b, 50, 5);
    assert_int_equal(wrong_in_loops(&b, 50, 5), 0);
    bpred_free(&b);
}

static void a_long_loop_costs_its_end(void **state)
{
    (void)state;
    struct bpred b;
    bpred_init(&b, &hpi);
    wrong_in_loops(&b, 10, 1000);
    assert_int_equal(wrong_in_loops(&b, 10, 1000), 10);
    bpred_free(&b);
}

static void a_jump_is_known_when_it_was_met(void **state)
{
    (void)state;
    struct bpred b;
    bpred_init(&b, &hpi);
    assert_false(bpred_branch(&b, A64_JUMP, 0x1000, 0x2000));
    assert_true(bpred_branch(&b, A64_JUMP, 0x1000, 0x2000));
    assert_false(bpred_branch(&b, A64_JUMP_TO, 0x1000, 0x3000)); /* elsewhere now */
    assert_true(bpred_branch(&b, A64_JUMP_TO, 0x1000, 0x3000));
    assert_false(bpred_branch(&b, A64_JUMP, 0x1000 + 128 * 4, 0x4000)); /* takes its place */
    assert_false(bpred_branch(&b, A64_JUMP, 0x1000, 0x3000));
    bpred_free(&b);
}

static void eight_returns_are_known(void **state)
{
    (void)state;
    struct bpred b;
    bpred_init(&b, &hpi);
    for (uint64_t k = 0; k < 10; k++)
        bpred_branch(&b, A64_CALL, 0x1000 + 64 * k, 0x8000);
    for (uint64_t k = 10; k-- > 2;)
        assert_true(bpred_branch(&b, A64_RETURN, 0x8004, 0x1004 + 64 * k));
    assert_false(bpred_branch(&b, A64_RETURN, 0x8004, 0x1044)); /* too deep */
    bpred_free(&b);
}

static void a_stride_is_followed_from_its_third_time_on(void **state)
{
    (void)state;
    struct stride s;
    uint64_t to[16];
    stride_init(&s, 64, 4, 64);
    assert_int_equal(stride_load(&s, 0x100, 0x10000, to), 0);
    assert_int_equal(stride_load(&s, 0x100, 0x10100, to), 0);
    assert_int_equal(stride_load(&s, 0x100, 0x10200, to), 0);
    assert_int_equal(stride_load(&s, 0x100, 0x10300, to), 4);
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(to[k], 0x10400 + 0x100 * k);
    assert_int_equal(stride_load(&s, 0x100, 0x99000, to), 0); /* another way */
    stride_free(&s);
}

static void small_strides_ask_for_lines_once(void **state)
{
    (void)state;
    struct stride s;
    uint64_t to[16];
    unsigned asked = 0;
    stride_init(&s, 64, 4, 64);
    for (uint64_t k = 0; k < 64; k++) { /* four lines of words, backwards */
        const unsigned n = stride_load(&s, 0x100, 0x20100 - 4 * k, to);
        asked += n > 0;
        if (n)
            assert_int_equal(to[0], 0x20100 - 4 * k - 64);
    }
    assert_int_equal(asked, 3); /* at each new line but the first, which was too early */
    assert_int_equal(stride_load(&s, 0x200, 0x5000, to), 0);
    stride_free(&s);
}

static void pages_get_frames_in_order(void **state)
{
    (void)state;
    struct frames f = {0};
    assert_true(frames_known(&f, 0x7fff1234) == FRAMES_NONE);
    assert_int_equal(frames_address(&f, 0x7fff1234), 0x234);
    assert_int_equal(frames_address(&f, 0x400010), 0x1010);
    assert_int_equal(frames_address(&f, 0x7fff1000), 0);
    assert_int_equal(frames_address(&f, 0x400010 + (UINT64_C(256) << 12)), 0x2010); /* same place */
    assert_int_equal(frames_address(&f, 0x400018), 0x1018);
    assert_int_equal(frames_known(&f, 0x400000), 0x1000);
    frames_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_loop_is_learned_with_its_end),
        cmocka_unit_test(a_long_loop_costs_its_end),
        cmocka_unit_test(a_jump_is_known_when_it_was_met),
        cmocka_unit_test(eight_returns_are_known),
        cmocka_unit_test(a_stride_is_followed_from_its_third_time_on),
        cmocka_unit_test(small_strides_ask_for_lines_once),
        cmocka_unit_test(pages_get_frames_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
