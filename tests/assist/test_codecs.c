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

static void check_declared(const struct routine *r, const char *want)
{
    const struct ptx_func *f = r->launch.kernel->src;
    assert_int_equal(f->npragmas, 1);
    assert_string_equal(f->pragmas[0].text, want);
}

static void routines_declare_when_they_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SUITES; i++) {
        const struct suite *s = &suites[i];
        struct bench b;
        char want[128], encoding[32] = "";
        bench_open(&b, s, assist_text(s->file));
        snprintf(want, sizeof want, "assist on=store codec=%s priority=low", s->codec);
        check_declared(&b.compress, want);
        for (unsigned n = 0; n < b.ndecompress; n++) {
            if (s->encodings)
                snprintf(encoding, sizeof encoding, " encoding=%u", n);
            snprintf(want, sizeof want, "assist on=fill codec=%s%s priority=high", s->codec,
                     encoding);
            check_declared(&b.decompress[n], want);
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
    {SUITE_BDI, "bdi_decompress_0(", "[%to], 0", "[%to], 1"},
    {SUITE_BDI, "bdi_decompress_1(", "lane, 16", "lane, 15"},
    {SUITE_BDI, "bdi_decompress_2(", "0x100", "0x200"},
    {SUITE_BDI, "bdi_decompress_2(", "addc.u32", "add.u32"},
    {SUITE_BDI, "bdi_decompress_3(", "0xcc40", "0xcc04"},
    {SUITE_BDI, "bdi_decompress_4(", "at+12", "at+8"},
    {SUITE_BDI, "bdi_decompress_5(", "s8", "u8"},
    {SUITE_BDI, "bdi_decompress_6(", "at+10", "at+9"},
    {SUITE_BDI, "bdi_decompress_7(", "at+43", "at+42"},
    {SUITE_BDI, "// kind 2", "0xff", "0x100"},
    {SUITE_BDI, "// kind 3", "0x8000", "0x7fff"},
    {SUITE_BDI, "FORM6:", "@!%ok bra       NOT6", "@%ok bra        NOT6"},
    {SUITE_BDI, "// kind 5", "0x80", "0x81"},
    {SUITE_BDI, "// kind 5, keeping 6", "0x80", "0x81"},
    {SUITE_BDI, "STORE6:", "@%far6", "@%far"},
    {SUITE_BDI, "// 4 again", "%mask, %wide", "%mask, %far"},
    {SUITE_BDI, "STORE5:", "@%none mov.u32  %base, 0", "@%none mov.u32  %base, 1"},
    {SUITE_BDI, "FORM7:", "0x5151", "0x1111"},
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
