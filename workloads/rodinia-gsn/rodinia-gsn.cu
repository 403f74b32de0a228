// Gaussian elimination without pivots, two kernels a column: the multipliers of the column, which lie
// a row apart, and the update of everything to the right of it. The grids cover the whole matrix in
// every step; threads beyond the rest return.
#include "device.h"

extern "C" __global__ void gaussian_multipliers(float *multipliers, const float *a, int size, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - step)
        return;
    int at = size * (i + step + 1) + step;
    multipliers[at] = a[at] / a[size * step + step];
}

// x walks rows, y columns: neighbouring threads are a row apart.
extern "C" __global__ void gaussian_update(const float *multipliers, float *a, float *b, int size,
                                           int step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - step || y >= size - step)
        return;
    int row = x + 1 + step, column = y + step;
    float multiplier = multipliers[size * row + step];
    a[size * row + column] = __fmaf_rn(-multiplier, a[size * step + column], a[size * row + column]);
    if (y == 0)
        b[row] = __fmaf_rn(-multiplier, b[step], b[row]);
}
