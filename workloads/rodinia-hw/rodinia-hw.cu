// Heart wall: follows points of the heart's walls through frames of an ultrasound recording. One kernel a
// frame, a block a point. A block correlates the point's template with the area around the point: full
// convolution, sums of the area under the template by cumulative sums along columns and then rows, the
// same of the squares, mean and deviation of the template by a few threads; it masks all but the places
// near the last one and takes the best. Everything between the steps is in global memory, by columns;
// places come from indices by division, as in Rodinia.
#include "device.h"

#define BLOCK        256
#define MAX_TEMPLATE 51
#define MAX_SIDE     131

struct common {
    int template_side, area_side;   // both odd
    int side;                       // of the full convolution: template_side + area_side - 1
    int padded_side;                // area_side + 2 * template_side
    int frame_rows, frames, points; // frames are by columns
    int mask_side;                  // how far a point may move in a frame
    int update_every;               // frames after which the template is renewed
    float alpha;                    // and how much of the old one stays
    int *rows, *cols;               // of the points, as the area is placed
    int *track_rows, *track_cols;   // [point][frame]
    // One of each for each point.
    float *templates, *area, *conv, *padded, *chosen, *stripes, *chosen_stripes, *sums, *squared;
    float *square_sums, *template_squares, *mask, *masked;
};
__constant__ struct common c;

// The block's part of an array that has `n` elements for each point.
WL_FN float *mine(float *all, int n)
{
    return all + blockIdx.x * n;
}

// out[rows x cols] = in (columns of in_rows) from (row0, col0).
WL_FN void copy_part(float *out, int rows, int cols, const float *in, int in_rows, int row0, int col0)
{
    for (int i = threadIdx.x; i < rows * cols; i += BLOCK) {
        int row = i % rows, col = i / rows;
        out[i] = in[(col + col0) * in_rows + row + row0];
    }
    __syncthreads();
}

WL_FN void subtract(float *from, const float *other, int n)
{
    for (int i = threadIdx.x; i < n; i += BLOCK)
        from[i] = other[i] - from[i];
    __syncthreads();
}

// out: the sum of the area under the template at each place of the convolution, where the area is
// surrounded by zeros.
WL_FN void sums_under_template(const float *area, float *out)
{
    int t = threadIdx.x, n = c.side, p = c.padded_side, k = c.template_side, a = c.area_side;
    float *padded = mine(c.padded, p * p), *chosen = mine(c.chosen, n * p);
    float *stripes = mine(c.stripes, n * p), *chosen_stripes = mine(c.chosen_stripes, n * n);
    for (int i = t; i < p * p; i += BLOCK) {
        int row = i % p - k, col = i / p - k;
        if (row >= 0 && row < a && col >= 0 && col < a)
            padded[i] = area[col * a + row];
        else
            padded[i] = 0.0f;
    }
    __syncthreads();
    for (int col = t; col < p; col += BLOCK) {
        float sum = 0.0f;
        for (int i = col * p; i < (col + 1) * p; i++)
            padded[i] = sum = padded[i] + sum;
    }
    __syncthreads();
    copy_part(chosen, n, p, padded, p, k, 0);
    copy_part(stripes, n, p, padded, p, 0, 0);
    subtract(stripes, chosen, n * p);
    for (int row = t; row < n; row += BLOCK) {
        float sum = 0.0f;
        for (int i = row; i < n * p; i += n)
            stripes[i] = sum = stripes[i] + sum;
    }
    __syncthreads();
    copy_part(chosen_stripes, n, n, stripes, n, 0, k);
    copy_part(out, n, n, stripes, n, 0, 0);
    subtract(out, chosen_stripes, n * n);
}

// The full convolution of the area with the template, which is turned by 180 degrees.
WL_FN void convolve(const float *turned, const float *area, float *conv)
{
    int k = c.template_side, a = c.area_side, n = c.side;
    for (int i = threadIdx.x; i < n * n; i += BLOCK) {
        int row = i % n, col = i / n;
        int col_first = max(col - a + 1, 0), col_last = min(col, k - 1);
        int row_first = max(row - a + 1, 0), row_last = min(row, k - 1);
        float sum = 0.0f;
        for (int x = col_first; x <= col_last; x++)
            for (int y = row_first; y <= row_last; y++)
                sum = __fmaf_rn(turned[x * k + y], area[(col - x) * a + row - y], sum);
        conv[i] = sum;
    }
    __syncthreads();
}

WL_FN float add_up(const float *values, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

// The template's sum, and its deviation times the root of its size less one, for all threads.
WL_FN void measure_template(const float *pattern, float *sum_out, float *norm_out)
{
    __shared__ float sums[MAX_TEMPLATE], squares[MAX_TEMPLATE];
    __shared__ volatile float sum, square, norm;
    int t = threadIdx.x, k = c.template_side;
    float *squared = mine(c.template_squares, k * k);
    for (int i = t; i < k * k; i += BLOCK)
        squared[i] = pattern[i] * pattern[i];
    __syncthreads();
    for (int col = t; col < k; col += BLOCK) {
        float of_column = 0.0f;
        for (int i = 0; i < k; i++)
            of_column += pattern[col * k + i];
        sums[col] = of_column;
    }
    for (int row = t; row < k; row += BLOCK) {
        float of_row = 0.0f;
        for (int i = 0; i < k; i++)
            of_row += squared[i * k + row];
        squares[row] = of_row;
    }
    __syncthreads();
    if (t == 0)
        sum = add_up(sums, k);
    else if (t == 1)
        square = add_up(squares, k);
    __syncthreads();
    if (t == 0) {
        float size = (float)(k * k), mean = sum / size, variance = square / size - mean * mean;
        norm = __fsqrt_rn(size - 1.0f) * __fsqrt_rn(variance);
    }
    __syncthreads();
    *sum_out = sum;
    *norm_out = norm;
}

// conv becomes the correlation of the template with the area at each place, in square_sums.
WL_FN void correlate(float *conv, const float *sums, float *square_sums, float sum, float norm)
{
    int n = c.side * c.side;
    float size = (float)(c.template_side * c.template_side);
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        float variance = square_sums[i] - sums[i] * sums[i] / size;
        if (variance < 0.0f)
            variance = 0.0f;
        square_sums[i] = __fsqrt_rn(variance);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += BLOCK)
        square_sums[i] *= norm;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += BLOCK)
        conv[i] -= sums[i] * sum / size;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += BLOCK)
        square_sums[i] = conv[i] / square_sums[i];
    __syncthreads();
}

// masked: the correlation within a square around the last place, 0 elsewhere; by a convolution of a
// single 1 with the square.
WL_FN void mask_out(const float *correlation, float *masked, int last_row, int last_col)
{
    int n = c.side, offset = c.mask_side / 2;
    float *mask = mine(c.mask, n * n);
    for (int i = threadIdx.x; i < n * n; i += BLOCK) {
        if (i == last_col * n + last_row)
            mask[i] = 1.0f;
        else
            mask[i] = 0.0f;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += BLOCK) {
        int row = i % n + offset, col = i / n + offset;
        float sum = 0.0f;
        for (int x = max(col - c.mask_side + 1, 0); x <= min(col, n - 1); x++)
            for (int y = max(row - c.mask_side + 1, 0); y <= min(row, n - 1); y++)
                sum += mask[x * n + y];
        masked[i] = correlation[i] * sum;
    }
    __syncthreads();
}

// Thread 0 gets the place of the largest value: a column a thread, then all columns by thread 0.
WL_FN int find_best(const float *masked)
{
    __shared__ float values[MAX_SIDE];
    __shared__ int places[MAX_SIDE];
    int t = threadIdx.x, n = c.side, place = 0;
    for (int col = t; col < n; col += BLOCK) {
        float largest = 0.0f;
        int at = 0;
        for (int i = col * n; i < (col + 1) * n; i++)
            if (fabsf(masked[i]) > largest) {
                largest = fabsf(masked[i]);
                at = i;
            }
        values[col] = largest;
        places[col] = at;
    }
    __syncthreads();
    if (t == 0) {
        float largest = 0.0f;
        for (int i = 0; i < n; i++)
            if (values[i] > largest) {
                largest = values[i];
                place = places[i];
            }
    }
    return place;
}

WL_FN void follow(const float *frame, int number, float *pattern)
{
    __shared__ float turned[MAX_TEMPLATE * MAX_TEMPLATE];
    int point = blockIdx.x, k = c.template_side, a = c.area_side, n = c.side;
    int centre = (a + k) / 2 - 1, at = point * c.frames + number;
    float *area = mine(c.area, a * a), *conv = mine(c.conv, n * n), *sums = mine(c.sums, n * n);
    float *squared = mine(c.squared, a * a), *square_sums = mine(c.square_sums, n * n);
    float *masked = mine(c.masked, n * n), sum, norm;
    copy_part(area, a, a, frame, c.frame_rows, c.rows[point] - a / 2, c.cols[point] - a / 2);
    for (int i = threadIdx.x; i < k * k; i += BLOCK) {
        int row = i % k, col = i / k;
        turned[i] = pattern[(k - 1 - col) * k + k - 1 - row];
    }
    __syncthreads();
    convolve(turned, area, conv);
    sums_under_template(area, sums);
    for (int i = threadIdx.x; i < a * a; i += BLOCK)
        squared[i] = area[i] * area[i];
    __syncthreads();
    sums_under_template(squared, square_sums);
    measure_template(pattern, &sum, &norm);
    correlate(conv, sums, square_sums, sum, norm);
    mask_out(square_sums, masked, centre + c.track_rows[at - 1] - c.rows[point],
             centre + c.track_cols[at - 1] - c.cols[point]);
    int best = find_best(masked);
    if (threadIdx.x == 0) {
        c.track_rows[at] = c.rows[point] + best % n - centre;
        c.track_cols[at] = c.cols[point] + best / n - centre;
    }
    __syncthreads();
}

extern "C" __global__ void heartwall(const float *frame, int number)
{
    int point = blockIdx.x, k = c.template_side, at = point * c.frames + number;
    float *pattern = mine(c.templates, k * k);
    if (number == 0) {
        if (threadIdx.x == 0) {
            c.track_rows[at] = c.rows[point];
            c.track_cols[at] = c.cols[point];
        }
        copy_part(pattern, k, k, frame, c.frame_rows, c.rows[point] - k / 2, c.cols[point] - k / 2);
        return;
    }
    follow(frame, number, pattern);
    if (number % c.update_every)
        return;
    int row0 = c.track_rows[at] - k / 2, col0 = c.track_cols[at] - k / 2;
    if (threadIdx.x == 0) {
        c.rows[point] = c.track_rows[at];
        c.cols[point] = c.track_cols[at];
    }
    for (int i = threadIdx.x; i < k * k; i += BLOCK) {
        float now = frame[(i / k + col0) * c.frame_rows + i % k + row0];
        pattern[i] = (float)__fma_rn(1.0 - c.alpha, (double)now, (double)(c.alpha * pattern[i]));
    }
}
