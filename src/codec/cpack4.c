/* cpack4: CABA's C-Pack. At most four dictionary words at the head, fixed-size codes, so that every
 * lane of a warp decodes its word on its own. */
#include "codec/codec_int.h"

enum { DICT = 4, MISMATCH_FLAG = 8 };
enum { KIND_ZERO, KIND_ZERO_BYTE, KIND_MATCH, KIND_MATCH_BYTE };

struct cpack4_plan {
    uint32_t dict[DICT];
    unsigned k; /* DICT + 1 if the block needs more than DICT words */
    bool mismatch;
    uint8_t codes[WORDS_MAX]; /* kind | index << 2 */
};

static unsigned cover(struct cpack4_plan *p, uint32_t v)
{
    if (v < 0x100)
        return v ? KIND_ZERO_BYTE : KIND_ZERO;
    unsigned i = 0;
    while (i < p->k && (p->dict[i] ^ v) >> 8)
        i++;
    if (i == p->k) {
        if (++p->k > DICT)
            return 0;
        p->dict[i] = v;
    }
    return (p->dict[i] == v ? KIND_MATCH : KIND_MATCH_BYTE) | i << 2;
}

static void plan_block(const uint8_t *block, unsigned n, struct cpack4_plan *p)
{
    *p = (struct cpack4_plan){.k = 0};
    for (unsigned i = 0; i < n && p->k <= DICT; i++) {
        unsigned code = cover(p, load_u32(block + 4 * i));
        p->codes[i] = (uint8_t)code;
        p->mismatch |= code & 1;
    }
}

static unsigned cpack4_encode(const struct codec *c, const uint8_t *block, struct bitw *w)
{
    struct cpack4_plan p;
    unsigned n = c->block_bytes / 4;
    plan_block(block, n, &p);
    if (p.k > DICT)
        return codec_raw_bits(c) + 1;
    bitw_put(w, p.k | (p.mismatch ? MISMATCH_FLAG : 0), 8);
    for (unsigned i = 0; i < n; i += 2)
        bitw_put(w, p.codes[i] | p.codes[i + 1] << 4, 8);
    for (unsigned i = 0; i < p.k; i++)
        bitw_put_le(w, p.dict[i], 4);
    for (unsigned i = 0; p.mismatch && i < n; i++)
        bitw_put(w, p.codes[i] & 1 ? block[4 * i] : 0, 8);
    return bitw_bits(w);
}

static bool cpack4_decode(const struct codec *c, struct bitr *r, uint8_t *block)
{
    unsigned n = c->block_bytes / 4, head = bitr_get(r, 8), k = head & 7;
    bool mismatch = head & MISMATCH_FLAG;
    if (k > DICT || head > 15)
        return false;
    uint8_t codes[WORDS_MAX];
    for (unsigned i = 0; i < n; i += 2) {
        unsigned pair = bitr_get(r, 8);
        codes[i] = pair & 15;
        codes[i + 1] = (uint8_t)(pair >> 4);
    }
    uint32_t dict[DICT] = {0};
    for (unsigned i = 0; i < k; i++)
        dict[i] = (uint32_t)bitr_get_le(r, 4);
    for (unsigned i = 0; i < n; i++) {
        unsigned kind = codes[i] & 3, index = codes[i] >> 2;
        uint32_t byte = mismatch ? bitr_get(r, 8) : 0;
        if ((kind & 1 && !mismatch) || (kind >= KIND_MATCH && index >= k))
            return false;
        uint32_t v = kind >= KIND_MATCH ? dict[index] : 0;
        store_u32(block + 4 * i, kind & 1 ? (v & ~0xffu) | byte : v);
    }
    return true;
}

static void cpack4_tally(const struct codec *c, const uint8_t *block, uint64_t *counts)
{
    struct cpack4_plan p;
    plan_block(block, c->block_bytes / 4, &p);
    counts[p.k * 2 + p.mismatch]++;
}

static const char *const kinds[] = {"0 words", "0 words+bytes", "1 word",  "1 word+bytes",
                                    "2 words", "2 words+bytes", "3 words", "3 words+bytes",
                                    "4 words", "4 words+bytes"};

CODEC_CLASS(cpack4, "cpack4", "blocks",
            {HW_NOT_GIVEN, HW_NOT_GIVEN, HW_UNKNOWN, "CABA (ISCA 2015), section 5.1.4",
             "runs as assist warps, not as a circuit"});
