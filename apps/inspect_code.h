/* The code of a kernel as a machine runs it: the order, what each instruction of PTX stands for and
 * how long it takes. */
#ifndef APPS_INSPECT_CODE_H
#define APPS_INSPECT_CODE_H

#include "base/vec.h"
#include "gpu/machine.h"
#include "ptx/ir.h"

struct inspect_inst {
    uint32_t line;                /* of the PTX */
    char *ptx;                    /* the instruction, on one line */
    unsigned issued;              /* instructions that it stands for; 0: it is a part of another */
    const char *unit, *kind;      /* "sp", ...; a class of instructions (sm/op_class.def) */
    unsigned latency, initiation; /* cycles; 0: the memory's, or control */
    const char *why;              /* it stands for other than one; "" */
};

struct inspect_function {
    char *name;
    VEC(struct inspect_inst) insts;
};

/* Functions that the kernel can reach, itself first. */
struct inspect_code {
    VEC(struct inspect_function) funcs;
};

/* What machine `m` runs of a kernel of `module`, whose text is read again. */
bool inspect_code_find(struct inspect_code *c, const struct ptx_module *module, const char *kernel,
                       const struct machine *m, struct err *err);
void inspect_code_free(struct inspect_code *c);

void inspect_code_print(const struct inspect_code *c);
struct json_object;
void inspect_code_json(const struct inspect_code *c, struct json_object *kernel);

#endif
