// HotSpot: temperature of a chip from its power map. A block computes several time steps on a 16x16
// tile in shared memory; each step the part that is still right shrinks by one cell on every side, so
// tiles overlap.
#include "device.h"

#define BLOCK 16

struct chip {
    int rows, cols;
    float step_cap, rx1, ry1, rz1; // time step over capacity; reciprocal resistances
};

// One cell's next temperature from its own, its neighbours' and its power.
WL_FN float advance(struct chip c, float t, float north, float south, float west, float east,
                    float power)
{
    const float ambient = 80.0f;
    float flow = __fmaf_rn(south + north - 2.0f * t, c.ry1, power);
    flow = __fmaf_rn(east + west - 2.0f * t, c.rx1, flow);
    flow = __fmaf_rn(ambient - t, c.rz1, flow);
    return __fmaf_rn(c.step_cap, flow, t);
}

extern "C" __global__ void hotspot(int steps, const float *power, const float *src, float *dst,
                                   struct chip c)
{
    __shared__ float now[BLOCK][BLOCK], next[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y, inner = BLOCK - 2 * steps;
    int x0 = inner * (int)blockIdx.x - steps, y0 = inner * (int)blockIdx.y - steps;
    int x = x0 + tx, y = y0 + ty;
    bool in_chip = x >= 0 && x < c.cols && y >= 0 && y < c.rows;
    float p = 0.0f, t = 0.0f;
    if (in_chip) {
        WL_MARKED_LOAD("lnl load H=0 uses=1", t, &src[y * c.cols + x]);
        WL_MARKED_LOAD("lnl load H=1 uses=1", p, &power[y * c.cols + x]);
        now[ty][tx] = t;
    }
    __syncthreads();
    WL_MARK("lnl begin loads=0,1");
    // A neighbour outside the chip is the cell itself.
    int n = y > 0 ? ty - 1 : ty, s = y < c.rows - 1 ? ty + 1 : ty;
    int w = x > 0 ? tx - 1 : tx, e = x < c.cols - 1 ? tx + 1 : tx;
    bool computed = false;
    for (int i = 1; i <= steps; i++) {
        computed = in_chip && tx >= i && tx < BLOCK - i && ty >= i && ty < BLOCK - i;
        if (computed)
            next[ty][tx] = advance(c, now[ty][tx], now[n][tx], now[s][tx], now[ty][w], now[ty][e], p);
        __syncthreads();
        if (i == steps)
            break;
        if (computed)
            now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed)
        dst[y * c.cols + x] = next[ty][tx];
    WL_MARK("lnl end");
}
