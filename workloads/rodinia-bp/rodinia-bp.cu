/* Back propagation in Rodinia's manner: 16x16 blocks, a tile of weights in shared memory, a tree of
 * additions along the input units. Weights are (in + 1) rows of (HIDDEN + 1), row and column 0 for
 * the bias. */
#include "device.h"

#define HIDDEN 16
#define TILE   16

/* partial[block * HIDDEN + h]: the sum of this block's 16 inputs times their weights to h. */
extern "C" __global__ void bp_forward(const float *input, const float *weights, float *partial)
{
    __shared__ float node[TILE];
    __shared__ float product[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned unit = blockIdx.y * TILE + ty + 1;

    if (tx == 0)
        node[ty] = input[unit];
    __syncthreads();
    product[ty][tx] = weights[unit * (HIDDEN + 1) + tx + 1] * node[ty];
    __syncthreads();
    for (unsigned step = 2; step <= TILE; step *= 2) {
        if (ty % step == 0)
            product[ty][tx] += product[ty + step / 2][tx];
        __syncthreads();
    }
    if (tx == 0)
        partial[blockIdx.y * HIDDEN + ty] = product[0][ty];
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
