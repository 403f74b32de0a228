/* E2MC's code tables: optimal, within their limits, and safe to keep in files. */
#include "base/rng.h"
#include "codec/huff_lengths.h"
#include "parsim/codec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static double kraft(const uint8_t *lens, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += ldexp(1, -lens[i]);
    return sum;
}

/* Huffman's own algorithm, by brute force: the cost of the best code without a limit. */
static uint64_t huffman_cost(const uint64_t *weights, unsigned n)
{
    uint64_t w[64], cost = 0;
    memcpy(w, weights, n * sizeof *w);
    for (; n > 1; n--) {
        for (unsigned pick = 0; pick < 2; pick++)
            for (unsigned i = 0; i < n - 1 - pick; i++)
                if (w[i] < w[i + 1]) {
                    uint64_t t = w[i];
                    w[i] = w[i + 1];
                    w[i + 1] = t;
                }
        w[n - 2] += w[n - 1];
        cost += w[n - 2];
    }
    return cost;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void lengths_cost_what_huffman_costs(void **state)
{
    (void)state;
    struct rng r = {1};
    for (unsigned round = 0; round < 500; round++) {
        uint64_t w[64], cost = 0;
        uint8_t lens[64];
        unsigned n = 2 + rng_below(&r, 62);
        for (unsigned i = 0; i < n; i++)
            w[i] = rng_below(&r, 1u << rng_below(&r, 16));
        qsort(w, n, sizeof *w, ascending);
        huff_lengths(w, n, 31, lens);
        for (unsigned i = 0; i < n; i++)
            cost += w[i] * lens[i];
        assert_int_equal(cost, huffman_cost(w, n));
        assert_true(kraft(lens, n) == 1);
    }
}

/* Fibonacci's weights make Huffman's code as long as it can be. */
static void lengths_keep_their_limit(void **state)
{
    (void)state;
    uint64_t w[64] = {1, 1};
    uint8_t lens[64];
    for (unsigned i = 2; i < 64; i++)
        w[i] = w[i - 1] + w[i - 2];
    for (unsigned limit = 6; limit <= 20; limit++) {
        huff_lengths(w, 64, limit, lens);
        assert_true(kraft(lens, 64) == 1);
        for (unsigned i = 0; i < 64; i++)
            assert_true(lens[i] >= 1 && lens[i] <= limit);
    }
}

static struct codec_table *table_of(unsigned symbol_bits, const void *data, size_t bytes)
{
    struct codec_counts *counts = codec_counts_new(symbol_bits, 0);
    codec_counts_add(counts, data, bytes);
    struct codec_table *t = codec_table_build(counts);
    codec_counts_free(counts);
    return t;
}

static void of_equal_counts_the_smaller_values_have_codewords(void **state)
{
    (void)state;
    static uint16_t symbols[3000];
    for (unsigned i = 0; i < 3000; i++)
        symbols[i] = (uint16_t)(3000 - i);
    struct codec_table *t = table_of(16, symbols, sizeof symbols);
    unsigned escape = codec_table_length(t, 0, 0); /* 0 never came */
    assert_true(escape > 16);
    for (unsigned v = 1; v <= 3000; v++)
        assert_int_equal(codec_table_length(t, 0, v) < escape, v <= 1024);
    codec_table_free(t);
}

static void a_table_of_nothing_still_codes_everything(void **state)
{
    (void)state;
    uint8_t block[128], out[128], back[128];
    struct rng r = {2};
    for (unsigned bits = 4; bits <= 32; bits *= 2) {
        char name[16];
        struct codec_table *t = table_of(bits, NULL, 0);
        snprintf(name, sizeof name, "e2mc-%u", bits);
        struct codec *c = codec_new(name, &(struct codec_params){.table = t}, NULL);
        for (unsigned i = 0; i < 128; i++)
            block[i] = (uint8_t)rng_u64(&r);
        unsigned n = codec_encode(c, block, out);
        assert_true(codec_decode(c, out, n, back));
        assert_memory_equal(block, back, 128);
        codec_free(c);
        codec_table_free(t);
    }
}

static void tables_survive_a_file(void **state)
{
    (void)state;
    static uint32_t words[5000];
    struct rng r = {3};
    for (unsigned i = 0; i < 5000; i++)
        words[i] = rng_below(&r, 1u << rng_below(&r, 24));
    for (unsigned bits = 4; bits <= 32; bits *= 2) {
        char path[] = "/tmp/parsim-table-XXXXXX";
        struct codec_error err;
        close(mkstemp(path));
        struct codec_table *t = table_of(bits, words, sizeof words);
        assert_true(codec_table_save(t, path, &err));
        struct codec_table *u = codec_table_load(path, &err);
        assert_non_null(u);
        assert_int_equal(codec_table_symbol_bits(u), bits);
        for (unsigned i = 0; i < 5000; i++)
            for (unsigned pos = 0; pos < 8; pos++) {
                uint32_t v = bits == 32 ? words[i] : words[i] & ((1u << bits) - 1);
                assert_int_equal(codec_table_length(t, pos, v), codec_table_length(u, pos, v));
            }
        codec_table_free(t);
        codec_table_free(u);
        unlink(path);
    }
}

static void damaged_tables_are_refused(void **state)
{
    (void)state;
    static const uint32_t words[] = {1, 2, 3, 1, 1, 2, 70000, 0};
    struct codec_table *t = table_of(16, words, sizeof words);
    size_t n;
    uint8_t *data = codec_table_pack(t, &n);
    struct codec_error err;
    for (size_t i = 0; i < n; i++) {
        data[i] ^= 0x10;
        assert_null(codec_table_unpack(data, n, &err));
        data[i] ^= 0x10;
        assert_null(codec_table_unpack(data, i, &err));
    }
    free(data);
    codec_table_free(t);
}

static void entropy_of_known_data(void **state)
{
    (void)state;
    static uint32_t words[1024];
    for (unsigned i = 0; i < 1024; i++)
        words[i] = i % 4;
    /* Two bits a word, in one of 8 nibbles, one of 4 bytes; L = 16 mixes both halves: 5/8 zeros
     * and three values of 1/8. */
    const double want[] = {2.0 / 8, 2.0 / 4, 0.625 * log2(1.6) + 0.375 * 3, 2};
    for (unsigned l = 0; l < 4; l++) {
        struct codec_counts *c = codec_counts_new(4u << l, 0);
        codec_counts_add(c, words, sizeof words);
        double h = codec_counts_entropy(c);
        assert_true(fabs(h - want[l]) < 1e-12);
        assert_true(codec_counts_exact(c));
        codec_counts_free(c);
    }
}

/* Frequent values are kept when there are too many to count. */
static void counting_under_a_limit_keeps_the_frequent(void **state)
{
    (void)state;
    struct rng r = {4};
    struct codec_counts *c = codec_counts_new(32, 2000);
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t v = i % 2 ? 7 + i % 8 : (uint32_t)rng_u64(&r);
        codec_counts_add(c, &v, 4);
    }
    assert_false(codec_counts_exact(c));
    struct codec_table *t = codec_table_build(c);
    for (unsigned v = 8; v < 15; v += 2)
        assert_true(codec_table_length(t, 0, v) <= 4);
    double h = codec_counts_entropy(c); /* half of 2 bits, half of 17: 9.3 with the choice */
    assert_true(h > 8.5 && h < 10.5);
    codec_table_free(t);
    codec_counts_free(c);
}

/* More codewords than 1024: the same code from bytes, every value decoded; with one for every value
 * that occurs it is a Huffman code, within a bit of the entropy. */
static void tables_of_many_values(void **state)
{
    (void)state;
    enum { BLOCKS = 4096 };
    for (unsigned bits = 16; bits <= 32; bits *= 2) {
        static uint8_t data[BLOCKS][128];
        struct rng r = {5};
        struct codec_counts *c = codec_counts_new(bits, 0);
        for (unsigned i = 0; i < BLOCKS * 32; i++) {
            uint32_t v = (uint32_t)(rng_u64(&r) % 3000 * (rng_u64(&r) % 5)) * 0x9e3779b1u;
            memcpy(&data[i / 32][i % 32 * 4], &v, 4);
        }
        codec_counts_add(c, data, sizeof data);
        for (unsigned values = 1024; values <= CODEC_VALUES_MAX; values *= 2) {
            struct codec_table *t = codec_table_build_values(c, values);
            size_t bytes;
            uint8_t *packed = codec_table_pack(t, &bytes);
            struct codec_table *back = codec_table_unpack(packed, bytes, NULL);
            assert_non_null(back);
            struct codec_params params = {.table = back};
            struct codec *codec = codec_new(bits == 16 ? "e2mc-16" : "e2mc-32", &params, NULL);
            uint64_t sum = 0;
            for (unsigned i = 0; i < BLOCKS; i++) {
                uint8_t out[128], again[128];
                unsigned n = codec_encode(codec, data[i], out);
                assert_int_equal(n, codec_size(codec, data[i]));
                assert_true(codec_decode(codec, out, n, again));
                assert_memory_equal(again, data[i], 128);
                for (unsigned w = 0; w < 128; w += 4) {
                    uint32_t v;
                    memcpy(&v, data[i] + w, 4);
                    sum += bits == 32 ? codec_table_length(back, 0, v)
                                      : codec_table_length(back, 0, v & 0xffff) +
                                            codec_table_length(back, 0, v >> 16);
                }
            }
            double n = BLOCKS * 1024.0 / bits, h = codec_counts_entropy(c);
            if (values == CODEC_VALUES_MAX)
                assert_true((double)sum >= h * n - 1e-6 && (double)sum < (h + 1) * n);
            codec_free(codec);
            codec_table_free(t);
            codec_table_free(back);
            free(packed);
        }
        codec_counts_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_cost_what_huffman_costs),
        cmocka_unit_test(lengths_keep_their_limit),
        cmocka_unit_test(of_equal_counts_the_smaller_values_have_codewords),
        cmocka_unit_test(a_table_of_nothing_still_codes_everything),
        cmocka_unit_test(tables_survive_a_file),
        cmocka_unit_test(damaged_tables_are_refused),
        cmocka_unit_test(entropy_of_known_data),
        cmocka_unit_test(counting_under_a_limit_keeps_the_frequent),
        cmocka_unit_test(tables_of_many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
