/* Private to the files observe*.c and their tests. */
#ifndef GPU_OBSERVE_INT_H
#define GPU_OBSERVE_INT_H

#include "sim/probe.h"
#include "stats/stats.h"

struct l1_usage_stats {
#define ROWS_FILE "gpu/observe_l1.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row l1_usage_rows[];
extern const size_t l1_usage_nrows;

/* What is known of a line that is in the cache. */
struct l1_seen_line {
    uint64_t words; /* read so far, of 4 bytes; 0: not yet */
    uint8_t first;  /* sectors of 32 bytes that the first read asked for */
    bool is_ica;    /* a later read asked for others */
    bool is_local;  /* of local memory */
};

/* The observer of one SM's L1 data cache. */
struct l1_usage {
    struct probe probe;
    struct l1_seen_line *lines; /* by place */
    uint32_t line_words;
    struct l1_usage_stats stats, evicted; /* all; those that left before a flush */
};
void l1_usage_init(struct l1_usage *u, uint32_t lines, uint32_t line_bytes);

/* Rows of a struct noc_port_flits. */
extern const struct stat_row noc_port_rows[];
extern const size_t noc_port_nrows;

struct scalar_stats {
#define ROWS_FILE "gpu/observe_scalar.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row scalar_rows[];
extern const size_t scalar_nrows;

/* The observer of one SM's instructions. */
struct scalar_view {
    struct probe probe;
    struct scalar_stats stats;
};
void scalar_view_init(struct scalar_view *v);

#endif
