/* From rows to units, latencies and credits. */
#include "a64/ops.h"

#include "a64/operands.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

const struct conf_field a64_timing_fields[] = {
#define ROWS_FILE   "a64/timing_cfg.def"
#define ROWS_STRUCT a64_timing_cfg
#include "parsim/rows_entries.h"
};
const size_t a64_timing_nfields = ARRAY_LEN(a64_timing_fields);

static bool is_named(const struct a64_row *r, const char *name)
{
    return !fnmatch(name, r->name, 0);
}

static void credit_all(struct a64_op *op, int64_t credit)
{
    memset(op->credit, (int)credit, sizeof op->credit);
}

static void credit_of(struct a64_op *op, unsigned reg, int64_t credit)
{
    for (unsigned k = 0; k < op->uses.nreads; k++)
        if (op->uses.reads[k] == reg)
            op->credit[k] = (uint8_t)credit;
}

static void set(struct a64_op *op, enum a64_unit unit, enum a64_maker maker, int64_t latency,
                int64_t credit)
{
    op->unit = (uint8_t)unit;
    op->maker = (uint8_t)maker;
    op->latency = (uint8_t)latency;
    op->busy = 1;
    credit_all(op, credit);
}

/* --- by class --- */

static void make_alu(struct a64_op *op, const struct a64_row *r, const struct a64_timing_cfg *t)
{
    set(op, A64_UNIT_ALU, A64_BY_ALU, t->alu, t->alu_credit);
    if (r->operands == op_conditional)
        credit_of(op, A64_FLAGS, t->csel_credit);
}

static void make_mul(struct a64_op *op, const struct a64_timing_cfg *t)
{
    set(op, A64_UNIT_MUL, A64_BY_MUL, t->mul, t->mul_credit);
    op->strict = 1 << A64_BY_ALU | 1 << A64_BY_LOAD;
}

static void make_div(struct a64_op *op, const struct a64_timing_cfg *t)
{
    set(op, A64_UNIT_DIV, A64_BY_ALU, t->div, 0);
    op->busy = (uint8_t)t->div;
    op->special = A64_DIVIDE;
}

/* A fused product and sum, of SIMD with its destination as the addend. */
static void make_fused(struct a64_op *op, const struct a64_inst *i, const struct a64_row *r,
                       const struct a64_timing_cfg *t)
{
    const bool is_scalar = r->operands == op_fp;
    credit_all(op, t->factor_credit);
    credit_of(op, A64_V0 + (is_scalar ? i->ra : i->rd), t->addend_credit);
    credit_of(op, A64_V0 + i->rn, t->factor_credit); /* the same register may be both */
    credit_of(op, A64_V0 + i->rm, t->factor_credit);
}

static void make_fp(struct a64_op *op, const struct a64_inst *i, const struct a64_row *r,
                    const struct a64_timing_cfg *t)
{
    set(op, A64_UNIT_FP, A64_BY_FP, t->fp, t->fp_credit);
    if (r->class == A64_FP_DIV) {
        const bool is_double = is_named(r, "*_d");
        op->latency = (uint8_t)(is_double ? t->fdiv_double : t->fdiv_single);
        op->busy = (uint8_t)(is_double ? t->fdiv_double_busy : t->fdiv_single_busy);
    } else if (is_named(r, "fn*m*d*_?") || is_named(r, "fm[as]*_[sd]") ||
               is_named(r, "*fml[as]_*")) {
        if (strstr(r->pattern, " ra ") || is_named(r, "*fml[as]_*"))
            make_fused(op, i, r, t);
    } else if (is_named(r, "[vd]_add") || is_named(r, "[vd]_sub")) {
        credit_all(op, t->simd_add_credit);
    } else if (is_named(r, "fmov_[sd]")) {
        credit_all(op, t->fmov_credit);
    }
}

static void make_memory(struct a64_op *op, const struct a64_inst *i, const struct a64_row *r,
                        const struct a64_timing_cfg *t)
{
    if (!op->uses.mode) { /* prefetches are not done */
        make_alu(op, r, t);
        return;
    }
    set(op, A64_UNIT_LSU, A64_BY_LOAD, t->alu, t->address_credit);
    op->strict = 1 << A64_BY_LOAD;
    if (op->uses.moves_base)
        op->alu_writes = (uint8_t)(1u << (op->uses.nwrites - 1));
    if (r->operands == op_memo_load || r->operands == op_memo_load_reg) {
        op->special = A64_INPUT;
        op->lut = i->ra;
    }
}

static void make_branch(struct a64_op *op, const struct a64_row *r, const struct a64_timing_cfg *t)
{
    make_alu(op, r, t);
    op->branch = is_named(r, "b")     ? A64_JUMP
                 : is_named(r, "bl")  ? A64_CALL
                 : is_named(r, "br")  ? A64_JUMP_TO
                 : is_named(r, "blr") ? A64_CALL_TO
                 : is_named(r, "ret") ? A64_RETURN
                                      : A64_IF;
}

static void make_system(struct a64_op *op, const struct a64_row *r, const struct a64_timing_cfg *t)
{
    make_alu(op, r, t);
    op->special = is_named(r, "svc") || is_named(r, "mrs_cntvct") ? A64_KERNEL
                  : is_named(r, "d[ms]b") || is_named(r, "isb")   ? A64_BARRIER
                  : op->word == A64_BEGIN_WORD                    ? A64_BEGIN
                  : op->word == A64_END_WORD                      ? A64_END
                                                                  : A64_PLAIN;
}

static void make_memo(struct a64_op *op, const struct a64_inst *i, const struct a64_row *r)
{
    set(op, A64_UNIT_MEMO, A64_BY_LOOKUP, 1, 0);
    op->lut = i->ra;
    op->uses.bytes = i->size;
    op->special = is_named(r, "reg_crc")  ? A64_INPUT
                  : is_named(r, "lookup") ? A64_LOOKUP
                  : is_named(r, "update") ? A64_UPDATE
                                          : A64_INVALIDATE;
}

/* What follows from the rest. */
static void finish(struct a64_op *op)
{
    const bool is_load = op->uses.mode && !op->uses.is_store;
    op->results = !is_load ? 0 : (uint8_t)(op->uses.nwrites - (op->alu_writes != 0));
    op->strict |= 1 << A64_BY_LOOKUP;
    op->is_eventful = op->branch || op->special;
    if (op->unit == A64_UNIT_ALU)
        op->busy = 0;
}

static void make(struct a64_op *op, const struct a64_inst *i, const struct a64_timing_cfg *t)
{
    const struct a64_row *list;
    a64_rows(&list);
    const struct a64_row *r = &list[i->row];
    *op = (struct a64_op){.word = i->word, .is_made = true, .class = (uint8_t)r->class};
    op->uses = a64_uses_of(i);
    switch (r->class) {
    case A64_MUL:
        make_mul(op, t);
        break;
    case A64_DIV:
        make_div(op, t);
        break;
    case A64_LOAD:
    case A64_STORE:
        make_memory(op, i, r, t);
        break;
    case A64_BRANCH:
        make_branch(op, r, t);
        break;
    case A64_SYSTEM:
        make_system(op, r, t);
        break;
    case A64_MEMO:
        make_memo(op, i, r);
        break;
    case A64_ALU:
        make_alu(op, r, t);
        break;
    default:
        make_fp(op, i, r, t);
    }
    finish(op);
}

/* --- by page --- */

static struct a64_op *page_of(struct a64_ops *ops, uint64_t page)
{
    const uint64_t *known = u64map_get(&ops->pages, page);
    if (known)
        return ops->all.data[*known];
    u64map_put(&ops->pages, page, ops->all.len);
    vec_push(&ops->all, xcalloc(A64_PAGE_INSTS, sizeof(struct a64_op)));
    return vec_last(&ops->all);
}

const struct a64_op *a64_op_make(struct a64_ops *ops, const struct a64_inst *i, uint64_t pc)
{
    const uint64_t base = pc & -(uint64_t)IMAGE_PAGE;
    if (!ops->at || ops->base != base) {
        ops->at = page_of(ops, base >> IMAGE_PAGE_BITS);
        ops->base = base;
    }
    struct a64_op *op = &ops->at[(pc - base) / 4];
    if (!op->is_made || op->word != i->word)
        make(op, i, &ops->timing);
    return op;
}

void a64_ops_free(struct a64_ops *ops)
{
    for (size_t i = 0; i < ops->all.len; i++)
        free(ops->all.data[i]);
    vec_free(&ops->all);
    u64map_free(&ops->pages);
}
