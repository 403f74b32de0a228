/* Who writes and reads the registers of a function, and what follows from it for machine code:
 * which values are only addresses of shared memory, and which are the same in all lanes. */
#ifndef SM_MACHINE_USES_H
#define SM_MACHINE_USES_H

#include "ptx/ir.h"

#define NO_INST   UINT32_MAX
#define MANY_INST (UINT32_MAX - 1)

/* An operand that is read. */
struct machine_use {
    uint32_t pc;
    bool in_address; /* of a load or store */
};

struct machine_reg {
    uint32_t writer;          /* NO_INST, MANY_INST or a pc */
    uint32_t first, nreaders; /* of machine_uses.readers */
    bool is_narrow;           /* of 64 bits, but only addresses shared memory: 32 are enough */
    bool is_uniform;          /* the same in all lanes of a warp */
};

struct machine_uses {
    const struct ptx_func *src;
    struct machine_reg *regs;
    struct machine_use *readers;
};

void machine_uses_find(struct machine_uses *u, const struct ptx_func *src);
void machine_uses_free(struct machine_uses *u);

/* The only reader of what `i` writes, if it is the only writer too; NULL: there is none. */
const struct ptx_inst *machine_reader(const struct machine_uses *u, const struct ptx_inst *i);
/* The only writer of source `k`; NULL: there is none. */
const struct ptx_inst *machine_writer(const struct machine_uses *u, const struct ptx_inst *i,
                                      unsigned k);

/* Whether `takes` holds of everything that reads what `i`, its only writer, writes (and something
 * does). */
typedef bool machine_choice(const struct ptx_inst *i, const struct ptx_inst *reader,
                            bool in_address);
bool machine_all_readers(const struct machine_uses *u, const struct ptx_inst *i,
                         machine_choice *takes);
/* Whether it holds of any. */
bool machine_any_reader(const struct machine_uses *u, const struct ptx_inst *i,
                        machine_choice *takes);

/* Whether an operand is the same in all lanes of a warp. */
bool machine_is_uniform(const struct machine_uses *u, const struct ptx_operand *o);

/* The register that `i` writes; NULL where that is not one. */
const struct machine_reg *machine_written(const struct machine_uses *u, const struct ptx_inst *i);

#endif
