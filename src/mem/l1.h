/* A first-level cache of an SM: data, constant, texture or instruction, by configuration.
 *
 * Not a component: the SM owns it and calls it in its own tick, in this order for one cycle:
 * l1_fill for replies that arrived, l1_tick, then any of l1_pop_done, l1_pop_ack, l1_pop_req,
 * l1_submit. An access submitted at cycle t is looked up at t + latency. A read hit can be popped
 * in that cycle; a miss's request too; what a fill at cycle f completes can be popped at f. An
 * access that cannot be served (no MSHR, no merge slot, no way, miss queue full) holds up those
 * behind it in its bank and is tried again after a fill or after a request was popped.
 *
 * Reads and atomics complete through l1_pop_done, writes through l1_pop_ack when their answer is
 * back (at once if they stay here). A request for a line may leave in several parts
 * (request_sectors); each reply says which sectors it brings.
 *
 * Requests have owner = the cache, so that the SM gives a reply to l1_fill(reply->owner, ...). The
 * SM sets `dst`.
 *
 * A prefetch completes nowhere: it asks for what is missing if an MSHR, a way and the miss queue
 * have room, and is dropped if not.
 *
 * What is different with encoded lines is in l1_lines.c and l1_codec.c: a reply that brings one
 * waits for the engine. A write of a whole line of global
 * memory waits for it in a buffer; an access to a line that is there lets its write go, raw. A
 * write of a part or an atomic that was refused is decoded, merged and sent again as a whole line,
 * raw; the atomic behind it. */
#ifndef MEM_L1_H
#define MEM_L1_H

#include "conf/conf.h"
#include "mem/bound.h"
#include "mem/mem_req_pool.h"
#include "sim/probe.h"
#include "sim/sim.h"
#include "stats/stats.h"

/* write-through and the line is evicted or updated; write-back, with or without allocation */
enum l1_write { L1_THROUGH_EVICT, L1_THROUGH_UPDATE, L1_BACK, L1_BACK_NO_ALLOCATE };
extern const char *const l1_write_names[];

struct l1_cfg {
#define ROWS_FILE "mem/l1_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field l1_fields[];
extern const size_t l1_nfields;

struct l1_stats {
#define ROWS_FILE "mem/l1_stats.def"
#include "parsim/rows_members.h"
};

extern const struct stat_row l1_stat_rows[];
extern const size_t l1_nstat_rows;

/* `section` names the configuration in messages. */
bool l1_cfg_check(const struct l1_cfg *cfg, const char *section, struct err *err);

/* One coalesced transaction of a warp instruction; it lies in one line. */
struct l1_access {
    addr_t addr;      /* any byte of it */
    uint32_t bytes;   /* read or written */
    uint16_t sectors; /* of the line */
    uint16_t full;    /* of a write: sectors of which every byte is written (0 is always safe) */
    uint64_t words;   /* of 4 bytes, of the line, that it touches: for probes only */
    uint8_t kind;     /* enum mem_kind; atomics always bypass */
    uint8_t space;    /* enum mem_space */
    bool bypass;      /* goes to memory; writes and atomics evict the line */
    bool is_prefetch; /* of a read: nobody waits for it; dropped where it cannot be served */
    uint16_t slot;    /* of the warp */
    uint16_t load;    /* its number among the loads of the kernel */
    uint32_t token;
};

struct l1;

/* `cfg` must be checked; `pool` is the SM's, `node` the source of requests. What `seams` points to
 * must outlive the cache; caches of one SM may share an engine. */
struct l1 *l1_new(const struct l1_cfg *cfg, struct mem_req_pool *pool, uint16_t node,
                  const struct l1_seams *seams);
void l1_free(struct l1 *l);

/* May an access to `addr` be submitted at `now`? (One a cycle a bank.) */
bool l1_can_accept(const struct l1 *l, cycle_t now, addr_t addr);
void l1_submit(struct l1 *l, cycle_t now, const struct l1_access *a);
/* As l1_submit() `latency` cycles ago and l1_tick() now, for a cache in which nothing was since. */
void l1_submit_due(struct l1 *l, cycle_t now, const struct l1_access *a);
/* Looks up what is due. */
void l1_tick(struct l1 *l, cycle_t now);
bool l1_has_done(const struct l1 *l);
bool l1_pop_done(struct l1 *l, cycle_t now, uint32_t *token);
bool l1_pop_ack(struct l1 *l, cycle_t now, uint32_t *token);
/* The next request to memory, or NULL. */
struct mem_req *l1_peek_req(const struct l1 *l, cycle_t now);
struct mem_req *l1_pop_req(struct l1 *l, cycle_t now);
/* The answer to one of its requests, with others that ride on it; frees them, at once or when the
 * packet policy's engine has finished with it. */
void l1_fill(struct l1 *l, cycle_t now, struct mem_req *reply);
/* A read or a write of global memory that took no time: leaves what it would leave in the cache.
 * True: it did not find the line there. */
bool l1_touch(struct l1 *l, addr_t addr, bool is_write);
/* Whether the line is there, or on its way. */
bool l1_has(const struct l1 *l, addr_t addr);
/* Keeps at most so many bytes from now on, if it is empty. */
void l1_use(struct l1 *l, uint64_t bytes);
/* Invalidates everything, dirty lines are written back as the miss queue allows; only when l1_idle.
 * Does nothing if the configuration says so. */
void l1_flush(struct l1 *l, cycle_t now);

/* The next cycle at which l1_tick or a pop has something to do; `now` or earlier: already;
 * CYCLE_NEVER: it only waits for replies or accesses. */
cycle_t l1_next(const struct l1 *l, cycle_t now);
/* Whether requests are still to leave. */
bool l1_owes(const struct l1 *l);
/* Nothing inside and no reply outstanding. */
bool l1_idle(const struct l1 *l);
uint32_t l1_mshrs_used(const struct l1 *l);
const struct l1_stats *l1_stats(const struct l1 *l);

/* Events, all with a = the line's place in the cache:
 *   reads    a cached read was served or waits for its miss; b = the words that it asks for
 *   the others: the line leaves, for another one, because of a write, or in a flush */
enum l1_event { L1_READ, L1_READ_LOCAL, L1_REPLACED, L1_WRITE_EVICTED, L1_FLUSHED };
void l1_add_probe(struct l1 *l, struct probe *probe);
/* Fired where read_misses is counted: event 0, a = the line's address, b = the access's token. */
void l1_add_miss_probe(struct l1 *l, struct probe *probe);

void l1_dump(const struct l1 *l, FILE *out);

#endif
