/* One DRAM channel: a controller and its banks, to the command.
 *
 * Requests enter an entry queue (reads and writes apart, or unified). From there they go, one a
 * cycle, into command queues (one a bank, or one for all), or are scheduled straight from the entry
 * queue ("direct"). Each cycle one command is chosen (one row and one column command if there are
 * two command buses) whose gates are all open: gates are rows of data (dram_timing.def).
 *
 * Schedulers, the two readings of "first ready":
 *   first_ready    any ready command, oldest request first; a precharge is not ready while younger
 *                  requests still hit the open row, unless row_hit_cap hits were served (queues),
 *                  or row hits beyond the cap lose their turn (direct)
 *   row_hit_first  ready row hits first, then the rest in age order; no precharge while a hit
 *                  waits.
 *
 * Slots (GPGPU-Sim's) know neither: each bank has a place for one request, which stays until all
 * its column commands went out. A cycle fills one place, from the entry queue: the oldest request
 * that hits the row the bank has open, else the bank's oldest. Then the first bank in turn whose
 * request can have its next command gets it, be it for a row or a column. A request may be several
 * accesses long (mem_req.bytes), of which a command moves command_accesses.
 *
 * A read's latency is counted from acceptance to the end of its data burst. Writes are posted: they
 * are answered in the cycle after acceptance. */
#ifndef DRAM_DRAM_H
#define DRAM_DRAM_H

#include "conf/conf.h"
#include "dram/dram_stats.h"
#include "mem/mem_req.h"
#include "sim/port.h"
#include "sim/probe.h"

extern const char *const dram_device_names[];
extern const char *const dram_page_names[];
extern const char *const dram_queue_names[];
extern const char *const dram_sched_names[];
extern const char *const dram_drain_names[];

enum dram_page { DRAM_PAGE_OPEN, DRAM_PAGE_CLOSED };
enum dram_queues {
    DRAM_QUEUES_PER_BANK,
    DRAM_QUEUES_SHARED,
    DRAM_QUEUES_DIRECT,
    DRAM_QUEUES_SLOTS
};
enum dram_sched { DRAM_FIRST_READY, DRAM_ROW_HIT_FIRST };
enum dram_drain { DRAM_DRAIN_BATCH, DRAM_DRAIN_WATERMARK };

struct dram_cfg {
#define ROWS_FILE "dram/dram_cfg.def"
#include "parsim/rows_members.h"
};

extern const struct conf_field dram_fields[];
extern const size_t dram_nfields;

/* Fills in the device's values where a field is -1 and checks that the parts fit together. */
bool dram_cfg_resolve(struct dram_cfg *cfg, struct err *err);
/* Where the device's numbers come from. */
const char *dram_device_source(int device);

enum dram_cmd { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_RDA, DRAM_WRA, DRAM_REF, DRAM_CMDS };

struct dram_addr {
    uint32_t pc, group, bank; /* bank: within its group */
    uint32_t row, col;
    uint32_t index; /* of the bank in the channel */
};

/* Who gives requests and takes answers. `peek` may be called more than once a cycle; `pop` takes
 * what peek showed. `done` is called once for each request, at the cycle of its answer. */
struct dram_client_ops {
    struct mem_req *(*peek)(void *self, cycle_t now);
    void (*pop)(void *self, cycle_t now);
    void (*done)(void *self, struct mem_req *req, cycle_t now);
    /* may the answers of this cycle be given? false delays them (a full reply port) */
    bool (*ready)(void *self, cycle_t now);
};

struct dram;

/* `cfg` must be resolved. Without `ops` the channel must be bound to ports before it ticks. */
struct dram *dram_new(const struct dram_cfg *cfg, const struct dram_client_ops *ops, void *client);
/* Between two ports of struct mem_req *: requests in, answers out (to writes too). */
void dram_bind(struct dram *d, struct port *in, struct port *out);
void dram_free(struct dram *d);

/* One cycle; returns the next cycle of interest. A client that has a new request for a channel that
 * sleeps must tick it. */
cycle_t dram_tick(struct dram *d, cycle_t now);
void dram_dump(const struct dram *d, FILE *out);
extern const struct component_ops dram_component_ops;

const struct dram_stats *dram_stats(const struct dram *d);
/* Of slots, cycles in which the bus was idle though a request had its row open: bank groups and
 * turns between reads and writes kept it from its column command. */
uint64_t dram_bus_waits(const struct dram *d);
/* Events are enum dram_cmd; a = bank index, b = row. */
void dram_add_probe(struct dram *d, struct probe *probe);
void dram_drop_probe(struct dram *d, struct probe *probe);
/* Where an address lies; what a trace or a test wants to know. */
struct dram_addr dram_locate(const struct dram *d, addr_t addr);
/* The address of a place (the inverse of dram_locate without bank_xor). */
addr_t dram_address(const struct dram *d, const struct dram_addr *at);

#endif
