/* Functions of a program that compute a result from their arguments alone, as a run shows it: they
 * are called, read registers of arguments and what never changes, write their own part of the
 * stack, and leave one register that somebody reads. */
#ifndef A64_PURE_H
#define A64_PURE_H

#include "a64/ops.h"
#include "a64/process.h"

enum {
    PURE_REGISTERS = 16,
    PURE_CALLS_MOST = 1 << 16
}; /* x0-x7, v0-v7; calls that are remembered */

/* Why a function is none. */
enum pure_fault {
    PURE_OK,
    PURE_STORES,  /* outside of its own part of the stack */
    PURE_LOADS,   /* from memory that can be written, which is not its own */
    PURE_SYSTEM,  /* system calls, system registers, memo instructions */
    PURE_READS,   /* registers that are no arguments */
    PURE_WIDE,    /* arguments of more than 8 bytes */
    PURE_UNENDED, /* a call that did not return as it should */
    PURE_UNKNOWN, /* code that only a run can find, or too much of it */
    PURE_OUTPUTS  /* several results, or one of more than 8 bytes */
};

/* It may be memoized: nothing speaks against it, and x0 or v0 is all that it leaves. */
#define PURE_X0 1u
#define PURE_V0 (1u << 8)

struct pure_call {
    uint64_t at[PURE_REGISTERS]; /* arguments */
};

struct pure_function {
    uint64_t entry;
    enum pure_fault fault;
    uint32_t inputs, outputs; /* bits of registers: x0 is 1, v0 1 << 8 */
    uint64_t weight;          /* of all instructions in its calls, those that it calls too */
    uint64_t inst, returned;
    bool sets_errno; /* as libm does, which a hit will not */
    VEC(struct pure_call) calls;
};

/* `mrs` of the thread's register, which a program sets once: all other system registers change. */
static inline bool pure_reads_thread(uint32_t word)
{
    return (word & 0xffffffe0) == 0xd53bd040;
}

/* A store of a register of the core, by its word: one that could be to errno. */
static inline bool pure_stores_core(uint32_t word)
{
    return (word & 0x3c000000) == 0x38000000;
}

/* What a memoized function may not do: effects beyond registers and memory. */
bool pure_is_system(const struct a64_op *op, const struct a64_inst *i);

struct pure_finder;

struct pure_finder *pure_new(struct a64_process *p, const struct a64_timing_cfg *timing);
void pure_free(struct pure_finder *f);
/* For a64_window.observe: an instruction that comes next. */
void pure_observe(void *finder, const struct a64_cpu *c, const struct a64_inst *i);
/* All that were called, in the order of their first calls. */
size_t pure_functions(const struct pure_finder *f, const struct pure_function **all);

/* Distinct arguments among the calls that are remembered, with so many bits cut off each. */
uint64_t pure_distinct(const struct pure_function *f, unsigned cut);
/* Cycles that a table without end would save in the run. */
double pure_saving(const struct pure_function *f, unsigned cut);

#endif
