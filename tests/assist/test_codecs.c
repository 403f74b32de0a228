/* The codec routines of assist/ against the codec library, bit for bit. */
#include "assist/support_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROUNDS = 200, ENCODED = 2000 };

/* Every encoding has been tried often, and raw lines too. */
static void check_seen(const struct bench *b)
{
    for (unsigned k = 0; k < codec_kind_count(b->codec); k++)
        if (b->seen[k] < 20)
            fail_msg("%s: only %u of kind %s", b->suite->codec, (unsigned)b->seen[k],
                     codec_kind_name(b->codec, k));
    for (unsigned i = 0; i < b->ndecompress; i++)
        assert_in_range(b->decoded[i], 50, UINT64_MAX);
    assert_in_range(b->raw, 50, UINT64_MAX);
}

static void agrees(const struct suite *s)
{
    struct bench b;
    bench_open(&b, s, assist_text(s->file));
    if (bench_lines(&b, ROUNDS) || bench_encoded(&b, ENCODED))
        fail_msg("%s", b.wrong);
    check_seen(&b);
    bench_close(&b);
}

static void bdi_agrees(void **state)
{
    (void)state;
    agrees(&suites[SUITE_BDI]);
}

static void fpc_agrees(void **state)
{
    (void)state;
    agrees(&suites[SUITE_FPC]);
}

static void cpack_agrees(void **state)
{
    (void)state;
    agrees(&suites[SUITE_CPACK]);
}

/* --- declarations --- */

static void check_declared(const struct routine *r, enum routine_on on, const char *codec,
                           int encoding)
{
    const struct routine_decl *d = &r->decl;
    assert_int_equal(r->launch.kernel->src->npragmas, 1);
    assert_int_equal(d->on, on);
    assert_string_equal(d->codec, codec);
    assert_int_equal(d->encoding, encoding);
    assert_int_equal(d->is_high, on == ON_FILL);
    assert_int_equal(d->has_all, on == ON_STORE_LINE && encoding >= 0);
    /* a lane a value of 8 bytes, half of the lanes; else all; a mask where there are deltas */
    assert_int_equal(d->mask, encoding >= 1 && encoding <= 4 ? 0xffff : UINT32_MAX);
    assert_int_equal(d->nlanes, encoding < 2 ? 0 : encoding == 7 ? 2 : 1);
}

static void routines_declare_when_they_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SUITES; i++) {
        const struct suite *s = &suites[i];
        struct bench b;
        bench_open(&b, s, assist_text(s->file));
        check_declared(&b.compress, ON_STORE_LINE, s->codec, -1);
        for (unsigned n = 0; n < b.ndecompress; n++) {
            check_declared(&b.decompress[n], ON_FILL, s->codec, s->encodings ? (int)n : -1);
            if (s->encodings)
                check_declared(&b.form[n], ON_STORE_LINE, s->codec, (int)n);
        }
        bench_close(&b);
    }
}

/* --- planted bugs --- */

struct bug {
    enum suites suite;
    const char *routine, *from, *to;
};

/* One constant or condition each, where lines that show it are rare or common. */
static const struct bug bugs[] = {
    {SUITE_BDI, "bdi_decompress_0(", "128], 0", "128], 1"},
    {SUITE_BDI, "bdi_decompress_1(", "src+8", "src+0"},
    {SUITE_BDI, "bdi_decompress_2(", "@%based", "@!%based"},
    {SUITE_BDI, "bdi_decompress_3(", "s16", "u16"},
    {SUITE_BDI, "bdi_decompress_4(", "at+16", "at+12"},
    {SUITE_BDI, "bdi_decompress_5(", "s8", "u8"},
    {SUITE_BDI, "bdi_decompress_6(", "s16", "u16"},
    {SUITE_BDI, "bdi_decompress_6(", "%at:2", "%at:4"},
    {SUITE_BDI, "bdi_decompress_7(", "lanes=%even:%odd", "lanes=%odd:%even"},
    {SUITE_BDI, "bdi_compress_0(", "setp.eq", "setp.ge"},
    {SUITE_BDI, "bdi_compress_1(", "mask=0xffff", "mask=0x7fff"},
    {SUITE_BDI, "bdi_compress_2(", "and.b32         %t, %t, 15", "and.b32         %t, %t, 7"},
    {SUITE_BDI, "bdi_compress_3(", "0xffff;", "0xfffe;"},
    {SUITE_BDI, "bdi_compress_4(", "to+204", "to+200"},
    {SUITE_BDI, "bdi_compress_5(", "@%far sub", "@!%far sub"},
    {SUITE_BDI, "bdi_compress_6(", "bfind.u32", "clz.b32"},
    {SUITE_BDI, "bdi_compress_7(", "%base, %v, %w, %first", "%base, %w, %v, %first"},
    {SUITE_BDI, "bdi_compress_7(", "0x5151", "0x1111"},
    {SUITE_BDI, "// form 2", "0xff", "0x100"},
    {SUITE_BDI, "// form 3", "0x8000", "0x7fff"},
    {SUITE_BDI, "FORM6:", "@!%ok bra       FORM7", "@%ok bra        FORM7"},
    {SUITE_BDI, "// form 5", "0x80", "0x81"},
    {SUITE_BDI, "// form 5, where 6 fits", "0x80", "0x81"},
    {SUITE_BDI, "FORM7:", "0x5151", "0x1111"},
    {SUITE_BDI, "FORM7:", "selp.b32        %form, 4, 8", "selp.b32        %form, 8, 4"},
    {SUITE_FPC, "fpc_decompress(", "0x01010100", "0x01010000"},
    {SUITE_FPC, "fpc_decompress(", "0x23009144", "0x23009044"},
    {SUITE_FPC, "fpc_compress(", "0xa280", "0x9280"},
    {SUITE_FPC, "fpc_compress(", "0x07050403", "0x07040503"},
    {SUITE_CPACK, "cpack_decompress(", "at+20", "at+16"},
    {SUITE_CPACK, "cpack_decompress(", "code, 12", "code, 4"},
    {SUITE_CPACK, "cpack_compress(", "%next, 14", "%next, 10"},
    {SUITE_CPACK, "cpack_compress(", "0xff", "0xfe"},
};

static void planted_bugs_are_caught(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(bugs); i++) {
        const struct suite *s = &suites[bugs[i].suite];
        struct bench b;
        bench_open(&b, s, assist_text_changed(s->file, bugs[i].routine, bugs[i].from, bugs[i].to));
        unsigned rounds = 0;
        while (rounds < ROUNDS && !bench_lines(&b, 1))
            rounds++;
        if (rounds == ROUNDS)
            fail_msg("not seen: '%s' for '%s' after '%s'", bugs[i].to, bugs[i].from,
                     bugs[i].routine);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdi_agrees),
        cmocka_unit_test(fpc_agrees),
        cmocka_unit_test(cpack_agrees),
        cmocka_unit_test(routines_declare_when_they_run),
        cmocka_unit_test(planted_bugs_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
