/* Sizes, and with `--verify` every block there and back. */
#include "tech/block_codec.h"

#include <inttypes.h>
#include <string.h>

static void verify(const struct block_codec *c, addr_t addr, const void *block, unsigned bits)
{
    uint8_t code[CODEC_BLOCK_MAX], back[CODEC_BLOCK_MAX];
    unsigned n = codec_encode(c->codec, block, code);
    if (n != bits || !codec_decode(c->codec, code, n, back) || memcmp(back, block, c->block_bytes))
        panic("codec %s: the block at %#" PRIx64 " does not come back as it was (%u bits)",
              codec_name(c->codec), addr, bits);
}

uint32_t block_codec_bytes(const struct block_codec *c, addr_t addr, const void *block)
{
    if (!c->codec)
        return c->block_bytes;
    unsigned bits = codec_size(c->codec, block);
    if (c->verify)
        verify(c, addr, block, bits);
    return bits > 8 ? codec_bytes(bits) : 1;
}
