/* zero: nothing at all for a block of zeros, else raw. */
#include "codec/codec_int.h"

static unsigned zero_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    (void)w;
    for (unsigned i = 0; i < c->block_bytes; i++)
        if (block[i])
            return codec_raw_bits(c) + 1;
    return 0;
}

static bool zero_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    (void)r;
    memset(block, 0, c->block_bytes);
    return true;
}

static void zero_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    (void)c, (void)block;
    counts[0]++;
}

static const char *const kinds[] = {"zeros"};

CODEC_CLASS(zero, "zero", "blocks",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "", "a helper, not a design"});
