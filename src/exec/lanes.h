/* Pure arithmetic on the 32 lanes of a warp.
 *
 * Registers are lane-contiguous: a register of 16, 32, 64 or 128 bits is 32 elements of 2, 4, 8 or
 * 16 bytes (8-bit registers are stored as 16); a predicate register is one uint32_t, bit l = lane
 * l. All sources look alike: immediates and special registers are broadcast into arrays of the same
 * form before the kernel runs. A lane operation reads up to four sources and writes one or two
 * destinations, only in the lanes of `mask`; other lanes of the destination keep their value. It
 * knows nothing of memory, control flow or other lanes.
 *
 * A destination may be the same register as a source. Inactive lanes may hold anything, and must
 * not trap (division by zero, signalling NaN). */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H

#include "ptx/ir.h"

enum { WARP_LANES = 32 };

/* Where an operand lives: base[sel] + off. */
enum lane_base {
    LANE_REGS,  /* the current frame's registers */
    LANE_CONST, /* immediates of the kernel */
    LANE_WARP,  /* special registers that differ by warp (tid, laneid, ...) */
    LANE_CTA,   /* special registers that differ by block or launch (ctaid, ntid, ...) */
    LANE_BASES
};

struct lane_ref {
    uint32_t off;
    uint8_t sel;   /* enum lane_base */
    uint8_t bytes; /* of one lane's element: 2, 4, 8, 16; 0 = predicate (a uint32_t mask) */
    bool neg;      /* predicate source: complemented */
    bool none;     /* absent, or the sink _ */
};

struct lane_op;
typedef void (*lane_fn)(const struct lane_op *op, char *const *base, uint32_t mask);

/* One warp arithmetic instruction, ready to run: op->fn(op, base, mask). lanes_select() fills in
 * everything but the references, which it finds filled in. */
struct lane_op {
    lane_fn fn;
    struct lane_ref d;      /* destination */
    struct lane_ref d2;     /* second destination: q of p|q */
    struct lane_ref src[4]; /* sources in the order of the PTX operands */
    struct lane_ref cc;     /* the carry flag: a predicate, read and written by the .cc family */
    uint8_t type, type2;    /* enum ptx_type: instruction types, destination type first */
    uint8_t rnd;            /* enum lane_round */
    uint8_t cmp, boolop;    /* enum ptx_mod */
    bool ftz, sat, flag;    /* flag: free for the family */
    uint8_t mode;           /* free for the family */
    uint8_t sel_a, sel_b, sel_c, sel_d; /* video selectors, enum ptx_mod */
    uint32_t imm;                       /* lop3's table, and the like */
    lane_fn inner;                      /* what an adapter in `fn` wraps */
};

enum lane_round { LANE_RN, LANE_RZ, LANE_RM, LANE_RP };

static inline char *lane_at(const struct lane_ref *r, char *const *base)
{
    return base[r->sel] + r->off;
}

/* Copies 1, 2, 4 or 8 bytes; a memcpy of a length that the compiler does not know is slow. */
static inline void lane_copy(void *to, const void *from, unsigned bytes)
{
    switch (bytes) {
    case 1:
        __builtin_memcpy(to, from, 1);
        break;
    case 2:
        __builtin_memcpy(to, from, 2);
        break;
    case 4:
        __builtin_memcpy(to, from, 4);
        break;
    default:
        __builtin_memcpy(to, from, 8);
        break;
    }
}

/* The same, or 16 bytes. */
static inline void lane_copy_wide(void *to, const void *from, unsigned bytes)
{
    if (bytes == 16)
        __builtin_memcpy(to, from, 16);
    else
        lane_copy(to, from, bytes);
}

/* The mask of a predicate source. */
static inline uint32_t lane_pred(const struct lane_ref *r, char *const *base)
{
    uint32_t v;
    __builtin_memcpy(&v, lane_at(r, base), sizeof v);
    return r->neg ? ~v : v;
}

/* Chooses the function for `inst` on this host and fills in the rest of `op`. False, with the
 * reason in *why, if the instruction is not a lane operation this version knows. */
bool lanes_select(const struct ptx_inst *inst, struct lane_op *op, const char **why);

#endif
