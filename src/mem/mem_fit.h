/* Do the parts of a memory hierarchy fit together? Each part's own check comes first. */
#ifndef MEM_MEM_FIT_H
#define MEM_MEM_FIT_H

#include "mem/l1.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"

struct mem_fit {
    const struct l1_cfg *const *l1s;
    const char *const *l1_sections; /* their names in messages */
    size_t nl1s;
    const struct l2_cfg *l2;                 /* section "l2" */
    const struct mem_ctrl_cfg *mem_ctrl;     /* section "mem_ctrl" */
    const struct interleave_cfg *interleave; /* section "interleave" */
    int64_t dram_access_bytes;               /* dram.access_bytes */
};

bool mem_fit_check(const struct mem_fit *f, struct err *err);

#endif
