/* From an instruction to the row of a table. */
#include "exec/lanes_choose.h"
#include "exec/lanes_wrap.h"

#define X(level)                                    \
    static const struct lane_tables tables_##level; \
    LANE_FAMILIES(Y_##level)
#define DECLARE(family, level) extern const struct lane_entry lanes_##family##_##level[];
#define Y_base(family)         DECLARE(family, base)
#define Y_avx2(family)         DECLARE(family, avx2)
#define Y_avx512(family)       DECLARE(family, avx512)
CPU_LEVELS(X)
#undef X
#undef Y_base
#undef Y_avx2
#undef Y_avx512

#define Y_base(family)   lanes_##family##_base,
#define Y_avx2(family)   lanes_##family##_avx2,
#define Y_avx512(family) lanes_##family##_avx512,
#define X(level)         static const struct lane_tables tables_##level = {LANE_FAMILIES(Y_##level)};
CPU_LEVELS(X)
#undef X

const struct lane_tables *const lane_tables_of[CPU_LEVEL_COUNT] = {
#define X(level) [CPU_##level] = &tables_##level,
    CPU_LEVELS(X)
#undef X
};

/* Puts adapters around the row where registers or the rounding mode ask for them. */
static bool adapt(struct lane_op *op, const struct lane_choice *c, lane_fn fn, const char **why)
{
    bool resize = !op->d.none && op->d.bytes != c->d;
    bool narrow = resize && (op->d.bytes < c->d || !c->d || op->d.bytes > 8);
    for (unsigned k = 0; k < 4; k++) {
        const struct lane_ref *s = &op->src[k];
        if (s->none || s->bytes == c->s[k])
            continue;
        resize = true;
        narrow |= k == 3 || s->bytes < c->s[k] || s->bytes > 8 || !c->s[k];
    }
    op->fn = fn;
    if (narrow || (resize && (c->in_mode || op->inner))) {
        *why = "a register does not have the size of the instruction's type";
        return false;
    }
    if (resize || c->in_mode) {
        op->inner = fn;
        op->fn = resize ? lane_resized : lane_rounded;
    }
    if (resize) {
        op->sel_a = c->d;
        op->sel_b = c->s[0];
        op->sel_c = c->s[1];
        op->sel_d = c->s[2];
    }
    return true;
}

bool lanes_select_at(enum cpu_level level, const struct ptx_inst *inst, struct lane_op *op,
                     const char **why)
{
    struct lane_choice c = {.op = inst->op};
    if (inst->bad) {
        *why = "a modifier or operand that is not known";
        return false;
    }
    op->type = inst->ntypes ? inst->types[0] : PTX_NOTYPE;
    op->type2 = inst->ntypes > 1 ? inst->types[1] : PTX_NOTYPE;
    op->ftz = ptx_inst_has(inst, PTX_M_FTZ);
    op->sat = ptx_inst_has(inst, PTX_M_SAT);
    if (!lanes_choose(lane_tables_of[level], inst, op, &c)) {
        *why = "not an arithmetic instruction";
        return false;
    }
    const struct lane_entry *row = lanes_find_row(&c);
    if (!row) {
        *why = "this combination of type and modifiers does not exist";
        return false;
    }
    return adapt(op, &c, row->fn, why);
}

bool lanes_select(const struct ptx_inst *inst, struct lane_op *op, const char **why)
{
    return lanes_select_at(cpu_level(), inst, op, why);
}
