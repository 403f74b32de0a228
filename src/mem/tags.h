/* A tag array: which lines, and which sectors of them, a cache holds.
 *
 * A line's index is set * ways + way. The set is computed by tags_set from any line number the
 * cache likes to index by (an L2 slice uses the slice-local one); the tag kept is the line's
 * address. A line is not evicted while sectors of it are reserved (asked for and not there yet). */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H

#include "base/common.h"

#define TAGS_NONE UINT32_MAX

enum tags_replacement { TAGS_LRU, TAGS_FIFO };
enum tags_index { TAGS_LINEAR, TAGS_HASHED, TAGS_FERMI };
extern const char *const tags_replacement_names[];
extern const char *const tags_index_names[];

struct tag_line {
    uint64_t used;     /* stamp of the last use (LRU) or of the allocation (FIFO) */
    uint16_t valid;    /* sectors that are there */
    uint16_t dirty;    /* sectors that memory does not have yet */
    uint16_t partial;  /* dirty sectors of which only some bytes are there */
    uint16_t reserved; /* sectors on their way */
};

struct tags {
    addr_t *tag;            /* by line index; TAG_INVALID when free */
    struct tag_line *lines; /* by line index */
    uint32_t sets, ways;
    uint32_t most_sets; /* that there is room for */
    uint32_t set_mask;  /* sets - 1 if that is a mask, else 0 */
    uint32_t fold;      /* bits of a set number, for hashing */
    uint8_t replacement, index;
    uint64_t stamp;
    uint32_t capacity; /* of a set, in bytes; 0: lines are not of different sizes */
    uint16_t *bytes;   /* by line index, with a capacity */
    uint32_t *used;    /* by set, the sum of their bytes; above the capacity for a while if a line
                          has grown that could not give way */
};

void tags_init(struct tags *t, uint32_t sets, uint32_t ways, enum tags_replacement r,
               enum tags_index i);
void tags_free(struct tags *t);
/* Uses only so many of its sets from now on; false: it is not empty, and stays as it is. */
bool tags_use_sets(struct tags *t, uint32_t sets);

uint32_t tags_set(const struct tags *t, uint64_t line_number);
/* The index of `line` (an address, aligned) in `set`, or TAGS_NONE. */
uint32_t tags_find(const struct tags *t, uint32_t set, addr_t line);
/* The index that a new line of `set` would take: a free one, else the replacement's choice among
 * lines without reserved sectors; TAGS_NONE if there is none. */
uint32_t tags_victim(const struct tags *t, uint32_t set);
/* Gives line `i` to `line`, with no sector valid. The caller has dealt with the old contents. */
void tags_allocate(struct tags *t, uint32_t i, addr_t line);
void tags_touch(struct tags *t, uint32_t i);

/* An empty array of the same sets with `factor` times the tags, whose lines share the bytes that a
 * set had: see tags_limit(). */
void tags_stretch(struct tags *t, uint32_t factor, uint32_t line_bytes);
/* Lines take bytes of their own from now on; `capacity` bytes a set. Only while it is empty. */
void tags_limit(struct tags *t, uint32_t capacity);
/* Which lines of `set` go, so that a line of `bytes` fits, which is at `index` (and stays), or
 * needs a tag (TAGS_NONE): in the order of replacement. How many, into `victims` (room for all
 * ways); TAGS_NONE if reserved ones are in the way. Without a capacity bytes do not count. */
uint32_t tags_victims(const struct tags *t, uint32_t set, uint32_t index, uint32_t bytes,
                      uint32_t *victims);
/* Those are invalid now: the place of the line that needed a tag. */
static inline uint32_t tags_place(const struct tags *t, uint32_t set, const uint32_t *victims)
{
    return t->capacity ? tags_victim(t, set) : victims[0];
}
/* Line `i` takes `bytes` now; and how many it takes. Without a capacity nobody counts them: 0. */
void tags_resize(struct tags *t, uint32_t i, uint32_t bytes);
static inline uint32_t tags_bytes(const struct tags *t, uint32_t i)
{
    return t->capacity ? t->bytes[i] : 0;
}

/* What is left of the bytes of line `i`'s set; with a capacity. */
static inline uint32_t tags_free_bytes(const struct tags *t, uint32_t i)
{
    const uint32_t used = t->used[i / t->ways];
    return used < t->capacity ? t->capacity - used : 0;
}

/* Sectors arrive: they are valid, whole, and no longer reserved. */
void tags_fill(struct tags *t, uint32_t i, uint16_t sectors);
/* Sectors are written; those in `whole` become valid, the others valid or partial. */
void tags_write(struct tags *t, uint32_t i, uint16_t sectors, uint16_t whole);
void tags_invalidate(struct tags *t, uint32_t i);
bool tags_in_use(const struct tags *t, uint32_t i);

#endif
