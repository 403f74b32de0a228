/* Lowered code: what the PTX front end's IR becomes before it runs.
 *
 * One xinst per PTX instruction, in the same order, so that a pc is the index of both. Operands are
 * resolved to references into lane-contiguous arrays (lanes.h), branch targets to pcs, functions to
 * pointers; the kind says which part of the executor runs it. */
#ifndef EXEC_CODE_H
#define EXEC_CODE_H

#include "exec/lanes.h"
#include "ptx/ir.h"

struct warp;
struct xinst;
struct xfunc;
struct xruns;

/* Runs one instruction for the lanes of `mask` (not 0, but for X_CTRL). False: the kernel is
 * stopped and warp_fault() has said why. */
typedef bool (*warp_fn)(struct warp *w, const struct xinst *x, uint32_t mask);

/* An instruction beyond lane arithmetic. `refs` holds the operands of the PTX instruction flattened
 * in order (a vector, an address or an argument list gives its elements), `first[i]` is where
 * operand i starts. An address's immediate offset is in `imm`. Immediates are references to
 * broadcast constants of 8-byte lanes; sinks have `none` set. `data` is whatever the selecting code
 * prepared, in the program's arena. */
struct xop {
    warp_fn fn;
    struct lane_ref *refs;
    uint16_t nrefs;
    uint16_t first[8];
    int64_t imm;
    const void *data;
};

struct xmem;

/* An atomic operation on the cells of the lanes of `mask`, in ascending order: at host address
 * each[l], or all at `only` if that is not NULL. */
typedef void (*atomic_fn)(const struct xmem *m, char *const *base, const addr_t *each, char *only,
                          uint32_t mask);

/* A load, store, atomic or reduction: `regs` are the registers read or written, one a vector
 * element; the address is addr + imm, plus the frame's place in local memory if `in_frame`. */
struct xmem {
    warp_fn fn;
    struct lane_ref *regs; /* ld: destinations; st: sources; atom: destination, b, c */
    struct lane_ref addr;
    int64_t imm;
    union {
        uint32_t
            *nscattered; /* loads: counts those (translated: strips) that were read lane by lane */
        uintptr_t *last; /* stores: where the last line was stored */
    };
    atomic_fn cells; /* atom: single cells whose registers are as wide; NULL: not of that form */
    uint8_t nregs;
    uint8_t bytes;  /* of one element in memory: 1, 2, 4, 8, 16 */
    uint8_t type;   /* enum ptx_type */
    uint8_t atom;   /* enum ptx_mod: the operation */
    bool is_signed; /* narrower than the register: sign-extend */
    bool in_frame;
    bool is_uniform; /* the address is a constant */
};

/* A value that a call passes: a register, or `words` 4-byte words at `off` in the frame's local
 * memory (a .param variable). */
struct xarg {
    bool in_reg;
    struct lane_ref reg;
    uint32_t off, words;
};

/* What a call or a function header says of its values. */
struct xsig {
    struct xarg *params, *rets;
    uint32_t nparams, nrets;
};

struct xcall {
    const struct xfunc *callee; /* NULL: indirect, by the address in `target` */
    struct lane_ref target;
    struct xsig sig;
};

enum xkind {
    X_LANE, /* lane.fn */
    X_OP,   /* op.fn; the pc then advances by one */
    X_CTRL, /* op.fn; it sets the pc itself, and runs even if the guard leaves no lane */
    X_MEET, /* op.fn; lanes of several splits meet there (groups.h); it sets the pc itself */
    X_NOP,  /* nothing to do functionally */
};

struct xinst {
    uint8_t kind; /* enum xkind */
    bool has_guard, guard_neg;
    bool is_deferred;  /* touches what several SMs share, other than by plain loads and stores */
    uint8_t ends_turn; /* bits of enum turn_mark (turns.h) */
    bool is_branch;    /* X_CTRL: lanes that agree go to `target` or on, and nothing else happens */
    uint8_t space;     /* memory instructions: enum ptx_space */
    uint8_t slot;      /* of the grid's tlb */
    uint32_t guard_off; /* predicate's place in the frame */
    uint32_t target;    /* branch */
    uint32_t reconv;    /* where diverged lanes meet; PTX_NO_PC = at the end of the function */
    uint32_t run;       /* lane operations that begin here and go together (runs.h); 0 = none */
    const struct ptx_inst *src;
    const struct xcall *call; /* calls: what is called, with which values */
    union {
        warp_fn fn; /* every member of the union but `lane` starts with it */
        struct lane_op lane;
        struct xop op;
        struct xmem mem;
    };
};

/* One function, ready to run; it belongs to one kernel, whose shared memory layout it has built
 * in. */
struct xfunc {
    const struct ptx_func *src;
    struct xinst *code;
    uint32_t ncode;
    char *consts;           /* base[LANE_CONST] */
    uint32_t frame_bytes;   /* registers */
    uint32_t preds_off;     /* predicates lie from here to the frame's end */
    struct lane_ref *unset; /* other registers that some path reads before it writes them */
    uint32_t nunset;
    uint32_t local_bytes;  /* .local variables, call parameters and spills, per thread */
    uint32_t *spilled;     /* by PTX register: its place in local_bytes, or PTX_NOT_SPILLED; NULL:
                            * none. Of interest for time only, values stay in registers. */
    struct lane_ref *regs; /* by PTX register */
    struct lane_ref cc;    /* the carry flag */
    struct xsig sig;       /* of its own header */
    struct xruns *runs;    /* see runs.h; NULL: none */
};

#endif
