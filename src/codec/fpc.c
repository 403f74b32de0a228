/* fpc: frequent pattern compression. A 3-bit prefix and its data for every word, zero words in
 * runs. */
#include "codec/codec_int.h"
#include "codec/fpc_patterns.h"

static unsigned zero_run(const uint8_t *block, unsigned i, unsigned n)
{
    unsigned run = 0;
    while (run < FPC_RUN_MAX && i + run < n && load_u32(block + 4 * (i + run)) == 0)
        run++;
    return run;
}

static unsigned fpc_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    unsigned n = c->block_bytes / 4;
    for (unsigned i = 0; i < n;) {
        uint32_t v = load_u32(block + 4 * i);
        unsigned pattern = fpc_classify(v), run = zero_run(block, i, n);
        bitw_put(w, pattern, 3);
        bitw_put(w, pattern == FPC_ZERO ? run - 1 : fpc_pack(v, pattern), fpc_data_bits[pattern]);
        i += pattern == FPC_ZERO ? run : 1;
    }
    return bitw_bits(w);
}

static bool fpc_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned n = c->block_bytes / 4;
    for (unsigned i = 0; i < n && !r->bad;) {
        unsigned pattern = bitr_get(r, 3);
        uint32_t data = bitr_get(r, fpc_data_bits[pattern]);
        if (pattern != FPC_ZERO) {
            store_u32(block + 4 * i++, fpc_unpack(data, pattern));
            continue;
        }
        if (data + 1 > n - i)
            return false;
        memset(block + 4 * i, 0, 4 * (data + 1));
        i += data + 1;
    }
    return true;
}

static void fpc_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    for (unsigned i = 0; i < c->block_bytes; i += 4)
        counts[fpc_classify(load_u32(block + i))]++;
}

static const char *const kinds[] = {"zero",      "sign4",     "sign8",  "sign16",
                                    "high-half", "two-bytes", "repeat", "raw-word"};

CODEC_CLASS(fpc, "fpc", "words",
            {{6, HW_NO_AREA}, {10, HW_NO_AREA}, HW_UNKNOWN, "E2MC (IPDPS 2017), Table VI", ""});
