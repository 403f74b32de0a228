/* The pictures that generators make have the statistics that gen.h promises. */
#include "gen.h"
#include "support_picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 256, PIXELS = SIDE * SIDE, PICTURES = 4 };

#define assert_between(low, value, high)                                                    \
    do {                                                                                    \
        double value_ = (value);                                                            \
        if (!(value_ >= (low) && value_ <= (high)))                                         \
            fail_msg("%s is %.3f, not within %.3f and %.3f", #value, value_, (double)(low), \
                     (double)(high));                                                       \
    } while (0)

static void the_meter_finds_no_slope_in_noise(void **state)
{
    (void)state;
    static double pixels[PIXELS];
    struct rng rng = {1};
    for (int i = 0; i < PIXELS; i++)
        pixels[i] = gen_normal(&rng);
    assert_between(-0.2, picture_power_slope(pixels, SIDE), 0.2);
    assert_between(2.8, picture_kurtosis(pixels, SIDE), 3.2);
    assert_between(0, picture_flat_share(pixels, SIDE, 1), 0);
}

static double fractal_slope(unsigned roughness)
{
    static double pixels[PIXELS];
    static int32_t field[PIXELS];
    double sum = 0;
    for (int k = 0; k < PICTURES; k++) {
        struct rng rng = {(uint64_t)k};
        gen_fractal(&rng, field, SIDE, SIDE, 128, roughness);
        for (int i = 0; i < PIXELS; i++)
            pixels[i] = field[i];
        sum += picture_power_slope(pixels, SIDE) / PICTURES;
    }
    return sum;
}

static void a_field_is_as_rough_as_it_was_ordered(void **state)
{
    (void)state;
    const unsigned roughness[] = {65536, 57344, 49152, 32768};
    for (size_t i = 0; i < ARRAY_LEN(roughness); i++) {
        double promised = -(2 + 2 * log2(65536.0 / roughness[i]));
        assert_between(promised - 0.35, fractal_slope(roughness[i]), promised + 0.35);
    }
}

static void photo_plane(uint64_t seed, unsigned channels, unsigned channel, double *pixels)
{
    uint8_t *photo = calloc(PIXELS, channels);
    struct rng rng = {seed};
    gen_photo(&rng, photo, SIDE, SIDE, channels);
    for (size_t i = 0; i < PIXELS; i++)
        pixels[i] = photo[i * channels + channel];
    free(photo);
}

static void photographs_have_natural_statistics(void **state)
{
    (void)state;
    static double pixels[PIXELS];
    double slope = 0, kurtosis = 0, flat = 0;
    for (int k = 0; k < PICTURES; k++) {
        photo_plane((uint64_t)k + 1, 1, 0, pixels);
        double own = picture_power_slope(pixels, SIDE);
        assert_between(-2.9, own, -1.9);
        slope += own / PICTURES;
        kurtosis += picture_kurtosis(pixels, SIDE) / PICTURES;
        flat += picture_flat_share(pixels, SIDE, 4) / PICTURES;
    }
    assert_between(-2.6, slope, -2.1);
    assert_between(15, kurtosis, 30);
    assert_between(0.12, flat, 0.33);
}

static void every_colour_of_a_photograph_is_natural(void **state)
{
    (void)state;
    static double pixels[PIXELS];
    for (unsigned c = 0; c < 3; c++) {
        photo_plane(3, 4, c, pixels);
        assert_between(-2.9, picture_power_slope(pixels, SIDE), -1.9);
        assert_between(12, picture_kurtosis(pixels, SIDE), 50);
    }
    photo_plane(3, 4, 3, pixels);
    assert_between(1, picture_flat_share(pixels, SIDE, 0), 1); /* opaque */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_meter_finds_no_slope_in_noise),
        cmocka_unit_test(a_field_is_as_rough_as_it_was_ordered),
        cmocka_unit_test(photographs_have_natural_statistics),
        cmocka_unit_test(every_colour_of_a_photograph_is_natural),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
