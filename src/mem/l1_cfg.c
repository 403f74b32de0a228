/* Configuration rows, statistics rows, and the check of a configuration. */
#include "mem/l1_int.h"

const char *const l1_write_names[] = {"through_evict", "through_update", "back", "back_no_allocate",
                                      NULL};

const struct conf_field l1_fields[] = {
#define ROW(...)      CONF_FIELD(l1_cfg, __VA_ARGS__)
#define ROW_ENUM(...) CONF_FIELD_ENUM(l1_cfg, __VA_ARGS__)
#include "mem/l1_cfg.def"
#undef ROW
#undef ROW_ENUM
};

const size_t l1_nfields = ARRAY_LEN(l1_fields);

#define COUNTER(...)
#define HIST(...)
#define FORMULA(...) STAT_FN_FORMULA(l1_stats, __VA_ARGS__)
#include "mem/l1_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA

const struct stat_row l1_stat_rows[] = {
#define COUNTER(...) STAT_ROW_COUNTER(l1_stats, __VA_ARGS__)
#define HIST(...)    STAT_ROW_HIST(l1_stats, __VA_ARGS__)
#define FORMULA(...) STAT_ROW_FORMULA(l1_stats, __VA_ARGS__)
#include "mem/l1_stats.def"
#undef COUNTER
#undef HIST
#undef FORMULA
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
