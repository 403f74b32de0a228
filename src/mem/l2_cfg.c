/* Configuration rows, statistics rows, and the check of a configuration. */
#include "mem/l2_int.h"

const char *const l2_partial_names[] = {"lazy", "fetch", "always", NULL};

const struct conf_field l2_fields[] = {
#define ROWS_FILE   "mem/l2_cfg.def"
#define ROWS_STRUCT l2_cfg
#include "parsim/rows_entries.h"
};

const size_t l2_nfields = ARRAY_LEN(l2_fields);

#define ROWS_FILE   "mem/l2_stats.def"
#define ROWS_STRUCT l2_stats
#include "parsim/rows_formulas.h"

const struct stat_row l2_stat_rows[] = {
#define ROWS_FILE   "mem/l2_stats.def"
#define ROWS_STRUCT l2_stats
#include "parsim/rows_entries.h"
};

const size_t l2_nstat_rows = ARRAY_LEN(l2_stat_rows);

bool l2_cfg_check(const struct l2_cfg *c, const char *section, struct err *err)
{
    struct cache_shape shape = {c->size, (uint64_t)c->ways, (uint64_t)c->line_bytes,
                                (uint64_t)c->sector_bytes};
    if (!cache_shape_check(&shape, section, err))
        return false;
    if (c->reply_queue < c->merges)
        return err_set(err,
                       "%s.reply_queue: %lld can never hold the %lld requests that one fill "
                       "answers (merges)",
                       section, (long long)c->reply_queue, (long long)c->merges);
    if (c->memory_queue < 2)
        return err_set(err, "%s.memory_queue: %lld can never hold a fetch and a write-back",
                       section, (long long)c->memory_queue);
    return true;
}
