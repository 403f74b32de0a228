/* The CPU reference of rodinia-lc. */
#include "lc_reference.h"

#include <math.h>
#include <string.h>

/* Mean squared over variance of the gradient's outward component along circle k around a pixel. */
static float score_of(const struct lc_detector *d, const struct lc_tables *tables,
                      const float *grad_x, const float *grad_y, int row, int col, int k)
{
    float sum = 0, squares = 0, mean = 0;
    for (int i = 0; i < d->points; i++) {
        int at = (col + tables->circle_x[k * d->points + i]) * d->rows + row +
                 tables->circle_y[k * d->points + i];
        float p = fmaf(grad_y[at], tables->sines[i], grad_x[at] * tables->cosines[i]);
        float delta = p - mean;
        sum += p;
        mean += delta / (float)(i + 1);
        squares = fmaf(delta, p - mean, squares);
    }
    mean = sum / (float)d->points;
    return mean * mean / (squares / (float)(d->points - 1));
}

void lc_reference_gicov(const struct lc_detector *d, const struct lc_tables *tables,
                        const float *grad_x, const float *grad_y, float *out)
{
    for (int col = d->margin; col < d->cols - d->margin; col++)
        for (int row = d->margin; row < d->rows - d->margin; row++) {
            float best = 0;
            for (int k = 0; k < d->circles; k++) {
                float score = score_of(d, tables, grad_x, grad_y, row, col, k);
                best = score > best ? score : best;
            }
            out[col * d->rows + row] = best;
        }
}

void lc_reference_dilate(const struct lc_detector *d, const struct lc_tables *tables,
                         const float *gicov, float *out)
{
    int side = d->element_side, centre = side / 2;
    for (int row = 0; row < d->rows; row++)
        for (int col = 0; col < d->cols; col++) {
            float most = 0;
            for (int i = 0; i < side * side; i++) {
                int y = row - centre + i / side, x = col - centre + i % side;
                bool inside = y >= 0 && y < d->rows && x >= 0 && x < d->cols;
                if (inside && tables->element[i] != 0 && gicov[x * d->rows + y] > most)
                    most = gicov[x * d->rows + y];
            }
            out[row * d->cols + col] = most;
        }
}

static float arc_tangent(float x)
{
    static const float factors[8] = {0.0028662257f, -0.0161657367f, 0.0429096138f, -0.0752896400f,
                                     0.1065626393f, -0.1420889944f, 0.1999355085f, -0.3333314528f};
    float a = fabsf(x), r = a > 1 ? 1 / a : a, s = r * r, p = factors[0];
    for (int i = 1; i < 8; i++)
        p = fmaf(s, p, factors[i]);
    float angle = fmaf(r * s, p, r);
    if (a > 1)
        angle = 1.57079633f - angle;
    return x < 0 ? -angle : angle;
}

static float relax(const struct lc_flow *f, int rows, int cols, int row, int col, const float *now,
                   float image)
{
    static const int steps[8][2] = {{-1, 0}, {1, 0}, {0, -1},  {0, 1},
                                    {-1, 1}, {1, 1}, {-1, -1}, {1, -1}};
    float old = now[row * cols + col], sum = 0;
    for (int i = 0; i < 8; i++) {
        int y = row + steps[i][0], x = col + steps[i][1];
        y = y < 0 ? 0 : y < rows ? y : rows - 1;
        x = x < 0 ? 0 : x < cols ? x : cols - 1;
        float d = now[y * cols + x] - old;
        float v = (float)steps[i][1] * f->vx + (float)steps[i][0] * f->vy;
        double angle = (double)arc_tangent(d * v * f->inverse_epsilon);
        sum = fmaf((float)fma(angle, 0.31830988618379067, 0.5), d, sum);
    }
    float next = (float)fma(0.1, (double)sum, (double)old);
    return (float)fma(-0.2 * (double)image, (double)(next - image), (double)next);
}

/* The threads' sums, added as the kernel's tree does. */
static float tree_sum(float sums[LC_TRACK_BLOCK])
{
    for (int i = 256; i < LC_TRACK_BLOCK; i++)
        sums[i - 256] += sums[i];
    for (int half = 128; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sums[i] += sums[i + half];
    return sums[0];
}

void lc_reference_track(struct wl *w, const struct lc_flow *f, int rows, int cols,
                        const float *image, float *flow)
{
    int n = rows * cols;
    float *old = wl_alloc(w, (size_t)n, sizeof *old), change;
    int round = 0;
    do {
        float sums[LC_TRACK_BLOCK] = {0};
        memcpy(old, flow, (size_t)n * sizeof *old);
        for (int i = 0; i < n; i++) {
            flow[i] = relax(f, rows, cols, i / cols, i % cols, old, image[i]);
            sums[i % LC_TRACK_BLOCK] += fabsf(flow[i] - old[i]);
        }
        change = tree_sum(sums) / (float)n;
    } while (++round < f->most_rounds && !(change < f->cutoff));
}
