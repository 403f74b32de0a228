/* Names, devices, and the check of a configuration. */
#include "dram/dram_int.h"

#include <string.h>

const char *const dram_page_names[] = {"open", "closed", NULL};
const char *const dram_queue_names[] = {"per_bank", "shared", "direct", "slots", NULL};
const char *const dram_sched_names[] = {"first_ready", "row_hit_first", NULL};
const char *const dram_drain_names[] = {"batch", "watermark", NULL};

const char *const dram_device_names[] = {
#define DEVICE(name, ...) #name,
#include "dram/dram_devices.def"
#undef DEVICE
    NULL};

const struct conf_field dram_fields[] = {
#define ROWS_FILE   "dram/dram_cfg.def"
#define ROWS_STRUCT dram_cfg
#include "parsim/rows_entries.h"
};

const size_t dram_nfields = ARRAY_LEN(dram_fields);

enum { DEVICE_VALUES = 28 };

/* The members a device gives, in the order of its row. */
static int64_t *device_member(struct dram_cfg *c, int i)
{
    int64_t *const at[DEVICE_VALUES] = {
        &c->pseudo_channels, &c->bank_groups,  &c->banks,   &c->rows,    &c->row_bytes,
        &c->access_bytes,    &c->burst_cycles, &c->t_cl,    &c->t_cwl,   &c->t_rcd_rd,
        &c->t_rcd_wr,        &c->t_rp,         &c->t_ras,   &c->t_rc,    &c->t_rrd_s,
        &c->t_rrd_l,         &c->t_ccd_s,      &c->t_ccd_l, &c->t_wtr_s, &c->t_wtr_l,
        &c->t_rtw_gap,       &c->t_wr,         &c->t_rtp,   &c->t_ppd,   &c->t_faw,
        &c->t_32aw,          &c->t_refi,       &c->t_rfc,
    };
    return at[i];
}

static const struct {
    const char *source;
    int32_t values[DEVICE_VALUES];
} devices[] = {
#define DEVICE(name, source, ...) {source, {__VA_ARGS__}},
#include "dram/dram_devices.def"
#undef DEVICE
};

const char *dram_device_source(int device)
{
    return devices[device].source;
}

static bool power_of_two(int64_t v, const char *what, struct err *err)
{
    return (v > 0 && is_pow2((uint64_t)v)) ||
           err_set(err, "dram.%s: %lld is not a power of two", what, (long long)v);
}

static bool slots_fit(const struct dram_cfg *c, struct err *err)
{
    if (c->queues != DRAM_QUEUES_SLOTS)
        return c->command_accesses == 1 ||
               err_set(err, "dram.command_accesses: more than one only with dram.queues = slots");
    if (!c->unified)
        return err_set(err, "dram.unified: slots are filled from one entry queue: must be true");
    return c->page == DRAM_PAGE_OPEN ||
           err_set(err, "dram.page: a slot's request needs its row open: must be open");
}

bool dram_cfg_resolve(struct dram_cfg *c, struct err *err)
{
    for (int i = 0; i < DEVICE_VALUES; i++)
        if (*device_member(c, i) < 0)
            *device_member(c, i) = devices[c->device].values[i];
    if (!power_of_two(c->pseudo_channels, "pseudo_channels", err) ||
        !power_of_two(c->bank_groups, "bank_groups", err) ||
        !power_of_two(c->banks, "banks", err) || !power_of_two(c->rows, "rows", err) ||
        !power_of_two(c->row_bytes, "row_bytes", err) ||
        !power_of_two(c->access_bytes, "access_bytes", err))
        return false;
    if (c->banks < c->bank_groups || c->banks * c->pseudo_channels > DRAM_BANKS_MAX)
        return err_set(err, "dram.banks: %lld does not fit %lld bank groups and at most %d banks",
                       (long long)c->banks, (long long)c->bank_groups, DRAM_BANKS_MAX);
    if (c->row_bytes < c->access_bytes)
        return err_set(err, "dram.row_bytes: a row is smaller than an access");
    if (!slots_fit(c, err))
        return false;
    if (!c->unified && c->write_high > c->write_queue)
        return err_set(err, "dram.write_high: a drain would never start: more than write_queue");
    struct dram_map map;
    return dram_map_init(&map, c, err);
}
