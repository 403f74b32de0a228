/* Lock and Load's parts by themselves: comparison unit, history table, anchors, interpolation; the
 * worked examples of ../shared/spec/lnl.md, 8.5, by their numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tech/lnl/lnl_compare.h"
#include "tech/lnl/lnl_groups.h"
#include "tech/lnl/lnl_history.h"

static uint32_t bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

static float value(uint32_t b)
{
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

static struct lnl_unit circuit(double threshold)
{
    return (struct lnl_unit){.pieces = COARSE_PIECES,
                             .threshold = (uint32_t)floor(threshold * (1 << COARSE_ERROR_BITS))};
}

/* --- the comparison unit --- */

static void expect_error(uint32_t a, uint32_t b, uint32_t expected)
{
    const struct lnl_unit u = circuit(1);
    uint32_t error = UINT32_MAX;
    assert_int_equal(lnl_relative_error(&u, a, b, &error), LNL_SIMILAR);
    assert_int_equal(error, expected);
}

static void errors_are_the_circuits(void **state)
{
    (void)state;
    expect_error(0x3f800000, 0x3f866666, 1530);  /* 1: 1.0 and 1.05 */
    expect_error(0x42fe0000, 0x43000000, 255);   /* 2: 127 and 128 */
    expect_error(bits(1.5f), bits(2.5f), 13312); /* 3, either way */
    expect_error(bits(2.5f), bits(1.5f), 13312);
    expect_error(0x3ffeb852, bits(1.0f), 16128); /* 4: 1.99 and 1.0 */
    expect_error(bits(1.0f), 0x3ffeb852, 32130);
    expect_error(0x43a64000, 0x43a68ccd, 0); /* 5: 332.5 and 333.1 */
    expect_error(bits(-332.5f), bits(-333.1f), 0);
    expect_error(0, 0, 0); /* exponent 0 is like any other */
    expect_error(0, 1, 0);
}

static void a_threshold_is_not_reached(void **state)
{
    (void)state;
    const struct lnl_unit five = circuit(0.05), four = circuit(0.04), none = circuit(0),
                          least = circuit(1.0 / 32768), less = circuit(0.9 / 32768);
    assert_int_equal(five.threshold, 1638);
    assert_int_equal(four.threshold, 1310);
    assert_int_equal(lnl_compare(&five, 0x3f800000, 0x3f866666), LNL_SIMILAR);
    assert_int_equal(lnl_compare(&four, 0x3f800000, 0x3f866666), LNL_FAIL_THRESHOLD);
    assert_int_equal(lnl_compare(&none, bits(3), bits(3)), LNL_FAIL_THRESHOLD); /* 6 */
    assert_int_equal(lnl_compare(&least, 0x43a64000, 0x43a68ccd), LNL_SIMILAR);
    assert_int_equal(lnl_compare(&less, bits(3), bits(3)), LNL_FAIL_THRESHOLD);
}

/* 6, and what is no number. */
static void signs_and_exponents_fail_first(void **state)
{
    (void)state;
    const struct lnl_unit u = circuit(1);
    assert_int_equal(lnl_compare(&u, bits(1), bits(4)), LNL_FAIL_EXPONENT);
    assert_int_equal(lnl_compare(&u, bits(4), bits(1)), LNL_FAIL_EXPONENT);
    assert_int_equal(lnl_compare(&u, bits(1), bits(-1)), LNL_FAIL_SIGN);
    assert_int_equal(lnl_compare(&u, 0, 0x80000000), LNL_FAIL_SIGN);
    assert_int_equal(lnl_compare(&u, 0x7f800000, 0x7f800000), LNL_FAIL_EXPONENT);
    assert_int_equal(lnl_compare(&u, 0x7fc00000, 0x7fc00000), LNL_FAIL_EXPONENT);
    assert_int_equal(lnl_compare(&u, 0x7f000000, 0x7f800000), LNL_FAIL_EXPONENT);
}

static double worst_reciprocal(struct coarse_pieces p, uint32_t *at)
{
    double worst = 0;
    for (uint32_t div = 0; div < 128; div++) {
        const double true_one = 128.0 / (128 + div);
        const double error = fabs(coarse_reciprocal(p, div) / 256.0 - true_one) / true_one;
        if (error > worst) {
            worst = error;
            *at = div;
        }
    }
    return worst;
}

/* 7; and the constants that the text prints, which contradict its own bound. */
static void reciprocals_have_three_pieces(void **state)
{
    (void)state;
    static const uint32_t divs[] = {0, 1, 16, 17, 64, 96, 97, 127};
    static const uint32_t recips[] = {255, 253, 223, 223, 176, 144, 143, 128};
    const struct coarse_pieces right = COARSE_PIECES;
    struct coarse_pieces printed = right;
    uint32_t at = 0;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(coarse_reciprocal(right, divs[i]), recips[i]);
    assert_int_equal((int)(10000 * worst_reciprocal(right, &at)), 332);
    assert_int_equal(at, 56);
    printed.second = 0xf6;
    assert_int_equal((int)(1000 * worst_reciprocal(printed, &at)), 67);
    printed.second = 0xf0;
    printed.third = 0xdf;
    assert_int_equal((int)(1000 * worst_reciprocal(printed, &at)), 245);
}

static void other_designs_compare_otherwise(void **state)
{
    (void)state;
    struct lnl_unit u = {.test = LNL_TEST_EXACT, .exact = 0.667};
    assert_int_equal(lnl_compare(&u, bits(1.5f), bits(2.5f)), LNL_SIMILAR); /* 0.6667 */
    u.exact = 0.666;
    assert_int_equal(lnl_compare(&u, bits(1.5f), bits(2.5f)), LNL_FAIL_THRESHOLD);
    assert_int_equal(lnl_compare(&u, bits(2.5f), bits(1.5f)), LNL_SIMILAR); /* 0.4 */
    assert_int_equal(lnl_compare(&u, 0, 0x80000000), LNL_SIMILAR);
    assert_int_equal(lnl_compare(&u, 0, 1), LNL_FAIL_THRESHOLD);
    assert_int_equal(lnl_compare(&u, 0x7fc00000, 0x7fc00000), LNL_FAIL_EXPONENT);
    u = (struct lnl_unit){.test = LNL_TEST_BITS, .drop_bits = 23};
    assert_int_equal(lnl_compare(&u, 0x42fe0000, 0x43000000), LNL_FAIL_THRESHOLD); /* 2: bit 8 */
    assert_int_equal(lnl_compare(&u, 0x42fe0000, 0x42800001), LNL_SIMILAR);
    u.drop_bits = 0;
    assert_int_equal(lnl_compare(&u, 5, 5), LNL_SIMILAR);
    assert_int_equal(lnl_compare(&u, 5, 4), LNL_FAIL_THRESHOLD);
    u.drop_bits = 32;
    assert_int_equal(lnl_compare(&u, 0, UINT32_MAX), LNL_SIMILAR);
}

static void differences_are_of_what_was_loaded(void **state)
{
    (void)state;
    const struct lnl_unit u = {.absolute = 4};
    static const struct {
        enum lnl_value what;
        uint32_t a, b;
        bool is_similar;
    } rows[] = {
        {LNL_VALUE_U32, 10, 13, true},
        {LNL_VALUE_U32, 10, 14, false},
        {LNL_VALUE_U32, 14, 10, false},
        {LNL_VALUE_U32, 0, UINT32_MAX, false},
        {LNL_VALUE_S32, 0, UINT32_MAX, true}, /* -1 */
        {LNL_VALUE_S32, INT32_MAX, 0x80000000, false},
        {LNL_VALUE_U8X4, 0x01020304, 0x04050607, true},
        {LNL_VALUE_U8X4, 0x01020304, 0x01060304, false},
        {LNL_VALUE_F32, 0x40000000, 0x40bf0000, true}, /* 2 and 5.97 */
        {LNL_VALUE_F32, 0x40000000, 0x40c00000, false},
        {LNL_VALUE_F32, 0x7fc00000, 0x7fc00000, false},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(lnl_compare_absolute(&u, rows[i].what, rows[i].a, rows[i].b),
                         rows[i].is_similar ? LNL_SIMILAR : LNL_FAIL_THRESHOLD);
}

/* 8.4, 4: a larger threshold makes no less similar. */
static void similar_does_not_fall_with_the_threshold(void **state)
{
    (void)state;
    const struct lnl_unit low = circuit(0.02), high = circuit(0.1);
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t a = i * 2654435761u, b = a + (i * 40503u & 0xfffff);
        assert_true(lnl_compare(&low, a, b) != LNL_SIMILAR ||
                    lnl_compare(&high, a, b) == LNL_SIMILAR);
    }
}

/* --- the history table --- */

static void expect_entry(const struct lnl_history *h, unsigned i, bool valid, unsigned uses)
{
    assert_int_equal(h->at[i].is_valid, valid);
    if (valid)
        assert_int_equal(h->at[i].more_uses + 1, uses);
}

/* 9, Figure 3.6; the second time with a load that is not similar: the same counts. */
static void uses_are_counted_down(void **state)
{
    (void)state;
    for (unsigned similar = 0; similar < 2; similar++) {
        struct lnl_history h;
        lnl_history_clear(&h);
        lnl_history_note(&h, 0, true, 1, UINT32_MAX);
        lnl_history_note(&h, 1, similar, 2, UINT32_MAX);
        lnl_history_note(&h, 2, true, 1, UINT32_MAX);
        assert_int_equal(lnl_history_start(&h, 1 | 2).is_approximable, similar);
        expect_entry(&h, 0, false, 0);
        expect_entry(&h, 1, true, 1);
        expect_entry(&h, 2, true, 1);
        assert_int_equal(lnl_history_start(&h, 2 | 4).is_approximable, similar);
        assert_int_equal(lnl_history_valid(&h), 0);
    }
}

static void a_load_that_was_not_there_is_not_similar(void **state)
{
    (void)state;
    struct lnl_history h;
    lnl_history_clear(&h);
    lnl_history_note(&h, 3, true, 4, 0xff);
    const struct lnl_answer a = lnl_history_start(&h, 1 | 8);
    assert_false(a.is_approximable);
    assert_int_equal(a.invalid, 1);
    assert_int_equal(a.loaded, 0xff);
    expect_entry(&h, 3, true, 3);
    lnl_history_note(&h, 3, false, 1, 1); /* replaces it */
    assert_false(lnl_history_start(&h, 8).is_approximable);
    assert_int_equal(lnl_history_valid(&h), 0);
}

/* --- anchors --- */

/* 8. */
static void anchors_are_the_first_active_lanes(void **state)
{
    (void)state;
    assert_int_equal(lnl_anchors(0xfffffff6, 4), 0x11111112);
    assert_int_equal(lnl_anchors(0xfffffff6, 16), 0x00010002);
    assert_int_equal(lnl_anchors(0xfffffff6, 1), 0xfffffff6);
    assert_int_equal(lnl_anchors(0, 8), 0);
    assert_int_equal(lnl_anchors(0x80000100, 8), 0x80000100);
    assert_int_equal(lnl_anchors(UINT32_MAX, 2), 0x55555555);
}

static void bits_follow_their_anchor(void **state)
{
    (void)state;
    assert_int_equal(lnl_spread(0x00000001, UINT32_MAX, 4), 0x0000000f);
    assert_int_equal(lnl_spread(0x0000000e, UINT32_MAX, 4), 0);
    assert_int_equal(lnl_spread(0x00000002, 0xfffffff6, 4), 0x00000006);
    assert_int_equal(lnl_spread(0x00000009, 0xfffffff6, 4), 0x00000009 & ~0xfffffff6u);
}

/* --- interpolation --- */

static void expect_floats(const struct lnl_groups *g, uint32_t mask, const float *anchors,
                          const float *expected)
{
    uint32_t lanes[LNL_LANES];
    for (unsigned l = 0; l < LNL_LANES; l++)
        lanes[l] = bits(l % g->n ? 1000 : anchors[l / g->n]);
    lnl_interpolate(g, LNL_F32, mask, lanes);
    for (unsigned l = 0; l < LNL_LANES; l++)
        assert_true(value(lanes[l]) == expected[l]);
}

/* 10. */
static void floats_lie_between_anchors(void **state)
{
    (void)state;
    static const float four[] = {10, 14, 14, 14, 14, 14, 14, 14}, eight[] = {0, 8, 8, 4};
    float expected[LNL_LANES];
    for (unsigned l = 0; l < LNL_LANES; l++)
        expected[l] = l < 4 ? 10 + (float)l : 14;
    expect_floats(&(struct lnl_groups){.n = 4}, UINT32_MAX, four, expected);
    for (unsigned l = 0; l < LNL_LANES; l++)
        expected[l] = l < 8 ? (float)l : l < 16 ? 8 : l < 24 ? 8 - 0.5f * (float)(l - 16) : 4;
    expect_floats(&(struct lnl_groups){.n = 8}, UINT32_MAX, eight, expected);
}

static void replicas_are_the_anchors(void **state)
{
    (void)state;
    uint32_t lanes[LNL_LANES];
    for (unsigned l = 0; l < LNL_LANES; l++)
        lanes[l] = l;
    lnl_replicate(&(struct lnl_groups){.n = 4}, 0xfffffff6, lanes);
    static const uint32_t first[] = {0, 1, 1, 3, 4, 4, 4, 4};
    assert_memory_equal(lanes, first, sizeof first);
}

/* The last group, one before a group without lanes, and the end of a row repeat their anchor. */
static void edges_are_repeated(void **state)
{
    (void)state;
    uint32_t lanes[LNL_LANES];
    for (unsigned l = 0; l < LNL_LANES; l++)
        lanes[l] = 64 * l;
    lnl_interpolate(&(struct lnl_groups){.n = 16}, LNL_U32, 0x0000ffff, lanes);
    assert_int_equal(lanes[15], 0);
    for (unsigned l = 0; l < LNL_LANES; l++)
        lanes[l] = 64 * l;
    lnl_interpolate(&(struct lnl_groups){.n = 8, .rows = 1 << 16}, LNL_U32, UINT32_MAX, lanes);
    assert_int_equal(lanes[7], 64 * 7);
    assert_int_equal(lanes[15], 64 * 8);
    assert_int_equal(lanes[23], 64 * 23);
    assert_int_equal(lanes[31], 64 * 24);
}

/* 11; and down, signed, each byte for itself. */
static void integers_are_rounded_half_up(void **state)
{
    (void)state;
    static const struct {
        enum lnl_format format;
        uint32_t from, to, expected[4];
    } rows[] = {
        {LNL_U8, 10, 13, {10, 11, 12, 12}},
        {LNL_U8, 13, 10, {13, 12, 12, 11}},
        {LNL_S32, (uint32_t)-2, 1, {(uint32_t)-2, (uint32_t)-1, 0, 0}},
        {LNL_U32,
         UINT32_MAX,
         UINT32_MAX - 4,
         {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2, UINT32_MAX - 3}},
        {LNL_U8X4, 0x0a0dff00, 0x0d0a00ff, {0x0a0dff00, 0x0b0cbf40, 0x0c0c8080, 0x0c0b40bf}},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t lanes[LNL_LANES] = {rows[i].from, 99, 99, 99, rows[i].to};
        lnl_interpolate(&(struct lnl_groups){.n = 4}, rows[i].format, 0x1f, lanes);
        assert_memory_equal(lanes, rows[i].expected, sizeof rows[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_the_circuits),
        cmocka_unit_test(a_threshold_is_not_reached),
        cmocka_unit_test(signs_and_exponents_fail_first),
        cmocka_unit_test(reciprocals_have_three_pieces),
        cmocka_unit_test(other_designs_compare_otherwise),
        cmocka_unit_test(differences_are_of_what_was_loaded),
        cmocka_unit_test(similar_does_not_fall_with_the_threshold),
        cmocka_unit_test(uses_are_counted_down),
        cmocka_unit_test(a_load_that_was_not_there_is_not_similar),
        cmocka_unit_test(anchors_are_the_first_active_lanes),
        cmocka_unit_test(bits_follow_their_anchor),
        cmocka_unit_test(floats_lie_between_anchors),
        cmocka_unit_test(replicas_are_the_anchors),
        cmocka_unit_test(edges_are_repeated),
        cmocka_unit_test(integers_are_rounded_half_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
