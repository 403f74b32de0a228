/* A guest process: program, memory, core, open files; runs until it ends, and says why. */
#ifndef A64_PROCESS_H
#define A64_PROCESS_H

#include "a64/cpu.h"
#include "a64/elf.h"
#include "memo/memo.h"

#include <stdio.h>

enum { A64_FILES = 64, A64_SIGNALS = 65 };

struct a64_options {
    const char *path;  /* of the executable */
    char *const *argv; /* argc of them, the program's name first */
    size_t argc;
    char *const *env; /* NAME=VALUE */
    size_t nenv;
    const char *root;      /* folder that is the guest's "/", which it may write; NULL: the host's
                              files, which it may not */
    uint64_t memory_bytes; /* 0: 4 GB */
    const struct memo_cfg *memo; /* of the memoization unit, checked; NULL: none */
    unsigned l2_way_sets;        /* of its second table in a way of the cache */
    FILE *notes;                 /* what the kernel's part has to remark; NULL: nobody listens */
};

/* An open file of the guest. */
struct a64_file {
    int host;   /* -1: none */
    char *path; /* as the guest would name it, from "/" on */
};

struct a64_process {
    struct a64_options o;
    struct a64_cpu cpu;
    struct image *image;
    struct elf_program program;
    uint64_t brk_start, brk;
    struct a64_file files[A64_FILES];
    char *folder;                     /* that names begin in, from "/" on; NULL: the first */
    int root;                         /* descriptor of o.root, or -1 */
    bool handles_signal[A64_SIGNALS]; /* it has asked for a function to be called */
    uint64_t slept_ns;                /* on top of the instructions' time */
    uint64_t (*clock)(void *ctx);     /* nanoseconds of a core in time; NULL: an instruction each */
    void *clock_ctx;
    uint64_t syscalls;
    VEC(uint64_t) noted; /* what has been remarked */
};

/* NULL with an error. */
struct a64_process *a64_process_new(const struct a64_options *o, struct err *err);
void a64_process_free(struct a64_process *p);
/* Executes at most n instructions, system calls included; cpu.stop says if it is over. */
void a64_process_run(struct a64_process *p, uint64_t n);
/* The kernel's turn at a system call or a read of the clock, behind which it goes on. False: it was
 * something else that stopped the core. */
bool a64_process_serve(struct a64_process *p);
/* Nanoseconds since its start: those of its clock, or an instruction takes one. */
uint64_t a64_process_ns(const struct a64_process *p);

/* Why it ended, as a sentence with pc, symbol and address; empty for an exit. To be freed. */
char *a64_process_why(const struct a64_process *p);
/* What the process ends with: the program's own exit code, or 128 and the signal that Linux would
 * have ended it with. */
int a64_process_exit_code(const struct a64_process *p);
/* "0x4003f8 (main+0x18)" ; to be freed. */
char *a64_process_place(const struct a64_process *p, uint64_t addr);
/* Writes a remark once for each place in the program. */
void a64_process_note(struct a64_process *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
