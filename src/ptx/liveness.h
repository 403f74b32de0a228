/* Where the registers of a function are live.
 *
 * An instruction at pc has two points: 2*pc before it, 2*pc+1 after it. */
#ifndef PTX_LIVENESS_H
#define PTX_LIVENESS_H

#include "ptx/ir.h"

struct ptx_access {
    uint32_t pc;
    bool is_def, kills; /* kills: for all threads */
};

/* Points, both inclusive. */
struct ptx_range {
    uint32_t from, to;
};

struct ptx_live {
    const struct ptx_func *f;
    struct ptx_access *accesses; /* by register, then in program order, uses before definitions */
    uint32_t *first_access;      /* by register; nregs + 1 entries */
    struct ptx_range *ranges;    /* by register; those of one do not overlap */
    uint32_t *first_range;
};

typedef void ptx_visit_fn(void *ctx, uint32_t reg, bool is_def);
/* The registers of an instruction but its guard, uses first: it reads before it writes. */
void ptx_visit_regs(const struct ptx_inst *i, ptx_visit_fn *visit, void *ctx);

void ptx_live_find(const struct ptx_func *f, struct ptx_live *live);
void ptx_live_free(struct ptx_live *live);

/* 32-bit words that a register takes; a predicate: none. */
unsigned ptx_reg_words(const struct ptx_func *f, uint32_t reg);

#endif
