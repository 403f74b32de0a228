#include "codec/mv/kernels.h"

const struct codec_kernels MV(codec_kernels) = {
#define X(algo) \
    .algo = {MV(codec_size_##algo##_32), MV(codec_size_##algo##_64), MV(codec_size_##algo##_128)},
    SIZE_CODECS(X)
#undef X
};
