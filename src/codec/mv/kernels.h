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

/* Rows of codecs.def that have one: FOR_KERNEL(ID, file) must be defined. */
#define FOR_ENCODED(ID, file)
#define FOR_OWN(ID, file)
#define CODEC(ID, file, size) FOR_##size(ID, file)

#define FOR_KERNEL(ID, file)                                              \
    codec_size_fn MV(codec_size_##file##_32), MV(codec_size_##file##_64), \
        MV(codec_size_##file##_128);
#include "parsim/codecs.def"
#undef FOR_KERNEL

extern const struct codec_kernels MV(codec_kernels);

#endif
