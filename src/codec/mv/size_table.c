/* The size kernels of one CPU level, by codec. */
#include "codec/mv/kernels.h"

const struct codec_kernels MV(codec_kernels) = {{
#define FOR_KERNEL(ID, file)                                                \
    [CODEC_##ID] = {MV(codec_size_##file##_32), MV(codec_size_##file##_64), \
                    MV(codec_size_##file##_128)},
#include "parsim/codecs.def"
#undef FOR_KERNEL
}};
