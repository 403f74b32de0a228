/* A streaming multiprocessor: a component between a CTA scheduler and the interconnect.
 *
 * Per cycle: fetch one warp's next instructions from the instruction cache, decode them into its
 * buffer, issue up to one instruction a scheduler, collect operands from banked registers, execute
 * in pipes, write back. Instructions are executed (exec/step.h) when they are issued; the rest is
 * time. Effects on memory that others see are logged, and applied by whoever owns the machine at
 * points where no SM runs: see sm_effects() and sm_resume().
 *
 * An issue slot that issues nothing is counted as one of: compute stall, memory stall (a ready
 * instruction's pipe is full), data stall (all wait for registers), idle. */
#ifndef SM_SM_H
#define SM_SM_H

#include "exec/step.h"
#include "mem/bound.h"
#include "mem/interleave.h"
#include "mem/l1.h"
#include "sim/port.h"
#include "sim/probe.h"
#include "sm/decode.h"
#include "sm/load_stages.h"
#include "sm/sm_stats.h"

struct sm;

/* What an SM has to say where all meet, as bits of a byte that lies beside those of other SMs: who
 * has many of them need not look at those that say nothing, whose memory other host threads have at
 * hand. The SM sets bits, who has acted on one clears it. */
enum sm_note {
    SM_NOTE_ENDED = 1, /* blocks have ended: sm_kernel_ended() */
    SM_NOTE_ROOM = 2, /* warps have, which alone gives room back: sm_can_take() may be true again */
    SM_NOTE_LOGGED = 4, /* sm_effects() is not empty */
    SM_NOTE_FAULT = 8,  /* sm_fault() says which */
};

struct sm_parts {
    const struct sm_cfg *cfg;
    const struct l1_cfg *data, *konst, *tex, *inst;
    const struct interleave *il;
    uint32_t id;
    uint16_t node;               /* of the interconnect */
    const uint16_t *slice_nodes; /* of the L2 slices */
    struct sm_seams seams;
    struct stage_clocks clocks;
    uint8_t *notes; /* NULL: nobody looks at them */
};

struct sm *sm_new(const struct sm_parts *parts);
void sm_free(struct sm *sm);
/* Ports of struct mem_req *. */
void sm_bind(struct sm *sm, struct component *self, struct port *out, struct port *in);
extern const struct component_ops sm_component_ops;

/* What all blocks of a launch share. `root` has been through grid_init(). */
struct sm_kernel {
    struct grid *root;
    const struct decoded *code;
    uint32_t registers; /* of a thread */
};

/* Before a kernel of which an SM can have so many blocks: how much of sm.unified_bytes is cache. */
void sm_share(struct sm *sm, const struct sm_kernel *k, uint32_t blocks);
/* Whether another block of the kernel fits now; and takes it, to begin at cycle `now`. Only between
 * runs or at sync points. Taking keeps its place; its warps are made in the SM's next tick, on the
 * host thread that runs them, or by sm_make_blocks() for who looks at them earlier. */
bool sm_can_take(const struct sm *sm, const struct sm_kernel *k);
void sm_take(struct sm *sm, const struct sm_kernel *k, uint64_t number, cycle_t now);
void sm_make_blocks(struct sm *sm);
/* Blocks of one kernel that fit on an empty SM; 0: none ever. */
uint32_t sm_capacity(const struct sm_cfg *cfg, const struct sm_kernel *k, uint32_t extra_registers);
/* Registers that a thread of the kernel needs more on this SM (parsim/seams_sm.h). */
uint32_t sm_extra_registers(const struct sm *sm, const struct sm_kernel *k);
/* When the oldest block on it began; CYCLE_NEVER: it has none. */
cycle_t sm_oldest_block(const struct sm *sm);
/* What a kernel's blocks that have ended since the last call amount to. */
struct sm_ended {
    uint64_t blocks, warp_inst, thread_inst;
    uint64_t accesses; /* so far, also of blocks that have not ended */
    cycle_t end;       /* the cycle after the last block's end, of all calls */
};
struct sm_ended sm_kernel_ended(struct sm *sm, const struct sm_kernel *k);
/* No block, and nothing in flight. */
bool sm_is_idle(const struct sm *sm);
/* A kernel begins or has ended at `now` on the whole machine: statistics, caches. All launches of
 * the SM must have ended. */
void sm_begin(struct sm *sm, cycle_t now);
void sm_end(struct sm *sm, cycle_t now);

/* After a run: what its part of each launch has found (exec/oob.h) goes to the launch. */
void sm_give_findings(struct sm *sm);

/* Statistics that are counted when something changes are complete for the cycles before `now`. */
void sm_settle(struct sm *sm, cycle_t now);

struct effects *sm_effects(struct sm *sm);
/* The deferred instruction of the warp was executed; it accessed what `s` says. */
void sm_resume(struct sm *sm, struct warp *w, const struct step *s);
/* The fault that stopped the SM, or NULL. */
const struct fault *sm_fault(const struct sm *sm);

const struct sm_stats *sm_stats(const struct sm *sm);
const struct load_stages *sm_load_stages(const struct sm *sm);
enum sm_cache { SM_CACHE_DATA, SM_CACHE_CONST, SM_CACHE_TEX, SM_CACHE_INST, SM_CACHES };
const struct l1_stats *sm_cache_stats(const struct sm *sm, enum sm_cache which);

/* Events, all at a core cycle:
 *   block   a = its number, b = its slot
 *   warp    a = the block's number * 64 + the warp's number in it, b = its slot
 *   reply   a = the struct mem_req * of a load's answer with all its stamps, valid during the call
 *   extra   a = the number of what an extra warp does, b = its place among them
 *   accessed  a = the const struct dinst * of the program's memory instruction, b = the lines that
 * it touches + 2^32 * further cycles of shared memory because of bank conflicts
 */
enum sm_event {
    SM_BLOCK_BEGIN,
    SM_BLOCK_END,
    SM_WARP_BEGIN,
    SM_WARP_END,
    SM_REPLY,
    SM_EXTRA_BEGIN,
    SM_EXTRA_END,
    SM_ACCESSED,
};
void sm_add_probe(struct sm *sm, struct probe *probe);
void sm_drop_probe(struct sm *sm, struct probe *probe);
/* Fired when an instruction is about to be executed, its registers as they are before: event 0,
 * a = the struct warp *, b = the const struct dinst *. */
void sm_add_inst_probe(struct sm *sm, struct probe *probe);
/* Fired where the data cache counts a read miss: a = the line's address, b = the access's token. */
void sm_add_miss_probe(struct sm *sm, struct probe *probe);
/* Whose access a token is; NULL: of an extra warp. */
const struct dinst *sm_inst_of(const struct sm *sm, uint32_t token);
/* Of the data cache: the events of mem/l1.h. */
void sm_add_l1_probe(struct sm *sm, struct probe *probe);

/* Why warps do not issue. */
enum sm_wait {
#define WAIT(id, name, help) SM_WAIT_##id,
#include "sm/sm_waits.def"
#undef WAIT
    SM_WAITS
};
/* Of each warp of a block that has begun: what it waits for, and the instruction that is to blame.
 * At points where the SM does not run. */
void sm_each_wait(const struct sm *sm,
                  void (*fn)(void *ctx, const struct dinst *d, enum sm_wait why), void *ctx);

#endif
