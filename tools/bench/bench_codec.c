/* Bandwidth of the codecs on one core, as a fraction of memcpy's of the same data in the same run.
 *
 * usage: bench_codec [MB] [ROUNDS]
 * Rounds are interleaved and the best of each is taken, so that other work on the host disturbs
 * memcpy and the codecs alike. */
#include "base/cpu.h"
#include "base/rng.h"
#include "parsim/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 128, DATA_KINDS = 3 };

static const char *const kind_names[DATA_KINDS] = {"compressible", "mixed", "random"};

struct row {
    const char *name;
    double target; /* of memcpy; 0 = none was set */
    bool decode;
};

static const struct row rows[] = {
    {"bdi", 0.20, false},      {"dpc", 0.20, false},    {"fpc", 0.20, false},
    {"cpack", 0.08, false},    {"bpc", 0.08, false},    {"e2mc-16", 0.10, false},
    {"e2mc-16w4", 0.04, true}, {"fpc-seg", 0, false},   {"cpack4", 0, false},
    {"gsr", 0, false},         {"bestof", 0, false},    {"e2mc-4", 0, false},
    {"e2mc-8", 0, false},      {"e2mc-16w4", 0, false}, {"e2mc-32", 0, false},
    {"e2mc-16", 0, true},      {"e2mc-16w8", 0, true},  {"bdi", 0, true},
};

enum { ROWS = sizeof rows / sizeof *rows };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t word_of(struct rng *r, unsigned kind, uint32_t seed, unsigned i)
{
    float f;
    uint32_t bits;
    switch (kind) {
    case 0: /* mostly zeros */
        return rng_below(r, 4) ? 0 : rng_below(r, 1000);
    case 1: /* small numbers */
        return rng_below(r, 100) - 20;
    case 2: /* indices */
        return seed / 4096 + i;
    case 3: /* addresses */
        return i % 2 ? 0x7f31 : (seed & 0xffff0000) + rng_below(r, 200);
    case 4: /* measurements of one magnitude, few digits */
        f = 20.0f + (float)rng_below(r, 64) / 8;
        memcpy(&bits, &f, 4);
        return bits;
    case 5: /* measurements, all digits */
        f = 1.0f + (float)rng_unit(r);
        memcpy(&bits, &f, 4);
        return bits;
    default:
        return (uint32_t)rng_u64(r);
    }
}

/* Blocks of a kind stand in no order that a branch predictor could learn. */
static void fill(uint8_t *data, size_t bytes, unsigned data_kind)
{
    struct rng r = {data_kind};
    for (size_t at = 0; at < bytes; at += BLOCK) {
        unsigned kind = data_kind == 0 ? rng_below(&r, 5) : data_kind == 1 ? rng_below(&r, 7) : 6;
        uint32_t seed = (uint32_t)rng_u64(&r);
        for (unsigned i = 0; i < BLOCK / 4; i++) {
            uint32_t w = word_of(&r, kind, seed, i);
            memcpy(data + at + 4 * i, &w, 4);
        }
    }
}

struct bench {
    uint8_t *data, *copy, *encoded;
    uint16_t *bits;
    size_t bytes, blocks;
    struct codec_table *tables[4];
    struct codec *codecs[ROWS];
    double best[ROWS], best_memcpy;
    size_t encoded_bytes[ROWS];
};

static void open_codecs(struct bench *b)
{
    for (unsigned l = 0; l < 4; l++) {
        struct codec_counts *counts = codec_counts_new(4u << l, 0);
        codec_counts_add(counts, b->data, b->bytes < 4 << 20 ? b->bytes : 4 << 20);
        b->tables[l] = codec_table_build(counts);
        codec_counts_free(counts);
    }
    for (unsigned i = 0; i < ROWS; i++) {
        enum codec_id id;
        unsigned symbol_bits, ways;
        codec_name_parse(rows[i].name, &id, &symbol_bits, &ways);
        struct codec_params p = {.block_bytes = BLOCK};
        for (unsigned l = 0; l < 4; l++)
            if (symbol_bits == 4u << l)
                p.table = b->tables[l];
        b->codecs[i] = codec_new(rows[i].name, &p, NULL);
        b->best[i] = 1e9;
    }
}

static void close_codecs(struct bench *b)
{
    for (unsigned i = 0; i < ROWS; i++)
        codec_free(b->codecs[i]);
    for (unsigned l = 0; l < 4; l++)
        codec_table_free(b->tables[l]);
}

static double time_decode(struct bench *b, const struct codec *c)
{
    for (size_t i = 0; i < b->blocks; i++)
        b->bits[i] = (uint16_t)codec_encode(c, b->data + i * BLOCK, b->encoded + i * BLOCK);
    double start = now();
    for (size_t i = 0; i < b->blocks; i++)
        if (!codec_decode(c, b->encoded + i * BLOCK, b->bits[i], b->copy + i * BLOCK))
            abort();
    double seconds = now() - start;
    if (memcmp(b->copy, b->data, b->bytes))
        abort();
    return seconds;
}

static double time_size(struct bench *b, const struct codec *c)
{
    double start = now();
    codec_size_blocks(c, b->data, b->blocks, b->bits);
    return now() - start;
}

static void run_round(struct bench *b)
{
    double start = now();
    memcpy(b->copy, b->data, b->bytes);
    double seconds = now() - start;
    b->best_memcpy = seconds < b->best_memcpy ? seconds : b->best_memcpy;
    for (unsigned i = 0; i < ROWS; i++) {
        seconds = rows[i].decode ? time_decode(b, b->codecs[i]) : time_size(b, b->codecs[i]);
        b->best[i] = seconds < b->best[i] ? seconds : b->best[i];
        b->encoded_bytes[i] = 0;
        for (size_t k = 0; k < b->blocks; k++)
            b->encoded_bytes[i] += codec_bytes(b->bits[k]);
    }
}

static bool print_results(const struct bench *b, const char *kind)
{
    bool ok = true;
    double gb = (double)b->bytes * 1e-9;
    printf("\n%s data: memcpy %.2f GB/s\n", kind, gb / b->best_memcpy);
    printf("  %-18s %8s %10s %8s %8s\n", "", "GB/s", "of memcpy", "target", "ratio");
    for (unsigned i = 0; i < ROWS; i++) {
        double fraction = b->best_memcpy / b->best[i];
        char target[16] = "";
        if (rows[i].target > 0)
            snprintf(target, sizeof target, "%.2f%s", rows[i].target,
                     fraction < rows[i].target ? " !" : "");
        ok &= fraction >= rows[i].target;
        printf("  %-6s %-11s %8.2f %10.3f %8s %8.2f\n", rows[i].decode ? "decode" : "size",
               rows[i].name, gb / b->best[i], fraction, target,
               (double)b->bytes / (double)b->encoded_bytes[i]);
    }
    return ok;
}

int main(int argc, char **argv)
{
    size_t mb = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 5;
    if (mb == 0 || mb > 4096 || rounds == 0) {
        fprintf(stderr, "usage: bench_codec [MB] [ROUNDS]\n");
        return 2;
    }
    struct bench b = {.bytes = mb << 20, .blocks = (mb << 20) / BLOCK};
    b.data = xalloc_aligned(64, b.bytes);
    b.copy = xalloc_aligned(64, b.bytes);
    b.encoded = xalloc_aligned(64, b.bytes);
    b.bits = xcalloc(b.blocks, sizeof *b.bits);
    printf("one core, %zu MB, blocks of %d bytes, best of %u rounds, level %s\n", mb, BLOCK, rounds,
           cpu_level_name(cpu_level()));
    bool ok = true;
    for (unsigned kind = 0; kind < DATA_KINDS; kind++) {
        b.best_memcpy = 1e9;
        fill(b.data, b.bytes, kind);
        open_codecs(&b);
        for (unsigned i = 0; i < rounds; i++)
            run_round(&b);
        ok &= print_results(&b, kind_names[kind]);
        close_codecs(&b);
    }
    free(b.data);
    free(b.copy);
    free(b.encoded);
    free(b.bits);
    return ok ? 0 : 1;
}
