/* Reference traffic for one channel: the workloads and load modes under which other simulators were
 * measured (tests/data/reference/README.md), for validation, benchmarks and tests. */
#ifndef DRAM_DRAM_TRAFFIC_H
#define DRAM_DRAM_TRAFFIC_H

#include "dram/dram.h"

/* PATTERN(name): what the addresses are.
 *   a_seq_read          sequential
 *   b_random_read       uniform over 64 MB
 *   c1_pingpong2rows_1bank  two rows of one bank alternately, columns advance
 *   c2_newrow_each_1bank    every access another row of one bank
 *   d1_seq_2R1W         sequential, every third access a write
 *   d2_random_2R1W      random, every third access a write
 *   d3_triad_2R1W       read A, read B, write C, three sequential arrays in different banks
 *   e1_stride_1row      stride 2 KB
 *   e2_stride_16rows    stride 32 KB
 *   f_streams           arrays in turn, as struct dram_streams says */
#define DRAM_PATTERNS(X)      \
    X(a_seq_read)             \
    X(b_random_read)          \
    X(c1_pingpong2rows_1bank) \
    X(c2_newrow_each_1bank)   \
    X(d1_seq_2R1W)            \
    X(d2_random_2R1W)         \
    X(d3_triad_2R1W)          \
    X(e1_stride_1row)         \
    X(e2_stride_16rows)       \
    X(f_streams)

enum dram_pattern {
#define X(name) DRAM_PATTERN_##name,
    DRAM_PATTERNS(X)
#undef X
        DRAM_PATTERN_COUNT
};

/* high: as many as the controller accepts; one_per_100: one each 100 cycles; one_outstanding: the
 * next when the one before was answered. */
#define DRAM_LOADS(X) X(high) X(one_per_100) X(one_outstanding)

enum dram_load {
#define X(name) DRAM_LOAD_##name,
    DRAM_LOADS(X)
#undef X
        DRAM_LOAD_COUNT
};

/* -1 when there is none of that name. */
int dram_pattern_find(const char *name);
int dram_load_find(const char *name);

/* `arrays` are walked, `run` requests of each in turn. Each begins `apart` rows further than a
 * multiple of all banks behind the one before. Bit i of `written`: array i is written. With
 * `rewritten` the last one is the one before it once more: lines that are fetched and written. */
struct dram_streams {
    uint32_t arrays, run, apart, written;
    bool rewritten;
};

struct dram_traffic {
    enum dram_pattern pattern;
    enum dram_load load;
    uint64_t requests;
    uint64_t seed;
    struct probe *probe;    /* may be NULL */
    uint32_t request_bytes; /* 0: an access */
    struct dram_streams streams;
};

/* Runs until every request was accepted and every read answered; statistics and cycles come out. */
cycle_t dram_traffic_run(const struct dram_cfg *cfg, const struct dram_traffic *t,
                         struct dram_stats *stats);

#endif
