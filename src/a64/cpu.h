/* The architectural state of one AArch64 core, and what a decoded instruction is.
 *
 * An instruction's function does all of it and returns the instruction that comes next, or NULL to
 * leave the loop (stop, system call, page without decoded code): c->pc then says where to go on. */
#ifndef A64_CPU_H
#define A64_CPU_H

#include "a64/image.h"

struct a64_cpu;
struct a64_inst;
struct memo_unit;
typedef const struct a64_inst *a64_fn(struct a64_cpu *c, const struct a64_inst *i);

/* Where register fields of 31 lead: decoding decides, so that execution does not have to. */
enum { A64_ZERO = 31, A64_SP = 32, A64_NOWHERE = 33, A64_XREGS = 34 };

/* Branches whose target is not in the same page. */
#define A64_FAR INT32_MIN

struct a64_inst {
    a64_fn *fn;
    uint64_t imm; /* immediate, offset, absolute target, mask: as the operands' row says */
    int32_t hop;  /* branches: entries from here to the target */
    uint32_t word;
    uint16_t row; /* of a64_ops.def */
    uint8_t rd, rn, rm, ra;
    union {
        struct {
            uint8_t shift, size;
        };
        uint16_t flags; /* conditional branches: those that take it, a bit for each NZCV */
    };
};

enum { A64_PAGE_INSTS = IMAGE_PAGE / 4 };

/* The decoded instructions of a page, and one more that leads to the next page. */
struct a64_code {
    uint64_t base;
    struct a64_inst inst[A64_PAGE_INSTS + 1];
};

union a64_vec {
    uint8_t b[16];
    uint16_t h[8];
    uint32_t s[4];
    uint64_t d[2];
};

/* NZCV as a nibble. */
enum { A64_V = 1, A64_C = 2, A64_Z = 4, A64_N = 8 };

enum a64_stop_kind {
    A64_RUNNING,
    A64_SVC,       /* code: the immediate; the kernel's turn */
    A64_CLOCK,     /* a read of the counter: code is the register */
    A64_EXIT,      /* code: what the program ends with */
    A64_UNDEFINED, /* no row for the word */
    A64_BREAK,     /* brk #code */
    A64_ACCESS,    /* what image.fault says */
    A64_UNALIGNED, /* addr: of an exclusive or ordered access, or of an instruction */
    A64_SIGNAL,    /* the program has sent signal `code` to itself */
    A64_MEMO_SIZE, /* a lookup or update of `code` bytes, and entries have others */
    A64_INTERRUPTED,
};

struct a64_stop {
    enum a64_stop_kind kind;
    int code;
    uint32_t word;
    uint64_t addr;
};

/* What an exclusive load has seen; `bytes` 0: nothing is watched. */
struct a64_monitor {
    uint64_t addr, value[2];
    unsigned bytes;
};

struct a64_cpu {
    uint64_t x[A64_XREGS]; /* [31] is zero for ever, [32] the stack pointer, [33] takes what nobody
                              wants */
    union a64_vec v[32];
    uint64_t pc;
    uint32_t nzcv, fpcr, fpsr;
    uint64_t tpidr, tpidrro;
    struct a64_code *code; /* the page that is executed */
    struct image *image;
    struct memo_unit *memo; /* NULL: none, its instructions are undefined */
    struct a64_monitor monitor;
    struct a64_stop stop;
    uint64_t inst;      /* executed */
    uint64_t page_ends; /* steps of the loop that were no instruction */
};

static inline uint64_t a64_pc(const struct a64_cpu *c, const struct a64_inst *i)
{
    return c->code->base + 4 * (uint64_t)(i - c->code->inst);
}

/* The instruction at `pc`, whose page becomes c->code; NULL with a stop. */
const struct a64_inst *a64_fetch(struct a64_cpu *c, uint64_t pc);
/* Leaves the loop at this instruction for a reason. */
const struct a64_inst *a64_leave(struct a64_cpu *c, const struct a64_inst *i,
                                 enum a64_stop_kind kind, int code);
/* The instruction at c->pc, decoded and not yet executed; NULL with a stop. */
const struct a64_inst *a64_next(struct a64_cpu *c);
/* Executes it; c->pc is where to go on, c->stop says if that is possible. What comes next, as
 * a64_next() would say; NULL: ask it. */
const struct a64_inst *a64_execute(struct a64_cpu *c, const struct a64_inst *i);
/* Executes at most n instructions; fewer if something stops it (c->stop). */
void a64_run(struct a64_cpu *c, uint64_t n);

#endif
