/* The routines of one codec beside the codec library. */
#ifndef TESTS_ASSIST_SUPPORT_BENCH_H
#define TESTS_ASSIST_SUPPORT_BENCH_H

#include "assist/support_lines.h"
#include "assist/support_routine.h"

#include <parsim/codec.h>

struct suite {
    const char *file, *codec, *compress, *decompress;
    /* routines decompress_N by byte 0 of the line, and compress_N that make one form each, which
     * `compress` has found; 0: one for all */
    unsigned encodings;
};

enum suites { SUITE_BDI, SUITE_FPC, SUITE_CPACK, SUITES };
extern const struct suite suites[SUITES];

enum { MAX_ENCODINGS = 8 };

struct bench {
    const struct suite *suite;
    struct codec *codec;
    struct assist assist;
    struct routine compress, form[MAX_ENCODINGS], decompress[MAX_ENCODINGS];
    unsigned ndecompress;
    struct rng rng;
    uint64_t seen[CODEC_KINDS_MAX]; /* lines or segments, by what the library makes of them */
    uint64_t decoded[MAX_ENCODINGS], raw;
    char wrong[256]; /* the first difference */
};

/* Takes the text over: the file's, or a changed one. */
void bench_open(struct bench *b, const struct suite *s, char *text);
void bench_close(struct bench *b);
/* The routine that decompresses these encoded bytes. */
struct routine *bench_decompressor(struct bench *b, const uint8_t *encoded);

/* A line through the routines that encode it, into `out`: its bytes, LINE if it stays raw. With
 * forms: the search, then the form that it found. */
unsigned bench_encode(struct bench *b, const uint8_t *line, uint8_t *out);
/* Through one form alone. */
unsigned bench_encode_as(struct bench *b, unsigned form, const uint8_t *line, uint8_t *out);
/* An encoded line through the routine that decodes it. */
void bench_decode(struct bench *b, const uint8_t *encoded, uint8_t *line);

/* Lines of all kinds, `rounds` of each, both ways. The number that is not as the library's. */
unsigned bench_lines(struct bench *b, unsigned rounds);
/* Random bytes that the library takes for an encoded line, decompressed. */
unsigned bench_encoded(struct bench *b, unsigned n);

#endif
