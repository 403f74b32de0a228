/* Lines through the routines of a codec and through the codec library, side by side. */
#include "assist/support_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const struct suite suites[SUITES] = {
    {"bdi.ptx", "bdi-lanes", "bdi_compress", "bdi_decompress", MAX_ENCODINGS},
    {"fpc.ptx", "fpc-seg", "fpc_compress", "fpc_decompress", 0},
    {"cpack.ptx", "cpack4", "cpack_compress", "cpack_decompress", 0},
};

void bench_open(struct bench *b, const struct suite *s, char *text)
{
    struct codec_error err;
    memset(b, 0, sizeof *b);
    b->suite = s;
    b->codec = codec_new(s->codec, &(struct codec_params){0}, &err);
    assert_non_null(b->codec);
    assist_open(&b->assist, s->file, text);
    test_free(text);
    routine_open(&b->compress, &b->assist, s->compress);
    b->ndecompress = s->encodings ? s->encodings : 1;
    for (unsigned i = 0; i < b->ndecompress; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%u", s->decompress, i);
        routine_open(&b->decompress[i], &b->assist, s->encodings ? name : s->decompress);
        snprintf(name, sizeof name, "%s_%u", s->compress, i);
        if (s->encodings)
            routine_open(&b->form[i], &b->assist, name);
    }
    b->rng = (struct rng){9};
}

void bench_close(struct bench *b)
{
    routine_close(&b->compress);
    for (unsigned i = 0; i < b->ndecompress; i++) {
        routine_close(&b->decompress[i]);
        if (b->suite->encodings)
            routine_close(&b->form[i]);
    }
    assist_close(&b->assist);
    codec_free(b->codec);
}

struct routine *bench_decompressor(struct bench *b, const uint8_t *encoded)
{
    unsigned i = b->suite->encodings ? encoded[0] : 0;
    b->decoded[i]++;
    return &b->decompress[i];
}

unsigned bench_encode_as(struct bench *b, unsigned form, const uint8_t *line, uint8_t *out)
{
    struct routine *r = &b->form[form];
    routine_code(r, line, out);
    codec_bdi_lanes_head(out, LINE, form, r->mask);
    return r->fits ? codec_bdi_lanes_bytes(form, LINE) : LINE;
}

unsigned bench_encode(struct bench *b, const uint8_t *line, uint8_t *out)
{
    const unsigned result = routine_code(&b->compress, line, out);
    if (!b->suite->encodings)
        return result;
    return result < b->suite->encodings ? bench_encode_as(b, result, line, out) : LINE;
}

void bench_decode(struct bench *b, const uint8_t *encoded, uint8_t *line)
{
    struct routine *d = bench_decompressor(b, encoded);
    d->mask = b->suite->encodings ? codec_bdi_lanes_mask(encoded, LINE) : 0;
    routine_code(d, encoded, line);
}

static unsigned note_wrong(struct bench *b, const char *what, unsigned kind, unsigned bytes)
{
    if (!b->wrong[0])
        snprintf(b->wrong, sizeof b->wrong, "%s: %s, line of kind %u, %u bytes", b->suite->codec,
                 what, kind, bytes);
    return 1;
}

/* Every form by itself: fits where the library says so, with the library's bytes. */
static unsigned check_forms(struct bench *b, unsigned kind, const uint8_t *line)
{
    uint8_t want[LINE], got[LINE];
    for (unsigned f = 0; f < b->suite->encodings; f++) {
        const unsigned bytes = codec_bytes(codec_bdi_lanes_encode(line, LINE, f, want));
        if (bench_encode_as(b, f, line, got) != bytes)
            return note_wrong(b, "a form fits otherwise", kind, f);
        if (bytes < LINE && memcmp(got, want, bytes))
            return note_wrong(b, "a form has other bytes", kind, f);
        if (bytes == LINE)
            continue;
        bench_decode(b, want, got);
        if (memcmp(got, line, LINE))
            return note_wrong(b, "a form is decompressed to another line", kind, f);
    }
    return 0;
}

static unsigned check_line(struct bench *b, unsigned kind, const uint8_t *line)
{
    uint8_t want[LINE], got[LINE];
    unsigned bytes = codec_bytes(codec_encode(b->codec, line, want));
    codec_tally(b->codec, line, b->seen);
    if (check_forms(b, kind, line))
        return 1;
    if (bench_encode(b, line, got) != bytes)
        return note_wrong(b, "compressed to another size", kind, bytes);
    if (bytes == LINE) {
        b->raw++;
        return 0;
    }
    if (memcmp(got, want, bytes))
        return note_wrong(b, "compressed to other bytes", kind, bytes);
    /* what is behind the encoded bytes is anything */
    memset(want + bytes, 0xa5, LINE - bytes);
    bench_decode(b, want, got);
    return memcmp(got, line, LINE) ? note_wrong(b, "decompressed to another line", kind, bytes) : 0;
}

unsigned bench_lines(struct bench *b, unsigned rounds)
{
    unsigned wrong = 0;
    uint8_t line[LINE];
    for (unsigned i = 0; i < rounds * LINE_KINDS; i++) {
        lines_fill(&b->rng, i % LINE_KINDS, line);
        wrong += check_line(b, i % LINE_KINDS, line);
    }
    return wrong;
}

/* A head that is likely to be one; the library has the last word. */
static void fill_encoded(struct bench *b, uint8_t *in)
{
    for (unsigned i = 0; i < LINE; i++)
        in[i] = (uint8_t)rng_u64(&b->rng);
    if (b->suite == &suites[SUITE_BDI])
        in[0] &= 7;
    for (unsigned i = 0; b->suite == &suites[SUITE_FPC] && i < 4; i++)
        in[i] &= 7;
    if (b->suite == &suites[SUITE_CPACK])
        in[0] = (uint8_t)(4 | 8 * (in[0] & 1));
    for (unsigned i = 1; b->suite == &suites[SUITE_CPACK] && !(in[0] & 8) && i < 17; i++)
        in[i] &= 0xee;
}

unsigned bench_encoded(struct bench *b, unsigned n)
{
    unsigned wrong = 0, tried = 0;
    for (unsigned i = 0; i < n; i++) {
        uint8_t in[LINE], want[LINE], got[LINE];
        fill_encoded(b, in);
        unsigned bytes = 1;
        while (bytes < LINE && !codec_decode(b->codec, in, 8 * bytes, want))
            bytes++;
        if (bytes == LINE)
            continue;
        tried++;
        bench_decode(b, in, got);
        if (memcmp(got, want, LINE))
            wrong += note_wrong(b, "decompressed random bytes otherwise", 0, bytes);
    }
    assert_in_range(tried, n / 2, n);
    return wrong;
}
