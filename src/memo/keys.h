/* Whole inputs as numbers, which only the simulator has: 128 bits of hash stand for them. */
#ifndef MEMO_KEYS_H
#define MEMO_KEYS_H

#include "base/u64map.h"
#include "base/vec.h"

struct memo_print {
    uint64_t a, b;
};

struct memo_keys {
    struct u64map by_a;
    VEC(uint64_t) b;
};

/* Of nothing, for a logical table. */
struct memo_print memo_print_start(unsigned id);
void memo_print_add(struct memo_print *p, uint64_t value, unsigned bytes);

/* The number of these inputs, from 0 on; *is_new: they were not met before. */
uint32_t memo_key_of(struct memo_keys *k, struct memo_print p, bool *is_new);
void memo_keys_free(struct memo_keys *k);

#endif
