/* Code tables from any bytes: refused, or sound enough to code blocks with. */
#include "fuzz/codec/support_fuzz_codec.h"

#include "base/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void code_with(const struct codec_table *t, const uint8_t *data, size_t size)
{
    char name[16];
    uint8_t block[32] = {0}, out[32], back[32];
    snprintf(name, sizeof name, "e2mc-%uw2", codec_table_symbol_bits(t));
    struct codec *c = codec_new(
        name, &(struct codec_params){.block_bytes = 32, .mag_bytes = 8, .table = t}, NULL);
    memcpy(block, data, size < sizeof block ? size : sizeof block);
    unsigned bits = codec_encode(c, block, out);
    if (codec_size(c, block) != bits || !codec_decode(c, out, bits, back) ||
        memcmp(back, block, sizeof block))
        abort();
    codec_decode(c, block, 8 * 20, back);
    codec_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    /* With the checksum put right, so that the checks behind it are reached. */
    uint8_t *copy = xmalloc(size);
    memcpy(copy, data, size);
    uint32_t crc = codec_crc32(0, copy, size - 4);
    memcpy(copy + size - 4, &crc, 4);
    struct codec_table *t = codec_table_unpack(copy, size, NULL);
    if (t)
        code_with(t, data, size);
    codec_table_free(t);
    free(copy);
    return 0;
}
