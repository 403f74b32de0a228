/* What tables of all sizes would have found, in one pass. */
#ifndef MEMO_SIZES_H
#define MEMO_SIZES_H

#include "memo/lut.h"
#include "stats/stats.h"

struct memo_size_stats {
#define ROWS_FILE "memo/memo_size_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row memo_size_stat_rows[];
extern const size_t memo_size_nstat_rows;

enum { MEMO_SIZES = sizeof(struct memo_size_stats) / sizeof(uint64_t), MEMO_SIZES_LEAST = 1024 };

struct memo_sizes {
    struct lut tables[MEMO_SIZES]; /* 1 KB, and twice as much each */
    struct memo_size_stats stats;
};

void memo_sizes_init(struct memo_sizes *s, unsigned set_bytes, unsigned ways);
void memo_sizes_free(struct memo_sizes *s);
void memo_sizes_lookup(struct memo_sizes *s, unsigned id, uint64_t hash);
void memo_sizes_drop(struct memo_sizes *s, unsigned id);

#endif
