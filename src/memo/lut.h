/* The tables: sets of ways with LRU, and the pair of an L1 and an inclusive L2 of them. */
#ifndef MEMO_LUT_H
#define MEMO_LUT_H

#include "base/common.h"

struct lut_entry {
    uint64_t hash, data;
    uint64_t used; /* when; 0: the way is free */
    uint32_t key;  /* the simulator's own: which inputs made it */
    uint8_t id;    /* of the logical table */
};

struct lut {
    unsigned sets, ways; /* no sets: nothing is ever found */
    uint64_t clock;
    struct lut_entry *entries;
};

void lut_init(struct lut *t, unsigned sets, unsigned ways);
void lut_free(struct lut *t);
/* NULL: it is not there. */
struct lut_entry *lut_find(const struct lut *t, unsigned id, uint64_t hash);
/* The way that a new entry takes: the first free one, else the one used longest ago. */
struct lut_entry *lut_victim(const struct lut *t, uint64_t hash);
/* Becomes the most recent of its set. */
void lut_touch(struct lut *t, struct lut_entry *e);
/* All entries of a logical table go; how many there were. */
unsigned lut_drop(struct lut *t, unsigned id);

/* The word that the hardware keeps beside an entry's data, of a hash of 32 bits: valid, table,
 * what is left of the hash. */
static inline uint32_t lut_tag_word(const struct lut *t, unsigned id, uint64_t hash)
{
    const unsigned log = (unsigned)__builtin_ctz(t->sets);
    return 1u << 31 | id << 28 | ((uint32_t)hash >> log & 0xfffffff);
}

/* --- two levels: every entry of l1 has its copy in l2, where that has sets --- */

enum lut_level { LUT_NONE, LUT_L1, LUT_L2 };

struct lut_moves { /* what happened */
    uint64_t fills, evict_l1, evict_l2, back_invalidated;
};

struct lut_pair {
    struct lut l1, l2;
    struct lut_moves moves;
};

/* Where it was; the entry's contents in *e. One that only l2 has is copied into l1. */
enum lut_level lut_pair_find(struct lut_pair *p, unsigned id, uint64_t hash, struct lut_entry *e);
/* Writes an entry (hash, data, key, id) to both. */
void lut_pair_put(struct lut_pair *p, const struct lut_entry *e);
void lut_pair_drop(struct lut_pair *p, unsigned id);

#endif
