/* Two engines side by side: one decodes, the other encodes. For experiments that replace one half
 * of what assist warps do. */
#ifndef TECH_CABA_SPLIT_ENGINE_H
#define TECH_CABA_SPLIT_ENGINE_H

#include "parsim/seams_mem.h"

struct split_engine {
    struct codec_engine decodes, encodes;
};

/* `e` stays the caller's and where it is. */
struct codec_engine split_engine_seam(struct split_engine *e);

#endif
