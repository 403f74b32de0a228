/* The worked examples of the papers, and blocks whose sizes are pinned. */
#include "base/rng.h"
#include "codec/codec_int.h"
#include "codec/e2mc_int.h"
#include "codec/huff_lengths.h"
#include "codec/support_blocks.h"
#include "parsim/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned bits_of(const char *name, const void *block, unsigned bytes)
{
    struct codec *c = codec_new(name, &(struct codec_params){.block_bytes = bytes}, NULL);
    assert_non_null(c);
    unsigned bits = codec_size(c, block);
    codec_free(c);
    return bits;
}

/* CABA, Figure 6: a line of PVC, small values and pointers near 0x8001d000, in turn. */
static const uint64_t pvc_line[8] = {0x00, 0x8001d000, 0x10, 0x8001d008,
                                     0x20, 0x8001d010, 0x30, 0x8001d018};

static void caba_figure_6_is_18_bytes(void **state)
{
    (void)state;
    uint8_t out[64];
    struct codec *c = codec_new("bdi", &(struct codec_params){.block_bytes = 64}, NULL);
    assert_int_equal(codec_encode(c, pvc_line, out), 18 * 8);
    /* id; mask: the odd values are relative to the base; base; deltas */
    static const uint8_t want[18] = {2, 0xaa, 0x00, 0xd0, 0x01, 0x80, 0,    0,    0,
                                     0, 0x00, 0x00, 0x10, 0x08, 0x20, 0x10, 0x30, 0x18};
    assert_memory_equal(out, want, 18);
    codec_free(c);
}

static void bdi_lanes_aligns_figure_6(void **state)
{
    (void)state;
    uint8_t out[64];
    struct codec *c = codec_new("bdi-lanes", &(struct codec_params){.block_bytes = 64}, NULL);
    assert_int_equal(codec_encode(c, pvc_line, out), 24 * 8);
    static const uint8_t want[24] = {2, 0, 0, 0, 0xaa, 0,    0,    0,    0x00, 0xd0, 0x01, 0x80,
                                     0, 0, 0, 0, 0x00, 0x00, 0x10, 0x08, 0x20, 0x10, 0x30, 0x18};
    assert_memory_equal(out, want, 24);
    assert_int_equal(codec_bdi_lanes_mask(out, 64), 0xaa);
    codec_free(c);
}

/* Every form that fits can be had by itself; where nothing needs a base, the first value is it. */
static void bdi_lanes_has_forms(void **state)
{
    (void)state;
    static const unsigned bytes[CODEC_BDI_LANES_FORMS] = {1, 16, 32, 48, 80, 44, 76, 76};
    uint32_t zeros[32] = {0}, words[32], back[32];
    uint8_t out[128];
    struct codec *c = codec_new("bdi-lanes", NULL, NULL);
    for (unsigned f = 0; f < CODEC_BDI_LANES_FORMS; f++) {
        assert_int_equal(codec_bdi_lanes_encode(zeros, 128, f, out), 8 * bytes[f]);
        assert_true(codec_decode(c, out, 8 * bytes[f], back));
        assert_memory_equal(back, zeros, 128);
    }
    for (unsigned i = 0; i < 32; i++)
        words[i] = i + 1;
    assert_int_equal(codec_bdi_lanes_encode(words, 128, 5, out), 8 * 44);
    assert_int_equal(codec_bdi_lanes_mask(out, 128), 0);
    assert_int_equal(out[8], 1);
    assert_int_equal(codec_bdi_lanes_encode(words, 128, 2, out), 8 * 128);
    assert_int_equal(codec_bdi_lanes_encode(words, 128, 8, out), 8 * 128);
    codec_free(c);
}

/* E2MC, section III: classic lengths A = 2, B = 1, C = 3 become B = 0, A = 10, C = 110. */
static void e2mc_canonical_code_of_three_symbols(void **state)
{
    (void)state;
    struct e2mc_symbol symbols[] = {{'A', 2, false}, {'B', 1, false}, {'C', 3, false}};
    struct e2mc_tree *t = calloc(1, sizeof *t);
    e2mc_tree_init(t, symbols, 3, 8);
    static const uint32_t values[] = {'B', 'A', 'C'}, codes[] = {0, 2, 6}, lens[] = {1, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(t->values[i], values[i]);
        assert_int_equal(t->codes[i], codes[i]);
        assert_int_equal(t->lens[i], lens[i]);
    }
    e2mc_tree_free(t);
    free(t);
}

static void the_escape_is_last_of_its_length(void **state)
{
    (void)state;
    struct e2mc_symbol symbols[] = {{0, 2, true}, {9, 2, false}, {5, 2, false}, {7, 2, false}};
    struct e2mc_tree *t = calloc(1, sizeof *t);
    e2mc_tree_init(t, symbols, 4, 16);
    assert_int_equal(t->values[0], 5);
    assert_int_equal(t->values[2], 9);
    assert_int_equal(t->escape, 3);
    assert_int_equal(t->codes[3], 3);
    e2mc_tree_free(t);
    free(t);
}

/* G-Scalar, Figure 2.4: eight operands 0xc04039c0, ...c8, ..., ...f8. */
static void gscalar_figure_2_4_is_1110(void **state)
{
    (void)state;
    uint32_t lanes[8];
    for (unsigned i = 0; i < 8; i++)
        lanes[i] = 0xc04039c0 + 8 * i;
    assert_int_equal(codec_gsr_equal_bytes(lanes, 8, 0xff), 3);
    assert_int_equal(codec_gsr_enc(3), 0xe);
    assert_int_equal(bits_of("gsr", lanes, 32), 8 * (4 + 8)); /* base value, one byte a lane */
}

static void gsr_looks_at_active_lanes_only(void **state)
{
    (void)state;
    uint32_t lanes[32];
    for (unsigned i = 0; i < 32; i++)
        lanes[i] = i < 4 ? 0x11223344 : i;
    assert_int_equal(codec_gsr_equal_bytes(lanes, 32, 0xf), 4);
    assert_int_equal(codec_gsr_equal_bytes(lanes, 32, 0x1f), 0);
    assert_int_equal(codec_gsr_equal_bytes(lanes, 32, 0xfffffff0), 3);
    assert_int_equal(codec_gsr_equal_bytes(lanes, 32, 0), 4);
    static const unsigned enc[5] = {0x0, 0x8, 0xc, 0xe, 0xf};
    for (unsigned k = 0; k <= 4; k++)
        assert_int_equal(codec_gsr_enc(k), enc[k]);
}

/* The sizes of the table in the specification. */
static void bdi_kinds_of_128_bytes(void **state)
{
    (void)state;
    uint64_t v8[16];
    uint32_t v4[32];
    uint16_t v2[64];
    memset(v8, 0, sizeof v8);
    assert_int_equal(bits_of("bdi", v8, 128), 8 * 1);
    memset(v8, 0x5a, sizeof v8);
    assert_int_equal(bits_of("bdi", v8, 128), 8 * 9);
    static const struct {
        uint64_t step;
        unsigned bytes;
    } forms8[] = {{1, 27}, {1000, 43}, {100000000, 75}};
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned i = 0; i < 16; i++)
            v8[i] = 0x123456789abcdef0 + i * forms8[f].step;
        assert_int_equal(bits_of("bdi", v8, 128), 8 * forms8[f].bytes);
    }
    for (unsigned i = 0; i < 32; i++)
        v4[i] = 0x12345678 + i % 5;
    assert_int_equal(bits_of("bdi", v4, 128), 8 * 41);
    for (unsigned i = 0; i < 32; i++)
        v4[i] = 0x12345678 + i * 1000;
    assert_int_equal(bits_of("bdi", v4, 128), 8 * 73);
    for (unsigned i = 0; i < 64; i++)
        v2[i] = (uint16_t)(0x4000 + i * 5 % 97);
    assert_int_equal(bits_of("bdi", v2, 128), 8 * 75);
}

/* Encodes words (the rest of the block is zero) and compares the string's first bits with `want`,
 * in which blanks do not count. Returns the length of the whole string. */
static unsigned assert_begins(const char *name, unsigned bytes, const uint32_t *words, unsigned n,
                              const char *want)
{
    uint8_t block[128] = {0}, out[128];
    memcpy(block, words, 4 * n);
    struct codec *c = codec_new(name, &(struct codec_params){.block_bytes = bytes}, NULL);
    unsigned bits = codec_encode(c, block, out), at = 0;
    codec_free(c);
    for (; *want; want++)
        if (*want != ' ') {
            assert_int_equal(out[at / 8] >> (7 - at % 8) & 1, *want - '0');
            at++;
        }
    return bits;
}

static void the_examples_of_the_document(void **state)
{
    (void)state;
    static const uint32_t patterns[] = {0, 0, 0, 5, 0xffffffb0};
    assert_begins("fpc", 128, patterns, 5, "000 010 001 0101 010 10110000");
    static const uint32_t segment[] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(assert_begins("fpc-seg", 32, segment, 8, "00000010 00000001 00000010"), 72);
    static const uint32_t words[] = {0x12345678, 0x12345679, 0x12345678};
    assert_begins("cpack", 128, words, 3,
                  "01 00010010001101000101011001111000 1110 0000 01111001 10 0000");
    static const uint32_t two[] = {0x11223300, 0x11223344};
    assert_int_equal(assert_begins("cpack4", 32, two, 2,
                                   "00001001 00110010 00000000 00000000 00000000 00000000 "
                                   "00110011 00100010 00010001 00000000 01000100"),
                     8 * 17);
    uint32_t count[32];
    for (unsigned i = 0; i < 32; i++)
        count[i] = 100 + i;
    assert_int_equal(assert_begins("bpc", 128, count, 32, "010 01100100 01 11110 00000"), 23);
    assert_int_equal(assert_begins("dpc", 128, count, 0, "1"), 65);
}

static unsigned bits_of_kind(const char *name, unsigned kind)
{
    struct rng r = {kind + 100};
    unsigned sum = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint8_t block[128];
        blocks_fill(&r, kind, block, sizeof block);
        sum += bits_of(name, block, 128);
    }
    return sum;
}

/* A corpus of blocks that a fixed seed generates, each sum over 64 blocks of 128 bytes of a kind,
 * in bits: taken when the formats were fixed, these may never change. */
static void sizes_of_generated_blocks_are_pinned(void **state)
{
    (void)state;
    static const struct {
        const char *codec;
        unsigned bits[BLOCK_KINDS];
    } want[] = {
        {"bdi",
         {65536, 512, 65536, 20992, 32512, 35328, 65536, 4608, 65536, 65536, 65536, 65536, 65536,
          38400}},
        {"fpc",
         {65536, 1536, 20546, 21922, 65536, 65536, 65536, 65536, 65536, 39526, 55296, 49813, 22465,
          65536}},
        {"fpc-seg",
         {65536, 2048, 60096, 18432, 65536, 65536, 65536, 65536, 65536, 65440, 65536, 65536, 18432,
          65536}},
        {"cpack",
         {65536, 4096, 20352, 28890, 33764, 33402, 65536, 14080, 41268, 35848, 43672, 33920, 65220,
          34042}},
        {"cpack4",
         {65536, 8704, 60912, 27136, 28480, 29120, 65536, 10752, 65536, 65536, 65536, 65536, 65536,
          31232}},
        {"dpc",
         {65536, 4160, 65114, 65536, 21520, 23690, 49792, 4160, 38229, 65536, 65536, 65536, 65536,
          20032}},
        {"gsr",
         {65536, 2048, 65536, 65536, 30720, 34304, 51200, 2048, 51872, 65536, 65536, 65536, 65536,
          51200}},
        {"bpc",
         {65536, 640, 63191, 21388, 3455, 20992, 51690, 2560, 39920, 32312, 65536, 53251, 65536,
          22100}},
        {"bdi-lanes",
         {65536, 512, 65536, 22528, 34112, 36864, 65536, 8192, 65536, 65536, 65536, 65536, 65536,
          38912}},
    };
    for (unsigned id = 0; id < CODEC_ID_COUNT; id++) {
        const char *name = codec_id_name((enum codec_id)id);
        unsigned k = 0;
        if (id == CODEC_ZERO || id == CODEC_E2MC || id == CODEC_BESTOF)
            continue;
        while (k < ARRAY_LEN(want) && strcmp(want[k].codec, name))
            k++;
        if (k == ARRAY_LEN(want)) {
            char sizes[256] = "";
            for (unsigned kind = 0; kind < BLOCK_KINDS; kind++)
                snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%u",
                         kind ? ", " : "", bits_of_kind(name, kind));
            fail_msg("no sizes of '%s' are pinned: a row is missing here: {%s}", name, sizes);
        }
        for (unsigned kind = 0; kind < BLOCK_KINDS; kind++) {
            const unsigned sum = bits_of_kind(name, kind);
            if (sum != want[k].bits[kind])
                fail_msg("%s: blocks of kind %u have %u bits, not %u", name, kind, sum,
                         want[k].bits[kind]);
        }
    }
}

static void hardware_costs_are_the_papers(void **state)
{
    (void)state;
    struct codec_counts *counts = codec_counts_new(16, 0);
    struct codec_table *t = codec_table_build(counts);
    struct codec *c = codec_new("e2mc-16w4", &(struct codec_params){.table = t}, NULL);
    assert_true(codec_hw(c).compress.latency_cycles == 46);
    assert_true(codec_hw(c).decompress.latency_cycles == 82.0 / 4);
    codec_free(c);
    codec_table_free(t);
    codec_counts_free(counts);
    c = codec_new("bdi", NULL, NULL);
    assert_true(codec_hw(c).compress.latency_cycles == 5);
    assert_true(codec_hw(c).decompress.latency_cycles == 1);
    assert_true(codec_hw(c).compress.area_mm2 < 0);
    codec_free(c);
}

/* A latency of nothing would be a gift to whoever forgets it. */
static void every_codec_says_what_it_costs(void **state)
{
    (void)state;
    for (unsigned id = 0; id < CODEC_ID_COUNT; id++) {
        if (id == CODEC_E2MC)
            continue;
        struct codec *c = codec_new(codec_id_name((enum codec_id)id), NULL, NULL);
        const struct codec_hw hw = codec_hw(c);
        if (!hw.source || !hw.note || !hw.compress.latency_cycles || !hw.decompress.latency_cycles)
            fail_msg("%s: what it costs in hardware is not said", codec_name(c));
        codec_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caba_figure_6_is_18_bytes),
        cmocka_unit_test(e2mc_canonical_code_of_three_symbols),
        cmocka_unit_test(the_escape_is_last_of_its_length),
        cmocka_unit_test(gscalar_figure_2_4_is_1110),
        cmocka_unit_test(gsr_looks_at_active_lanes_only),
        cmocka_unit_test(bdi_lanes_aligns_figure_6),
        cmocka_unit_test(bdi_lanes_has_forms),
        cmocka_unit_test(bdi_kinds_of_128_bytes),
        cmocka_unit_test(the_examples_of_the_document),
        cmocka_unit_test(sizes_of_generated_blocks_are_pinned),
        cmocka_unit_test(hardware_costs_are_the_papers),
        cmocka_unit_test(every_codec_says_what_it_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
