/* Slices between loads and stores of a function: which loads reach which registers, and what they
 * decide beside values. What `parsim annotate` proposes follows from it. */
#ifndef TECH_LNL_SLICES_H
#define TECH_LNL_SLICES_H

#include "ptx/cfg.h"
#include "ptx/ir.h"
#include "tech/lnl/lnl_reads.h"

/* Loads are bits of a set; those beyond share the last. */
enum { LNL_SLICE_LOADS = 64 };

/* What a load's values decide, so that they cannot be approximated. */
enum lnl_decides {
    LNL_DECIDES_NOTHING,
    LNL_DECIDES_ADDRESS,
    LNL_DECIDES_CONTROL, /* whether a store, a barrier or the like is executed */
    LNL_DECIDES_LANES,   /* lanes exchange them, or they go into atomics and calls */
};

struct lnl_slice_load {
    uint32_t pc;
    enum lnl_decides decides;
    uint32_t line; /* where */
};

struct lnl_slices {
    const struct ptx_func *f;
    struct ptx_cfg *cfg;
    struct ptx_live live;
    struct lnl_reads reads, writes;
    struct lnl_slice_load loads[LNL_SLICE_LOADS];
    unsigned nloads;
    uint64_t *values;  /* by register: loads that reach it */
    bool *is_computed; /* by register: not only moved, chosen or cut out of what was loaded */
    uint64_t *control; /* by block: loads that decide whether it is executed */
    uint64_t
        memory[PTX_SPACE_PARAM + 1]; /* by space: loads that reach what the function stores there */
    bool is_memory_computed[PTX_SPACE_PARAM + 1];
    uint64_t unfit; /* loads that decide something */
};

/* `f` has a body. lnl_slices_free() afterwards. */
void lnl_slices_find(const struct ptx_func *f, struct lnl_slices *s);
void lnl_slices_free(struct lnl_slices *s);

/* Loads that reach the data of the store at `pc`; whether it is computed from them. */
uint64_t lnl_slices_data(const struct lnl_slices *s, uint32_t pc, bool *is_computed);
/* Loads that reach its address, its guard, or decide whether it is executed. */
uint64_t lnl_slices_place(const struct lnl_slices *s, uint32_t pc);

#endif
