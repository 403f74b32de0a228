/* QEMU's user mode as a reference that is stepped: its gdb stub through a socket. */
#ifndef TESTS_A64_SUPPORT_GDB_H
#define TESTS_A64_SUPPORT_GDB_H

#include "base/common.h"

#include <sys/types.h>

struct gdb {
    pid_t qemu;
    int socket;
    char folder[64];
    char *reply; /* the text of the last answer */
    size_t len, room;
    char bytes[4096]; /* read ahead */
    size_t at, end;
};

struct gdb_registers {
    uint64_t x[31], sp, pc;
    uint32_t cpsr;
    uint64_t v[32][2];
    uint32_t fpsr, fpcr;
};

/* Whether qemu-aarch64 is installed. */
bool gdb_is_there(void);
/* Starts a program, stopped before its first instruction; its output goes nowhere. */
void gdb_start(struct gdb *g, const char *const *argv);
void gdb_end(struct gdb *g);
/* One instruction; false: the program has ended. */
bool gdb_step(struct gdb *g);
/* Until it is at `pc`: over a system call, where a step would be two. */
bool gdb_run_to(struct gdb *g, uint64_t pc);
/* Until a breakpoint; false: the program has ended. One that it is at must be stepped over first.
 */
bool gdb_continue(struct gdb *g);
void gdb_break(struct gdb *g, uint64_t pc);
/* All but those of SIMD; one of these, with both status registers. */
void gdb_registers(struct gdb *g, struct gdb_registers *r);
void gdb_simd(struct gdb *g, struct gdb_registers *r, unsigned which);
/* False: not readable. */
bool gdb_memory(struct gdb *g, uint64_t addr, void *to, size_t len);

#endif
