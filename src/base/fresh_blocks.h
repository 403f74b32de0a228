/* Blocks of memory that are about to be written all over for the first time: of one large page, or
 * of 512 small ones?
 *
 * A large page is one fault instead of 512, and what is read at random later misses fewer
 * translations. But on a virtual machine whose host has lent its large pages to others a new one
 * can cost five times as much as the small ones, and from one second to the next. So blocks are
 * timed, and the way that has been cheaper lately is taken. What is in memory never depends on it.
 * Memory that somebody else will write, bit by bit, is not left to large pages: how dear they
 * become on the way would not be seen. Blocks of it are made at once and timed, as long as they are
 * cheap.
 */
#ifndef BASE_FRESH_BLOCKS_H
#define BASE_FRESH_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_BYTES = 2 << 20 };

enum block_way { BLOCK_SMALL, BLOCK_LARGE, BLOCK_WAYS };

/* What the ways have cost, and which is tried. */
struct block_costs {
    uint64_t cost[BLOCK_WAYS]; /* of a block, averaged; 0: not known */
    uint32_t until_other;      /* blocks until the other way is tried */
    uint32_t patience;         /* blocks between such trials */
};

/* The way of the next block, and what the block has cost then. */
enum block_way block_costs_next(struct block_costs *c);
void block_costs_note(struct block_costs *c, enum block_way way, uint64_t cost);

/* Before and after the writing of a block, which begins at a multiple of its size. */
struct fresh_block {
    enum block_way way;
    uint64_t from;
};
struct fresh_block fresh_block_begin(void *block);
void fresh_block_end(const struct fresh_block *b);

/* Of `n` blocks that nobody has written yet and somebody may: makes the first, and further ones as
 * long as a way has never been tried or large pages cost at most half of what small ones do. */
void fresh_blocks_prepare(void *first, size_t n);

/* Makes one that somebody is going to write, the cheaper way. False: this host makes none ahead. */
bool fresh_block_make(void *block);
/* The same for a part of a block, which is of small pages then. */
bool fresh_pages_make(void *first, size_t bytes);

#endif
