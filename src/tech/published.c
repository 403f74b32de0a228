/* Cycles from the codecs' hardware rows; where a paper is silent, another codec's, as
 * docs/designs.md says. */
#include "tech/published.h"

#include <math.h>

/* Where the sources give none, what they give for the slowest simple codec (fpc). A choice of the
 * best takes as long as the slowest of its members. */
enum { SILENT_ENCODE = 6, SILENT_DECODE = 10, BESTOF_ENCODE = 16, BESTOF_DECODE = 10 };

static uint32_t cycles(int64_t set, double published, uint32_t silent)
{
    return set >= 0 ? (uint32_t)set : published >= 0 ? (uint32_t)ceil(published) : silent;
}

uint32_t published_encode(const struct codec *codec, int64_t set)
{
    return cycles(set, codec_hw(codec).compress.latency_cycles,
                  codec_id(codec) == CODEC_BESTOF ? BESTOF_ENCODE : SILENT_ENCODE);
}

uint32_t published_decode(const struct codec *codec, int64_t set)
{
    return cycles(set, codec_hw(codec).decompress.latency_cycles,
                  codec_id(codec) == CODEC_BESTOF ? BESTOF_DECODE : SILENT_DECODE);
}
