/* Configuration rows, statistics rows, and the check of a configuration. */
#include "mem/l1_int.h"

const char *const l1_write_names[] = {"through_evict", "through_update", "back", "back_no_allocate",
                                      NULL};

const struct conf_field l1_fields[] = {
#define ROWS_FILE   "mem/l1_cfg.def"
#define ROWS_STRUCT l1_cfg
#include "parsim/rows_entries.h"
};

const size_t l1_nfields = ARRAY_LEN(l1_fields);

#define ROWS_FILE   "mem/l1_stats.def"
#define ROWS_STRUCT l1_stats
#include "parsim/rows_formulas.h"

const struct stat_row l1_stat_rows[] = {
#define ROWS_FILE   "mem/l1_stats.def"
#define ROWS_STRUCT l1_stats
#include "parsim/rows_entries.h"
};

const size_t l1_nstat_rows = ARRAY_LEN(l1_stat_rows);

bool l1_cfg_check(const struct l1_cfg *c, const char *section, struct err *err)
{
    struct cache_shape shape = {c->size, (uint64_t)c->ways, (uint64_t)c->line_bytes,
                                (uint64_t)c->sector_bytes};
    if (!cache_shape_check(&shape, section, err))
        return false;
    if (!is_pow2((uint64_t)c->banks))
        return err_set(err, "%s.banks: %lld is not a power of two", section, (long long)c->banks);
    int64_t sectors = c->line_bytes / c->sector_bytes;
    int64_t parts =
        c->request_sectors ? (sectors + c->request_sectors - 1) / c->request_sectors : 1;
    if (c->miss_queue < parts + 1)
        return err_set(err,
                       "%s.miss_queue: %lld can never hold a line's %lld requests and a "
                       "write-back",
                       section, (long long)c->miss_queue, (long long)parts);
    return true;
}
