/* The inside of a machine. Private to src/gpu and its tests. */
#ifndef GPU_GPU_INT_H
#define GPU_GPU_INT_H

#include "base/vec.h"
#include "gpu/blocks.h"
#include "gpu/gpu.h"
#include "sim/port.h"
#include "sm/sm.h"

/* A kernel that is running. */
struct run {
    struct sm_kernel kernel;
    struct grid root;
    struct blocks blocks;
    uint64_t done, total;            /* of them */
    uint64_t warp_inst, thread_inst; /* of blocks that have ended */
    uint64_t accesses;
    uint32_t capacity; /* blocks that fit on an SM */
    cycle_t end;
};

/* Kernels that run together, and what is known of them as a whole. */
struct batch {
    struct run *runs;
    size_t n;
    cycle_t begin, end;
    cycle_t first; /* no block before this cycle */
    bool failed;
    cycle_t next_look;    /* at the instructions */
    cycle_t window_end;   /* of the next look at what holds it back */
    uint64_t seen;        /* instructions at the last look */
    uint64_t reported;    /* at the last progress report */
    uint64_t inst_before; /* warp instructions before the batch */
    uint64_t limits_before[LIMITS], divergences_before;
    cycle_t skipped; /* by estimate, of what was gone forward (forward.h); and its variance */
    double variance;
    bool is_paced;
    uint64_t forward_inst; /* of warps */
};

struct gpu {
    const struct machine *m;
    struct device *dev;
    unsigned threads;
    struct sim *sim;
    struct sim_clock *core, *noc_clock, *l2_clock, *dram_clock;
    uint32_t nsms, nslices, nchannels;
    struct sm **sms;
    struct effects **effects;
    uint8_t *notes; /* of SMs: enum sm_note */
    bool *is_full;  /* of SMs: since it refused a block, no warp of it has ended */
    bool may_vary;  /* what a block needs is for techniques to say */
    struct l2 **l2;
    struct mem_ctrl **mc;
    struct dram **dram;
    struct noc *noc[2];
    uint16_t *slice_nodes, *sm_nodes;
    struct interleave il;
    struct stats *stats;
    struct gpu_tech *tech;      /* gpu_tech.h */
    struct energy_stats energy; /* as of the last sample or kernel's end */
    struct limits *limits;      /* limits.h */
    struct batch *batch;        /* that is running */
    unsigned next_sm;
    bool is_broken;          /* a fault has left it with a kernel half done */
    cycle_t cycles;          /* simulated */
    cycle_t skipped;         /* and those that were not, by estimate */
    struct forward *forward; /* NULL: all is simulated */
    cycle_t interval, next_sample;
    VEC(struct gpu_kernel) kernels;
    void (*look)(void *ctx, const struct gpu_look *at);
    void *look_ctx;
    void (*kernel_end)(void *ctx);
    void *kernel_end_ctx;
};

/* gpu_build.c */
/* Of a machine and its observers, ended by NULL: no technique may have one of these names. */
extern const char *const gpu_stat_groups[];
bool gpu_build(struct gpu *g, struct err *err);
/* gpu_run.c */
void gpu_meet(void *ctx, uint64_t time);
/* Of all SMs' logs. False: a fault, which is noted. */
bool gpu_apply_effects(struct gpu *g);
/* place_blocks.c: of what is left, as many as SMs take until the next meeting. */
void gpu_place_blocks(struct gpu *g, cycle_t now);
/* Counts the blocks that have ended since it was called last. */
void gpu_collect_ended(struct gpu *g);
/* The first fault of a batch counts. */
void gpu_fail(struct gpu *g, struct run *r, const struct fault *f);
/* Now and then: SMs that issue are alive although no port moves; techniques; limits; progress. */
void gpu_look_at_instructions(struct gpu *g, cycle_t now);

#endif
