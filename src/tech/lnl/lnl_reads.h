/* Which registers each instruction of a function reads (its guard included) and writes. */
#ifndef TECH_LNL_READS_H
#define TECH_LNL_READS_H

#include "ptx/liveness.h"

/* By instruction: registers [first[pc], first[pc + 1]) of `regs`. */
struct lnl_reads {
    uint32_t *first, *regs;
};

void lnl_reads_find(const struct ptx_live *live, struct lnl_reads *reads);
void lnl_writes_find(const struct ptx_live *live, struct lnl_reads *writes);
void lnl_reads_free(struct lnl_reads *r);

#endif
