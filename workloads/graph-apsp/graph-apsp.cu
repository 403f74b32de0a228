// Shortest paths between all pairs of nodes by Kleene's recursion, in the manner of Buluc, Gilbert and
// Budak: closures of small blocks and products of matrices in which + is the minimum and * the sum.
// Everything in place in one matrix, by columns; a block of it is given by its corner.
#include "device.h"

#define BASE    16 // nodes of a closure that one thread block computes
#define ROWS    64 // of a product's tile, a thread each
#define COLUMNS 16

// Floyd and Warshall's algorithm in shared memory, an entry a thread.
extern "C" __global__ void apsp_close(float *distances, int nodes, int at)
{
    __shared__ float d[BASE][BASE];
    int x = threadIdx.x, y = threadIdx.y;
    float *entry = distances + (at + y) * nodes + at + x;
    d[y][x] = *entry;
    for (int k = 0; k < BASE; k++) {
        __syncthreads();
        d[y][x] = fminf(d[y][x], d[y][k] + d[k][x]);
    }
    *entry = d[y][x];
}

struct product {
    int to_row, to_column, left_column, right_row; // left has to's rows, right to's columns
    int rows, columns, inner;
};

// to = min(to, left * right). A thread has a row of 16 columns in registers; 16x16 entries of the right
// matrix go through shared memory, the left one's columns are read straight. Where `to` is one of the
// factors the other is closed, so that it does not matter which entries are new already.
extern "C" __global__ void apsp_multiply(float *distances, int nodes, struct product p)
{
    __shared__ float right[COLUMNS][COLUMNS + 1];
    int t = threadIdx.x, row = blockIdx.x * ROWS + t, column = blockIdx.y * COLUMNS;
    bool mine = row < p.rows;
    float *to = distances + (p.to_column + column) * nodes + p.to_row + row;
    const float *left = distances + p.left_column * nodes + p.to_row + row;
    const float *source = distances + (p.to_column + column) * nodes + p.right_row;
    float least[COLUMNS];
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
        least[j] = mine ? to[j * nodes] : 0;
    for (int k = 0; k < p.inner; k += COLUMNS) {
        __syncthreads();
        for (int j = t / COLUMNS; j < COLUMNS; j += ROWS / COLUMNS)
            right[t % COLUMNS][j] = source[j * nodes + k + t % COLUMNS];
        __syncthreads();
        if (!mine)
            continue;
        for (int i = 0; i < COLUMNS; i++) {
            float a = left[(k + i) * nodes];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                least[j] = fminf(least[j], a + right[i][j]);
        }
    }
    if (!mine)
        return;
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
        to[j * nodes] = least[j];
}
