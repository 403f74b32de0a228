// Sparse matrix times vector in jagged diagonal storage: rows sorted by length, the k-th entries of all
// rows that have one beside each other, rows padded to the length of the longest of their warp. The
// loads of the next two entries run ahead of the sum, as in Parboil. A thread has a row.
#include "device.h"

#define WARP 32

__constant__ int diagonal_start[64]; // of the k-th entries
__constant__ int warp_length[12288]; // entries of each row of a warp

extern "C" __global__ void spmv_jds(const float *values, const int *cols, const int *row_of,
                                    const float *x, int n, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    int length = warp_length[t / WARP], at = diagonal_start[0] + t;
    float sum = 0.0f, value = values[at], factor = x[cols[at]];
    if (length > 1) {
        at = diagonal_start[1] + t;
        int col = cols[at];
        for (int k = 2; k < length; k++) {
            float next_value = values[at];
            at = diagonal_start[k] + t;
            int next_col = cols[at];
            float next_factor = x[col];
            sum = __fmaf_rn(value, factor, sum);
            col = next_col;
            value = next_value;
            factor = next_factor;
        }
        sum = __fmaf_rn(value, factor, sum);
        value = values[at];
        factor = x[col];
    }
    out[row_of[t]] = __fmaf_rn(value, factor, sum);
}
