/* Code tables as bytes: values and lengths only; canonical codewords follow from them. */
#include "base/err.h"
#include "base/file.h"
#include "codec/e2mc_int.h"

#include <stdlib.h>

static const char magic[8] = "PSE2MC1";

enum { HEAD_BYTES = 12, TREE_HEAD_BYTES = 4, SYMBOL_BYTES = 5, CRC_BYTES = 4 };

uint32_t codec_crc32(uint32_t crc, const void *data, size_t bytes)
{
    /* Four bits at a time: a table of 16, because checksums are never the bottleneck here. */
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *p = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

static uint8_t *put_tree(uint8_t *p, const struct e2mc_tree *tree)
{
    unsigned n = tree->n - (tree->escape >= 0);
    *p++ = (uint8_t)n;
    *p++ = (uint8_t)(n >> 8);
    *p++ = tree->escape >= 0 ? tree->lens[tree->escape] : 0;
    *p++ = 0;
    for (unsigned i = 0; i < tree->n; i++) {
        if ((int)i == tree->escape)
            continue;
        store_u32(p, tree->values[i]);
        p[4] = tree->lens[i];
        p += SYMBOL_BYTES;
    }
    return p;
}

uint8_t *codec_table_pack(const struct codec_table *table, size_t *bytes)
{
    size_t cap = HEAD_BYTES + CRC_BYTES;
    for (unsigned k = 0; k < table->ntrees; k++)
        cap += TREE_HEAD_BYTES + SYMBOL_BYTES * table->trees[k].n;
    uint8_t *data = xcalloc(1, cap), *p = data + HEAD_BYTES;
    memcpy(data, magic, sizeof magic);
    data[8] = (uint8_t)table->symbol_bits;
    data[9] = (uint8_t)table->ntrees;
    for (unsigned k = 0; k < table->ntrees; k++)
        p = put_tree(p, &table->trees[k]);
    store_u32(p, codec_crc32(0, data, (size_t)(p - data)));
    *bytes = (size_t)(p - data) + CRC_BYTES;
    return data;
}

struct cursor {
    const uint8_t *p, *end;
};

/* A tree is usable if its lengths are a prefix code, its values are distinct and, where not every
 * value has a codeword, there is an escape. */
static bool tree_is_sound(const struct codec_table *t, const struct e2mc_symbol *symbols,
                          unsigned n, bool has_escape)
{
    uint64_t kraft = 0;
    unsigned values = n - has_escape, max_len = e2mc_max_len(t->symbol_bits);
    if (t->symbol_bits >= 16 ? !has_escape : has_escape || values != 1u << t->symbol_bits)
        return false;
    for (unsigned i = 0; i < n; i++) {
        if (symbols[i].len == 0 || symbols[i].len > max_len)
            return false;
        kraft += UINT64_C(1) << (E2MC_LEN_MAX - symbols[i].len);
        if (!symbols[i].escape && t->symbol_bits < 32 && symbols[i].value >> t->symbol_bits)
            return false;
    }
    return kraft <= UINT64_C(1) << E2MC_LEN_MAX;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool values_differ(const struct e2mc_tree *tree)
{
    uint32_t *sorted = xmalloc(tree->n * sizeof *sorted);
    unsigned n = 0;
    bool differ = true;
    for (unsigned i = 0; i < tree->n; i++)
        if ((int)i != tree->escape)
            sorted[n++] = tree->values[i];
    qsort(sorted, n, sizeof *sorted, by_value);
    for (unsigned i = 1; i < n; i++)
        differ &= sorted[i] != sorted[i - 1];
    free(sorted);
    return differ;
}

static bool get_tree(struct cursor *c, struct codec_table *t, struct e2mc_tree *tree)
{
    if (c->end - c->p < TREE_HEAD_BYTES)
        return false;
    unsigned n = c->p[0] | c->p[1] << 8, escape_len = c->p[2];
    c->p += TREE_HEAD_BYTES;
    if (n > CODEC_VALUES_MAX || (size_t)(c->end - c->p) < n * SYMBOL_BYTES)
        return false;
    struct e2mc_symbol *symbols = xmalloc((n + 1) * sizeof *symbols);
    for (unsigned i = 0; i < n; i++, c->p += SYMBOL_BYTES)
        symbols[i] = (struct e2mc_symbol){.value = load_u32(c->p), .len = c->p[4]};
    if (escape_len)
        symbols[n++] = (struct e2mc_symbol){.len = (uint8_t)escape_len, .escape = true};
    bool ok = tree_is_sound(t, symbols, n, escape_len != 0);
    if (ok)
        e2mc_tree_init(tree, symbols, n, t->symbol_bits);
    free(symbols);
    return ok && values_differ(tree);
}

static bool get_trees(struct cursor *c, struct codec_table *t)
{
    for (unsigned k = 0; k < t->ntrees; k++)
        if (!get_tree(c, t, &t->trees[k]))
            return false;
    return c->p == c->end;
}

struct codec_table *codec_table_unpack(const void *data, size_t bytes, struct codec_error *err)
{
    const uint8_t *p = data;
    if (bytes < HEAD_BYTES + CRC_BYTES || memcmp(p, magic, sizeof magic)) {
        codec_error_set(err, "not a code table (it does not begin with \"%s\")", magic);
        return NULL;
    }
    if (codec_crc32(0, p, bytes - CRC_BYTES) != load_u32(p + bytes - CRC_BYTES)) {
        codec_error_set(err, "the code table is damaged: its checksum is wrong");
        return NULL;
    }
    unsigned symbol_bits = p[8];
    if (symbol_bits < 4 || symbol_bits > 32 || !is_pow2(symbol_bits) ||
        p[9] != e2mc_tree_count(symbol_bits)) {
        codec_error_set(err, "a code table for symbols of %u bits; 4, 8, 16 or 32 is possible",
                        symbol_bits);
        return NULL;
    }
    struct codec_table *t = e2mc_table_new(symbol_bits);
    struct cursor c = {p + HEAD_BYTES, p + bytes - CRC_BYTES};
    if (!get_trees(&c, t)) {
        codec_error_set(err, "the code table is not a prefix code of its symbols");
        codec_table_free(t);
        return NULL;
    }
    e2mc_table_finish(t);
    return t;
}

bool codec_table_save(const struct codec_table *table, const char *path, struct codec_error *err)
{
    struct err e;
    size_t bytes;
    uint8_t *data = codec_table_pack(table, &bytes);
    bool ok = file_write(path, data, bytes, &e) || codec_error_set(err, "%.250s", e.msg);
    free(data);
    return ok;
}

struct codec_table *codec_table_load(const char *path, struct codec_error *err)
{
    struct err e;
    struct codec_error why;
    size_t bytes;
    char *data = file_read(path, &bytes, &e);
    if (!data) {
        codec_error_set(err, "%.250s", e.msg);
        return NULL;
    }
    struct codec_table *t = codec_table_unpack(data, bytes, &why);
    if (!t)
        codec_error_set(err, "%.100s: %.140s", path, why.msg);
    free(data);
    return t;
}
