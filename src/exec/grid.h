/* A kernel launch, executed functionally.
 *
 * Blocks run one after another, each until it ends; one that waits for others, or does not end
 * within a quantum, makes room for the next and goes on later, so that blocks may wait for each
 * other as far as a GPU with enough room would let them. A cooperative launch has all its blocks
 * resident from the start. The order depends on nothing but the program. */
#ifndef EXEC_GRID_H
#define EXEC_GRID_H

#include "exec/program.h"
#include "exec/sregs.h"
#include "exec/warp.h"

struct grid_progress {
    const char *kernel;
    uint64_t ctas_done, ctas;
    uint64_t warp_inst, thread_inst;
};

struct launch {
    struct kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    const void *params; /* kernel->src->param_bytes of them */
    bool is_cooperative;
    unsigned depth;    /* launched by a kernel: 1 + its own */
    uint64_t max_inst; /* warp instructions; 0 = no limit */
    /* Called every few million instructions; may be NULL. */
    void (*progress)(const struct grid_progress *p, void *arg);
    void *progress_arg;
    /* How kernels that this one launches are run; NULL: grid_run(). */
    struct grid_runner *runner;
};

struct fault {
    int code; /* enum fault_code; 0 = none */
    char msg[1024];
};

struct launch_result {
    uint64_t warp_inst, thread_inst;
    uint64_t ctas;
    uint64_t cycles; /* by a machine that keeps time, else 0 */
    struct fault fault;
};

/* Runs the launch to its end. False if it could not start (bad shape; err->code is CUDA's number)
 * or if the kernel was stopped by a fault (result->fault.code != 0, same message in err). */
bool grid_run(struct device *d, const struct launch *l, struct launch_result *result,
              struct err *err);

/* Another way to run launches, with the same contract: a machine that keeps time. */
struct grid_runner {
    bool (*run)(void *self, const struct launch *l, struct launch_result *result, struct err *err);
    void *self;
};

/* Blocks that launches leave for later ones of their kernel; before the kernel goes. */
void kernel_drop_spares(struct kernel *k);

/* --- for the code of instructions --- */

/* 16 that programs name, and one for the cluster barrier. */
/* Barriers that programs name, and behind them the cluster's. */
enum { CTA_NAMED_BARRIERS = 16, CTA_BARRIERS, TLB_ENTRIES = 256 };

struct cta_barrier {
    uint32_t lanes;    /* that have arrived */
    uint32_t rounded;  /* the same, whole warps counted as 32 */
    uint32_t expected; /* threads; 0 = the whole block */
    uint32_t red_count;
    bool red_and, red_or;
};

struct cta {
    struct grid *grid;
    uint64_t number;
    uint32_t ctaid[3];
    uint32_t block[3]; /* the shape it was made for */
    char *shared;
    uint32_t shared_bytes;
    uint32_t shared_limit;       /* what needs no further check: all, or 0 with a checker */
    uint32_t phase, first_phase; /* barriers completed; the count when this block began */
    struct check_cell *cells;    /* of a checker, or NULL */
    char *sregs;
    struct warp *warps;
    uint32_t nwarps;
    uint32_t live_threads;
    uint64_t ninst;  /* in earlier turns */
    bool has_race;   /* see turns.h */
    uint32_t rounds; /* that it may run before others have their turn; 0 = as many as it likes */
    struct cta *next_spare;
    uint32_t barriers_used; /* those at which threads have arrived; the others hold anything */
    struct cta_barrier barriers[CTA_BARRIERS];
};

/* An address range known to lie in one allocation. */
struct tlb_entry {
    addr_t base, end;
    bool is_writable;
};

/* A loop that only waits for a clock: who is in it, and since when. */
struct clock_spin {
    const struct xinst *at;
    const struct warp *warp;
    uint64_t since, ninst;
};

struct grid {
    struct device *dev;
    const struct launch *launch;
    struct kernel *kernel;
    uint32_t nwarps, nthreads;
    uint32_t shared_bytes;
    const char *params;
    const struct memory_lanes *lanes;
    struct fault fault;
    uint64_t warp_inst, thread_inst; /* of blocks that have ended */
    uint64_t clock;                  /* virtual time: warp instructions of earlier turns */
    uint64_t turn_from;              /* the running warp's count when its turn began */
    uint64_t turn;                   /* how long a warp's turn is: turns.h */
    char *seen;                      /* registers of a warp that may wait: turns.c */
    uint32_t seen_bytes;
    uint32_t watched_blocks; /* that will be watched for races between their warps, */
    uint32_t watched_reads;  /* for so many rounds of reads without one */
    uint64_t clock_ahead;    /* what clocks show beyond that: clock.c */
    struct clock_spin spin;
    struct tlb_entry tlb[TLB_ENTRIES];
    uint64_t tlb_epoch, tlb_seen; /* of `tlb`; the same, where accesses that are watched hide it */
    const uint64_t *mem_epoch;    /* devmem_epoch() */
    struct grid *root;            /* where children are kept: itself, or the grid it is a part of */
    struct children *children;    /* what its threads launched: children.h */
    uint64_t sync_addr;           /* cooperative launches: the grid barrier's word */
    uint32_t smid;                /* where its blocks run */
    struct oob_log *oob_log;      /* accesses outside every allocation: oob.h; NULL = none */
};

/* --- for machines that keep time: exec/step.h --- */

/* Whether the launch fits the device and the kernel's own limits; err->code is CUDA's number. */
bool launch_check(const struct device *d, const struct launch *l, struct err *err);
void grid_init(struct grid *g, struct device *d, const struct launch *l);
/* The grid barrier's word of a cooperative launch, to be released with devmem_release(); 0 = none.
 */
uint64_t grid_sync_alloc(struct device *d, const struct launch *l);

/* A block of the grid's shape; cta_start() makes it block `number` with all its warps at the
 * kernel's first instruction. cta_set_launch() again when it is used for another launch. */
struct cta *cta_new(struct grid *g);
void cta_set_launch(struct cta *c, const struct grid *g);
void cta_start(struct cta *c, struct grid *g, uint64_t number);
void cta_free(struct cta *c);

/* All splits of the block that wait at barrier `b` go on if it is complete. */
void cta_check_barrier(struct cta *c, unsigned b);
void cta_check_all_barriers(struct cta *c);

#endif
