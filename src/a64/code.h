/* Pages of decoded instructions. An entry is decoded when it is executed for the first time. */
#ifndef A64_CODE_H
#define A64_CODE_H

#include "a64/cpu.h"

/* Nothing is decoded yet. */
void a64_code_start(struct a64_code *code, uint64_t base);
/* The entries from `first` to `last` are decoded again, even if one of them is being executed. */
void a64_code_forget(struct a64_code *code, unsigned first, unsigned last);

#endif
