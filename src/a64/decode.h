/* From words to decoded instructions: the rows of a64_ops.def. */
#ifndef A64_DECODE_H
#define A64_DECODE_H

#include "a64/cpu.h"

/* What an instruction keeps busy; time is made of these later. */
enum a64_class {
    A64_ALU,
    A64_MUL,
    A64_DIV,
    A64_LOAD,
    A64_STORE,
    A64_BRANCH,
    A64_SYSTEM,
    A64_FP,
    A64_FP_MUL,
    A64_FP_DIV,
    A64_SIMD,
    A64_MEMO,
    A64_CLASSES
};

/* Fills in the operands of a word that fits a row; false: these fields are not allocated. */
typedef bool a64_operands(struct a64_inst *i, uint32_t word, uint64_t pc);

struct a64_row {
    const char *name;
    const char *pattern; /* bits from 31 down; FIELD:WIDTH, and r?, which are 5 bits */
    enum a64_class class;
    a64_operands *operands;
    a64_fn *fn;
    uint32_t mask, value; /* of the pattern's fixed bits */
};

/* The row that a word fits by its fixed bits, or NULL. */
const struct a64_row *a64_find_row(uint32_t word);
/* False: the word is not allocated, or not known. */
bool a64_decode(struct a64_inst *i, uint32_t word, uint64_t pc);
size_t a64_rows(const struct a64_row **rows);

#endif
