/* What lines take in the data array of an L1 or an L2 slice that holds them by their size. */
#ifndef TECH_CABA_CABA_CAPACITY_H
#define TECH_CABA_CABA_CAPACITY_H

#include "tech/line_codecs.h"

struct caba_capacity {
    const struct line_codecs *codec; /* of an L1: what a line that is asked for will be, if it comes
                                       encoded; the cache corrects it when it has come */
    uint32_t line_bytes, segment_bytes;
};

struct capacity_policy caba_capacity_policy(struct caba_capacity *c, uint32_t tag_factor);

#endif
