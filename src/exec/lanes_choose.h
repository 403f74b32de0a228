/* The key of an instruction's row in the tables of lanes_int.h. */
#ifndef EXEC_LANES_CHOOSE_H
#define EXEC_LANES_CHOOSE_H

#include "exec/lanes_int.h"

/* What selecting has found out: the row's key and table, and the widths the row works on. */
struct lane_choice {
    const struct lane_entry *table;
    unsigned op, type, type2, variant;
    uint8_t d, s[4];
    bool in_mode; /* needs the host's rounding mode */
};

/* Finds it out and fills in what the row reads from the lane_op. False: not a lane operation. */
bool lanes_choose(const struct lane_tables *tables, const struct ptx_inst *i, struct lane_op *op,
                  struct lane_choice *c);
/* The row, or NULL. */
const struct lane_entry *lanes_find_row(const struct lane_choice *c);

#endif
