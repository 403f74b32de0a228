/* Warps that are not the program's: their instructions go the way of all others (issue port,
 * collector, pipe, result), with a scoreboard of their own.
 *
 * An extra warp belongs to a warp_source (parsim/seams_sm.h) and to the slot of a parent warp,
 * whose scheduler issues it and whose register banks it uses. From within issue_first and
 * issue_idle the source asks what is next, whether it can go, and issues it; `retired` is called
 * when it has ended. Deferred instructions (atomics on global memory, calls of the runtime), fences
 * and barriers of blocks are not for extra warps. */
#ifndef SM_SM_EXTRA_H
#define SM_SM_EXTRA_H

#include "mem/bound.h"
#include "sm/decode.h"

enum { EXTRA_SCOREBOARD = 256 };

/* What is looked at in every cycle comes first. */
struct extra_warp {
    struct warp *w;
    const struct decoded *code; /* decode_extra() */
    uint64_t busy;              /* of code with dfunc.masks: registers that wait for their write */
    uint16_t slot;
    uint16_t inflight; /* instructions */
    uint16_t writes;   /* on their way, in all */
    /* of other code: writes on their way to a register, folded */
    uint8_t pending[EXTRA_SCOREBOARD];
};

/* An instruction that was executed before it is issued. */
struct extra_done {
    uint32_t pc;                /* the source's */
    uint32_t mask;              /* lanes */
    uint16_t cycles, conflicts; /* of shared memory */
};

/* The scheduler whose slots the parent's instructions take; how many there are. */
unsigned sm_scheduler_of(const struct sm *sm, unsigned slot);
unsigned sm_schedulers(const struct sm *sm);

/* The warp's next instruction, or NULL: it has ended. */
const struct dinst *extra_next(struct extra_warp *x);
/* Whether `d`, its next, finds its registers written; and room at its pipe's issue port. */
bool extra_is_ready(const struct extra_warp *x, const struct dinst *d);
bool extra_has_room(const struct sm *sm, const struct extra_warp *x, const struct dinst *d);
/* The first, of the function's instruction at `pc`. */
static inline bool extra_is_ready_at(const struct extra_warp *x, const struct dfunc *fn,
                                     uint32_t pc)
{
    return LIKELY(fn->masks) ? !(x->busy & fn->masks[pc].all) : extra_is_ready(x, &fn->code[pc]);
}
/* Whether one of its registers is still to be written. */
bool extra_is_writing(const struct extra_warp *x);
/* Executes and issues it. False: a fault has stopped the SM. */
bool extra_issue(struct sm *sm, struct extra_warp *x, const struct dinst *d, cycle_t now);
/* Issues one of an arithmetic pipe that the source itself has executed, on the lanes of `mask`: it
 * takes its slot, its registers and its pipe. */
void extra_send(struct sm *sm, struct extra_warp *x, const struct dinst *d, uint32_t mask,
                cycle_t now);
/* Whether nobody at the pipeline's seams looks at the registers of what is issued, so that it may
 * have been executed before. */
bool extra_is_unwatched(const struct sm *sm);
/* Executes the warp's next, `d`, which touches nothing but registers and shared memory, and says
 * how. False: a fault. */
bool extra_execute(struct sm *sm, struct extra_warp *x, const struct dinst *d, cycle_t now,
                   struct extra_done *out);
/* Issues it. */
void extra_issue_done(struct sm *sm, struct extra_warp *x, const struct dinst *d,
                      const struct extra_done *done, cycle_t now);

/* While blocked, the program's warp in `slot` does not issue. */
void extra_block(struct sm *sm, unsigned slot, bool is_blocked);
/* The warp in `slot` does not leave it before it is released. False: there is none. */
bool extra_hold(struct sm *sm, unsigned slot);
void extra_release(struct sm *sm, unsigned slot, cycle_t now);

/* The program's warp in `slot`, between two of its instructions. */
struct warp *extra_parent(const struct sm *sm, unsigned slot);
/* Whether no write to its register (of a function) is on its way. */
bool extra_is_written(const struct sm *sm, unsigned slot, const struct xfunc *fn, uint32_t reg);
/* It goes on at `pc` of the function it is in. */
void extra_jump(struct sm *sm, unsigned slot, uint32_t pc);
/* Stops the SM for a fault of it. */
void extra_stop(struct sm *sm, struct warp *w);
/* Bytes of shared memory that as many blocks as fit, of the kernel taken last, leave. */
uint64_t extra_spare_shared(const struct sm *sm);
/* Miss registers of the data cache in use. */
uint32_t extra_mshrs(const struct sm *sm);
/* Whether a warp of the program has not ended, or is about to begin. */
bool extra_has_program(const struct sm *sm);
/* The kernel whose blocks have all ended here ends no sooner than now. */
void extra_delay_end(struct sm *sm, cycle_t now);
/* Registers of the SM that no block of the present kernel can have. */
uint64_t extra_spare_registers(const struct sm *sm);
/* Whether the program's warp in `slot` has ended, and is only held. */
bool extra_has_exited(const struct sm *sm, unsigned slot);
/* Tells the SM's probe that an extra warp begins or has ended: SM_EXTRA_BEGIN and SM_EXTRA_END,
 * with the number that warp_source.name knows. */
void extra_note(struct sm *sm, cycle_t now, bool begins, uint64_t number, unsigned row);
/* Stops the SM: what has happened lies in x->w->grid->fault. */
void extra_fault(struct sm *sm, struct extra_warp *x);

#endif
