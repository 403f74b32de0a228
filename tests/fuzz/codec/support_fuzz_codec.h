/* What every codec's fuzz target does with its input: a first byte of options, then the bytes both
 * as a block (size, encode, decode must agree) and as an encoding (must be refused or be a block).
 */
#ifndef SUPPORT_FUZZ_CODEC_H
#define SUPPORT_FUZZ_CODEC_H

#include "parsim/codec.h"

/* options & 3 picks the block size. */
void fuzz_codec(const char *name, const struct codec_table *table, const uint8_t *data,
                size_t size);

#endif
