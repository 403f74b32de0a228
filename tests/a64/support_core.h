/* Words of code on a core in time: when each of them issues. */
#ifndef TESTS_A64_SUPPORT_CORE_H
#define TESTS_A64_SUPPORT_CORE_H

#include "a64/machine.h"

enum { CORE_CODE = 0x10000, CORE_DATA = 0x20000, CORE_WORDS = 64 };

struct timed {
    struct cpu_cfg *cfg;
    struct a64_process *process; /* without a file */
    struct cpu *cpu;
    uint64_t seen[CORE_WORDS];      /* how often each word has issued */
    cycle_t issue[CORE_WORDS][256]; /* when */
};

/* A machine with these settings, apart by spaces ("memo.l2_ways=8 ..."), and code that ends with an
 * exit. x26 and x25 are addresses of data, which begins with its own address; other registers are
 * small numbers and ones. */
struct timed *timed_new(const char *settings, const uint32_t *words, unsigned n);
void timed_free(struct timed *t);
void timed_run(struct timed *t);

/* The cycles, from the issue of its first word on, at which a sequence issues whose registers are
 * ready and whose instructions are there: in the third of four rounds. */
void timed_sequence(const char *settings, const uint32_t *words, unsigned n, cycle_t *issues);

/* A process with a program of tests/a64/programs on the machine. */
struct timed *timed_program(const char *settings, const char *name, uint64_t max_inst);

#endif
