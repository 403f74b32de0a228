// PathFinder: the cheapest way down a grid of costs, one step straight or aslant a row. A block takes
// several rows at once on a stretch in shared memory; each row the part that is still right shrinks by
// one column on both sides, so stretches overlap.
#include "device.h"

#define BLOCK 256

extern "C" __global__ void pathfinder(int steps, const int *wall, const int *src, int *dst, int cols,
                                      int first_row, int border)
{
    __shared__ int now[BLOCK], next[BLOCK];
    int tx = threadIdx.x, x0 = (BLOCK - 2 * steps) * (int)blockIdx.x - border, x = x0 + tx;
    bool in_grid = x >= 0 && x < cols;
    // A neighbour outside the grid is the nearest column inside.
    int leftmost = max(-x0, 0), rightmost = min(cols - 1 - x0, BLOCK - 1);
    int w = max(tx - 1, leftmost), e = min(tx + 1, rightmost);
    if (in_grid)
        now[tx] = src[x];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = in_grid && tx > i && tx < BLOCK - 1 - i;
        if (computed) {
            int least = min(min(now[w], now[tx]), now[e]);
            next[tx] = least + wall[cols * (first_row + i) + x];
        }
        __syncthreads();
        if (i == steps - 1)
            break;
        if (computed)
            now[tx] = next[tx];
        __syncthreads();
    }
    if (computed)
        dst[x] = next[tx];
}
