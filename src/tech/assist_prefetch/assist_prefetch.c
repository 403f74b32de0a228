/* Prefetching into the L1 by assist warps, in their modules prefetch_*. */
#include "tech/assist/assist.h"

static const struct tech_design designs[] = {
    {"caba-prefetch-stride", "assist warps follow the strides of loads and prefetch into the L1",
     "prefetch_stride", 0, false},
    {"caba-prefetch-stream", "assist warps follow streams of misses and prefetch into the L1",
     "prefetch_stream", 0, false},
};

const struct technique assist_prefetch_technique = {
    .name = "assist_prefetch",
    .designs = designs,
    .ndesigns = ARRAY_LEN(designs),
    .bind = assist_module_bind,
    .announce = assist_module_announce,
};
