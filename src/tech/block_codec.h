/* How large a block is when it is encoded, and, if asked, proof that it comes back. */
#ifndef TECH_BLOCK_CODEC_H
#define TECH_BLOCK_CODEC_H

#include "base/common.h"
#include "parsim/codec.h"

struct block_codec {
    const struct codec *codec; /* NULL: blocks stay as they are */
    uint32_t block_bytes;
    bool verify;
};

/* At least 1, block_bytes if it is stored raw. `addr` is for the message when it does not come back
 * as it was, which is a bug in the codec. */
uint32_t block_codec_bytes(const struct block_codec *c, addr_t addr, const void *block);

#endif
