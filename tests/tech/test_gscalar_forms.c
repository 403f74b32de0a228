/* How G-Scalar and what it is compared with store registers: the worked examples of its
 * specification. */
#include "tech/support_gscalar.h"

#include "parsim/codec.h"

typedef uint32_t lanes_t[WARP_LANES];

/* What a form makes of lanes that all have written. */
static struct gs_reg packed(const struct gs_form *form, const uint32_t *lane, uint32_t all,
                            unsigned *bytes, struct gs_base *b)
{
    struct gs_reg r = {0};
    const struct gs_view v = gs_view(lane, all);
    *bytes = form->pack(&v, all, &r, b);
    FOR_LANES (l, all)
        assert_int_equal(form->get(b, l, form->put(b, l, lane[l], ~lane[l])), lane[l]);
    return r;
}

static void expect(const struct gs_form *form, const uint32_t *lane, unsigned k_low,
                   unsigned k_high, unsigned arrays, unsigned scalar)
{
    unsigned bytes;
    struct gs_base b;
    const struct gs_reg r = packed(form, lane, UINT32_MAX, &bytes, &b);
    assert_int_equal(b.k[0], k_low);
    assert_int_equal(b.k[1], k_high);
    assert_int_equal(r.arrays, arrays);
    assert_int_equal(r.scalar, scalar);
}

static unsigned arrays_of(const struct gs_form *form, const uint32_t *lane)
{
    unsigned bytes;
    struct gs_base b;
    return packed(form, lane, UINT32_MAX, &bytes, &b).arrays;
}

static unsigned bytes_of(const struct gs_form *form, const uint32_t *lane)
{
    unsigned bytes;
    struct gs_base b;
    packed(form, lane, UINT32_MAX, &bytes, &b);
    return bytes;
}

/* 1: eight lanes of 0xc04039c0, ...c8, ... ...f8. */
static void three_bytes_are_equal_in_the_text(void **state)
{
    (void)state;
    lanes_t lane = {0};
    for (unsigned l = 0; l < 8; l++)
        lane[l] = 0xc04039c0 + 8 * l;
    const struct gs_view v = gs_view(lane, 0xff);
    assert_int_equal(gs_equal_bytes(gs_view_differ(&v)), 3);
    assert_int_equal(codec_gsr_enc(3), 0xe);
    assert_int_equal(v.base[0], 0xc04039c0);
}

/* 2 */
static void addresses_take_two_arrays(void **state)
{
    (void)state;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = 0xc0403900 + 4 * l;
    expect(&gs_form_whole, lane, 3, 3, 2, 0);
    expect(&gs_form_halves, lane, 3, 3, 2, 0);
    assert_int_equal(arrays_of(&gs_form_deltas, lane), 3);
    assert_int_equal(arrays_of(&gs_form_scalar, lane), 8);
    assert_int_equal(arrays_of(&gs_form_raw, lane), 8);
    assert_int_equal(bytes_of(&gs_form_whole, lane), 4 + 32);
    assert_int_equal(bytes_of(&gs_form_deltas, lane), 4 + 31);
}

/* 3 */
static void one_value_takes_none(void **state)
{
    (void)state;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = 0x3f800000;
    expect(&gs_form_whole, lane, 4, 4, 0, GS_ALL);
    expect(&gs_form_halves, lane, 4, 4, 0, GS_ALL);
    expect(&gs_form_scalar, lane, 4, 4, 0, GS_ALL);
    assert_int_equal(arrays_of(&gs_form_deltas, lane), 1);
    assert_int_equal(bytes_of(&gs_form_halves, lane), 4);
}

/* 4 */
static void two_values_are_two_halves(void **state)
{
    (void)state;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = 7 + l / 16;
    expect(&gs_form_whole, lane, 3, 3, 2, 0);
    expect(&gs_form_halves, lane, 4, 4, 0, GS_LOW | GS_HIGH);
}

/* 5 */
static void halves_are_encoded_apart(void **state)
{
    (void)state;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = l < 16 ? 0x10000 + 0x1000 * l : 5;
    expect(&gs_form_whole, lane, 1, 1, 6, 0);
    expect(&gs_form_halves, lane, 2, 4, 2, GS_HIGH);
}

/* 6 */
static void a_half_can_save_what_the_whole_cannot(void **state)
{
    (void)state;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = l < 16 ? l : UINT32_MAX;
    expect(&gs_form_whole, lane, 0, 0, 8, 0);
    expect(&gs_form_halves, lane, 3, 4, 1, GS_HIGH);
}

/* 8 */
static void a_value_is_compared_in_its_lanes_alone(void **state)
{
    (void)state;
    const lanes_t lane = {'A', 'A', 'A', 'B', 'A', 'A', 'B', 'C'};
    const struct gs_view v = gs_view(lane, 0x35), other = gs_view(lane, 0x0f);
    assert_int_equal(gs_view_differ(&v), 0);
    assert_int_not_equal(gs_view_differ(&other), 0);
}

/* 10: whichever lane of the mask feeds the bus, lane 14 or another, the comparison is the same. */
static void it_does_not_matter_which_lane_feeds_the_bus(void **state)
{
    (void)state;
    const uint32_t mask = 0x40fa;
    lanes_t lane;
    for (unsigned l = 0; l < WARP_LANES; l++)
        lane[l] = mask >> l & 1 ? 5 : 1000 + l;
    const struct gs_view all = gs_view(lane, mask);
    assert_int_equal(gs_view_differ(&all), 0);
    assert_int_equal(all.base[0], lane[14]);
    lane[14] = 6;
    const struct gs_view one = gs_view(lane, mask);
    assert_int_not_equal(gs_view_differ(&one), 0);
    assert_int_equal(codec_gsr_equal_bytes(lane, WARP_LANES, mask), 3);
}

/* 15: shares of Figure 2.11 through the arrays: 0.475, and 0.527 with metadata. */
static void shares_of_the_text_give_its_power(void **state)
{
    (void)state;
    struct gscalar_stats s = {.read_arrays = 17 * 2 + 4 * 4 + 7 * 6 + 36 * 8,
                              .base_read_arrays = 100 * 8,
                              .meta_reads = 100};
    double bare = 0, power = 0;
    for (size_t i = 0; i < gs_nstat_rows; i++) {
        if (!strcmp(gs_stat_rows[i].name, "rf_power_bare"))
            bare = gs_stat_rows[i].formula(&s);
        if (!strcmp(gs_stat_rows[i].name, "rf_power"))
            power = gs_stat_rows[i].formula(&s);
    }
    assert_true(bare > 0.47499 && bare < 0.47501);
    assert_true(power > 0.52699 && power < 0.52701);
}

/* The loops over lanes and the codec's, over masks and values of all kinds. */
static void views_agree_with_the_codec(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (unsigned n = 0; n < 20000; n++) {
        lanes_t lane;
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint32_t base = (uint32_t)(x >> 32),
                       mask = ((uint32_t)(x >> 13) * 2654435761u) | 1u << (n % 32);
        for (unsigned l = 0; l < WARP_LANES; l++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            lane[l] = base ^ (uint32_t)((x >> 40) & ((UINT64_C(1) << (n / 7 % 25)) - 1));
        }
        const uint32_t all = n % 3 ? mask : UINT32_MAX;
        const struct gs_view v = gs_view(lane, all);
        assert_int_equal(gs_equal_bytes(gs_view_differ(&v)),
                         codec_gsr_equal_bytes(lane, WARP_LANES, all));
        for (unsigned h = 0; h < 2; h++)
            assert_int_equal(gs_equal_bytes(v.differ[h]),
                             codec_gsr_equal_bytes(lane + 16 * h, 16, all >> (16 * h) & 0xffff));
        unsigned bytes;
        struct gs_base b;
        packed(&gs_form_halves, lane, all, &bytes, &b);
        packed(&gs_form_deltas, lane, all, &bytes, &b);
    }
}

static void groups_are_of_four_lanes(void **state)
{
    (void)state;
    assert_int_equal(gs_groups(0x1), 1);
    assert_int_equal(gs_groups(0x0000ffff), 4);
    assert_int_equal(gs_groups(0x80000001), 2);
    assert_int_equal(gs_groups(0x18), 2);
    assert_int_equal(gs_groups(UINT32_MAX), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_bytes_are_equal_in_the_text),
        cmocka_unit_test(addresses_take_two_arrays),
        cmocka_unit_test(one_value_takes_none),
        cmocka_unit_test(two_values_are_two_halves),
        cmocka_unit_test(halves_are_encoded_apart),
        cmocka_unit_test(a_half_can_save_what_the_whole_cannot),
        cmocka_unit_test(a_value_is_compared_in_its_lanes_alone),
        cmocka_unit_test(it_does_not_matter_which_lane_feeds_the_bus),
        cmocka_unit_test(shares_of_the_text_give_its_power),
        cmocka_unit_test(views_agree_with_the_codec),
        cmocka_unit_test(groups_are_of_four_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
