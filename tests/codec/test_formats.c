/* Every codec against the oracle, bit for bit, and against itself. */
#include "codec/codec_int.h"
#include "codec/support_blocks.h"
#include "codec/support_ref.h"
#include "parsim/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Codecs that are a function of the block alone. */
static const enum codec_id plain[] = {
#define PLAIN_KERNEL(ID)  CODEC_##ID,
#define PLAIN_ENCODED(ID) CODEC_##ID,
#define PLAIN_OWN(ID)
#define CODEC(ID, file, size) PLAIN_##size(ID)
#include "parsim/codecs.def"
#undef CODEC
};
static const unsigned block_sizes[] = {32, 64, 128};

enum { ROUNDS = 600 };

static struct codec *make(const char *name, unsigned bytes, const struct codec_table *table)
{
    struct codec_error err;
    struct codec *c =
        codec_new(name, &(struct codec_params){.block_bytes = bytes, .table = table}, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

static void assert_same_bits(const uint8_t *out, const struct bitstr *ref, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++)
        if ((out[i / 8] >> (7 - i % 8) & 1) != ref->s[i] - '0')
            fail_msg("bit %u of %u differs", i, bits);
}

/* What is said of a codec in one place: its size is the oracle's and encode()'s, its bits are the
 * oracle's, and they decode to the block. */
static void check_block(const struct codec *c, const uint8_t *block, const struct bitstr *ref,
                        unsigned limit)
{
    uint8_t out[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
    unsigned bytes = codec_block_bytes(c), bits = codec_size(c, block);
    assert_int_equal(bits, ref_stored_bits(ref, bytes, limit));
    assert_int_equal(codec_encode(c, block, out), bits);
    if (bits == 8 * bytes)
        assert_memory_equal(out, block, bytes);
    else
        assert_same_bits(out, ref, bits);
    memset(back, 0xa5, sizeof back);
    assert_true(codec_decode(c, out, bits, back));
    assert_memory_equal(back, block, bytes);
}

static void plain_codecs_match_the_oracle(void **state)
{
    (void)state;
    struct rng r = {1};
    struct bitstr *ref = malloc(sizeof *ref);
    for (unsigned k = 0; k < ARRAY_LEN(plain); k++)
        for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
            struct codec *c = make(codec_id_name(plain[k]), block_sizes[s], NULL);
            for (unsigned i = 0; i < ROUNDS * BLOCK_KINDS; i++) {
                uint8_t block[CODEC_BLOCK_MAX];
                blocks_fill(&r, i % BLOCK_KINDS, block, block_sizes[s]);
                ref->n = ref->impossible = 0;
                ref_encode(codec_id_name(plain[k]), block, block_sizes[s], ref);
                check_block(c, block, ref, block_sizes[s] - 1);
            }
            codec_free(c);
        }
    free(ref);
}

static void sizes_are_those_of_encodings(void **state)
{
    (void)state;
    struct rng r = {2};
    for (unsigned k = 0; k < ARRAY_LEN(plain); k++)
        for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
            struct codec *c = make(codec_id_name(plain[k]), block_sizes[s], NULL);
            for (unsigned i = 0; i < 4 * BLOCK_KINDS; i++) {
                uint8_t block[CODEC_BLOCK_MAX];
                uint16_t bits;
                blocks_fill(&r, i % BLOCK_KINDS, block, block_sizes[s]);
                codec_encoded_size(c, block, 1, &bits);
                assert_int_equal(codec_size(c, block), bits);
            }
            codec_free(c);
        }
}

static struct codec_table *table_of_kinds(unsigned symbol_bits, struct rng *r)
{
    struct codec_counts *counts = codec_counts_new(symbol_bits, 0);
    uint8_t block[CODEC_BLOCK_MAX];
    for (unsigned i = 0; i < 40 * BLOCK_KINDS; i++) {
        blocks_fill(r, i % BLOCK_KINDS, block, sizeof block);
        codec_counts_add(counts, block, sizeof block);
    }
    struct codec_table *t = codec_table_build(counts);
    codec_counts_free(counts);
    return t;
}

static void e2mc_matches_the_oracle(void **state)
{
    (void)state;
    struct bitstr *ref = malloc(sizeof *ref);
    for (unsigned bits = 4; bits <= 32; bits *= 2) {
        struct rng r = {bits};
        struct codec_table *t = table_of_kinds(bits, &r);
        for (unsigned ways = 1; ways <= 8; ways *= 2)
            for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
                char name[16];
                snprintf(name, sizeof name, "e2mc-%uw%u", bits, ways);
                struct codec *c = make(name, block_sizes[s], t);
                for (unsigned i = 0; i < 4 * BLOCK_KINDS; i++) {
                    uint8_t block[CODEC_BLOCK_MAX];
                    blocks_fill(&r, i % BLOCK_KINDS, block, block_sizes[s]);
                    ref->n = ref->impossible = 0;
                    ref_encode_e2mc(t, bits, ways, block, block_sizes[s], ref);
                    check_block(c, block, ref, block_sizes[s] - 32);
                }
                codec_free(c);
            }
        codec_table_free(t);
    }
    free(ref);
}

static void bestof_is_the_smallest_and_a_byte(void **state)
{
    (void)state;
    struct rng r = {3};
    static const char *const set[] = {"bdi", "fpc", "cpack"};
    for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
        unsigned bytes = block_sizes[s];
        struct codec *best = make("bestof", bytes, NULL), *member[3];
        for (unsigned k = 0; k < 3; k++)
            member[k] = make(set[k], bytes, NULL);
        for (unsigned i = 0; i < ROUNDS * BLOCK_KINDS; i++) {
            uint8_t block[CODEC_BLOCK_MAX], out[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
            blocks_fill(&r, i % BLOCK_KINDS, block, bytes);
            unsigned least = 8 * bytes, winner = 0;
            for (unsigned k = 0; k < 3; k++) {
                unsigned bits = codec_size(member[k], block);
                if (bits < least) {
                    least = bits;
                    winner = codec_id(member[k]);
                }
            }
            unsigned want = codec_bytes(least + 8) < bytes ? least + 8 : 8 * bytes;
            assert_int_equal(codec_size(best, block), want);
            assert_int_equal(codec_encode(best, block, out), want);
            if (want < 8 * bytes)
                assert_int_equal(out[0], winner);
            assert_true(codec_decode(best, out, want, back));
            assert_memory_equal(back, block, bytes);
        }
        for (unsigned k = 0; k < 3; k++)
            codec_free(member[k]);
        codec_free(best);
    }
}

static void many_blocks_cost_what_each_costs(void **state)
{
    (void)state;
    struct rng r = {4};
    enum { N = 200 };
    static uint8_t blocks[N * CODEC_BLOCK_MAX];
    uint16_t bits[N];
    for (unsigned k = 0; k < ARRAY_LEN(plain); k++)
        for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
            unsigned bytes = block_sizes[s];
            struct codec *c = make(codec_id_name(plain[k]), bytes, NULL);
            for (unsigned i = 0; i < N; i++)
                blocks_fill(&r, i % BLOCK_KINDS, blocks + i * bytes, bytes);
            codec_size_blocks(c, blocks, N, bits);
            for (unsigned i = 0; i < N; i++)
                assert_int_equal(bits[i], codec_size(c, blocks + i * bytes));
            codec_free(c);
        }
}

static void zero_costs_nothing_or_everything(void **state)
{
    (void)state;
    struct codec *c = make("zero", 64, NULL);
    uint8_t block[64] = {0}, back[64];
    assert_int_equal(codec_size(c, block), 0);
    assert_true(codec_decode(c, block, 0, back));
    assert_memory_equal(back, block, 64);
    block[63] = 1;
    assert_int_equal(codec_size(c, block), 512);
    codec_free(c);
}

/* Decoders must survive any bytes: what they accept, they must be able to write again. */
static void decoders_survive_any_bytes(void **state)
{
    (void)state;
    struct rng r = {5};
    for (unsigned k = 0; k < ARRAY_LEN(plain); k++)
        for (unsigned s = 0; s < ARRAY_LEN(block_sizes); s++) {
            unsigned bytes = block_sizes[s];
            struct codec *c = make(codec_id_name(plain[k]), bytes, NULL);
            for (unsigned i = 0; i < 20000; i++) {
                uint8_t block[CODEC_BLOCK_MAX], out[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
                unsigned bits = rng_below(&r, 8 * bytes + 1);
                uint8_t *in = malloc(codec_bytes(bits) + !bits);
                blocks_fill(&r, i % BLOCK_KINDS, block, bytes);
                memcpy(in, block, codec_bytes(bits));
                if (codec_decode(c, in, bits, back)) {
                    unsigned again = codec_encode(c, back, out);
                    assert_true(codec_decode(c, out, again, block));
                    assert_memory_equal(block, back, bytes);
                }
                free(in);
            }
            codec_free(c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_codecs_match_the_oracle),
        cmocka_unit_test(sizes_are_those_of_encodings),
        cmocka_unit_test(e2mc_matches_the_oracle),
        cmocka_unit_test(bestof_is_the_smallest_and_a_byte),
        cmocka_unit_test(many_blocks_cost_what_each_costs),
        cmocka_unit_test(zero_costs_nothing_or_everything),
        cmocka_unit_test(decoders_survive_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
