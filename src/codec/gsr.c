/* gsr: G-Scalar's register value compression. The lanes' equal most significant bytes are stored
 * once, in the base value; how many they are (enc[3:0]) is metadata, and follows from the length.
 */
#include "codec/codec_int.h"

enum { BASE_BYTES = 4 };

unsigned codec_gsr_equal_bytes(const uint32_t *lanes, unsigned n, uint32_t active)
{
    uint32_t base = 0, differ = 0;
    bool found = false;
    for (unsigned i = 0; i < n; i++) {
        if (!(active >> i & 1))
            continue;
        base = found ? base : lanes[i];
        found = true;
        differ |= lanes[i] ^ base;
    }
    return differ ? (unsigned)__builtin_clz(differ) / 8 : 4;
}

unsigned codec_gsr_enc(unsigned equal_bytes)
{
    return 0xf0u >> equal_bytes & 0xf;
}

static unsigned equal_bytes(const struct codec *c, const uint8_t *block)
{
    uint32_t lanes[WORDS_MAX];
    memcpy(lanes, block, c->block_bytes);
    return codec_gsr_equal_bytes(lanes, c->block_bytes / 4, ~0u);
}

static unsigned gsr_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    unsigned k = equal_bytes(c, block);
    bitw_put_le(w, load_u32(block), BASE_BYTES);
    for (unsigned i = 0; i < c->block_bytes; i += 4)
        bitw_put_le(w, load_u32(block + i), 4 - k);
    return bitw_bits(w);
}

static bool gsr_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned lanes = c->block_bytes / 4, low = r->bits / 8 / lanes;
    if (low > 3 || r->bits != 8 * (BASE_BYTES + low * lanes))
        return false;
    uint32_t base = (uint32_t)bitr_get_le(r, BASE_BYTES);
    uint32_t high = low ? base >> (8 * low) << (8 * low) : base;
    for (unsigned i = 0; i < lanes; i++)
        store_u32(block + 4 * i, high | (uint32_t)bitr_get_le(r, low));
    return true;
}

static void gsr_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    counts[equal_bytes(c, block)]++;
}

static const char *const kinds[] = {"0000", "1000", "1100", "1110", "1111"};

CODEC_CLASS(gsr, "gsr", "registers",
            {{1, 0.011624, 16.22},
             {1, 0.007332, 15.86},
             40,
             "G-Scalar thesis, Table 2.3; 1024-bit pipeline registers included, 1.4 GHz",
             "0.67 ns and 0.35 ns; reading the encoding bits adds a third cycle"});
