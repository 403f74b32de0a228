/* Code tables from counts: lengths by package-merge, canonical codewords, look-ups. */
#include "codec/e2mc_int.h"
#include "codec/huff_lengths.h"

#include <stdlib.h>

/* ---- canonical codewords ---- */

static int by_canonical_order(const void *a, const void *b)
{
    const struct e2mc_symbol *x = a, *y = b;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    if (x->escape != y->escape)
        return x->escape ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

static void fill_decode(struct e2mc_tree *tree, unsigned symbol_bits)
{
    tree->decode = xcalloc(1u << E2MC_DECODE_BITS, sizeof *tree->decode);
    for (unsigned i = 0; i < tree->n && tree->lens[i] <= E2MC_DECODE_BITS; i++) {
        unsigned spare = E2MC_DECODE_BITS - tree->lens[i];
        uint32_t entry = e2mc_entry(i, tree->lens[i], (int)i == tree->escape ? symbol_bits : 0);
        for (uint32_t k = 0; k < 1u << spare; k++)
            tree->decode[(tree->codes[i] << spare) + k] = entry;
    }
}

void e2mc_tree_init(struct e2mc_tree *tree, struct e2mc_symbol *symbols, unsigned n,
                    unsigned symbol_bits)
{
    qsort(symbols, n, sizeof *symbols, by_canonical_order);
    tree->n = n;
    tree->values = xmalloc(n * sizeof *tree->values);
    tree->codes = xmalloc(n * sizeof *tree->codes);
    tree->lens = xmalloc(n);
    tree->escape = -1;
    uint32_t code = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned len = symbols[i].len;
        code <<= len - (i ? symbols[i - 1].len : len);
        if (tree->count[len]++ == 0) {
            tree->first_code[len] = code;
            tree->first_index[len] = (uint16_t)i;
        }
        tree->values[i] = symbols[i].value;
        tree->lens[i] = symbols[i].len;
        tree->codes[i] = code++;
        if (symbols[i].escape)
            tree->escape = (int)i;
    }
    fill_decode(tree, symbol_bits);
}

void e2mc_tree_free(struct e2mc_tree *tree)
{
    free(tree->values);
    free(tree->codes);
    free(tree->lens);
    free(tree->decode);
}

/* ---- look-ups ---- */

struct codec_table *e2mc_table_new(unsigned symbol_bits)
{
    struct codec_table *t = xcalloc(1, sizeof *t);
    t->symbol_bits = symbol_bits;
    t->ntrees = e2mc_tree_count(symbol_bits);
    t->trees = xcalloc(t->ntrees, sizeof *t->trees);
    return t;
}

static uint32_t pack_word(const struct e2mc_tree *tree, unsigned i)
{
    return tree->codes[i] << 8 | tree->lens[i];
}

static void hash_put(struct codec_table *t, uint32_t value, uint32_t word)
{
    uint32_t h = e2mc_hash_slot(t, value);
    t->hash_keys[h] = value;
    t->hash_words[h] = word;
}

static void finish_escaped(struct codec_table *t)
{
    const struct e2mc_tree *tree = &t->trees[0];
    t->escape = pack_word(tree, (unsigned)tree->escape);
    if (t->symbol_bits == 16) {
        t->words = xcalloc(65536, sizeof *t->words);
        t->lens = xmalloc(65536);
        memset(t->lens, (int)(tree->lens[tree->escape] + 16u), 65536);
    } else {
        for (t->hash_bits = 12; 4 * tree->n > 1u << t->hash_bits && t->hash_bits < 20;)
            t->hash_bits++;
        t->hash_keys = xcalloc((size_t)1 << t->hash_bits, sizeof *t->hash_keys);
        t->hash_words = xcalloc((size_t)1 << t->hash_bits, sizeof *t->hash_words);
    }
    for (unsigned i = 0; i < tree->n; i++) {
        if ((int)i == tree->escape)
            continue;
        if (t->symbol_bits == 32) {
            hash_put(t, tree->values[i], pack_word(tree, i));
        } else {
            t->words[tree->values[i]] = pack_word(tree, i);
            t->lens[tree->values[i]] = tree->lens[i];
        }
    }
}

static void finish_positions(struct codec_table *t)
{
    unsigned bits = t->symbol_bits;
    t->words = xcalloc((size_t)t->ntrees << bits, sizeof *t->words);
    t->lens = xmalloc(1024);
    for (unsigned k = 0; k < t->ntrees; k++)
        for (unsigned i = 0; i < t->trees[k].n; i++)
            t->words[k << bits | t->trees[k].values[i]] = pack_word(&t->trees[k], i);
    for (unsigned b = 0; b < 4; b++)
        for (unsigned v = 0; v < 256; v++)
            t->lens[b << 8 | v] =
                (uint8_t)(bits == 8 ? e2mc_word_len(t->words[b << 8 | v])
                                    : e2mc_word_len(t->words[(2 * b) << 4 | (v & 15)]) +
                                          e2mc_word_len(t->words[(2 * b + 1) << 4 | v >> 4]));
}

void e2mc_table_finish(struct codec_table *t)
{
    if (t->symbol_bits >= 16)
        finish_escaped(t);
    else
        finish_positions(t);
}

/* ---- from counts ---- */

struct weighted {
    struct e2mc_symbol symbol;
    uint64_t weight;
};

/* Ascending weight; of equals, what comes later in canonical order first. */
static int by_weight(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return by_canonical_order(&y->symbol, &x->symbol);
}

static void build_tree(struct e2mc_tree *tree, struct weighted *w, unsigned n, unsigned symbol_bits)
{
    uint64_t *weights = xmalloc(n * sizeof *weights);
    uint8_t *lens = xmalloc(n);
    struct e2mc_symbol *symbols = xmalloc(n * sizeof *symbols);
    qsort(w, n, sizeof *w, by_weight);
    for (unsigned i = 0; i < n; i++)
        weights[i] = w[i].weight;
    huff_lengths(weights, n, e2mc_max_len(symbol_bits), lens);
    for (unsigned i = 0; i < n; i++) {
        symbols[i] = w[i].symbol;
        symbols[i].len = lens[i];
    }
    e2mc_tree_init(tree, symbols, n, symbol_bits);
    free(weights);
    free(lens);
    free(symbols);
}

static void build_escaped(struct codec_table *t, const struct codec_counts *counts, unsigned most)
{
    struct e2mc_count *top = xmalloc(most * sizeof *top);
    struct weighted *w = xmalloc((most + 1) * sizeof *w);
    uint64_t others;
    unsigned n = e2mc_counts_top(counts, top, most, &others);
    for (unsigned i = 0; i < n; i++)
        w[i] = (struct weighted){.symbol.value = top[i].value, .weight = top[i].count};
    w[n] = (struct weighted){.symbol.escape = true, .weight = others};
    build_tree(&t->trees[0], w, n + 1, t->symbol_bits);
    free(top);
    free(w);
}

static void build_position(struct codec_table *t, const struct codec_counts *counts, unsigned pos)
{
    uint64_t at[256];
    struct weighted w[256];
    unsigned n = 1u << t->symbol_bits;
    e2mc_counts_position(counts, pos, at);
    for (unsigned v = 0; v < n; v++)
        w[v] = (struct weighted){.symbol.value = v, .weight = at[v]};
    build_tree(&t->trees[pos], w, n, t->symbol_bits);
}

struct codec_table *codec_table_build(const struct codec_counts *counts)
{
    return codec_table_build_values(counts, CODEC_VALUES);
}

struct codec_table *codec_table_build_values(const struct codec_counts *counts, unsigned values)
{
    assert(values >= 1 && values <= CODEC_VALUES_MAX);
    struct codec_table *t = e2mc_table_new(e2mc_counts_symbol_bits(counts));
    if (t->symbol_bits >= 16)
        build_escaped(t, counts, values);
    else
        for (unsigned pos = 0; pos < t->ntrees; pos++)
            build_position(t, counts, pos);
    e2mc_table_finish(t);
    return t;
}

void codec_table_free(struct codec_table *table)
{
    if (!table)
        return;
    for (unsigned i = 0; i < table->ntrees; i++)
        e2mc_tree_free(&table->trees[i]);
    free(table->trees);
    free(table->words);
    free(table->lens);
    free(table->hash_keys);
    free(table->hash_words);
    free(table);
}

unsigned codec_table_symbol_bits(const struct codec_table *table)
{
    return table->symbol_bits;
}

unsigned codec_table_length(const struct codec_table *table, unsigned pos, uint32_t value)
{
    unsigned bits = table->symbol_bits;
    if (bits < 16)
        return e2mc_word_len(table->words[(pos % table->ntrees) << bits | (value & 255)]);
    uint32_t word = bits == 16 ? table->words[value & 0xffff] : e2mc_hash_find(table, value);
    return word ? e2mc_word_len(word) : e2mc_word_len(table->escape) + bits;
}
