/* What `parsim inspect` knows about a kernel: facts from its text, callees included. */
#ifndef APPS_INSPECT_H
#define APPS_INSPECT_H

#include "base/u64map.h"
#include "base/vec.h"
#include "inspect_code.h"
#include "ptx/regs.h"

enum { INSPECT_UNITS = PTX_UNIT_CTRL + 1 };

struct inspect_count {
    const char *text; /* the mnemonic as written */
    uint64_t count;
};

struct inspect_gap {
    const struct ptx_func *func;
    const struct ptx_inst *inst; /* the first of its kind in the function */
    char *why;
    uint64_t count;
};

struct inspect_kernel {
    const struct ptx_func *func;
    uint32_t regs, regs_needed;         /* that it gets; without spills */
    uint64_t shared_bytes, local_bytes; /* without spills */
    uint64_t spill_bytes;
    bool has_dynamic_shared;
    uint32_t nfuncs; /* functions it can call directly or through others, by name */
    uint64_t ninsts, by_unit[INSPECT_UNITS];
    VEC(struct inspect_count) mix; /* most frequent first */
    VEC(struct inspect_gap) gaps;  /* what this version cannot run */
    struct inspect_code code;      /* with --code; else empty */
};

const char *inspect_unit_name(unsigned unit);
/* As a GPU with these limits would run it. `known` remembers, over the kernels of one module, forms
 * of instructions that can be run. */
void inspect_kernel_init(struct inspect_kernel *k, const struct ptx_func *f,
                         const struct ptx_reg_limits *limits, struct u64map *known);
void inspect_kernel_free(struct inspect_kernel *k);

#endif
