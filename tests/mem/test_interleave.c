/* Which channel and slice an address belongs to: one to one, dense, spread. */
#include "mem/interleave.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct interleave make(int64_t channels, int64_t slices, int64_t granule, bool hash)
{
    struct interleave_cfg cfg = {channels, slices, granule, hash};
    struct interleave il;
    struct err err;
    if (!interleave_cfg_check(&cfg, "interleave", &err))
        fail_msg("%s", err.msg);
    interleave_init(&il, &cfg);
    return il;
}

static const int64_t channel_counts[] = {1, 2, 3, 5, 6, 7, 8, 12, 32, 40, 255};
static const int64_t slice_counts[] = {1, 2, 3, 16};

static void there_and_back_is_the_identity(void **state)
{
    (void)state;
    struct rng rng = {1};
    for (size_t c = 0; c < ARRAY_LEN(channel_counts); c++)
        for (size_t s = 0; s < ARRAY_LEN(slice_counts); s++)
            for (int hash = 0; hash < 2; hash++) {
                struct interleave il = make(channel_counts[c], slice_counts[s], 256, hash);
                for (int n = 0; n < 500; n++) {
                    addr_t addr = rng_u64(&rng) >> (8 + rng_below(&rng, 50));
                    struct mem_place p = interleave_locate(&il, addr);
                    assert_true(p.channel < channel_counts[c]);
                    assert_true(p.slice < slice_counts[s]);
                    assert_true(interleave_address(&il, p.channel, p.local) == addr);
                    assert_int_equal(interleave_slice(&il, addr),
                                     p.channel * slice_counts[s] + p.slice);
                }
            }
}

/* A dense range of addresses fills each channel's local addresses densely, from both sides. */
static void places_are_used_exactly_once(void **state)
{
    (void)state;
    enum { CHANNELS = 6, GRANULES = 700 };
    for (int hash = 0; hash < 2; hash++) {
        struct interleave il = make(CHANNELS, 2, 256, hash);
        static uint8_t used[CHANNELS][GRANULES];
        memset(used, 0, sizeof used);
        for (addr_t block = 0; block < CHANNELS * GRANULES; block++) {
            struct mem_place p = interleave_locate(&il, block * 256 + 17);
            assert_int_equal(p.local % 256, 17);
            assert_true(p.local / 256 < GRANULES);
            assert_int_equal(used[p.channel][p.local / 256]++, 0);
        }
    }
}

/* A slice's addresses are dense too: all its sets are used. */
static void each_slice_has_a_dense_share(void **state)
{
    (void)state;
    enum { CHANNELS = 3, SLICES = 2, GRANULES = 500 };
    for (int hash = 0; hash < 2; hash++) {
        struct interleave il = make(CHANNELS, SLICES, 256, hash);
        static uint8_t used[CHANNELS][SLICES][GRANULES];
        memset(used, 0, sizeof used);
        for (addr_t block = 0; block < CHANNELS * SLICES * GRANULES; block++) {
            struct mem_place p = interleave_locate(&il, block * 256 + 200);
            assert_int_equal(p.in_slice % 256, 200);
            assert_true(p.in_slice / 256 < GRANULES);
            assert_int_equal(used[p.channel][p.slice][p.in_slice / 256]++, 0);
        }
    }
}

static void consecutive_granules_go_to_consecutive_channels_then_slices(void **state)
{
    (void)state;
    struct interleave il = make(6, 2, 256, false);
    for (uint32_t k = 0; k < 48; k++) {
        struct mem_place p = interleave_locate(&il, k * 256);
        assert_int_equal(p.channel, k % 6);
        assert_int_equal(p.slice, k / 6 % 2);
        assert_int_equal(p.local, k / 6 * 256);
    }
}

/* A stride that meets one slice without the hash is spread by it. */
static void the_hash_spreads_strides(void **state)
{
    (void)state;
    for (int hash = 0; hash < 2; hash++) {
        struct interleave il = make(8, 2, 256, hash);
        uint32_t seen = 0;
        for (addr_t k = 0; k < 256; k++)
            seen |= 1u << interleave_slice(&il, k * 16 * 256);
        assert_int_equal(__builtin_popcount(seen), hash ? 16 : 1);
    }
}

static void a_granule_is_a_power_of_two(void **state)
{
    (void)state;
    struct interleave_cfg cfg = {6, 2, 300, false};
    struct err err;
    assert_false(interleave_cfg_check(&cfg, "interleave", &err));
    assert_string_equal(err.msg, "interleave.granule: 300 is not a power of two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back_is_the_identity),
        cmocka_unit_test(places_are_used_exactly_once),
        cmocka_unit_test(each_slice_has_a_dense_share),
        cmocka_unit_test(consecutive_granules_go_to_consecutive_channels_then_slices),
        cmocka_unit_test(the_hash_spreads_strides),
        cmocka_unit_test(a_granule_is_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
