// The minimum cut of a grid of pixels by push and relabel, in the manner of Vineet and Narayanan's
// CudaCuts. A pixel has an excess from the source, a residual capacity to the sink and one to each of
// four neighbours. Heights are distances to the sink, found by breadth-first search every few rounds; in
// between they only rise. Blocks are 32x8 and keep the heights with their border in shared memory.
#include "device.h"

#define WIDE 32
#define HIGH 8
#define FAR  (1 << 20) // the height of pixels that cannot reach the sink

struct grid {
    int width, height;
    int *excess, *sink, *residual; // residual: four planes: right, down, left, up
};

typedef int tile[HIGH + 2][WIDE + 2];

WL_FN int height_at(const struct grid &g, const int *heights, int x, int y)
{
    return x >= 0 && x < g.width && y >= 0 && y < g.height ? heights[y * g.width + x] : FAR;
}

WL_FN void load(const struct grid &g, const int *heights, tile &t, int x, int y)
{
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    t[ty][tx] = height_at(g, heights, x, y);
    if (tx == 1)
        t[ty][0] = height_at(g, heights, x - 1, y);
    if (tx == WIDE)
        t[ty][WIDE + 1] = height_at(g, heights, x + 1, y);
    if (ty == 1)
        t[0][tx] = height_at(g, heights, x, y - 1);
    if (ty == HIGH)
        t[HIGH + 1][tx] = height_at(g, heights, x, y + 1);
    __syncthreads();
}

// The height of the neighbour in a direction, from the tile.
WL_FN int beside(const tile &t, int direction)
{
    int dx = direction == 0 ? 1 : direction == 2 ? -1 : 0;
    int dy = direction == 1 ? 1 : direction == 3 ? -1 : 0;
    return t[threadIdx.y + 1 + dy][threadIdx.x + 1 + dx];
}

WL_FN int step(const struct grid &g, int direction)
{
    return direction == 0 ? 1 : direction == 1 ? g.width : direction == 2 ? -1 : -g.width;
}

extern "C" __global__ void gcu_push(struct grid g, const int *heights, int *flow)
{
    __shared__ tile t;
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    load(g, heights, t, x, y);
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x, n = g.width * g.height;
    int mine = t[threadIdx.y + 1][threadIdx.x + 1], excess = g.excess[at], left = excess;
    if (excess <= 0 || mine >= FAR)
        return;
    if (mine == 1) {
        int amount = min(left, g.sink[at]);
        g.sink[at] -= amount;
        left -= amount;
        atomicAdd(flow, amount);
    }
    // Only the higher of two neighbours pushes, so nobody else touches these two residuals now.
#pragma unroll
    for (int d = 0; d < 4; d++) {
        if (beside(t, d) != mine - 1)
            continue;
        int amount = min(left, g.residual[d * n + at]), to = at + step(g, d);
        if (amount == 0)
            continue;
        g.residual[d * n + at] -= amount;
        g.residual[(d ^ 2) * n + to] += amount;
        atomicAdd(&g.excess[to], amount);
        left -= amount;
    }
    atomicAdd(&g.excess[at], left - excess);
}

extern "C" __global__ void gcu_relabel(struct grid g, const int *heights, int *next)
{
    __shared__ tile t;
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    load(g, heights, t, x, y);
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x, n = g.width * g.height, mine = t[threadIdx.y + 1][threadIdx.x + 1];
    if (g.excess[at] > 0 && mine < FAR) {
        int least = g.sink[at] > 0 ? 0 : FAR;
#pragma unroll
        for (int d = 0; d < 4; d++)
            if (g.residual[d * n + at] > 0)
                least = min(least, beside(t, d));
        mine = max(mine, min(least + 1, FAR));
    }
    next[at] = mine;
}

extern "C" __global__ void gcu_search_start(struct grid g, int *heights)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x < g.width && y < g.height)
        heights[y * g.width + x] = g.sink[y * g.width + x] > 0 ? 1 : FAR;
}

// Pixels that can push to one of the last level are the next.
extern "C" __global__ void gcu_search(struct grid g, int *heights, int level, int *changed)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x, n = g.width * g.height;
    if (heights[at] != FAR)
        return;
    if ((x + 1 < g.width && g.residual[at] > 0 && heights[at + 1] == level) ||
        (y + 1 < g.height && g.residual[n + at] > 0 && heights[at + g.width] == level) ||
        (x > 0 && g.residual[2 * n + at] > 0 && heights[at - 1] == level) ||
        (y > 0 && g.residual[3 * n + at] > 0 && heights[at - g.width] == level)) {
        heights[at] = level + 1;
        *changed = 1;
    }
}

// 1 for pixels on the sink's side; says whether one of them still has an excess.
extern "C" __global__ void gcu_cut(struct grid g, const int *heights, int *cut, int *active)
{
    int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x;
    cut[at] = heights[at] < FAR;
    if (heights[at] < FAR && g.excess[at] > 0)
        *active = 1;
}
