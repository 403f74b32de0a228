/* Which of the size kernels this CPU can run. */
#include "base/cpu.h"
#include "codec/codec_int.h"

#define X(level) extern const struct codec_kernels codec_kernels_##level;
CPU_LEVELS(X)
#undef X

const struct codec_kernels *codec_kernels(void)
{
    static const struct codec_kernels *const levels[] = {
#define X(level) &codec_kernels_##level,
        CPU_LEVELS(X)
#undef X
    };
    return levels[cpu_level()];
}
