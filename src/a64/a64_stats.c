/* Rows of the core's statistics. */
#include "a64/a64_stats.h"

const struct stat_row a64_stat_rows[] = {
#define ROWS_FILE   "a64/a64_stats.def"
#define ROWS_STRUCT a64_stats
#include "parsim/rows_entries.h"
};
const size_t a64_nstat_rows = ARRAY_LEN(a64_stat_rows);

struct a64_stats a64_stats_of(const struct a64_process *p)
{
    return (struct a64_stats){.inst = p->cpu.inst,
                              .syscalls = p->syscalls,
                              .pages = p->image->pages,
                              .memory_bytes = p->image->bytes};
}
