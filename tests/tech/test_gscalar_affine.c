/* gscalar.affine: registers of a value and a step from lane to lane. */
#include "tech/support_gscalar.h"

static struct gscalar_stats affine_of(const char *body, const char *more)
{
    return gs_added_to(body, more, (struct gs_way){"gscalar", 32, .is_affine = true});
}

/* The thread's number: no array, and its sum with one value is computed by two lanes. */
static void sums_and_products_keep_their_step(void **state)
{
    (void)state;
    const struct gscalar_stats s = affine_of("", "add.u32 %r4,%r1,%r2;");
    assert_int_equal(s.affine, 1);
    assert_int_equal(s.lanes_gated, 30);
    assert_int_equal(s.read_arrays + s.write_arrays, 0);
    assert_int_equal(s.write_affine, 1);
    assert_int_equal(s.decoded + s.encoded + s.delta_decoded + s.delta_encoded, 0);
    assert_int_equal(affine_of("", "sub.s32 %r4,%r2,%r1;").affine, 1);
    assert_int_equal(affine_of("", "mad.lo.s32 %r4,%r2,%r1,%r1;").affine, 1);
    assert_int_equal(affine_of("", "shl.b32 %r4,%r1,3;").affine, 1);
    assert_int_equal(affine_of("", "mul.wide.u32 %rd2,%r1,4;").affine, 1);
    assert_int_equal(affine_of("mul.wide.u32 %rd2,%r1,4;", "add.u64 %rd3,%rd2,%rd1;").affine, 1);
}

/* What is no sum of steps: the square, a shift by the lane, logic; two circuits put it together. */
static void others_do_not(void **state)
{
    (void)state;
    assert_int_equal(affine_of("", "mul.lo.u32 %r4,%r1,%r1;").affine, 0);
    assert_int_equal(affine_of("", "shl.b32 %r4,%r2,%r1;").affine, 0);
    assert_int_equal(affine_of("", "mul.hi.u32 %r4,%r1,%r2;").affine, 0);
    const struct gscalar_stats s = affine_of("", "xor.b32 %r4,%r1,%r2;");
    assert_int_equal(s.affine, 0);
    assert_int_equal(s.delta_decoded, 1);
    assert_int_equal(s.delta_encoded, 1);
}

/* Lanes that wrap around 32 bits are other numbers in 64. */
static void steps_that_wrap_are_not_widened(void **state)
{
    (void)state;
    static const char down[] = "sub.u32 %r4,9,%r1;";
    assert_int_equal(affine_of("", down).affine, 1);
    assert_int_equal(affine_of(down, "mul.wide.u32 %rd2,%r4,4;").affine, 0);
    assert_int_equal(affine_of(down, "mul.wide.s32 %rd2,%r4,4;").affine, 1);
    assert_int_equal(
        affine_of("sub.u32 %r4,9,%r1; mov.b64 %rd2,{%r4,%r2};", "add.u64 %rd3,%rd2,%rd1;").affine,
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_keep_their_step),
        cmocka_unit_test(others_do_not),
        cmocka_unit_test(steps_that_wrap_are_not_widened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
