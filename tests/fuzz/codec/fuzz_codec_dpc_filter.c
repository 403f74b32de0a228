/* DF-TRUC and DF-MAN: critical sectors come back, whatever the map. */
#include "base/common.h"
#include "parsim/codec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_critical(const uint8_t *block, const uint8_t *back, unsigned bytes, unsigned map)
{
    for (unsigned s = 0; s < bytes / 32; s++)
        if (map >> s & 1 && memcmp(block + 32 * s, back + 32 * s, 32))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct codec *dpc[3];
    if (size == 0)
        return 0;
    unsigned which = (data[0] & 3) % 3, bytes = 32u << which, map = data[0] >> 4;
    if (!dpc[which])
        dpc[which] = codec_new("dpc", &(struct codec_params){.block_bytes = bytes}, NULL);
    uint8_t block[CODEC_BLOCK_MAX] = {0}, out[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
    memcpy(block, data + 1, size - 1 < bytes ? size - 1 : bytes);
    unsigned bits = codec_dpc_truc_encode(block, bytes, map, out);
    if (bits != codec_dpc_truc_size(block, bytes, map) ||
        !codec_dpc_truc_decode(out, bits, bytes, map, back))
        abort();
    check_critical(block, back, bytes, map);
    bits = codec_dpc_man_encode(block, bytes, map, out);
    if (bits != codec_dpc_man_size(block, bytes, map) || !codec_decode(dpc[which], out, bits, back))
        abort();
    check_critical(block, back, bytes, map);
    codec_dpc_truc_decode(block, 8 * bytes - data[0] % 32, bytes, map, back);
    return 0;
}
