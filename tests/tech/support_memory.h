/* A memory of some blocks, and a machine with one channel around it. */
#ifndef TESTS_TECH_SUPPORT_MEMORY_H
#define TESTS_TECH_SUPPORT_MEMORY_H

#include "tech/tech.h"

enum { MEMORY_BASE = 1 << 20, MEMORY_BLOCKS = 4096, MEMORY_BLOCK = 128 };

struct memory {
    uint8_t bytes[MEMORY_BLOCKS * MEMORY_BLOCK];
    struct l2_cfg l2;
    struct mem_ctrl_cfg mc;
    struct interleave il;
    struct tech_machine m;
};

/* Bursts of 32 bytes, sectors of 32. Every block is 0 at first. */
struct memory *memory_new(void);
void memory_free(struct memory *mem);
addr_t memory_block(uint32_t i);
/* Words that are close to each other: small differences; or far from each other: no pattern. */
void memory_make_close(struct memory *mem, uint32_t i);
void memory_make_random(struct memory *mem, uint32_t i);
/* A request of a slice; `full` of a write. */
struct mem_req memory_request(uint32_t block, enum mem_kind kind, uint16_t sectors, uint16_t full);

#endif
