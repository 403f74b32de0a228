/* Instructions as the core in time sees them: made once of each, kept by page. */
#ifndef A64_OPS_H
#define A64_OPS_H

#include "a64/uses.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "conf/conf.h"

struct a64_timing_cfg {
#define ROWS_FILE "a64/timing_cfg.def"
#include "parsim/rows_members.h"
};
extern const struct conf_field a64_timing_fields[];
extern const size_t a64_timing_nfields;

/* Words of hints that bound the region of interest. */
#define A64_BEGIN_WORD UINT32_C(0xd5032c1f)
#define A64_END_WORD   UINT32_C(0xd5032c3f)

enum a64_unit {
    A64_UNIT_ALU,
    A64_UNIT_MUL,
    A64_UNIT_DIV,
    A64_UNIT_FP,
    A64_UNIT_LSU,
    A64_UNIT_MEMO,
    A64_UNITS
};

/* What made a value: some credits depend on it, and what a wait for it is called. */
enum a64_maker { A64_BY_ALU, A64_BY_MUL, A64_BY_LOAD, A64_BY_FP, A64_BY_LOOKUP };

enum a64_branch { A64_NO_BRANCH, A64_IF, A64_JUMP, A64_CALL, A64_JUMP_TO, A64_CALL_TO, A64_RETURN };

/* What is special about it. */
enum a64_special {
    A64_PLAIN,
    A64_DIVIDE,  /* its latency depends on its operands */
    A64_BARRIER, /* waits for loads and stores */
    A64_KERNEL,  /* svc: nothing behind it is fetched before it has issued; nor behind these: */
    A64_BEGIN,   /* of the region of interest */
    A64_END,
    A64_INPUT, /* reg_crc, ld_crc */
    A64_LOOKUP,
    A64_UPDATE,
    A64_INVALIDATE,
};

struct a64_op {
    uint32_t word; /* that it was made of */
    bool is_made;
    uint8_t class, unit, maker, branch, special, lut;
    uint8_t latency, busy; /* busy: cycles until the unit takes another; the ALUs: at once */
    struct a64_uses uses;
    uint8_t credit[A64_USES_MOST];
    uint8_t strict;      /* makers, a bit each, whose values get no credit */
    uint8_t alu_writes;  /* of a load or store, a bit each: the base that moves */
    uint8_t results;     /* the writes from this on are there after the latency; those before, of a
                            load, when it is done */
    uint8_t is_eventful; /* it branches or is special: more is to be done behind it than time */
};

/* All that were met. */
struct a64_ops {
    struct a64_timing_cfg timing;
    struct u64map pages; /* number of the page -> place in `all` */
    VEC(struct a64_op *) all;
    uint64_t base; /* of the page that was asked for last, and its ops */
    struct a64_op *at;
};

void a64_ops_free(struct a64_ops *ops);
/* Of a decoded instruction at pc; of one that was not met at its page or not before. */
const struct a64_op *a64_op_make(struct a64_ops *ops, const struct a64_inst *i, uint64_t pc);

static inline const struct a64_op *a64_op_of(struct a64_ops *ops, const struct a64_inst *i,
                                             uint64_t pc)
{
    if (LIKELY(pc - ops->base < IMAGE_PAGE && ops->at)) {
        const struct a64_op *op = &ops->at[(pc - ops->base) / 4];
        if (LIKELY(op->word == i->word && op->is_made))
            return op;
    }
    return a64_op_make(ops, i, pc);
}

#endif
