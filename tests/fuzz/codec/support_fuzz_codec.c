/* One input as a block and as an encoding. */
#include "fuzz/codec/support_fuzz_codec.h"

#include "base/common.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)   \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static void check_block(const struct codec *c, const uint8_t *block)
{
    uint8_t out[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
    uint64_t kinds[CODEC_KINDS_MAX] = {0};
    unsigned bytes = codec_block_bytes(c), bits = codec_size(c, block);
    MUST(bits <= 8 * bytes);
    MUST(codec_encode(c, block, out) == bits);
    MUST(codec_decode(c, out, bits, back));
    MUST(!memcmp(back, block, bytes));
    codec_tally(c, block, kinds);
}

static void check_encoding(const struct codec *c, const uint8_t *data, size_t size)
{
    uint8_t back[CODEC_BLOCK_MAX];
    unsigned bytes = codec_block_bytes(c);
    unsigned bits = (unsigned)(size < bytes ? 8 * size : 8 * bytes);
    if (size > 1 && size <= bytes)
        bits -= data[0] % 8; /* any length in bits */
    /* A copy of the exact length lets the sanitizer see a read past the end. */
    uint8_t *in = xmalloc(codec_bytes(bits) + !bits);
    memcpy(in, data, codec_bytes(bits));
    if (codec_decode(c, in, bits, back))
        check_block(c, back);
    free(in);
}

void fuzz_codec(const char *name, const struct codec_table *table, const uint8_t *data, size_t size)
{
    /* Codecs are kept: building one for every input would be most of the work. */
    static struct {
        char name[32];
        const struct codec_table *table;
        struct codec *codec[3];
    } cache[32];
    if (size == 0)
        return;
    unsigned which = (data[0] & 3) % 3, at = 0;
    while (cache[at].name[0] && (strcmp(cache[at].name, name) || cache[at].table != table))
        MUST(++at < ARRAY_LEN(cache));
    strcpy(cache[at].name, name);
    cache[at].table = table;
    struct codec_params params = {.block_bytes = 32u << which, .mag_bytes = 16, .table = table};
    if (!cache[at].codec[which])
        cache[at].codec[which] = codec_new(name, &params, NULL);
    const struct codec *c = cache[at].codec[which];
    MUST(c);
    uint8_t block[CODEC_BLOCK_MAX] = {0};
    memcpy(block, data + 1, size - 1 < sizeof block ? size - 1 : sizeof block);
    check_block(c, block);
    check_encoding(c, data + 1, size - 1);
}
