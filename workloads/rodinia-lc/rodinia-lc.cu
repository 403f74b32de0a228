// Leukocyte: finds and follows white blood cells in a video frame. For each pixel the gradient inverse
// coefficient of variation along circles around it (its gradient's component outwards: mean squared over
// variance); the dilation of that; and, a block a cell, the motion gradient vector flow around the cell,
// iterated in shared memory till it settles. Arrays of the frame are column by column.
#include "device.h"

#define MAX_POINTS  150
#define MAX_CIRCLES 7
#define MAX_ELEMENT 25
#define TRACK_BLOCK 320
#define TREE        256
#define MAX_WINDOW  (41 * 81)

__constant__ float sines[MAX_POINTS], cosines[MAX_POINTS];
__constant__ int circle_x[MAX_CIRCLES * MAX_POINTS], circle_y[MAX_CIRCLES * MAX_POINTS];
__constant__ float element[MAX_ELEMENT * MAX_ELEMENT]; // of the dilation: 1 in a disc, 0 around

struct detector {
    int rows, cols; // of the frame
    int margin;     // pixels at the border that no circle is tried on
    int circles, points;
    int element_side;
};

extern "C" __global__ void lc_gicov(struct detector d, const float *grad_x, const float *grad_y,
                                    float *gicov)
{
    int col = blockIdx.x + d.margin, row = threadIdx.x + d.margin;
    float best = 0.0f;
    for (int k = 0; k < d.circles; k++) {
        float sum = 0.0f, squares = 0.0f, mean = 0.0f;
        for (int i = 0; i < d.points; i++) {
            int x = col + circle_x[k * d.points + i], y = row + circle_y[k * d.points + i];
            int at = x * d.rows + y;
            float p = __fmaf_rn(grad_y[at], sines[i], grad_x[at] * cosines[i]);
            sum += p;
            float delta = p - mean;
            mean += delta / (float)(i + 1);
            squares = __fmaf_rn(delta, p - mean, squares);
        }
        mean = sum / (float)d.points;
        float variance = squares / (float)(d.points - 1), score = mean * mean / variance;
        if (score > best)
            best = score;
    }
    gicov[col * d.rows + row] = best;
}

extern "C" __global__ void lc_dilate(struct detector d, const float *gicov, float *dilated)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i % d.rows, col = i / d.rows;
    int centre = d.element_side / 2;
    float most = 0.0f;
    if (col >= d.cols)
        return;
    for (int ey = 0; ey < d.element_side; ey++) {
        int y = row - centre + ey;
        if (y < 0 || y >= d.rows)
            continue;
        for (int ex = 0; ex < d.element_side; ex++) {
            int x = col - centre + ex;
            if (x >= 0 && x < d.cols && element[ey * d.element_side + ex] != 0.0f) {
                float v = gicov[x * d.rows + y];
                if (v > most)
                    most = v;
            }
        }
    }
    dilated[row * d.cols + col] = most;
}

// The arc tangent within 2e-8, by a polynomial on 0 .. 1.
WL_FN float arc_tangent(float x)
{
    float a = fabsf(x), r = a > 1.0f ? 1.0f / a : a, s = r * r;
    float p = __fmaf_rn(s, 0.0028662257f, -0.0161657367f);
    p = __fmaf_rn(s, p, 0.0429096138f);
    p = __fmaf_rn(s, p, -0.0752896400f);
    p = __fmaf_rn(s, p, 0.1065626393f);
    p = __fmaf_rn(s, p, -0.1420889944f);
    p = __fmaf_rn(s, p, 0.1999355085f);
    p = __fmaf_rn(s, p, -0.3333314528f);
    float angle = __fmaf_rn(r * s, p, r);
    if (a > 1.0f)
        angle = 1.57079633f - angle;
    return x < 0.0f ? -angle : angle;
}

// A soft step from 0 to 1, in double precision as the original's constants make it.
WL_FN float step(float x)
{
    return (float)__fma_rn((double)arc_tangent(x), 0.31830988618379067, 0.5);
}

struct flow {
    float vx, vy, inverse_epsilon, cutoff;
    int most_rounds;
};

// A pixel's next value: drawn to its neighbours in the direction of motion and to the image.
WL_FN float relax(const float *now, int rows, int cols, int row, int col, float image,
                  struct flow f)
{
    int up = max(row - 1, 0) * cols, down = min(row + 1, rows - 1) * cols, here = row * cols;
    int left = max(col - 1, 0), right = min(col + 1, cols - 1);
    float old = now[here + col], sum = 0.0f;
    const float d[8] = {now[up + col] - old,    now[down + col] - old,  now[here + left] - old,
                        now[here + right] - old, now[up + right] - old,  now[down + right] - old,
                        now[up + left] - old,    now[down + left] - old};
    const float v[8] = {-f.vy,       f.vy,        -f.vx,       f.vx,
                        f.vx - f.vy, f.vx + f.vy, -f.vx - f.vy, -f.vx + f.vy};
#pragma unroll
    for (int i = 0; i < 8; i++)
        sum = __fmaf_rn(step(d[i] * v[i] * f.inverse_epsilon), d[i], sum);
    float next = (float)__fma_rn(0.1, (double)sum, (double)old);
    return (float)__fma_rn(-0.2 * image, (double)(next - image), (double)next);
}

// The block's sum, in thread 0.
WL_FN float block_sum(float *buffer, float mine)
{
    int t = threadIdx.x;
    buffer[t] = mine;
    __syncthreads();
    if (t >= TREE)
        buffer[t - TREE] += buffer[t];
    __syncthreads();
    for (int half = TREE / 2; half > 0; half /= 2) {
        if (t < half)
            buffer[t] += buffer[t + half];
        __syncthreads();
    }
    return buffer[0];
}

// One round over all pixels, TRACK_BLOCK at a time. New values are kept back till those after them have
// been computed, so all come from old ones. Returns by how much this thread's pixels changed.
WL_FN float round_of(float *now, const float *image, int rows, int cols, struct flow f)
{
    int n = rows * cols, t = threadIdx.x;
    float kept = 0.0f, change = 0.0f;
    for (int first = 0; first < n + TRACK_BLOCK; first += TRACK_BLOCK) {
        int i = first + t, before = i - TRACK_BLOCK;
        float next = 0.0f;
        if (i < n) {
            next = relax(now, rows, cols, i / cols, i % cols, image[i], f);
            change += fabsf(next - now[i]);
        }
        __syncthreads();
        if (before >= 0 && before < n)
            now[before] = kept;
        kept = next;
        __syncthreads();
    }
    return change;
}

extern "C" __global__ void lc_track(const int *starts, const int *rows_of, const int *cols_of,
                                    const float *images, float *flows, struct flow f)
{
    __shared__ float now[MAX_WINDOW], buffer[TRACK_BLOCK];
    __shared__ volatile int settled;
    int cell = blockIdx.x, t = threadIdx.x, start = starts[cell];
    int rows = rows_of[cell], cols = cols_of[cell], n = rows * cols;
    for (int i = t; i < n; i += TRACK_BLOCK)
        now[i] = flows[start + i];
    if (t == 0)
        settled = 0;
    __syncthreads();
    for (int round = 0; round < f.most_rounds && !settled; round++) {
        float total = block_sum(buffer, round_of(now, images + start, rows, cols, f));
        if (t == 0 && total / (float)n < f.cutoff)
            settled = 1;
        __syncthreads();
    }
    for (int i = t; i < n; i += TRACK_BLOCK)
        flows[start + i] = now[i];
}
