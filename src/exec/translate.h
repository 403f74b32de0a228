/* What exec and its translator say to each other: runs of operations become host code.
 *
 * The translator (src/jit) is a module of its own, loaded when a kernel is worth it; it knows no
 * warps and no control flow, only registers at fixed places in a frame, and of memory the ranges
 * that loads may read from. */
#ifndef EXEC_TRANSLATE_H
#define EXEC_TRANSLATE_H

#include "exec/code.h"

struct tlb_entry;

/* The lanes of a strip are computed side by side. */
enum { RUN_STRIP_LANES = 8, RUN_STRIPS = WARP_LANES / RUN_STRIP_LANES };
/* Of what this file says: a module that was built with another one is not used. */
enum { RUN_ABI = 4 };

/* Where the loads of a run may read, the short way (locate.h). */
struct run_view {
    const struct tlb_entry *tlb; /* by xinst.slot; of the present epoch */
    char *shared;
    uint64_t shared_limit;
    const char *params;
};

/* A run for the lanes of `mask`, which is not 0. Returns, in the low half, how many of them its
 * guarded operations were done for, all together; in the high half, a bit for every strip
 * that was left as it was, because it met what the translation does not do (a NaN in double
 * precision, a load outside its range): the operations' own functions are to run for those lanes.
 */
typedef uint64_t (*run_fn)(char *const *base, uint32_t mask, const struct run_view *view);

enum run_kind {
    RUN_LANE,   /* lane */
    RUN_LOAD,   /* mem */
    RUN_ADD,    /* move: refs[0] = refs[1] + imm */
    RUN_PACK,   /* move: refs[0] = refs[1..], elements of imm bytes, the lowest first */
    RUN_UNPACK, /* move: refs[0..] = elements of the last one */
};

/* One operation; a lane operation with the key of its row (lanes_int.h, lanes_key.h) and the widths
 * that the row works on. */
struct run_op {
    uint8_t kind; /* enum run_kind */
    union {
        const struct lane_op *lane;
        const struct xmem *mem;
        const struct xop *move;
    };
    uint8_t space, slot;  /* loads */
    bool scatters;        /* a load whose lanes mostly are each at a place of its own */
    uint16_t op, variant; /* enum ptx_op; LV_* or an enum ptx_mod */
    uint8_t type, type2;  /* enum ptx_type */
    uint8_t d, s[4];      /* bytes */
    bool has_guard, guard_neg;
    bool in_mode;       /* rounds otherwise than to nearest */
    bool d_is_live;     /* someone reads its first result after the run */
    uint32_t guard_off; /* the predicate's place in the frame */
};

struct run_text {
    const struct run_op *ops;
    uint32_t nops;
    const char *consts;   /* base[LANE_CONST] of all its executions */
    uint32_t frame_bytes; /* registers lie below this in base[LANE_REGS] */
};

struct translator {
    uint64_t abi; /* RUN_ABI */
    bool (*knows)(const struct run_op *op);
    /* Host code for `n` runs of operations that it knows, into fn[]. What is returned owns the
     * code; NULL: it could not be made. */
    void *(*translate)(const struct run_text *runs, uint32_t n, run_fn *fn);
    void (*drop)(void *code);
};

/* What the module exports: struct translator *parsim_translator(void). */
#define TRANSLATOR_MODULE "libparsim-jit.so"
#define TRANSLATOR_SYMBOL "parsim_translator"
typedef const struct translator *translator_fn(void);

#endif
