// LU decomposition in place by 16x16 tiles. A step factors the tile on the diagonal, then the tiles to
// its right and below it, then subtracts their products from the rest of the matrix.
#include "device.h"

#define TILE 16

typedef float tile[TILE][TILE];

extern "C" __global__ void lud_diagonal(float *matrix, int size, int offset)
{
    __shared__ tile lu;
    int t = threadIdx.x;
    float *corner = matrix + offset * size + offset;
    for (int i = 0; i < TILE; i++)
        lu[i][t] = corner[i * size + t];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                lu[t][i] = __fmaf_rn(-lu[t][j], lu[j][i], lu[t][i]);
            lu[t][i] /= lu[i][i];
        }
        __syncthreads();
        if (t > i)
            for (int j = 0; j <= i; j++)
                lu[i + 1][t] = __fmaf_rn(-lu[i + 1][j], lu[j][t], lu[i + 1][t]);
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++)
        corner[i * size + t] = lu[i][t];
}

// Half of the block's 32 threads have a tile of the row, a column each; the others one of the column,
// a row each.
extern "C" __global__ void lud_perimeter(float *matrix, int size, int offset)
{
    __shared__ tile diagonal, right, below;
    int t = threadIdx.x % TILE, away = (blockIdx.x + 1) * TILE;
    bool is_right = threadIdx.x < TILE;
    float *corner = matrix + offset * size + offset;
    float *mine = corner + (is_right ? away : away * size);
    tile &strip = is_right ? right : below;
    for (int i = is_right ? 0 : TILE / 2, end = i + TILE / 2; i < end; i++)
        diagonal[i][t] = corner[i * size + t];
    for (int i = 0; i < TILE; i++)
        strip[i][t] = mine[i * size + t];
    __syncthreads();
    if (is_right) {
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++)
                right[i][t] = __fmaf_rn(-diagonal[i][j], right[j][t], right[i][t]);
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                below[t][i] = __fmaf_rn(-below[t][j], diagonal[j][i], below[t][i]);
            below[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    for (int i = 0; i < TILE; i++)
        mine[i * size + t] = strip[i][t];
}

extern "C" __global__ void lud_internal(float *matrix, int size, int offset)
{
    __shared__ tile right, below;
    int x = threadIdx.x, y = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * TILE + y, column = offset + (blockIdx.x + 1) * TILE + x;
    right[y][x] = matrix[(offset + y) * size + column];
    below[y][x] = matrix[row * size + offset + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < TILE; i++)
        sum = __fmaf_rn(below[y][i], right[i][x], sum);
    matrix[row * size + column] -= sum;
}
