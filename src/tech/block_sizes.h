/* The size that each block of a channel has where it is stored, by the block's number; 0 = not
 * known yet. Memory is taken as blocks are touched. */
#ifndef TECH_BLOCK_SIZES_H
#define TECH_BLOCK_SIZES_H

#include "base/common.h"

struct block_sizes {
    uint8_t **pages;
    uint64_t npages;
};

void block_sizes_init(struct block_sizes *b, uint64_t blocks);
void block_sizes_free(struct block_sizes *b);
/* Where the size of block `i` is kept. */
uint8_t *block_size_at(struct block_sizes *b, uint64_t i);
/* What is kept there; takes no memory. */
uint8_t block_size_get(const struct block_sizes *b, uint64_t i);
void block_size_forget(struct block_sizes *b, uint64_t i);
void block_sizes_forget_all(struct block_sizes *b);

#endif
