/* bestof: the smallest of a set of codecs, the winner's id in one more byte at the head. */
#include "codec/codec_int.h"

/* The member with the fewest bits, the first of the set among equals. */
static unsigned winner(const struct codec *c, const uint8_t *block, unsigned *bits)
{
    unsigned best = 0;
    *bits = ~0u;
    for (unsigned i = 0; i < c->nmembers; i++) {
        unsigned b = codec_size(c->members[i], block);
        if (b < *bits) {
            *bits = b;
            best = i;
        }
    }
    return best;
}

static unsigned bestof_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    unsigned bits;
    const struct codec *member = c->members[winner(c, block, &bits)];
    uint8_t out[CODEC_BLOCK_MAX];
    codec_encode(member, block, out);
    bitw_put(w, member->id, 8);
    for (unsigned i = 0; i < bits; i += 8) {
        unsigned n = bits - i < 8 ? bits - i : 8;
        bitw_put(w, out[i / 8] >> (8 - n), n);
    }
    return bitw_bits(w);
}

static bool bestof_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned id = bitr_get(r, 8), bits = r->bits - r->pos;
    if (r->bad)
        return false;
    for (unsigned i = 0; i < c->nmembers; i++) {
        if (c->members[i]->id != id)
            continue;
        r->pos = r->bits;
        return bits < codec_raw_bits(c) && codec_decode(c->members[i], r->buf + 1, bits, block);
    }
    return false;
}

static void bestof_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    unsigned bits;
    counts[winner(c, block, &bits)]++;
}

enum { CHUNK = 64 };

void codec_bestof_size(const struct codec *c, const uint8_t *blocks, size_t n, uint16_t *bits)
{
    uint16_t member[CHUNK];
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t m = n - at < CHUNK ? n - at : CHUNK;
        const uint8_t *first = blocks + at * c->block_bytes;
        codec_size_blocks(c->members[0], first, m, bits + at);
        for (unsigned k = 1; k < c->nmembers; k++) {
            codec_size_blocks(c->members[k], first, m, member);
            for (size_t i = 0; i < m; i++)
                bits[at + i] = member[i] < bits[at + i] ? member[i] : bits[at + i];
        }
        for (size_t i = 0; i < m; i++)
            bits[at + i] = (uint16_t)codec_stored_bits(c, bits[at + i] + 8u);
    }
}

/* Kinds are the members: named by codec_kind_name(). */
const struct codec_class codec_bestof_class = {
    .name = "bestof",
    .encode = bestof_encode,
    .decode = bestof_decode,
    .tally = bestof_tally,
    .unit = "blocks",
    .hw = {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "CABA (ISCA 2015), section 7.3",
           "idealized: no selection overhead"},
};
