/* From IR to lowered code. Private to exec and its tests. */
#ifndef EXEC_LOWER_H
#define EXEC_LOWER_H

#include "base/u64map.h"
#include "base/vec.h"
#include "exec/program.h"

struct kernel *kernel_lower(struct program *p, const struct ptx_func *f, struct err *err);
void kernel_free(struct kernel *k);

struct const_span {
    uint32_t off, bytes;
};

/* What lowering one function knows. `prog` may be NULL (exec_supports()): then symbols have no
 * addresses, but every check of form is made. */
struct lower {
    struct program *prog;
    struct kernel *kernel;
    struct arena *arena;
    const struct u64map *shared; /* struct ptx_var * -> offset */
    const struct ptx_func *src;
    struct xfunc *fn;
    struct u64map const_off[5]; /* by log2(bytes): value -> offset in consts */
    VEC(char) consts;
    VEC(struct const_span) const_spans; /* base/exact.h: the bytes of each */
    struct u64map locals;               /* struct ptx_var * -> offset in the frame's local memory */
    uint8_t slots;                      /* instructions that may access memory, so far */
    const char *why;                    /* reason of the failure */
    struct err misfit;                  /* the reason, if an operand is none for the instruction */
};

/* Places (lower_layout.c). False with an error that names the size and the limit. */
bool lower_layout_shared(struct kernel *k, const bool *reached, struct u64map *offsets,
                         struct err *err);
bool lower_layout_frame(struct lower *lo, struct err *err);
/* Registers that a new frame has to clear: those live at the first instruction. */
void lower_find_unset(struct lower *lo);

/* Operands (lower_operand.c). A reference to an immediate of `bytes` a lane, meant as type `t`. */
struct lane_ref lower_const(struct lower *lo, uint64_t value, unsigned bytes);
bool lower_source(struct lower *lo, const struct ptx_operand *o, enum ptx_type t, unsigned bytes,
                  struct lane_ref *ref);
bool lower_dest(struct lower *lo, const struct ptx_operand *o, struct lane_ref *ref);
/* Width in bytes and type of source operand k of an arithmetic instruction. */
unsigned lower_operand_bytes(const struct ptx_inst *i, unsigned k, enum ptx_type *t);
/* Bits of an immediate as a value of type t. */
uint64_t lower_imm_bits(const struct ptx_operand *o, enum ptx_type t);
/* The operands of an instruction, flattened into op->refs. */
bool lower_flatten(struct lower *lo, const struct ptx_inst *i, struct xop *op);
/* The address of a variable in the space it lives in. in_frame: relative to the frame. */
bool lower_var_addr(struct lower *lo, const struct ptx_var *v, uint64_t *addr, bool *in_frame);

/* A register, sink or .param variable that a call passes. */
bool lower_arg(struct lower *lo, const struct ptx_operand *o, const struct ptx_var *as,
               struct xarg *arg);

/* The address operand of an instruction that is neither ld nor st, into x->mem. */
bool lower_mem_address(struct lower *lo, const struct ptx_operand *o, struct xinst *x);

/* Families; each fills in `x` or returns false with lo->why. */
bool lower_memory(struct lower *lo, const struct ptx_inst *i, struct xinst *x); /* ld st atom red */
bool lower_prefetch(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_atomic(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_async(struct lower *lo, const struct ptx_inst *i, struct xinst *x); /* cp mbarrier */
bool lower_warp(struct lower *lo, const struct ptx_inst *i, struct xinst *x);  /* shfl vote ... */
bool lower_warp_barrier(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_control(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_barrier(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_clock(struct lower *lo, const struct ptx_inst *i, struct xinst *x);
bool lower_move(struct lower *lo, const struct ptx_inst *i, struct xinst *x); /* mov cvta ... */

#endif
