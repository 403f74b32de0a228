/* What the lane rooms share: the tables of vector functions and how one is found.
 *
 * mv/lanes_FAMILY.c is compiled once per CPU level and exports one table of rows; lanes_select()
 * turns an instruction into the key of a row. A row knows no register widths but those of its key:
 * where a register is wider or narrower than the instruction's type, lanes_select() puts an adapter
 * (lanes_wrap.c) around it. Rounding other than to nearest is an adapter too. */
#ifndef EXEC_LANES_INT_H
#define EXEC_LANES_INT_H

#include "base/cpu.h"
#include "exec/lanes.h"
#include "exec/lanes_key.h"

/* lane_op.imm of vmad. */
enum {
    LANE_VMAD_NEG_PRODUCT = 1,
    LANE_VMAD_NEG_C = 2,
    LANE_VMAD_PO = 4,
    LANE_VMAD_SHR7 = 8,
    LANE_VMAD_SHR15 = 16,
};

/* lane_op.mode of min and max of halves. */
enum { LANE_PICK_NAN = 1, LANE_PICK_XORSIGN = 2 };

struct lane_entry {
    uint16_t op;         /* enum ptx_op */
    uint8_t type, type2; /* enum ptx_type, canonical for the family */
    uint16_t variant;    /* LV_*, or an enum ptx_mod where one modifier says it all */
    lane_fn fn;          /* NULL ends a table */
};

#define LANE_FAMILIES(X) \
    X(alu) X(muldiv) X(logic) X(cmp) X(f32) X(f64) X(half) X(sfu) X(cvt) X(video)

struct lane_tables {
#define X(family) const struct lane_entry *family;
    LANE_FAMILIES(X)
#undef X
};
extern const struct lane_tables *const lane_tables_of[CPU_LEVEL_COUNT];

/* lanes_select() for a given level, which the host must be able to run. */
bool lanes_select_at(enum cpu_level level, const struct ptx_inst *inst, struct lane_op *op,
                     const char **why);

#endif
