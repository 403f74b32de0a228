/* fpc-seg: CABA's FPC. Segments of 8 words that share one pattern, so that a warp decodes a segment
 * at once; one metadata byte a segment, all at the head. */
#include "codec/codec_int.h"
#include "codec/fpc_patterns.h"

enum { SEG_WORDS = 8, SEG_BYTES = 32 };

static unsigned seg_data_bits(unsigned pattern)
{
    return pattern == FPC_ZERO ? 0 : fpc_data_bits[pattern];
}

static unsigned seg_classify(const uint8_t *seg)
{
    for (unsigned p = 0; p < FPC_PATTERNS; p++) {
        unsigned i = 0;
        while (i < SEG_WORDS && fpc_matches(load_u32(seg + 4 * i), fpc_order[p]))
            i++;
        if (i == SEG_WORDS)
            return fpc_order[p];
    }
    return FPC_RAW;
}

static unsigned fpc_seg_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    unsigned patterns[CODEC_BLOCK_MAX / SEG_BYTES], n = c->block_bytes / SEG_BYTES;
    for (unsigned s = 0; s < n; s++) {
        patterns[s] = seg_classify(block + s * SEG_BYTES);
        bitw_put(w, patterns[s], 8);
    }
    for (unsigned i = 0; i < n * SEG_WORDS; i++) {
        unsigned pattern = patterns[i / SEG_WORDS];
        bitw_put(w, fpc_pack(load_u32(block + 4 * i), pattern), seg_data_bits(pattern));
    }
    return bitw_bits(w);
}

static bool fpc_seg_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned patterns[CODEC_BLOCK_MAX / SEG_BYTES], n = c->block_bytes / SEG_BYTES;
    for (unsigned s = 0; s < n; s++) {
        patterns[s] = bitr_get(r, 8);
        if (patterns[s] >= FPC_PATTERNS)
            return false;
    }
    for (unsigned i = 0; i < n * SEG_WORDS; i++) {
        unsigned pattern = patterns[i / SEG_WORDS];
        store_u32(block + 4 * i, fpc_unpack(bitr_get(r, seg_data_bits(pattern)), pattern));
    }
    return true;
}

static void fpc_seg_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    for (unsigned i = 0; i < c->block_bytes; i += SEG_BYTES)
        counts[seg_classify(block + i)]++;
}

static const char *const kinds[] = {"zero",      "sign4",     "sign8",  "sign16",
                                    "high-half", "two-bytes", "repeat", "raw-segment"};

CODEC_CLASS(fpc_seg, "fpc-seg", "segments",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "CABA (ISCA 2015), section 5.1.4",
             "runs as assist warps, not as a circuit"});
