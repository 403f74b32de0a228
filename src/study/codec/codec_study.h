/* How compressible any data is, by which codec and at which granularity; and files in the codecs'
 * formats. */
#ifndef STUDY_CODEC_CODEC_STUDY_H
#define STUDY_CODEC_CODEC_STUDY_H

#include "base/err.h"
#include "parsim/codec.h"

#include <stdio.h>

enum {
    CODEC_COLUMNS_MAX = 32,
    CODEC_BURSTS_MAX = CODEC_BLOCK_MAX + 1,
    CODEC_LENGTHS = 4,
    CODEC_CLASSES = 4
};

/* ---- inputs: files that can be read again and at any place ---- */

struct codec_input {
    const char *name;
    int fd;
    uint64_t bytes;
};

/* "-" is the standard input. What is not a regular file is first copied to a temporary one. An
 * input without a single whole block is an error. */
bool codec_input_open(struct codec_input *in, const char *path, unsigned block_bytes,
                      struct err *err);
void codec_input_close(struct codec_input *in);
bool codec_input_read(const struct codec_input *in, uint64_t at, void *data, size_t bytes,
                      struct err *err);

/* ---- the analysis ---- */

struct codec_options {
    uint64_t block_bytes, mag_bytes, threads;
    const char *names[CODEC_COLUMNS_MAX];
    unsigned ncolumns;
    uint64_t window_bytes; /* 0 = 1/512 of the file */
    uint64_t sample_bytes; /* codecs' tables from the start of the file; 0 = from all of it */
    uint64_t values;       /* codewords of tables for L = 16, 32 */
    struct codec_table *tables[CODEC_LENGTHS]; /* given for L = 4, 8, 16, 32, or NULL */
    const char *save_tables;                   /* start of the names of their files; NULL: none */
    bool shannon;
    const char *json, *plot; /* files; NULL: none */
};

/* Whether there is such a codec, and for these blocks. */
bool codec_check_name(const struct codec_options *o, const char *name, struct err *err);
/* Adds a saved table, for its symbol length. The tables are the caller's. */
bool codec_add_table(struct codec_options *o, const char *path, struct err *err);
/* Analyses files; prints to `out`, unless the JSON goes to standard output, and writes the files.
 */
bool codec_analyse(const struct codec_options *o, char **files, unsigned n, FILE *out,
                   struct err *err);

/* ---- one file ---- */

struct codec_column {
    const char *name;
    struct codec *codec;  /* NULL: a general compressor */
    unsigned symbol_bits; /* of its table; 0: it has none */
    uint64_t blocks, bytes, bursts;
    uint64_t burst_blocks[CODEC_BURSTS_MAX]; /* blocks that take so many bursts */
    /* By a block's own compression ratio: below 4/3, below 2, below 4, from 4 on. */
    uint64_t class_blocks[CODEC_CLASSES], class_fetched[CODEC_CLASSES]; /* blocks; bytes */
    uint64_t kinds[CODEC_KINDS_MAX]; /* over the blocks that were tallied */
};

struct codec_report {
    const char *file;
    uint64_t file_bytes, blocks, tallied_blocks;
    unsigned block_bytes, mag_bytes, tail_bytes;
    struct codec_column columns[CODEC_COLUMNS_MAX];
    unsigned ncolumns;
    double entropy[CODEC_LENGTHS]; /* bits a symbol, L = 4, 8, 16, 32; negative = not counted */
    bool exact[CODEC_LENGTHS];
    uint64_t window_bytes, nwindows;
    uint64_t *window_sizes; /* [window][column], bytes */
    double seconds;
    struct codec_table *tables[CODEC_LENGTHS];
};

bool codec_scan(const char *path, const struct codec_options *opts, struct codec_report *report,
                struct err *err);
void codec_report_free(struct codec_report *report);

static inline double codec_ratio(const struct codec_report *r, const struct codec_column *c)
{
    return c->bytes ? (double)(c->blocks * r->block_bytes) / (double)c->bytes : 0;
}

static inline double codec_ratio_mag(const struct codec_report *r, const struct codec_column *c)
{
    uint64_t raw = c->blocks * (r->block_bytes / r->mag_bytes);
    return c->bursts ? (double)raw / (double)c->bursts : 0;
}

/* The number of blocks in a window of the file. */
uint64_t codec_window_blocks(const struct codec_report *r, uint64_t window);

/* ---- what comes out ---- */

void codec_print_report(const struct codec_report *r, FILE *out);
void codec_print_side_by_side(const struct codec_report *reports, unsigned n, FILE *out);
bool codec_write_json(const char *path, const struct codec_report *reports, unsigned n,
                      bool windows, struct err *err);
bool codec_write_svg(const char *path, const struct codec_report *reports, unsigned n,
                     struct err *err);

/* ---- general compressors, for orientation ---- */

enum codec_general { CODEC_LZ4, CODEC_ZSTD };

struct codec_general_state;
bool codec_general_name(const char *name, enum codec_general *which);
struct codec_general_state *codec_general_new(void);
void codec_general_free(struct codec_general_state *s);
/* Bytes of a block, block_bytes if that is not smaller. */
unsigned codec_general_bytes(struct codec_general_state *s, enum codec_general which,
                             const void *block, unsigned block_bytes);

/* ---- files in a codec's format (codec/container.h) ---- */

struct codec_file {
    const char *codec, *in, *out; /* out NULL: standard output */
    const char *table;            /* a saved table; NULL: made from the whole input */
    uint64_t block, mag;          /* bytes; of a file that is decoded they are in it */
};

bool codec_encode_file(const struct codec_file *f, struct err *err);
bool codec_decode_file(const struct codec_file *f, struct err *err);

#endif
