/* E2MC's statistics and code tables. */
#ifndef E2MC_INT_H
#define E2MC_INT_H

#include "codec/codec_int.h"

enum {
    E2MC_TREES = 8, /* at most: positions of a symbol in a 32-bit word */
    E2MC_LEN_MAX = 20,
    E2MC_DECODE_BITS = 12, /* codewords up to this length are decoded by one look-up */
};

/* Codewords in canonical order: by length, then by value, the escape last of its length. */
struct e2mc_tree {
    unsigned n;
    int escape; /* its index, or -1 */
    uint32_t *values, *codes;
    uint8_t *lens;
    uint32_t first_code[E2MC_LEN_MAX + 1];
    uint16_t first_index[E2MC_LEN_MAX + 1], count[E2MC_LEN_MAX + 1];
    uint32_t *decode; /* by the next E2MC_DECODE_BITS bits: e2mc_entry(), 0 = longer or none */
};

/* A codeword in the decoder's look-up: its index, its length, and that with the raw bits after it.
 */
static inline uint32_t e2mc_entry(unsigned index, unsigned len, unsigned raw_bits)
{
    return index << 16 | len << 8 | (len + raw_bits);
}

/* A codeword packed as code << 8 | length. */
static inline unsigned e2mc_word_len(uint32_t word)
{
    return word & 0xff;
}

struct codec_table {
    unsigned symbol_bits, ntrees;
    struct e2mc_tree *trees;
    uint32_t escape;     /* codeword of the escape (L = 16, 32) */
    uint32_t *words;     /* L = 4, 8: [tree << L | value]; L = 16: [value], 0 = escape */
    uint8_t *lens;       /* L = 16: [value], escape and raw bits included; L = 8: [byte][value];
                            L = 4: [byte][value], both nibbles */
    uint32_t *hash_keys; /* L = 32: open addressing, hash_words = 0 where empty */
    uint32_t *hash_words;
    unsigned hash_bits;
};

static inline unsigned e2mc_tree_count(unsigned symbol_bits)
{
    return symbol_bits < 16 ? 32 / symbol_bits : 1;
}

static inline unsigned e2mc_max_len(unsigned symbol_bits)
{
    return symbol_bits == 4 ? 8 : symbol_bits == 8 ? 16 : E2MC_LEN_MAX;
}

/* Where `value` is, or the empty place where it would be: a quarter of them is used at most. */
static inline uint32_t e2mc_hash_slot(const struct codec_table *t, uint32_t value)
{
    uint32_t h = (value * 0x9e3779b1u) >> (32 - t->hash_bits);
    while (t->hash_words[h] && t->hash_keys[h] != value)
        h = (h + 1) & ((1u << t->hash_bits) - 1);
    return h;
}

static inline uint32_t e2mc_hash_find(const struct codec_table *t, uint32_t value)
{
    return t->hash_words[e2mc_hash_slot(t, value)];
}

/* A codeword by its length, as it is saved; `escape` stands after every value of its length. */
struct e2mc_symbol {
    uint32_t value;
    uint8_t len;
    bool escape;
};

/* Assigns canonical codewords; `symbols` is reordered. */
void e2mc_tree_init(struct e2mc_tree *tree, struct e2mc_symbol *symbols, unsigned n,
                    unsigned symbol_bits);
/* What it has made. */
void e2mc_tree_free(struct e2mc_tree *tree);
struct codec_table *e2mc_table_new(unsigned symbol_bits);
/* Builds the look-ups once every tree is there. */
void e2mc_table_finish(struct codec_table *t);

/* ---- statistics ---- */

struct e2mc_count {
    uint32_t value;
    uint64_t count;
};

/* Counts of all 2^L values at a position (L = 4, 8). */
void e2mc_counts_position(const struct codec_counts *counts, unsigned pos, uint64_t *out);
/* The `most` most frequent values (L = 16, 32), at equal counts the smaller first; returns how many
 * and what all others count together. */
unsigned e2mc_counts_top(const struct codec_counts *counts, struct e2mc_count *top, unsigned most,
                         uint64_t *others);
unsigned e2mc_counts_symbol_bits(const struct codec_counts *counts);

#endif
