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
struct tex_table;
struct step;
struct effects;

/* One activation of a function. */
struct frame {
    const struct xfunc *fn;
    struct frame *caller;
    const struct xinst *call; /* the instruction in the caller */
    uint32_t reg_off;         /* in the warp's register memory */
    uint32_t local_off;       /* in each lane's local memory */
    uint32_t alloca_bytes;    /* taken by alloca behind fn->local_bytes */
    uint32_t users;           /* splits and callees that refer to it */
    uint32_t splits;          /* the splits alone */
    uint32_t depth;           /* callers above it */
    struct frame *next;       /* in the list of live or of free frames */
};

enum split_wait { SPLIT_RUNS, SPLIT_AT_BARRIER, SPLIT_AT_GROUP };

struct split {
    uint32_t pc, rpc, mask;
    uint8_t wait; /* enum split_wait */
    uint8_t barrier;
    uint32_t members; /* of the group it waits for */
    struct frame *frame;
};

enum warp_state { WARP_READY, WARP_BLOCKED, WARP_DONE };

/* What every instruction needs comes first: two lines of the host's cache instead of four, where a
 * block has its warps at the beginning of lines. */
struct warp {
    char *base[LANE_BASES];
    struct split *stack;
    uint32_t depth, cap;
    uint32_t all;            /* lanes that have a thread */
    uint32_t live;           /* of those: that have not exited */
    uint32_t lanes;          /* that warp_step() lets execute what is not control; all ones */
    uint8_t state;           /* enum warp_state */
    bool is_deferred;        /* see step.h; so are the next two */
    struct step *step;       /* what the running instruction accesses goes here, if not NULL */
    struct effects *effects; /* stores go here instead of memory, if not NULL */
    struct cta *cta;
    struct grid *grid;
    char *regs;
    uint64_t ninst, nthread_inst;
    uint64_t spin_from; /* ninst when the top split last changed */
    uint32_t regs_bytes;
    uint32_t first_thread; /* linear thread number of lane 0 in the block */
    uint32_t id;
    uint32_t local_words, local_cap; /* of a lane: usable; there */
    uint32_t *local;                 /* [word][lane] */
    struct frame *frames, *free_frames;
    uint64_t nfar;      /* lines that it had to go far for, while somebody watches (watch.h) */
    uint64_t turn_end;  /* ninst at which its turn is over */
    uint64_t reread;    /* first address of the load that ended the turn; 0 = none did */
    uint64_t met_at;    /* ninst when it last left a barrier */
    uint64_t paused_at; /* ninst when it last paused at an access to shared memory */
    char *sregs;
    char unused_[32]; /* to the end of the line */
};
static_assert(sizeof(struct warp) % 64 == 0, "warps of a block are side by side");

enum warp_stop { WARP_STOP_BUDGET, WARP_STOP_BLOCKED, WARP_STOP_DONE, WARP_STOP_FAULT };

/* Prepares the warp to run the grid's kernel from the start with `lanes` lanes. */
void warp_start(struct warp *w, struct cta *cta, uint32_t id, uint32_t first_thread,
                uint32_t lanes);
/* The same with the lanes of a set, for a warp that has run this kernel and stands in its entry
 * with all that it had; false: it does not. */
bool warp_restart(struct warp *w, const struct cta *cta, uint32_t lanes);
/* The same for one that has only gone on (warp_step_on()) since: registers that are read before
 * they are written keep what they had, predicates do not. */
void warp_rewind(struct warp *w);
void warp_free(struct warp *w);
/* The instruction that the warp will execute next; NULL if it has ended (w->state is WARP_DONE) or
 * waits (WARP_BLOCKED). Finished splits leave the stack here, and one that waits or spins gives
 * way. */
const struct xinst *warp_peek(struct warp *w);
/* Runs until about `budget` more instructions are done, or it cannot go on. */
enum warp_stop warp_run(struct warp *w, uint64_t budget);

/* --- for the code of instructions --- */

/* Stops the kernel; the message gets kernel, PTX line, block and thread of `lane` added. Returns
 * false. */
bool warp_fault(struct warp *w, const struct xinst *x, unsigned lane, int code, const char *fmt,
                ...) PRINTF_LIKE(5, 6);

/* "kernel K, [CUDA FILE:LINE,] FILE:LINE (instruction), block (...), thread (...): what", into buf.
 */
void warp_describe(struct warp *w, const struct xinst *x, unsigned lane, const char *what,
                   char *buf, size_t len);

/* `bytes` (1, 2, 4, 8, 16) at addr[l] of every lane l in mask, to or from buf + l * stride. Checks
 * space, bounds, alignment. Addresses of shared, local and param space are offsets; GENERIC decides
 * by window. False = fault recorded. */
bool warp_load(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
               unsigned bytes, void *buf, unsigned stride, uint32_t mask);
bool warp_store(struct warp *w, const struct xinst *x, enum ptx_space space, const addr_t *addr,
                unsigned bytes, const void *buf, unsigned stride, uint32_t mask);

/* The addresses of an address operand: ref + imm per lane. */
void warp_addresses(const struct warp *w, const struct lane_ref *ref, int64_t imm, addr_t *addr);

/* The device's texture and surface objects. */
struct tex_table *warp_textures(struct warp *w);

static inline struct split *warp_top(struct warp *w)
{
    return &w->stack[w->depth - 1];
}

/* How many; not every host that this is compiled for counts bits by itself. */
static inline unsigned lanes_in(uint32_t mask)
{
    if (mask == UINT32_MAX)
        return WARP_LANES;
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* The lanes of `mask` that the instruction's guard lets through. */
static inline uint32_t warp_guard_mask(const struct warp *w, const struct xinst *x, uint32_t mask)
{
    uint32_t p;
    __builtin_memcpy(&p, w->base[LANE_REGS] + x->guard_off, sizeof p);
    return mask & (x->guard_neg ? ~p : p);
}

/* A split of `frame` on top: the lanes of `mask` run from `pc` up to `rpc`. Its parts are written
 * where it lies: a copy of what was just written part by part would make the host wait. */
void warp_push(struct warp *w, struct frame *frame, uint32_t pc, uint32_t rpc, uint32_t mask);
void warp_pop(struct warp *w);
/* The split at `from` of the stack becomes a part of the one at `into`, below it, which is at the
 * same place. */
void warp_join(struct warp *w, uint32_t into, uint32_t from);
/* After an access that is marked with `ends_turn`: whether the turn is over (turns.h). */
bool turn_ends_at(struct warp *w, const struct xinst *x, uint32_t mask);
/* Lanes end: out of every split. */
void warp_exit_lanes(struct warp *w, uint32_t mask);
/* Points base[] at the top split's frame. */
void warp_use_frame(struct warp *w);
/* Frames. The bases of operands for an activation, into base[]. */
void warp_frame_base(const struct warp *w, const struct frame *f, char **base);
/* Whether the top split may call `fn`; false with a fault beyond the limits. */
bool warp_frame_fits(struct warp *w, const struct xinst *x, const struct xfunc *fn);
struct frame *warp_frame_new(struct warp *w, const struct xfunc *fn, struct frame *caller,
                             const struct xinst *call);
void frame_unref(struct warp *w, struct frame *f);
/* Makes room for `bytes` of local memory a lane; false with a fault beyond the limit. */
bool warp_local_reserve(struct warp *w, const struct xinst *x, uint64_t bytes);
/* Lets another split of the warp run, because the top one waits or spins; false if none can. */
bool warp_yield(struct warp *w);

/* A lane's element of a register as a 64-bit number, zero-extended. */
static inline uint64_t lane_u64(const struct lane_ref *r, char *const *base, unsigned lane)
{
    const char *p = lane_at(r, base);
    uint64_t v = 0;
    if (!r->bytes)
        return (lane_pred(r, base) >> lane) & 1;
    lane_copy(&v, p + (size_t)lane * r->bytes, r->bytes < 8 ? r->bytes : 8);
    return v;
}

static inline void lane_set_u64(const struct lane_ref *r, char *const *base, unsigned lane,
                                uint64_t v)
{
    if (r->none)
        return;
    char *p = lane_at(r, base);
    if (!r->bytes) {
        uint32_t m;
        __builtin_memcpy(&m, p, 4);
        m = (m & ~(UINT32_C(1) << lane)) | (uint32_t)(v & 1) << lane;
        __builtin_memcpy(p, &m, 4);
        return;
    }
    lane_copy(p + (size_t)lane * r->bytes, &v, r->bytes < 8 ? r->bytes : 8);
}

/* The lower words of a register's lanes: where they lie, or in `room`. */
static inline const uint32_t *lane_words(const struct lane_ref *r, char *const *base,
                                         uint32_t *room)
{
    if (r->bytes == sizeof *room)
        return (const uint32_t *)(const void *)lane_at(r, base);
    for (unsigned l = 0; l < WARP_LANES; l++)
        room[l] = (uint32_t)lane_u64(r, base, l);
    return room;
}

#define FOR_LANES(l, mask)                                                                 \
    for (uint32_t m_##l = (mask), l = 0; m_##l && (l = (uint32_t)__builtin_ctz(m_##l), 1); \
         m_##l &= m_##l - 1)

#endif
