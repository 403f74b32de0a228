/* dpc: dual pattern compression. The block's 4-byte segments are turned into 32 bit planes; a plane
 * of all zeros or all ones is one bit. With data filtering, only the critical sectors count. */
#include "codec/codec_int.h"

enum { PLANES = 32, SUB_BYTES = 32, SUB_WORDS = 8, MAP_BITS = 4 };

/* Planes that are all zeros or all ones. */
static uint32_t constant_planes(const uint32_t *segs, unsigned n, uint32_t *ones)
{
    uint32_t all = ~0u, any = 0;
    for (unsigned i = 0; i < n; i++) {
        all &= segs[i];
        any |= segs[i];
    }
    *ones = all;
    return all | ~any;
}

/* Segment 0 is a plane's first bit in the stream: the segments are turned from the last. */
static void put_planes(const uint32_t *segs, unsigned n, struct bitw *w)
{
    uint32_t planes[PLANES] = {0}, ones, constant = constant_planes(segs, n, &ones);
    for (unsigned i = 0; i < n; i++)
        planes[n - 1 - i] = segs[i];
    bits_transpose(planes);
    for (unsigned b = 0; b < PLANES; b++)
        bitw_put(w, constant >> b & 1, 1);
    for (unsigned b = 0; b < PLANES; b++)
        bitw_put(w, planes[b], constant >> b & 1 ? 1 : n);
}

static void get_planes(uint32_t *segs, unsigned n, struct bitr *r)
{
    uint32_t planes[PLANES], status = bitr_get(r, PLANES);
    for (unsigned b = 0; b < PLANES; b++) {
        bool constant = status >> (PLANES - 1 - b) & 1;
        planes[b] = bitr_get(r, constant ? 1 : n);
        if (constant)
            planes[b] = -planes[b]; /* one bit for all segments */
    }
    bits_transpose(planes);
    for (unsigned i = 0; i < n; i++)
        segs[i] = planes[n - 1 - i];
}

static unsigned dpc_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    uint32_t segs[WORDS_MAX];
    memcpy(segs, block, c->block_bytes);
    bitw_put(w, 1, 1);
    put_planes(segs, c->block_bytes / 4, w);
    return bitw_bits(w);
}

static bool dpc_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    uint32_t segs[WORDS_MAX];
    if (!bitr_get(r, 1))
        return false;
    get_planes(segs, c->block_bytes / 4, r);
    memcpy(block, segs, c->block_bytes);
    return true;
}

static void dpc_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    uint32_t segs[WORDS_MAX], ones;
    memcpy(segs, block, c->block_bytes);
    uint32_t constant = constant_planes(segs, c->block_bytes / 4, &ones);
    counts[0] += (unsigned)__builtin_popcount(constant & ~ones);
    counts[1] += (unsigned)__builtin_popcount(ones);
    counts[2] += (unsigned)__builtin_popcount(~constant);
}

static const char *const kinds[] = {"zeros", "ones", "raw-plane"};

CODEC_CLASS(dpc, "dpc", "planes",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "data filtering thesis, section 3.4.1",
             "the source gives no latency"});

/* ---- data filtering ---- */

/* Bits of the map beyond the block's sectors mean nothing. */
static unsigned valid_map(unsigned map, unsigned block_bytes)
{
    return map & ((1u << block_bytes / SUB_BYTES) - 1);
}

static unsigned gather(const uint8_t *block, unsigned block_bytes, unsigned map, uint32_t *segs)
{
    unsigned n = 0;
    for (unsigned s = 0; s < block_bytes / SUB_BYTES; s++) {
        if (!(map >> s & 1))
            continue;
        memcpy(segs + n, block + s * SUB_BYTES, SUB_BYTES);
        n += SUB_WORDS;
    }
    return n;
}

static void scatter(const uint32_t *segs, unsigned block_bytes, unsigned map, uint8_t *block)
{
    for (unsigned s = 0; s < block_bytes / SUB_BYTES; s++) {
        if (map >> s & 1) {
            memcpy(block + s * SUB_BYTES, segs, SUB_BYTES);
            segs += SUB_WORDS;
        } else {
            memset(block + s * SUB_BYTES, 0, SUB_BYTES);
        }
    }
}

static unsigned plane_bits(const uint32_t *segs, unsigned n)
{
    uint32_t ones;
    unsigned constant = (unsigned)__builtin_popcount(constant_planes(segs, n, &ones));
    return 1 + PLANES + constant + (PLANES - constant) * n;
}

static unsigned truc_bits(const uint32_t *segs, unsigned n, unsigned block_bytes)
{
    if (n == 0)
        return 0;
    unsigned bits = plane_bits(segs, n) + (4 * n < block_bytes ? MAP_BITS : 0);
    return codec_bytes(bits) < 4 * n ? bits : 32 * n;
}

unsigned codec_dpc_truc_size(const void *block, unsigned block_bytes, unsigned map)
{
    uint32_t segs[WORDS_MAX];
    return truc_bits(segs, gather(block, block_bytes, map, segs), block_bytes);
}

unsigned codec_dpc_truc_encode(const void *block, unsigned block_bytes, unsigned map, void *out)
{
    uint32_t segs[WORDS_MAX];
    map = valid_map(map, block_bytes);
    unsigned n = gather(block, block_bytes, map, segs);
    unsigned bits = truc_bits(segs, n, block_bytes);
    if (bits == 32 * n) {
        memcpy(out, segs, 4 * n);
        return bits;
    }
    struct bitw w;
    bitw_init(&w);
    bitw_put(&w, 1, 1);
    for (unsigned s = 0; s < MAP_BITS && 4 * n < block_bytes; s++)
        bitw_put(&w, map >> s & 1, 1);
    put_planes(segs, n, &w);
    bitw_align(&w);
    memcpy(out, w.buf, w.bytes);
    return bits;
}

bool codec_dpc_truc_decode(const void *in, unsigned bits, unsigned block_bytes, unsigned map,
                           void *block)
{
    uint32_t segs[WORDS_MAX];
    map = valid_map(map, block_bytes);
    unsigned n = SUB_WORDS * (unsigned)__builtin_popcount(map);
    if (bits == 32 * n) {
        memcpy(segs, in, 4 * n);
    } else if (n == 0) {
        return false;
    } else {
        struct bitr r = {.buf = in, .bits = bits};
        if (!bitr_get(&r, 1))
            return false;
        for (unsigned s = 0; s < MAP_BITS && 4 * n < block_bytes; s++)
            if (bitr_get(&r, 1) != (map >> s & 1))
                return false;
        get_planes(segs, n, &r);
        if (r.bad || r.pos != bits)
            return false;
    }
    scatter(segs, block_bytes, map, block);
    return true;
}

/* The block that DF-MAN sends: as it is, or with the sectors outside the map zeroed where that
 * makes it smaller. */
static unsigned man_choose(const void *block, unsigned block_bytes, unsigned map, uint32_t *segs)
{
    unsigned whole = plane_bits(memcpy(segs, block, block_bytes), block_bytes / 4);
    uint32_t kept[WORDS_MAX], zeroed[WORDS_MAX];
    gather(block, block_bytes, map, kept);
    scatter(kept, block_bytes, map, (uint8_t *)zeroed);
    unsigned bits = plane_bits(zeroed, block_bytes / 4);
    if (bits < whole)
        memcpy(segs, zeroed, block_bytes);
    else
        bits = whole;
    return codec_bytes(bits) < block_bytes ? bits : 8 * block_bytes;
}

unsigned codec_dpc_man_size(const void *block, unsigned block_bytes, unsigned map)
{
    uint32_t segs[WORDS_MAX];
    return man_choose(block, block_bytes, map, segs);
}

unsigned codec_dpc_man_encode(const void *block, unsigned block_bytes, unsigned map, void *out)
{
    uint32_t segs[WORDS_MAX];
    unsigned bits = man_choose(block, block_bytes, map, segs);
    if (bits == 8 * block_bytes) {
        memcpy(out, segs, block_bytes);
        return bits;
    }
    struct bitw w;
    bitw_init(&w);
    bitw_put(&w, 1, 1);
    put_planes(segs, block_bytes / 4, &w);
    bitw_align(&w);
    memcpy(out, w.buf, w.bytes);
    return bits;
}
