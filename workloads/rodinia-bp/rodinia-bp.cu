/* Back propagation in Rodinia's manner: 16x16 blocks, a tile of weights in shared memory, a tree of
 * additions along the input units. Weights are (in + 1) rows of (HIDDEN + 1), row and column 0 for
 * the bias. */
#include "device.h"

#define HIDDEN 16
#define TILE   16

/* 2 to the power of n, and how many rounds halve TILE to 1: on the special function unit, and computed
 * whenever asked for (the text counts the instructions of every round). Rounded, both are exact. */
WL_FN int power_of_two(int n)
{
    float log, power;
    asm volatile("lg2.approx.f32 %0, %1;" : "=f"(log) : "f"(2.0f));
    asm volatile("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"((float)n * log));
    return __float2int_rn(power);
}
WL_FN int rounds()
{
    float log;
    asm volatile("lg2.approx.f32 %0, %1;" : "=f"(log) : "f"((float)TILE));
    return __float2int_rn(log);
}

/* partial[block * HIDDEN + h]: the sum of this block's 16 inputs times their weights to h. With POW
 * each round computes its step as a power of two in floats, as Rodinia does. */
template <bool POW>
WL_FN void forward(const float *input, const float *weights, float *partial)
{
    __shared__ float node[TILE];
    __shared__ float product[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned unit = blockIdx.y * TILE + ty + 1;
    auto add_rows = [&](unsigned step) {
        if (ty % step == 0)
            product[ty][tx] += product[ty + step / 2][tx];
        __syncthreads();
    };

    if (tx == 0)
        node[ty] = input[unit];
    __syncthreads();
    product[ty][tx] = weights[unit * (HIDDEN + 1) + tx + 1] * node[ty];
    __syncthreads();
    if (POW) {
#pragma unroll 1
        for (int i = 1; i <= rounds(); i++)
            add_rows((unsigned)power_of_two(i));
    } else {
        for (unsigned step = 2; step <= TILE; step *= 2)
            add_rows(step);
    }
    if (tx == 0)
        partial[blockIdx.y * HIDDEN + ty] = product[0][ty];
}

extern "C" __global__ void bp_forward(const float *input, const float *weights, float *partial)
{
    forward<false>(input, weights, partial);
}

extern "C" __global__ void bp_forward_pow(const float *input, const float *weights, float *partial)
{
    forward<true>(input, weights, partial);
}

/* Adds eta * delta * input + momentum * (the last change) to each weight. */
extern "C" __global__ void bp_adjust(const float *delta, const float *input, float *weights,
                                     float *change)
{
    const float eta = 0.3f, momentum = 0.3f;
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned unit = blockIdx.y * TILE + ty + 1;
    unsigned at = unit * (HIDDEN + 1) + tx + 1;

    float step = __fmaf_rn(eta * delta[tx + 1], input[unit], momentum * change[at]);
    weights[at] += step;
    change[at] = step;
    __syncthreads();
    if (ty == 0 && blockIdx.y == 0) {
        step = __fmaf_rn(eta, delta[tx + 1], momentum * change[tx + 1]);
        weights[tx + 1] += step;
        change[tx + 1] = step;
    }
}
