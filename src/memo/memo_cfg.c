/* Configuration rows, statistics rows, and the check of a configuration. */
#include "memo/memo.h"

static const char *const memo_data_names[] = {"4", "8", NULL};
static const char *const memo_crc_names[] = {"16", "32", "64", NULL};
static const char *const memo_compare_names[] = {"exact", "lnl", NULL};
static const char *const memo_invalidate_names[] = {"ways", "lines", NULL};
static const char *const memo_monitor_names[] = {"unit", "lut", NULL};

const struct conf_field memo_fields[] = {
#define ROWS_FILE   "memo/memo_cfg.def"
#define ROWS_STRUCT memo_cfg
#include "parsim/rows_entries.h"
};
const size_t memo_nfields = ARRAY_LEN(memo_fields);

#define ROWS_FILE   "memo/memo_stats.def"
#define ROWS_STRUCT memo_stats
#include "parsim/rows_formulas.h"

const struct stat_row memo_stat_rows[] = {
#define ROWS_FILE   "memo/memo_stats.def"
#define ROWS_STRUCT memo_stats
#include "parsim/rows_entries.h"
};
const size_t memo_nstat_rows = ARRAY_LEN(memo_stat_rows);

const struct stat_row memo_lut_stat_rows[] = {
#define ROWS_FILE   "memo/memo_lut_stats.def"
#define ROWS_STRUCT memo_lut_stats
#include "parsim/rows_entries.h"
};
const size_t memo_lut_nstat_rows = ARRAY_LEN(memo_lut_stat_rows);

unsigned memo_data_bytes(const struct memo_cfg *c)
{
    return c->data_bytes ? 8 : 4;
}

unsigned memo_ways(const struct memo_cfg *c)
{
    return c->data_bytes ? 4 : 8;
}

bool memo_cfg_check(const struct memo_cfg *c, struct err *err)
{
    enum { LEAST = 16 * MEMO_SET_BYTES };
    if (c->l1_bytes && (!is_pow2(c->l1_bytes) || c->l1_bytes < LEAST))
        return err_set(err, "memo.l1_bytes: %llu is neither 0 nor a power of two from %d on",
                       (unsigned long long)c->l1_bytes, LEAST);
    if (c->l2_ways && !is_pow2((uint64_t)c->l2_ways))
        return err_set(err, "memo.l2_ways: %lld is neither 0 nor a power of two",
                       (long long)c->l2_ways);
    if (c->ideal && !c->shadow)
        return err_set(err,
                       "memo.ideal: its keys are those that memo.shadow keeps, which is false");
    if (c->adapt && !c->sample_every)
        return err_set(err, "memo.adapt: it follows comparisons, and memo.sample_every is 0");
    return true;
}

void memo_add_stats(const struct memo_unit *u, struct stats *st)
{
    stats_add(st, "memo", memo_stat_rows, memo_nstat_rows, &u->stats);
    if (u->sizes)
        stats_add(st, "memo_sizes", memo_size_stat_rows, memo_size_nstat_rows, &u->sizes->stats);
    for (unsigned i = 0; i < MEMO_LUTS; i++)
        stats_add(st, "memo_lut", memo_lut_stat_rows, memo_lut_nstat_rows, &u->lut_stats[i]);
}
