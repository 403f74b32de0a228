// The front of a JPEG encoder: 8x8 cosine transform, quantisation in zigzag order, and the symbols
// that the entropy coder will code. Eight threads transform a block, one line each.
#include "device.h"

#define BLOCKS_A_CTA 32 // 8 threads each

__constant__ float cosines[64];   // cosines[k * 8 + x]: frequency k at sample x, scaled
__constant__ float steps[64];     // reciprocal quantisation steps
__constant__ unsigned char zigzag[64];

extern "C" __global__ void dct8x8(float *out, const unsigned char *image, int width, int blocks)
{
    __shared__ float tile[BLOCKS_A_CTA][8][9];
    int line = threadIdx.x, slot = threadIdx.y, b = blockIdx.x * BLOCKS_A_CTA + slot;
    int across = width / 8;
    float v[8];
    if (b < blocks) {
        const unsigned char *p = image + (b / across * 8 + line) * width + b % across * 8;
        for (int x = 0; x < 8; x++)
            v[x] = (float)(int)p[x] - 128.0f;
        for (int k = 0; k < 8; k++) {
            float sum = 0.0f;
            for (int x = 0; x < 8; x++)
                sum = __fmaf_rn(v[x], cosines[k * 8 + x], sum);
            tile[slot][line][k] = sum;
        }
    }
    __syncthreads();
    if (b >= blocks)
        return;
    for (int y = 0; y < 8; y++)
        v[y] = tile[slot][y][line];
    for (int k = 0; k < 8; k++) {
        float sum = 0.0f;
        for (int y = 0; y < 8; y++)
            sum = __fmaf_rn(v[y], cosines[k * 8 + y], sum);
        out[b * 64 + k * 8 + line] = sum;
    }
}

extern "C" __global__ void quantise(int *levels, const float *coefficients, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int from = zigzag[i % 64];
    levels[i] = __float2int_rn(coefficients[i / 64 * 64 + from] * steps[from]);
}

WL_FN int magnitude_bits(int v)
{
    return 32 - __clz(v < 0 ? -v : v);
}

// One thread a block: (run of zeros, size) pairs as the Huffman coder wants them, and how many bits
// the values behind them take. Threads diverge with the block's content.
extern "C" __global__ void entropy_prepare(unsigned short *symbols, int *counts, int *bits,
                                           const int *levels, int blocks)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks)
        return;
    const int *l = levels + b * 64;
    int dc = l[0] - (b ? l[-64] : 0), count = 0, run = 0, total = magnitude_bits(dc);
    symbols[b * 64 + count++] = magnitude_bits(dc);
    for (int i = 1; i < 64; i++) {
        if (l[i] == 0) {
            run++;
            continue;
        }
        for (; run > 15; run -= 16)
            symbols[b * 64 + count++] = 0xf0;
        int size = magnitude_bits(l[i]);
        symbols[b * 64 + count++] = run << 4 | size;
        total += size;
        run = 0;
    }
    if (run && count < 64)
        symbols[b * 64 + count++] = 0; // end of block
    counts[b] = count;
    bits[b] = total;
}
