/* What an instruction reads, writes and accesses: what time is made of. */
#ifndef A64_USES_H
#define A64_USES_H

#include "a64/decode.h"

/* Registers as numbers: x[0..30], the zero register (never written), sp, nowhere (never read), the
 * flags, v[0..31]. */
enum { A64_FLAGS = A64_XREGS, A64_V0 = 40, A64_USED = A64_V0 + 32, A64_USES_MOST = 6 };

/* How the address of an access is made. */
enum a64_mode { A64_NO_ACCESS, A64_OFFSET, A64_BASE, A64_INDEX, A64_INDEX_MEMO, A64_LINE };

struct a64_uses {
    uint8_t nreads, nwrites;
    uint8_t reads[A64_USES_MOST], writes[A64_USES_MOST];
    uint8_t mode;  /* enum a64_mode */
    uint8_t bytes; /* of the access */
    bool is_store;
    bool moves_base; /* the last register that is written */
};

/* Of a decoded instruction. */
struct a64_uses a64_uses_of(const struct a64_inst *i);
/* The address that it will access, before it is executed. */
uint64_t a64_address(const struct a64_cpu *c, const struct a64_inst *i, enum a64_mode mode);

#endif
