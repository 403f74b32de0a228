/* The oracle for e2mc: codewords are assigned here anew, from nothing but their lengths. */
#include "codec/support_ref.h"
#include "parsim/codec.h"

#include <stdlib.h>
#include <string.h>

static void put(struct bitstr *b, uint64_t v, unsigned n)
{
    while (n-- > 0)
        b->s[b->n++] = (char)('0' + (v >> n & 1));
}

/* Every value that has a codeword, and its length, in ascending order of value; and the escape. */
struct lengths {
    uint32_t values[1025];
    unsigned lens[1025], n, escape;
};

static void add(struct lengths *l, uint32_t value, unsigned len)
{
    l->values[l->n] = value;
    l->lens[l->n++] = len;
}

/* The escape's own length is what any value without a codeword costs, less its raw bits. */
static void collect(const struct codec_table *t, unsigned bits, unsigned pos, const uint8_t *packed,
                    struct lengths *l)
{
    l->n = l->escape = 0;
    if (bits < 16) {
        for (uint32_t v = 0; v < 1u << bits; v++)
            add(l, v, codec_table_length(t, pos, v));
        return;
    }
    unsigned n = packed[12] | packed[13] << 8;
    l->escape = packed[14];
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = packed + 16 + 5 * i;
        add(l, (uint32_t)(p[0] | p[1] << 8 | p[2] << 16) | (uint32_t)p[3] << 24, p[4]);
    }
}

/* The canonical codeword of one value: count what stands before it. */
static uint64_t codeword(const struct lengths *l, uint32_t value, bool escape, unsigned len)
{
    uint64_t code = 0;
    for (unsigned at = 1; at <= len; at++) {
        code <<= 1;
        for (unsigned i = 0; i < l->n; i++)
            code += l->lens[i] == at && (at < len || escape || l->values[i] < value);
        code += l->escape == at && at < len;
    }
    return code;
}

static void put_symbol(struct bitstr *b, const struct lengths *l, unsigned bits, uint32_t v)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (l->values[i] == v) {
            put(b, codeword(l, v, false, l->lens[i]), l->lens[i]);
            return;
        }
    }
    put(b, codeword(l, 0, true, l->escape), l->escape);
    put(b, v, bits);
}

static uint32_t symbol(const uint8_t *p, unsigned i, unsigned bits)
{
    uint32_t v = 0;
    for (unsigned k = 0; k < bits; k++) {
        unsigned at = i * bits + k;
        v |= (uint32_t)(p[at / 8] >> at % 8 & 1) << k;
    }
    return v;
}

void ref_encode_e2mc(const struct codec_table *t, unsigned symbol_bits, unsigned ways,
                     const uint8_t *block, unsigned bytes, struct bitstr *b)
{
    unsigned n = bytes * 8 / symbol_bits, log2 = bytes == 32 ? 5 : bytes == 64 ? 6 : 7;
    unsigned trees = symbol_bits < 16 ? 32 / symbol_bits : 1, starts[8];
    struct lengths *l = calloc(8, sizeof *l);
    size_t packed_bytes;
    uint8_t *packed = codec_table_pack(t, &packed_bytes);
    for (unsigned k = 0; k < trees; k++)
        collect(t, symbol_bits, k, packed, &l[k]);
    put(b, 0, ((ways - 1) * log2 + 7) / 8 * 8);
    for (unsigned i = 0; i < n; i++) {
        if (i % (n / ways) == 0) {
            put(b, 0, (unsigned)(-b->n & 7));
            starts[i / (n / ways)] = (unsigned)b->n / 8;
        }
        put_symbol(b, &l[i % trees], symbol_bits, symbol(block, i, symbol_bits));
    }
    struct bitstr *head = calloc(1, sizeof *head);
    for (unsigned w = 1; w < ways; w++)
        put(head, starts[w] & ((1u << log2) - 1), log2);
    memcpy(b->s, head->s, head->n);
    free(head);
    free(packed);
    free(l);
}
