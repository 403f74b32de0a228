/* Private to src/dram and its tests. */
#ifndef DRAM_DRAM_INT_H
#define DRAM_DRAM_INT_H

#include "dram/dram.h"
#include "dram/dram_gate.h"

enum { DRAM_FIELDS = 5, DRAM_PARTS = 8, DRAM_BANKS_MAX = 64, FILTER_SIZE = 1024 };

/* `mask` bits of an address, `shift` from its end, are bits of a field, `into` from its end. */
struct dram_map_part {
    uint8_t field, shift, into;
    uint32_t mask;
};

struct dram_map {
    struct dram_map_part parts[DRAM_PARTS];
    uint32_t nparts;
    uint32_t mask[DRAM_FIELDS]; /* pc, group, bank, row, col */
    uint32_t banks_a_group, groups;
    bool bank_xor;
};

bool dram_map_init(struct dram_map *m, const struct dram_cfg *c, struct err *err);
struct dram_addr dram_map_locate(const struct dram_map *m, addr_t addr);

enum { ROW_NONE = UINT32_MAX };

/* A request that waits for its column command. */
struct dram_entry {
    addr_t line;         /* aligned to the access */
    struct mem_req *req; /* the read and, chained, those merged into it; NULL for a write */
    cycle_t arrive;
    uint64_t age; /* in command queues: who came there before whom */
    uint32_t row;
    uint8_t bank;
    uint8_t left; /* accesses that no column command has moved yet */
    bool write;
};

/* Entries in order of age. */
struct dram_queue {
    struct dram_entry *at;
    uint32_t len, cap;
    cycle_t retry; /* nothing in it can go before this cycle, unless it changes */
    /* a bank's own queue: its oldest entry for each command (ACT to WR), or -1; kept until the
     * queue or the bank changes (`stale`) */
    int16_t oldest[DRAM_WR + 1];
    bool stale;
};

struct dram_bank {
    uint32_t row;      /* open row or ROW_NONE */
    uint32_t accesses; /* since it was opened */
    uint32_t hits;     /* waiting in command queues for the open row */
};

struct dram_answer {
    struct mem_req *req;
    cycle_t at;
};

struct dram_answers { /* a ring in order of time */
    struct dram_answer *ring;
    uint32_t head, tail, mask;
};

struct dram_refresh {
    cycle_t due;
    bool waiting; /* banks of the pseudo-channel are being closed for it */
};

/* A command found ready. */
struct dram_pick {
    enum dram_cmd cmd;
    struct dram_queue *queue;
    uint32_t index; /* of the entry */
};

enum dram_class { CLASS_ROW = 1, CLASS_COL = 2, CLASS_ANY = 3 };

struct dram {
    struct dram_cfg cfg;
    struct dram_map map;
    struct dram_gates gates;
    const struct dram_client_ops *client;
    void *client_self;
    const struct probe *probe;
    uint32_t nbanks;
    uint64_t refreshing; /* mask of banks that must not be used */
    struct dram_bank banks[DRAM_BANKS_MAX];
    struct dram_refresh refresh[2];
    struct dram_queue reads, writes; /* entry queues; unified uses reads */
    struct dram_queue *queues;       /* command queues, by bank */
    uint32_t nqueues, next_queue;
    bool is_shared;                       /* they are one: its places, and the best of all goes */
    uint64_t entered;                     /* entries, into command queues */
    uint64_t busy_queues;                 /* mask of command queues that hold entries */
    uint64_t full_queues;                 /* mask of banks whose command queue has no room */
    uint16_t entering[2][DRAM_BANKS_MAX]; /* entry queue of reads, of writes: entries a bank */
    uint64_t entering_mask[2];            /* banks that have some */
    bool is_full;                         /* a request waits for a full entry queue */
    cycle_t full_since;
    bool move_blocked;        /* no entry found room, and nothing has changed since */
    uint32_t waiting;         /* entries in command queues */
    uint32_t draining;        /* batch: writes left in this drain */
    bool write_mode;          /* watermark */
    struct dram_queue opened; /* direct: requests whose activate went out */
    uint32_t next_bank;       /* slots: the bank whose turn it is */
    cycle_t slots_retry;      /* slots: when the next command may go, unless something changes */
    cycle_t column_end;       /* slots: the last column command could have been followed by one */
    uint64_t bus_waits;
    struct dram_answers bursts, acks;
    uint16_t read_filter[FILTER_SIZE], write_filter[FILTER_SIZE]; /* waiting lines, by hash */
    bool changed; /* something happened in this tick */
    cycle_t first;
    bool started;
    struct dram_stats stats;
    struct port *in, *out; /* when between ports */
};

static inline uint32_t filter_slot(addr_t line)
{
    return (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 54);
}

/* What `e` needs next, given its bank. */
static inline enum dram_cmd entry_command(const struct dram *d, const struct dram_entry *e)
{
    uint32_t open = d->banks[e->bank].row;
    if (open == ROW_NONE)
        return DRAM_ACT;
    if (open != e->row)
        return DRAM_PRE;
    return e->write ? DRAM_WR : DRAM_RD;
}

static inline enum dram_class command_class(enum dram_cmd cmd)
{
    return cmd == DRAM_RD || cmd == DRAM_WR ? CLASS_COL : CLASS_ROW;
}

void queue_init(struct dram_queue *q, uint32_t cap);
void queue_push(struct dram_queue *q, const struct dram_entry *e);
void queue_remove(struct dram_queue *q, uint32_t index);

bool dram_read_waits(struct dram *d, addr_t line);
/* Sends the command of `p`; the column command that moves the last access ends its entry. */
void dram_issue(struct dram *d, const struct dram_pick *p, cycle_t now);

/* Staged (per-bank or shared command queues), direct and slots, each in its file. `pick` finds a
 * ready command of the classes asked for. */
bool staged_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p);
/* Takes entry `i` of entry queue `from` over into its command queue, which has room. */
void staged_enter(struct dram *d, struct dram_queue *from, uint32_t i);
void staged_move(struct dram *d);
cycle_t staged_retry(const struct dram *d);
bool direct_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p);
void direct_mode_update(struct dram *d);
void direct_opened(struct dram *d, const struct dram_pick *p);
cycle_t direct_retry(const struct dram *d);
bool slots_pick(struct dram *d, unsigned classes, cycle_t now, struct dram_pick *p);
/* One bank without a request gets one. */
void slots_fill(struct dram *d);
/* A column command of `e` goes out, for which the bus is `busy`. */
void slots_column(struct dram *d, const struct dram_entry *e, uint32_t busy, cycle_t now);

#endif
