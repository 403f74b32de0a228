/* Between the L2 slices of one channel and its DRAM: a component.
 *
 * Takes requests round robin over the slices, lets them wait latency_in cycles, asks the storage
 * policy what each needs, turns it into accesses of burst_bytes at channel-local addresses, in
 * order, and answers the slice (writes too) latency_out cycles after the last is back. */
#ifndef MEM_MEM_CTRL_H
#define MEM_MEM_CTRL_H

#include "conf/conf.h"
#include "mem/bound.h"
#include "mem/interleave.h"
#include "mem/mem_req_pool.h"
#include "sim/port.h"
#include "stats/stats.h"

struct mem_ctrl_cfg {
#define ROWS_FILE "mem/mem_ctrl_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field mem_ctrl_fields[];
extern const size_t mem_ctrl_nfields;

struct mem_ctrl_stats {
#define ROWS_FILE "mem/mem_ctrl_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row mem_ctrl_stat_rows[];
extern const size_t mem_ctrl_nstat_rows;

bool mem_ctrl_cfg_check(const struct mem_ctrl_cfg *cfg, const char *section, struct err *err);

struct mem_ctrl;

/* `cfg` must be checked; `slices` at most MEM_CTRL_SLICES. */
enum { MEM_CTRL_SLICES = 16 };
struct mem_ctrl *mem_ctrl_new(const struct mem_ctrl_cfg *cfg, const struct interleave *il,
                              uint32_t slices, const struct channel_seams *seams);
/* Ports of struct mem_req *. */
void mem_ctrl_bind_slice(struct mem_ctrl *m, uint32_t slice, struct port *from, struct port *to);
void mem_ctrl_bind_dram(struct mem_ctrl *m, struct port *to, struct port *from);
void mem_ctrl_free(struct mem_ctrl *m);

cycle_t mem_ctrl_tick(struct mem_ctrl *m, cycle_t now);
void mem_ctrl_dump(const struct mem_ctrl *m, FILE *out);
extern const struct component_ops mem_ctrl_component_ops;

bool mem_ctrl_idle(const struct mem_ctrl *m);
const struct mem_ctrl_stats *mem_ctrl_stats(const struct mem_ctrl *m);

#endif
