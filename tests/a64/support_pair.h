/* Our core and QEMU's on the same program from the same start; what the kernel answers is taken
 * from QEMU. */
#ifndef TESTS_A64_SUPPORT_PAIR_H
#define TESTS_A64_SUPPORT_PAIR_H

#include "a64/cpu.h"
#include "a64/elf.h"
#include "a64/support_gdb.h"

struct pair {
    struct gdb gdb;
    struct gdb_registers theirs;
    struct a64_cpu cpu;
    struct elf_program program;
};

void pair_start(struct pair *p, const char *const *argv);
void pair_end(struct pair *p);
/* Behind a system call of both, with these arguments: memory that it has made, or written, and its
 * result. */
void pair_follow_call(struct pair *p, const uint64_t *args, uint64_t number);
/* Registers, flags, SIMD, as p->theirs has them. */
bool pair_is_same(const struct pair *p);
/* What is different behind an instruction. */
void pair_show(const struct pair *p, uint64_t pc, uint32_t word);

#endif
