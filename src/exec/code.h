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

/* Runs one instruction for the lanes of `mask` (not 0). False: the kernel is stopped and
 * warp_fault() has said why. */
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

enum xkind {
    X_LANE, /* lane.fn */
    X_OP,   /* op.fn; the pc then advances by one */
    X_CTRL, /* op.fn; it sets the pc itself */
    X_NOP,  /* nothing to do functionally */
};

struct xinst {
    uint8_t kind; /* enum xkind */
    bool has_guard, guard_neg;
    uint8_t space;      /* memory instructions: enum ptx_space */
    uint32_t guard_off; /* predicate's place in the frame */
    uint32_t target;    /* branch */
    uint32_t reconv;    /* where diverged lanes meet; PTX_NO_PC = at the end of the function */
    const struct ptx_inst *src;
    union {
        struct lane_op lane;
        struct xop op;
    };
};

/* One function, ready to run. */
struct xfunc {
    const struct ptx_func *src;
    struct program *prog;
    struct xinst *code;
    uint32_t ncode;
    char *consts;          /* base[LANE_CONST] */
    uint32_t frame_bytes;  /* registers */
    uint32_t cc_off;       /* the carry flag's place in the frame */
    uint32_t local_bytes;  /* .local variables and call parameters, per thread */
    uint32_t shared_bytes; /* static .shared of this function (entry: with its callees) */
    uint32_t index;        /* address = FUNC_WINDOW + 16 * (index + 1) */
    uint32_t *reg_off;     /* by PTX register */
    uint32_t *var_off;     /* by function-scope variable index: place in local or shared memory */
    struct lane_ref *param_refs; /* device functions with .reg parameters */
    bool is_lowered;
};

#endif
