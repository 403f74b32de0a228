/* The size kernels of one CPU level. A kernel is an inline function of a block and its size, a
 * constant, that returns the bits of the encoding; SIZE_KERNEL makes the three functions over many
 * blocks from it and applies the raw rule. */
#ifndef CODEC_KERNELS_H
#define CODEC_KERNELS_H

#include "base/cpu.h"
#include "codec/mv/simd.h"

#define KERNEL INLINE unsigned

#define SIZE_KERNEL_OF(algo, bytes)                                                              \
    void MV(codec_size_##algo##_##bytes)(const struct codec *c, const uint8_t *blocks, size_t n, \
                                         uint16_t *bits)                                         \
    {                                                                                            \
        (void)c;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                         \
            unsigned b = algo##_bits(blocks + i * (bytes), (bytes));                             \
            bits[i] = (uint16_t)(b <= 8 * ((bytes)-1) ? b : 8 * (bytes));                        \
        }                                                                                        \
    }

#define SIZE_KERNEL(algo)    \
    SIZE_KERNEL_OF(algo, 32) \
    SIZE_KERNEL_OF(algo, 64) \
    SIZE_KERNEL_OF(algo, 128)

#define SIZE_CODECS(X) X(zero) X(bdi) X(fpc) X(fpc_seg) X(cpack) X(cpack4) X(dpc) X(bpc) X(gsr)

#define X(algo)                                                           \
    codec_size_fn MV(codec_size_##algo##_32), MV(codec_size_##algo##_64), \
        MV(codec_size_##algo##_128);
SIZE_CODECS(X)
#undef X

extern const struct codec_kernels MV(codec_kernels);

#endif
