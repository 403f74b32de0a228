// Needleman-Wunsch: the score matrix by 16x16 tiles along anti-diagonals of tiles, and by
// anti-diagonals of cells within a tile. At the matrix's corners few blocks and at a tile's corners
// few threads have work.
#include "device.h"

#define BLOCK 16

WL_FN void score_tile(const int *similarity, int *scores, int cols, int penalty, int bx, int by)
{
    __shared__ int cell[BLOCK + 1][BLOCK + 1];
    __shared__ int similar[BLOCK][BLOCK];
    int t = threadIdx.x;
    int corner = by * BLOCK * cols + bx * BLOCK; // row and column before the tile's first
    for (int y = 0; y < BLOCK; y++)
        similar[y][t] = similarity[corner + (y + 1) * cols + t + 1];
    if (t == 0)
        cell[0][0] = scores[corner];
    cell[t + 1][0] = scores[corner + (t + 1) * cols];
    cell[0][t + 1] = scores[corner + t + 1];
    __syncthreads();
    for (int d = 0; d < 2 * BLOCK - 1; d++) {
        int y = d - t + 1, x = t + 1;
        if (y >= 1 && y <= BLOCK) {
            int best = cell[y - 1][x - 1] + similar[y - 1][x - 1];
            best = max(best, cell[y][x - 1] - penalty);
            cell[y][x] = max(best, cell[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < BLOCK; y++)
        scores[corner + (y + 1) * cols + t + 1] = cell[y + 1][t + 1];
}

// Diagonal i of the upper left half, counted from 1: i blocks.
extern "C" __global__ void needle_upper(const int *similarity, int *scores, int cols, int penalty,
                                        int i)
{
    score_tile(similarity, scores, cols, penalty, blockIdx.x, i - 1 - blockIdx.x);
}

// Diagonal i of the lower right half, counted from the last.
extern "C" __global__ void needle_lower(const int *similarity, int *scores, int cols, int penalty,
                                        int i, int tiles)
{
    score_tile(similarity, scores, cols, penalty, blockIdx.x + tiles - i, tiles - blockIdx.x - 1);
}
