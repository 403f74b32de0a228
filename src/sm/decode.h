/* What the pipeline must know of an instruction before it executes: pipe, class, registers.
 *
 * Made once a kernel for every function it can reach, one dinst an instruction. Registers are
 * numbered through all functions of the kernel, so that caller and callee do not collide. */
#ifndef SM_DECODE_H
#define SM_DECODE_H

#include "exec/program.h"
#include "sm/sm_cfg.h"

/* The last is the way of extra warps (sm_extra.h) to shared memory: they must not wait behind the
 * program's memory instructions, which may be waiting for them. */
enum pipe { PIPE_SP, PIPE_SFU, PIPE_MEM, PIPES, PIPE_AUX = PIPES, ALL_PIPES };

/* Which units of a pipe may take it: the special-function port feeds three kinds of units. */
enum unit { UNIT_SP, UNIT_SFU, UNIT_DP, UNIT_TENSOR, UNIT_MEM, UNIT_INT, UNITS };

enum dinst_flag {
    DINST_LOAD = 1,       /* reads memory; its destinations wait for it */
    DINST_STORE = 2,      /* writes memory */
    DINST_ATOMIC = 4,     /* reads and writes where the memory is */
    DINST_FENCE = 8,      /* the warp waits until its stores are known to be done */
    DINST_BARRIER = 16,   /* of the block */
    DINST_CONTROL = 32,   /* branch, call, return, exit */
    DINST_BYPASS = 64,    /* does not want to be kept in the first-level cache */
    DINST_CONST = 128,    /* by way of the constant cache */
    DINST_TEXTURE = 256,  /* by way of the texture cache */
    DINST_PREFETCH = 512, /* asks for lines, and waits for nothing */
    DINST_SPILL = 1024,   /* not of the program: moves a spilled register from or to local memory */
    DINST_RETURN = 2048,  /* of an extra warp: a return or exit of all lanes, or the code's end */
};

struct dinst {
    const struct xinst *x;      /* NULL: put in by the machine (sm_move) */
    const struct dfunc *fn;     /* that it is in, or NULL */
    const uint32_t *regs;       /* ndst written, then nsrc read, then the guard */
    const void *by;             /* of sm_move(): the policy that asked for it; else NULL */
    const struct dinst *spills; /* nloads to be issued before it, then nstores behind it */
    const uint32_t *warm;       /* nwarm: where its registers lie in a frame, by 64 bytes */
    /* DINST_CONST with a fixed place: the offset in the parameters; DINST_SPILL: in the frame */
    uint32_t place;
    uint16_t flags;
    uint16_t load; /* dinst_is_numbered(): its number among those of the kernel, in the order of the
                      text */
    uint16_t latency, initiation;
    uint8_t ndst, nsrc, nregs;
    uint8_t pipe, unit, class;
    uint8_t nloads, nstores;
    uint8_t bytes; /* DINST_SPILL: of the register */
    uint8_t parts; /* instructions that it stands for: 1, unless machine_code.h says otherwise */
    uint8_t skips; /* a branch that is none: conditional instructions behind it */
    uint8_t role;  /* enum machine_role: why it stands for as many */
    uint8_t nwarm;
    uint32_t pc; /* in fn */
};

/* Its registers wait for memory beyond the SM's own shared memory. */
static inline bool dinst_loads(const struct dinst *d)
{
    return d->ndst && (d->flags & (DINST_LOAD | DINST_ATOMIC));
}

/* It has a number among the kernel's loads. */
static inline bool dinst_is_numbered(const struct dinst *d)
{
    return (d->flags & (DINST_LOAD | DINST_CONST)) == DINST_LOAD;
}

/* Registers of an instruction as sets of those below 64. */
struct dmasks {
    uint64_t all, written;
};

struct dfunc {
    const struct xfunc *fn;
    struct dinst *code;
    struct dmasks *masks; /* of an extra warp's code, by pc; NULL: it has registers beyond 64 */
    uint32_t ncode;
    uint32_t returns_from; /* of an extra warp's code: the first with DINST_RETURN */
    uint32_t regs;         /* number of its first register */
    bool is_entry;         /* of the kernel */
    uint64_t addr;         /* of the first instruction, in the instruction cache's address space */
};

/* Whether instruction `pc` has a register that `before` writes. */
static inline bool dfunc_depends(const struct dfunc *f, uint32_t pc, uint32_t before)
{
    if (LIKELY(f->masks))
        return f->masks[pc].all & f->masks[before].written;
    const struct dinst *d = &f->code[pc], *b = &f->code[before];
    for (unsigned k = 0; k < b->ndst; k++)
        for (unsigned j = 0; j < d->nregs; j++)
            if (b->regs[k] == d->regs[j])
                return true;
    return false;
}

struct decoded;

/* Decodes everything the kernel can reach, for this configuration. */
struct decoded *decode_kernel(const struct kernel *k, const struct sm_cfg *cfg);
/* The same for the code of an extra warp: reading a parameter is a move, and shared memory has a
 * pipe of its own. */
struct decoded *decode_extra(const struct kernel *k, const struct sm_cfg *cfg);
void decoded_free(struct decoded *d);
/* The function's table. */
const struct dfunc *decoded_func(const struct decoded *d, const struct xfunc *fn);

#endif
