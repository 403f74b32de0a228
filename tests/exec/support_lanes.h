/* One lane operation on 32 lanes of plain numbers. */
#ifndef TESTS_EXEC_SUPPORT_LANES_H
#define TESTS_EXEC_SUPPORT_LANES_H

#include "exec/lanes_int.h"

/* Takes "setp.lt.ftz.f32" apart; false if a part is not known. */
bool lanes_parse_op(const char *text, size_t len, struct ptx_inst *inst);

struct lanes_bench {
    _Alignas(64) char regs[8][WARP_LANES * 16];
    struct lane_op op;
};

enum { BENCH_D, BENCH_D2, BENCH_SRC, BENCH_CC = BENCH_SRC + 4 };

/* Bytes of a register that holds values of type t; 0 for predicates. */
unsigned lanes_type_bytes(enum ptx_type t);
/* References: destination, second destination and sources of these widths; 0xff = absent. */
void lanes_bench_init(struct lanes_bench *b, unsigned d, unsigned d2, const unsigned src[4]);
void lanes_bench_put(struct lanes_bench *b, unsigned reg, unsigned bytes, unsigned lane,
                     uint64_t v);
uint64_t lanes_bench_get(const struct lanes_bench *b, unsigned reg, unsigned bytes, unsigned lane);
void lanes_bench_run(struct lanes_bench *b, uint32_t mask);

#endif
