/* A slice of the L2: a component between the interconnect and a memory controller.
 *
 * A request taken from the interconnect at cycle t is looked up at t + latency at the earliest, one
 * lookup a cycle, in order; a hit is answered in the cycle of the lookup. Sectored, write-back,
 * write-allocate. A miss asks the memory controller for exactly the missing sectors, in one
 * request. A write that covers whole sectors fetches nothing (unless `partial` is always: then what
 * it misses is fetched, and it is answered with that); a sector of which only some bytes
 * were written is kept so and fetched when it is read (or at once, by configuration), and when it
 * is evicted (unless memory takes masked writes). Atomics need their sectors, keep the slice's ALU
 * busy for atomic_cycles a sector, and make the line dirty. Every request is answered once, by
 * itself or with another (packet_policy): wire_bytes is the payload of the answer.
 *
 * Not sectored, all of that is by the line: a miss fetches what is not there of it, a write covers
 * it or none of its sectors, a write or atomic makes all of it dirty and takes atomic_cycles once.
 * Answers still carry the sectors asked for, so that caches above may have sectors.
 *
 * A line that the form policy says is encoded is fetched, read and written as a whole. A write of a
 * part of one and an atomic are refused: they are answered, like a read, with the line. */
#ifndef MEM_L2_H
#define MEM_L2_H

#include "conf/conf.h"
#include "mem/bound.h"
#include "mem/interleave.h"
#include "mem/mem_req_pool.h"
#include "sim/port.h"
#include "stats/stats.h"

extern const char *const l2_partial_names[];
enum l2_partial { L2_PARTIAL_LAZY, L2_PARTIAL_FETCH, L2_PARTIAL_ALWAYS };

struct l2_cfg {
#define ROWS_FILE "mem/l2_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field l2_fields[];
extern const size_t l2_nfields;

struct l2_stats {
#define ROWS_FILE "mem/l2_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row l2_stat_rows[];
extern const size_t l2_nstat_rows;

bool l2_cfg_check(const struct l2_cfg *cfg, const char *section, struct err *err);

struct l2;

/* `cfg` must be checked; `il` (copied) gives the address within the slice that sets are indexed by.
 * What `seams` points to must outlive the slice. */
struct l2 *l2_new(const struct l2_cfg *cfg, const struct interleave *il,
                  const struct slice_seams *seams);
/* Ports of struct mem_req *. */
void l2_bind(struct l2 *l, struct port *from_noc, struct port *to_noc, struct port *to_mc,
             struct port *from_mc);
void l2_free(struct l2 *l);

cycle_t l2_tick(struct l2 *l, cycle_t now);
void l2_dump(const struct l2 *l, FILE *out);
extern const struct component_ops l2_component_ops;

/* What accesses that take no time leave behind: the lines of [addr, addr + bytes), all of which
 * must belong to this slice, are present; those of a host copy are clean, those that were written
 * dirty. Dirty victims vanish. Not while the slice ticks; a line on its way is left as it is.
 * Returns how many lines were not there before. */
enum l2_touch { L2_COPIED, L2_READ, L2_WRITTEN };
uint32_t l2_touch(struct l2 *l, addr_t addr, uint64_t bytes, enum l2_touch how);
/* Drops all contents, dirty ones without traffic. Only while the slice is idle. */
void l2_flush(struct l2 *l);
/* Nothing inside and nothing outstanding. */
bool l2_idle(const struct l2 *l);
const struct l2_stats *l2_stats(const struct l2 *l);

#endif
