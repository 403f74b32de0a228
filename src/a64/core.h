/* The core in time: in order, two instructions a cycle, between two caches. A component.
 *
 * What instructions do is done when they are fetched, in program order; the core says when they
 * arrive (front.c), issue (issue.c) and are served by the data cache (lsu.c). Nothing of a wrong
 * path is executed: a branch that was predicted wrongly holds the front until it has issued. */
#ifndef A64_CORE_H
#define A64_CORE_H

#include "a64/ops.h"
#include "a64/process.h"
#include "mem/interleave.h"
#include "mem/l1.h"
#include "sim/port.h"

struct a64_core_cfg {
#define ROWS_FILE "a64/core_cfg.def"
#include "parsim/rows_members.h"
};
extern const struct conf_field a64_core_fields[];
extern const size_t a64_core_nfields;

struct a64_core_stats {
#define ROWS_FILE "a64/core_stats.def"
#include "parsim/rows_members.h"
};
extern const struct stat_row a64_core_stat_rows[];
extern const size_t a64_core_nstat_rows;

/* False with an error that names the field. */
bool a64_core_cfg_check(const struct a64_core_cfg *c, struct err *err);

/* What a core is made of. */
struct a64_core_parts {
    const struct a64_core_cfg *cfg;
    const struct a64_timing_cfg *timing;
    const struct l1_cfg *l1i, *l1d;
    const struct interleave *map;
    struct a64_process *process;
};

struct a64_core;

struct a64_core *a64_core_new(const struct a64_core_parts *parts);
void a64_core_free(struct a64_core *c);
/* Ports of struct mem_req * to and from a slice of the L2, and what ends the run. */
void a64_core_bind(struct a64_core *c, unsigned slice, struct port *to, struct port *from);
void a64_core_bind_sim(struct a64_core *c, struct sim *sim, const struct component *self);
extern const struct component_ops a64_core_component_ops;

/* It ends after so many instructions; 0: when the program does. */
void a64_core_limit(struct a64_core *c, uint64_t instructions);
/* Called when the program passes the begin or the end of its region of interest. */
void a64_core_watch(struct a64_core *c, void (*fn)(void *ctx, bool is_begin), void *ctx);
/* Called for every instruction that issues, with its cycle. */
void a64_core_observe(struct a64_core *c,
                      void (*fn)(void *ctx, uint64_t pc, cycle_t issue, const struct a64_op *op),
                      void *ctx);
/* The program has ended, or the limit was reached, and all has issued. */
bool a64_core_is_done(const struct a64_core *c);
const struct a64_core_stats *a64_core_stats(const struct a64_core *c);
const struct l1_stats *a64_core_l1i_stats(const struct a64_core *c);
const struct l1_stats *a64_core_l1d_stats(const struct a64_core *c);

#endif
