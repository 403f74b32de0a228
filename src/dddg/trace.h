/* What a program executed, as its graph of dependences needs it: a record an instruction, or
 * several for one that moves several values. */
#ifndef DDDG_TRACE_H
#define DDDG_TRACE_H

#include "base/vec.h"

/* Registers are numbers below DDDG_REGS. One of them is zero for ever. */
enum { DDDG_REGS = 96, DDDG_READS = 6, DDDG_WRITES = 2 };

enum dddg_kind {
    DDDG_OP,
    DDDG_LOAD,   /* of memory that can be written */
    DDDG_TABLE,  /* a load of what never changes: an operation on its address */
    DDDG_STORE,  /* of register `data`; it reads what makes the address */
    DDDG_CONTROL /* a branch: nobody reads what it makes */
};

struct dddg_inst {
    uint64_t pc;
    uint64_t addr;  /* of an access */
    uint64_t value; /* of the first register that it wrote, or what it stored */
    uint8_t kind;   /* enum dddg_kind */
    uint8_t weight; /* cycles that it costs */
    uint8_t bytes;  /* of an access, or of the value */
    uint8_t data;
    bool is_stack; /* the access is one of the stack: spills are followed */
    uint8_t nreads, nwrites;
    uint8_t reads[DDDG_READS], writes[DDDG_WRITES];
};

struct dddg_trace {
    uint64_t first[DDDG_REGS]; /* what registers had in front of it */
    uint8_t zero;              /* the register that is zero */
    VEC(struct dddg_inst) all;
};

static inline void dddg_trace_free(struct dddg_trace *t)
{
    vec_free(&t->all);
}

#endif
