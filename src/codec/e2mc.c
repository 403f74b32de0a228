/* e2mc: entropy encoding. Canonical Huffman codewords of L-bit symbols under a given code table;
 * the symbols are split into W runs that can be decoded side by side. */
#include "codec/e2mc_int.h"

enum { PADDED_BYTES = CODEC_BLOCK_MAX + 8 }; /* 8 bytes can be loaded at any place in a block */

static unsigned pointer_bits(const struct codec *c)
{
    return (unsigned)__builtin_ctz(c->block_bytes);
}

static unsigned head_bytes(const struct codec *c)
{
    return codec_bytes((c->ways - 1) * pointer_bits(c));
}

/* ---- size ---- */

static inline unsigned run_bits(const struct codec_table *t, const uint8_t *p, unsigned bytes)
{
    unsigned bits = 0;
    if (t->symbol_bits == 16) {
        for (unsigned i = 0; i < bytes; i += 4) {
            uint32_t v = load_u32(p + i);
            bits += t->lens[v & 0xffff] + (unsigned)t->lens[v >> 16];
        }
    } else if (t->symbol_bits == 32) {
        unsigned escape = e2mc_word_len(t->escape) + 32;
        for (unsigned i = 0; i < bytes; i += 4) {
            uint32_t word = e2mc_hash_find(t, load_u32(p + i));
            bits += word ? e2mc_word_len(word) : escape;
        }
    } else {
        for (unsigned i = 0; i < bytes; i += 4)
            for (unsigned b = 0; b < 4; b++)
                bits += t->lens[b << 8 | p[i + b]];
    }
    return bits;
}

void codec_e2mc_size(const struct codec *c, const uint8_t *blocks, size_t n, uint16_t *bits)
{
    unsigned run_bytes = c->block_bytes / c->ways;
    for (size_t i = 0; i < n; i++, blocks += c->block_bytes) {
        unsigned total = 8 * head_bytes(c);
        for (unsigned w = 0; w < c->ways; w++)
            total = 8 * codec_bytes(total) + run_bits(c->table, blocks + w * run_bytes, run_bytes);
        bits[i] = (uint16_t)codec_stored_bits(c, total);
    }
}

/* ---- encode ---- */

static uint32_t symbol_at(const uint8_t *block, unsigned i, unsigned symbol_bits)
{
    uint32_t v = load_u32(block + i * symbol_bits / 32 * 4);
    unsigned shift = i * symbol_bits % 32;
    return symbol_bits == 32 ? v : v >> shift & ((1u << symbol_bits) - 1);
}

static void put_symbol(struct bitw *w, const struct codec_table *t, unsigned i, uint32_t v)
{
    uint32_t word;
    if (t->symbol_bits < 16)
        word = t->words[(i % t->ntrees) << t->symbol_bits | v];
    else
        word = t->symbol_bits == 16 ? t->words[v] : e2mc_hash_find(t, v);
    bool escaped = word == 0;
    word = escaped ? t->escape : word;
    bitw_put(w, word >> 8, e2mc_word_len(word));
    if (escaped)
        bitw_put(w, v, t->symbol_bits);
}

static unsigned e2mc_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    unsigned symbols = c->block_bytes * 8 / c->symbol_bits, starts[8];
    for (unsigned i = 0; i < head_bytes(c); i++)
        bitw_put(w, 0, 8);
    for (unsigned i = 0; i < symbols; i++) {
        if (i % (symbols / c->ways) == 0) {
            bitw_align(w);
            starts[i / (symbols / c->ways)] = w->bytes;
        }
        put_symbol(w, c->table, i, symbol_at(block, i, c->symbol_bits));
    }
    /* Pointers of a block that will be stored always fit; those of one that will be raw do not
     * matter. */
    struct bitw head;
    bitw_init(&head);
    for (unsigned k = 1; k < c->ways; k++)
        bitw_put(&head, starts[k], pointer_bits(c));
    bitw_align(&head);
    memcpy(w->buf, head.buf, head.bytes);
    return bitw_bits(w);
}

/* ---- decode ---- */

INLINE uint64_t peek(const uint8_t *buf, unsigned pos)
{
    uint64_t v;
    memcpy(&v, buf + pos / 8, 8);
    return __builtin_bswap64(v) << (pos % 8);
}

/* The codeword at the top of `bits` that is longer than the look-up takes; 0 if there is none. */
static __attribute__((noinline)) uint32_t find_long(const struct e2mc_tree *tree, uint64_t bits,
                                                    unsigned symbol_bits)
{
    for (unsigned len = E2MC_DECODE_BITS + 1; len <= E2MC_LEN_MAX; len++) {
        uint32_t rank = (uint32_t)(bits >> (64 - len)) - tree->first_code[len];
        if (rank < tree->count[len]) {
            unsigned index = tree->first_index[len] + rank;
            return e2mc_entry(index, len, (int)index == tree->escape ? symbol_bits : 0);
        }
    }
    return 0;
}

/* Decodes one symbol and returns the bits it took, 0 if no codeword begins here. */
INLINE unsigned get_symbol(const struct e2mc_tree *tree, uint64_t bits, unsigned symbol_bits,
                           uint32_t *v)
{
    uint32_t entry = tree->decode[bits >> (64 - E2MC_DECODE_BITS)];
    if (UNLIKELY(!entry))
        entry = find_long(tree, bits, symbol_bits);
    unsigned len = entry >> 8 & 0xff, total = entry & 0xff;
    uint32_t raw = (uint32_t)(bits << len >> (64 - symbol_bits));
    *v = total > len ? raw : tree->values[entry >> 16];
    return total;
}

INLINE void store_symbol(uint8_t *block, unsigned i, unsigned symbol_bits, uint32_t v)
{
    if (symbol_bits == 4)
        block[i / 2] = (uint8_t)(i % 2 ? block[i / 2] | v << 4 : v);
    else
        memcpy(block + i * (symbol_bits / 8), &v, symbol_bits / 8);
}

/* All runs in step, so that their look-ups overlap. `pos` holds the runs' first bits, at the end
 * the bit after each; none may pass `end`. */
INLINE bool decode_runs(const struct codec *c, const uint8_t *buf, unsigned *pos, unsigned end,
                        uint8_t *block, unsigned symbol_bits, unsigned ways)
{
    const struct codec_table *t = c->table;
    unsigned per_run = c->block_bytes * 8 / symbol_bits / ways;
    unsigned trees = symbol_bits < 16 ? 32 / symbol_bits : 1;
    for (unsigned s = 0; s < per_run; s++) {
        bool ok = true;
        for (unsigned w = 0; w < ways; w++) {
            unsigned i = w * per_run + s;
            uint32_t v;
            unsigned took = get_symbol(&t->trees[i % trees], peek(buf, pos[w]), symbol_bits, &v);
            pos[w] += took;
            ok &= (took != 0) & (pos[w] <= end);
            store_symbol(block, i, symbol_bits, v);
        }
        if (UNLIKELY(!ok))
            return false;
    }
    return true;
}

INLINE bool decode_ways(const struct codec *c, const uint8_t *buf, unsigned *pos, unsigned end,
                        uint8_t *block, unsigned symbol_bits)
{
    switch (c->ways) {
    case 1:
        return decode_runs(c, buf, pos, end, block, symbol_bits, 1);
    case 2:
        return decode_runs(c, buf, pos, end, block, symbol_bits, 2);
    case 4:
        return decode_runs(c, buf, pos, end, block, symbol_bits, 4);
    default:
        return decode_runs(c, buf, pos, end, block, symbol_bits, 8);
    }
}

static bool decode_symbols(const struct codec *c, const uint8_t *buf, unsigned *pos, unsigned end,
                           uint8_t *block)
{
    switch (c->symbol_bits) {
    case 4:
        return decode_ways(c, buf, pos, end, block, 4);
    case 8:
        return decode_ways(c, buf, pos, end, block, 8);
    case 16:
        return decode_ways(c, buf, pos, end, block, 16);
    default:
        return decode_ways(c, buf, pos, end, block, 32);
    }
}

static bool e2mc_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    uint8_t buf[PADDED_BYTES];
    unsigned bytes = codec_bytes(r->bits), start[8], pos[8];
    memcpy(buf, r->buf, bytes);
    memset(buf + bytes, 0, 8);
    start[0] = head_bytes(c);
    for (unsigned w = 1; w < c->ways; w++)
        start[w] = (unsigned)(peek(buf, (w - 1) * pointer_bits(c)) >> (64 - pointer_bits(c)));
    for (unsigned w = 0; w < c->ways; w++) {
        pos[w] = 8 * start[w];
        if (start[w] >= bytes)
            return false;
    }
    if (!decode_symbols(c, buf, pos, 8 * bytes, block))
        return false;
    for (unsigned w = 0; w + 1 < c->ways; w++)
        if (codec_bytes(pos[w]) != start[w + 1])
            return false;
    r->pos = pos[c->ways - 1];
    return true;
}

static void e2mc_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    const struct codec_table *t = c->table;
    for (unsigned i = 0; i < c->block_bytes * 8 / c->symbol_bits; i++) {
        uint32_t v = symbol_at(block, i, c->symbol_bits);
        bool escaped = (t->symbol_bits == 16 && !t->words[v]) ||
                       (t->symbol_bits == 32 && !e2mc_hash_find(t, v));
        counts[escaped]++;
    }
}

static const char *const kinds[] = {"codeword", "escape"};

/* By the length of symbols; decompression by one way. */
static const struct {
    unsigned symbol_bits;
    struct codec_unit compress, decompress;
} units[] = {
    {4, {154, 0.02, 1.43}, {233, 0.01, 5.12}},
    {8, {84, 0.08, 4.01}, {143, 0.04, 11.91}},
    {16, {46, 0.11, 5.47}, {82, 0.07, 11.89}},
    {32, {24, 0.17, 9.34}, {42, 0.12, 14.30}},
};

static void e2mc_scale_hw(const struct codec *c, struct codec_hw *hw)
{
    for (unsigned i = 0; i < ARRAY_LEN(units); i++)
        if (units[i].symbol_bits == c->symbol_bits) {
            hw->compress = units[i].compress;
            hw->decompress = units[i].decompress;
        }
    hw->decompress.latency_cycles /= c->ways;
}

const struct codec_class codec_e2mc_class = {
    .name = "e2mc",
    .encode = e2mc_encode,
    .decode = e2mc_decode,
    .tally = e2mc_tally,
    .unit = "symbols",
    .kinds = kinds,
    .nkinds = ARRAY_LEN(kinds),
    .hw = {.node_nm = 32,
           .source = "E2MC (Lal et al., IPDPS 2017), Tables III and VI; one unit, 128-byte block",
           .note = "at the DRAM clock"},
    .scale_hw = e2mc_scale_hw,
};
