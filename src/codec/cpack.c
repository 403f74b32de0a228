/* cpack: C-Pack. 32-bit words against a FIFO dictionary of 16 that starts empty in every block. */
#include "codec/codec_int.h"

enum { DICT = 16, INDEX_BITS = 4 };

/* In the order of their cost. */
enum { ZZZZ, MMMM, ZZZX, MMMX, MMXX, XXXX, CODES };

static const struct {
    unsigned char prefix, prefix_bits, literal_bits;
    bool indexed, enters;
} codes[CODES] = {
    [ZZZZ] = {0, 2, 0, false, false},  [MMMM] = {2, 2, 0, true, false},
    [ZZZX] = {13, 4, 8, false, false}, [MMMX] = {14, 4, 8, true, true},
    [MMXX] = {12, 4, 16, true, true},  [XXXX] = {1, 2, 32, false, true},
};

struct dict {
    uint32_t words[DICT];
    unsigned entered; /* ever; the next slot is entered % DICT */
};

static void dict_enter(struct dict *d, unsigned code, uint32_t v)
{
    if (codes[code].enters)
        d->words[d->entered++ % DICT] = v;
}

/* The lowest index whose word agrees with v in all but the low `ignored` bits, or -1. */
static int dict_find(const struct dict *d, uint32_t v, unsigned ignored)
{
    unsigned n = d->entered < DICT ? d->entered : DICT;
    for (unsigned i = 0; i < n; i++)
        if ((d->words[i] ^ v) >> ignored == 0)
            return (int)i;
    return -1;
}

static unsigned classify(const struct dict *d, uint32_t v, int *index)
{
    *index = 0;
    if (v == 0)
        return ZZZZ;
    if ((*index = dict_find(d, v, 0)) >= 0)
        return MMMM;
    if (v < 0x100)
        return ZZZX;
    if ((*index = dict_find(d, v, 8)) >= 0)
        return MMMX;
    if ((*index = dict_find(d, v, 16)) >= 0)
        return MMXX;
    return XXXX;
}

static unsigned cpack_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    struct dict d = {.entered = 0};
    for (unsigned i = 0; i < c->block_bytes / 4; i++) {
        uint32_t v = load_u32(block + 4 * i);
        int index;
        unsigned code = classify(&d, v, &index);
        bitw_put(w, codes[code].prefix, codes[code].prefix_bits);
        if (codes[code].indexed)
            bitw_put(w, (uint32_t)index, INDEX_BITS);
        bitw_put(w, v, codes[code].literal_bits);
        dict_enter(&d, code, v);
    }
    return bitw_bits(w);
}

static unsigned read_code(struct bitr *r)
{
    unsigned prefix = bitr_get(r, 2), bits = 2;
    if (prefix == 3) {
        prefix = 12 | bitr_get(r, 2);
        bits = 4;
    }
    for (unsigned code = 0; code < CODES; code++)
        if (codes[code].prefix == prefix && codes[code].prefix_bits == bits)
            return code;
    return CODES;
}

static bool cpack_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    struct dict d = {.entered = 0};
    for (unsigned i = 0; i < c->block_bytes / 4 && !r->bad; i++) {
        unsigned code = read_code(r);
        if (code == CODES)
            return false;
        uint32_t high = 0;
        if (codes[code].indexed) {
            unsigned index = bitr_get(r, INDEX_BITS);
            if (index >= d.entered)
                return false;
            high = d.words[index];
        }
        unsigned literal = codes[code].literal_bits;
        uint32_t low = bitr_get(r, literal);
        uint32_t v = (uint32_t)((uint64_t)high >> literal << literal) | low;
        store_u32(block + 4 * i, v);
        dict_enter(&d, code, v);
    }
    return true;
}

static void cpack_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    struct dict d = {.entered = 0};
    for (unsigned i = 0; i < c->block_bytes; i += 4) {
        int index;
        unsigned code = classify(&d, load_u32(block + i), &index);
        counts[code]++;
        dict_enter(&d, code, load_u32(block + i));
    }
}

static const char *const kinds[] = {"zzzz", "mmmm", "zzzx", "mmmx", "mmxx", "xxxx"};

CODEC_CLASS(cpack, "cpack", "words",
            {{16, HW_NO_AREA},
             {9, HW_NO_AREA},
             HW_UNKNOWN,
             "C-Pack (Chen et al., TVLSI 2010), as quoted by later work; 64-byte line",
             "not checked against the paper itself"});
