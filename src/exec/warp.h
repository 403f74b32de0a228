/* A warp: 32 lanes, their registers, and the stack of splits that divergence makes.
 *
 * A split is a set of lanes at one pc. Lanes that branch apart become splits on a stack; a split
 * ends where its lanes meet the split below it (rpc), and then the one below runs with all of them.
 * A call pushes a split for the callee with a frame of its own, and `ret` takes lanes off it. */
#ifndef EXEC_WARP_H
#define EXEC_WARP_H

#include "exec/code.h"
#include "exec/devmem.h"

struct cta;
struct grid;

struct frame {
    const struct xfunc *fn;
    struct frame *caller;
    uint32_t reg_off;   /* in the warp's register memory */
    uint32_t local_off; /* of this activation in each lane's local memory */
    uint32_t users;     /* splits that refer to it */
    uint32_t index;     /* of the call instruction in the caller */
    struct frame *next_free;
};

struct split {
    uint32_t pc, rpc, mask;
    uint8_t wait; /* enum split_wait */
    struct frame *frame;
};

enum split_wait { SPLIT_RUNS, SPLIT_AT_BARRIER };

struct warp {
    char *base[LANE_BASES];
    struct split *stack;
    uint32_t depth, cap;
    uint32_t live;         /* lanes that have not exited */
    uint32_t first_thread; /* linear thread number of lane 0 in the block */
    uint32_t id;
    struct cta *cta;
    char *regs;
    uint32_t regs_bytes;
    uint32_t *local; /* [word][lane] */
    uint32_t local_words;
    struct frame *frames_free;
    uint64_t ninst, nthread_inst;
    uint64_t spin; /* instructions since the top split last changed */
    bool at_barrier;
    uint32_t barrier_id;
};

/* Stops the kernel: `addr` is given in the message when has_addr; `lane` picks the thread. */
bool warp_fault(struct warp *w, const struct xinst *x, unsigned lane, int code, const char *fmt,
                ...) PRINTF_LIKE(5, 6);

/* `bytes` (1, 2, 4, 8, 16) at addr[l] of every lane l in mask, to or from buf + l * stride. Checks
 * space, bounds, alignment. Addresses of shared, local and param space are offsets; GENERIC decides
 * by window. False = fault recorded. */
bool warp_load(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
               unsigned bytes, void *buf, unsigned stride, uint32_t mask);
bool warp_store(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
                unsigned bytes, const void *buf, unsigned stride, uint32_t mask);

/* The addresses of an address operand: refs[0] + imm per lane. */
void warp_addresses(const struct warp *w, const struct lane_ref *ref, int64_t imm, addr_t *addr);

#endif
