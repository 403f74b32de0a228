/* Registers of a thread: how many a function needs, how many a GPU gives it, and which of its
 * values live in memory where that is fewer. */
#ifndef PTX_REGS_H
#define PTX_REGS_H

#include "ptx/ir.h"

/* What a GPU has; all in 32-bit registers. */
struct ptx_reg_limits {
    uint32_t thread; /* the most that a thread can have */
    uint32_t sm;     /* of an SM */
    uint32_t unit;   /* a warp's registers are allocated in multiples of this */
    uint32_t fixed;  /* for every thread, whatever it needs; 0 = not given */
};

/* The largest number of register words live at one point (64-bit values take a pair, predicates are
 * not counted; 16-bit and smaller take one), callees included for calls that can be resolved. At
 * least 1. */
uint32_t ptx_regs_needed(const struct ptx_func *f);

/* What a kernel that needs `need` gets: no more than the GPU has for a thread, .maxnreg allows, or
 * lets the blocks that .maxntid (.reqntid) and .minnctapersm declare fit on an SM. */
uint32_t ptx_regs_given(const struct ptx_func *kernel, uint32_t need,
                        const struct ptx_reg_limits *limits);

/* Which registers of a function are kept in memory so that the others, and those of its callees,
 * fit into `given`: `place` (f->nregs entries) gets each one's offset there, or PTX_NOT_SPILLED.
 * Returns the bytes of all of them; 0 = none. A register that is spilled takes registers only for
 * the instruction that reads or writes it. */
#define PTX_NOT_SPILLED UINT32_MAX
uint32_t ptx_regs_spill(const struct ptx_func *f, uint32_t given, uint32_t *place);

/* For ptx_regs_spill(): what the callees of `f` need, by their number in the module. To be freed;
 * NULL = it calls none. */
uint32_t *ptx_regs_callees(const struct ptx_func *f);
/* The function that an instruction calls; NULL = none, or not known here. */
const struct ptx_func *ptx_regs_callee(const struct ptx_inst *i);

#endif
