/* The whole machine: SMs, interconnect, L2, memory controllers and DRAM, built from a struct
 * machine and run kernel by kernel, cycle by cycle.
 *
 * Every SM, every network and every memory channel with its L2 slices is a partition of its own
 * (sim/sim.h): they meet every gpu.port_cycles cycles, where the SMs' effects on memory are applied
 * in the order of (cycle, SM), ended blocks are replaced, and the kernel's end is noticed. Results
 * do not depend on the number of host threads. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "exec/grid.h"
#include "gpu/limits.h"
#include "gpu/machine.h"
#include "stats/stats.h"

struct gpu;

/* `m` and `dev` must outlive it. */
struct gpu *gpu_new(const struct machine *m, struct device *dev, unsigned threads, struct err *err);
void gpu_free(struct gpu *g);

/* As grid_run(), and keeps time. */
bool gpu_run(struct gpu *g, const struct launch *l, struct launch_result *result, struct err *err);
/* The same for several launches that do not depend on each other: their blocks share the SMs, those
 * of earlier launches first. False: at least one failed; each has its own result. */
bool gpu_run_many(struct gpu *g, const struct launch *const *l, size_t n,
                  struct launch_result *results, struct err *err);
/* The host has written device memory. */
void gpu_copied(struct gpu *g, addr_t addr, uint64_t bytes);
/* The host has let the device fill its memory with a value. */
void gpu_filled(struct gpu *g, addr_t addr, uint64_t bytes);

/* Kernels that kept no time have read or written a line, so that the L2 has it; have written it;
 * or nothing of them is to be in the caches. */
void gpu_touched(struct gpu *g, addr_t addr, uint64_t bytes);
/* The same in the middle of a kernel: lines that were written have to go to memory. Returns how
 * many lines the L2 did not have. */
uint32_t gpu_accessed(struct gpu *g, addr_t addr, uint64_t bytes, bool is_write);
void gpu_rewritten(struct gpu *g, addr_t addr, uint64_t bytes);
void gpu_forget(struct gpu *g);

/* A kernel that was run. Counters are differences over its run. */
struct gpu_kernel {
    char *name;
    uint32_t grid[3], block[3];
    uint32_t registers, shared_bytes; /* of a thread, of a block */
    uint32_t ctas_per_sm;             /* that fit */
    cycle_t start, cycles; /* of blocks that shared the SMs with others: until its last one's end */
    size_t first, together; /* kernels that ran at the same time: the list's index, how many */
    cycle_t together_cycles;
    cycle_t skipped_cycles; /* of those: not simulated but estimated; and the estimate's variance */
    double variance;
    bool is_paced;           /* how warps went on behind a stretch was guessed, too: forward.h */
    uint64_t simulated_inst; /* of warps, and those with it */
    bool waits;              /* --sample: must not be gone forward in (forward_must_not()) */
    uint64_t accesses;       /* to memory, after coalescing */
    uint64_t warp_inst, thread_inst, ctas;
    cycle_t began; /* as `start`, but of the core clock, which also runs between kernels */
    double wall_seconds;
    uint64_t limits[LIMITS]; /* cycles that each held the machine back, and those with it */
    uint64_t divergences;    /* branches at which lanes parted; the same */
};

/* The i-th technique that is bound on it; NULL: there are fewer. */
const struct tech_part *gpu_technique(const struct gpu *g, size_t i);
/* The design that may give other values than the program's (tech_part.changes_values), or NULL. */
const char *gpu_changes_values(const struct gpu *g);
/* After the last kernel: techniques write the files that they were asked for. */
bool gpu_finish(struct gpu *g, struct err *err);

/* `fn` is called when a kernel, or all that ran together, has ended and is in the list. */
/* While kernels run, every gpu.look_cycles: of the first that runs. `fn` may look, and change
 * nothing; NULL: nobody. */
struct gpu_look {
    const char *kernel;
    uint64_t blocks, blocks_done;
    cycle_t cycles;     /* of the run */
    uint64_t warp_inst; /* of the run, of launches that were simulated */
};
void gpu_at_look(struct gpu *g, void (*fn)(void *ctx, const struct gpu_look *at), void *ctx);
void gpu_at_kernel_end(struct gpu *g, void (*fn)(void *ctx), void *ctx);

size_t gpu_kernel_count(const struct gpu *g);
const struct gpu_kernel *gpu_kernel(const struct gpu *g, size_t i);

/* Core cycles of all kernels; of those, what was not simulated but estimated. */
cycle_t gpu_cycles(const struct gpu *g);
cycle_t gpu_skipped(const struct gpu *g);
/* Every statistic of every part. */
struct stats *gpu_stats(struct gpu *g);
const struct machine *gpu_machine(const struct gpu *g);

/* Samples the statistics every `cycles` core cycles (rounded up to a meeting point); 0 = never. */
void gpu_set_interval(struct gpu *g, cycle_t cycles);
/* Simulates parts of every launch only (forward.h). */
void gpu_sample(struct gpu *g);
/* A launch that was not simulated takes its place in the list, with an estimated time; the kernel
 * `like` has stood for it. */
void gpu_add_estimate(struct gpu *g, size_t like, const struct launch *l,
                      const struct launch_result *result);
/* Ticks components in an order drawn from `seed`: a test that results do not change. */
void gpu_shuffle(struct gpu *g, uint64_t seed);
/* Core cycles without any movement after which a kernel counts as stuck. */
void gpu_set_watchdog(struct gpu *g, cycle_t cycles);

#endif
