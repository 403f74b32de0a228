/* DF-TRUC and DF-MAN. */
#include "codec/support_blocks.h"
#include "parsim/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned dpc_size(const void *block)
{
    struct codec *c = codec_new("dpc", NULL, NULL);
    unsigned bits = codec_size(c, block);
    codec_free(c);
    return bits;
}

static void fill_words(uint32_t *w, unsigned n, uint32_t first, uint32_t step)
{
    for (unsigned i = 0; i < n; i++)
        w[i] = first + i * step;
}

static void truc_counts_critical_sectors_and_the_map(void **state)
{
    (void)state;
    uint32_t w[32];
    fill_words(w, 32, 0x1000, 1);
    /* One sector: 8 segments, 3 planes differ: flag, map, status, 29 values, 3 * 8 bits. */
    assert_int_equal(codec_dpc_truc_size(w, 128, 1), 1 + 4 + 32 + 29 + 3 * 8);
    /* All of them: no map, as in dpc. */
    assert_int_equal(codec_dpc_truc_size(w, 128, 15), 1 + 32 + 27 + 5 * 32);
    assert_int_equal(codec_dpc_truc_size(w, 128, 15), dpc_size(w));
    assert_int_equal(codec_dpc_truc_size(w, 128, 0), 0);
}

static void truc_of_noise_is_the_sectors_themselves(void **state)
{
    (void)state;
    struct rng r = {1};
    uint8_t block[128], out[128], back[128];
    blocks_fill(&r, 0, block, sizeof block);
    assert_int_equal(codec_dpc_truc_encode(block, 128, 6, out), 2 * 256);
    assert_true(codec_dpc_truc_decode(out, 512, 128, 6, back));
    assert_memory_equal(back + 32, block + 32, 64);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(back[i] | back[96 + i], 0);
}

static void critical_sectors_come_back(void **state)
{
    (void)state;
    struct rng r = {2};
    struct codec *dpc = codec_new("dpc", NULL, NULL);
    for (unsigned i = 0; i < 5000; i++) {
        uint8_t block[128], out[128], back[128];
        unsigned map = i % 16;
        blocks_fill(&r, i % BLOCK_KINDS, block, sizeof block);
        unsigned bits = codec_dpc_truc_encode(block, 128, map, out);
        assert_int_equal(bits, codec_dpc_truc_size(block, 128, map));
        assert_true(codec_dpc_truc_decode(out, bits, 128, map, back));
        for (unsigned s = 0; s < 4; s++)
            if (map >> s & 1)
                assert_memory_equal(back + 32 * s, block + 32 * s, 32);
        bits = codec_dpc_man_encode(block, 128, map, out);
        assert_int_equal(bits, codec_dpc_man_size(block, 128, map));
        assert_true(codec_decode(dpc, out, bits, back));
        for (unsigned s = 0; s < 4; s++)
            if (map >> s & 1)
                assert_memory_equal(back + 32 * s, block + 32 * s, 32);
    }
    codec_free(dpc);
}

static void man_takes_the_smaller_of_the_two(void **state)
{
    (void)state;
    uint32_t w[32], zeroed[32];
    fill_words(w, 32, 0xffff0000, 1);
    memcpy(zeroed, w, sizeof w);
    memset(zeroed + 8, 0, 96);
    /* Zeroing three quarters of words that share their high half breaks 16 planes of ones. */
    assert_true(dpc_size(zeroed) > dpc_size(w));
    assert_int_equal(codec_dpc_man_size(w, 128, 1), dpc_size(w));
    struct rng r = {3};
    blocks_fill(&r, 0, (uint8_t *)(w + 8), 96);
    fill_words(w, 8, 0, 0);
    assert_int_equal(codec_dpc_man_size(w, 128, 1), 33 + 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truc_counts_critical_sectors_and_the_map),
        cmocka_unit_test(truc_of_noise_is_the_sectors_themselves),
        cmocka_unit_test(critical_sectors_come_back),
        cmocka_unit_test(man_takes_the_smaller_of_the_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
