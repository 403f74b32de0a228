/* Configuration rows, statistics rows, and the check of a configuration. */
#include "mem/mem_ctrl_int.h"

const struct conf_field mem_ctrl_fields[] = {
#define ROWS_FILE   "mem/mem_ctrl_cfg.def"
#define ROWS_STRUCT mem_ctrl_cfg
#include "parsim/rows_entries.h"
};

const size_t mem_ctrl_nfields = ARRAY_LEN(mem_ctrl_fields);

const struct stat_row mem_ctrl_stat_rows[] = {
#define ROWS_FILE   "mem/mem_ctrl_stats.def"
#define ROWS_STRUCT mem_ctrl_stats
#include "parsim/rows_entries.h"
};

const size_t mem_ctrl_nstat_rows = ARRAY_LEN(mem_ctrl_stat_rows);

bool mem_ctrl_cfg_check(const struct mem_ctrl_cfg *c, const char *section, struct err *err)
{
    const struct {
        const char *name;
        int64_t value;
    } sizes[] = {{"block_bytes", c->block_bytes},
                 {"sector_bytes", c->sector_bytes},
                 {"burst_bytes", c->burst_bytes}};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        if (!is_pow2((uint64_t)sizes[i].value))
            return err_set(err, "%s.%s: %lld is not a power of two", section, sizes[i].name,
                           (long long)sizes[i].value);
        if (sizes[i].value > c->block_bytes)
            return err_set(err, "%s.%s: %lld is more than block_bytes (%lld)", section,
                           sizes[i].name, (long long)sizes[i].value, (long long)c->block_bytes);
    }
    if (c->block_bytes / c->sector_bytes > 16)
        return err_set(err,
                       "%s.sector_bytes: a block of %lld bytes would have more than 16 sectors",
                       section, (long long)c->block_bytes);
    if (c->block_bytes / c->burst_bytes > 32)
        return err_set(err, "%s.burst_bytes: a block of %lld bytes would have more than 32 bursts",
                       section, (long long)c->block_bytes);
    return true;
}
