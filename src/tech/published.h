/* Latencies of circuits for the codecs: as published, where the sources give one. */
#ifndef TECH_PUBLISHED_H
#define TECH_PUBLISHED_H

#include "base/common.h"
#include "parsim/codec.h"

/* Cycles; `set` if that is not negative. */
uint32_t published_encode(const struct codec *codec, int64_t set);
uint32_t published_decode(const struct codec *codec, int64_t set);

#endif
