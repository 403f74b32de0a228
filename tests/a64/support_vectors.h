/* Test vectors that QEMU has made (tools/a64/vectors), and the simulator's answer to them. */
#ifndef TESTS_A64_SUPPORT_VECTORS_H
#define TESTS_A64_SUPPORT_VECTORS_H

#include "a64/cpu.h"
#include "a64/vector_state.h"

struct vector_row {
    char name[64];
    unsigned kind, n;
    uint32_t seed;
    const uint8_t *at; /* n pairs: word, digest */
};

/* The bytes of tests/golden/a64/NAME.zst, to be freed. */
uint8_t *vectors_read(const char *name, size_t *len);
/* The next row; false at the end. */
bool vectors_row(const uint8_t **at, const uint8_t *end, struct vector_row *r);

/* A core with the two pages of the vectors. */
struct vector_core {
    struct a64_cpu cpu;
    struct vector_state after;
};
void vector_core_start(struct vector_core *c);
void vector_core_end(struct vector_core *c);
/* Executes one word in the state of its seed; the digest, with c->after. False: it stops. */
bool vector_core_run(struct vector_core *c, uint32_t word, uint64_t seed, unsigned kind,
                     uint32_t *digest);

/* The parts of the above, for tests that change the state in between: memory as every vector finds
 * it, the instruction in its place, the state of its seed. */
void vector_core_memory(struct vector_core *c, uint64_t *memory);
void vector_core_place(struct vector_core *c, uint32_t word);
void vector_core_put(struct vector_core *c, const struct vector_state *before);
void vector_core_get(struct vector_core *c);

#endif
