/* The CPU reference of rodinia-hw: one point after another, in the kernel's order of additions. */
#include "hw_reference.h"

#include <math.h>

struct work {
    const struct hw_sizes *z;
    float *pattern, *area, *squared, *conv, *sums, *square_sums, *padded, *stripes;
};

/* The pixel at (row, col) of the padded area. */
static float padded_pixel(const struct hw_sizes *z, const float *area, int row, int col)
{
    int a = z->area_side;
    row -= z->template_side;
    col -= z->template_side;
    return row >= 0 && row < a && col >= 0 && col < a ? area[col * a + row] : 0;
}

static void sums_under_template(struct work *w, const float *area, float *out)
{
    int n = w->z->side, p = w->z->padded_side, k = w->z->template_side;
    for (int col = 0; col < p; col++)
        for (int row = 0; row < p; row++) {
            float above = row ? w->padded[col * p + row - 1] : 0;
            w->padded[col * p + row] = padded_pixel(w->z, area, row, col) + above;
        }
    for (int col = 0; col < p; col++)
        for (int row = 0; row < n; row++) {
            float left = col ? w->stripes[(col - 1) * n + row] : 0;
            float here = w->padded[col * p + row + k] - w->padded[col * p + row];
            w->stripes[col * n + row] = here + left;
        }
    for (int i = 0; i < n * n; i++)
        out[i] = w->stripes[i + n * k] - w->stripes[i];
}

static void convolve(struct work *w)
{
    int k = w->z->template_side, a = w->z->area_side, n = w->z->side;
    for (int i = 0; i < n * n; i++) {
        float sum = 0;
        for (int x = 0; x < k; x++)
            for (int y = 0; y < k; y++) {
                int col = i / n - x, row = i % n - y;
                if (col >= 0 && col < a && row >= 0 && row < a)
                    sum =
                        fmaf(w->pattern[(k - 1 - x) * k + k - 1 - y], w->area[col * a + row], sum);
            }
        w->conv[i] = sum;
    }
}

static void measure_template(const struct work *w, float *sum, float *norm)
{
    int k = w->z->template_side;
    float square = 0, size = (float)(k * k);
    *sum = 0;
    for (int i = 0; i < k; i++) {
        float of_column = 0, of_row = 0;
        for (int j = 0; j < k; j++) {
            of_column += w->pattern[i * k + j];
            of_row += w->pattern[j * k + i] * w->pattern[j * k + i];
        }
        *sum += of_column;
        square += of_row;
    }
    float mean = *sum / size;
    *norm = sqrtf(size - 1) * sqrtf(square / size - mean * mean);
}

static float correlation_at(const struct work *w, int i, float sum, float norm)
{
    float size = (float)(w->z->template_side * w->z->template_side);
    float variance = w->square_sums[i] - w->sums[i] * w->sums[i] / size;
    float below = sqrtf(variance < 0 ? 0 : variance) * norm;
    return (w->conv[i] - w->sums[i] * sum / size) / below;
}

/* The best place within the square around the last one. */
static int best_place(const struct work *w, int last_row, int last_col, float sum, float norm)
{
    int n = w->z->side, m = w->z->mask_side, best = 0;
    float largest = 0;
    bool was_inside = last_row >= 0 && last_row < n && last_col >= 0 && last_col < n;
    for (int i = 0; i < n * n; i++) {
        int dy = i % n + m / 2 - last_row, dx = i / n + m / 2 - last_col;
        if (!was_inside || dy < 0 || dy >= m || dx < 0 || dx >= m)
            continue;
        float v = fabsf(correlation_at(w, i, sum, norm));
        if (v > largest) {
            largest = v;
            best = i;
        }
    }
    return best;
}

static void cut(float *out, int side, const float *frame, int frame_rows, int row, int col)
{
    for (int i = 0; i < side * side; i++)
        out[i] = frame[(col - side / 2 + i / side) * frame_rows + row - side / 2 + i % side];
}

static void follow(struct work *w, const float *frame, int number, struct hw_point *p)
{
    const struct hw_sizes *z = w->z;
    int a = z->area_side, centre = (a + z->template_side) / 2 - 1;
    float sum, norm;
    cut(w->area, a, frame, z->frame_rows, p->row, p->col);
    for (int i = 0; i < a * a; i++)
        w->squared[i] = w->area[i] * w->area[i];
    convolve(w);
    sums_under_template(w, w->area, w->sums);
    sums_under_template(w, w->squared, w->square_sums);
    measure_template(w, &sum, &norm);
    int best = best_place(w, centre + p->track_rows[number - 1] - p->row,
                          centre + p->track_cols[number - 1] - p->col, sum, norm);
    p->track_rows[number] = p->row + best % z->side - centre;
    p->track_cols[number] = p->col + best / z->side - centre;
}

static void renew_template(struct work *w, const float *frame, int row, int col)
{
    int k = w->z->template_side;
    float alpha = w->z->alpha;
    cut(w->conv, k, frame, w->z->frame_rows, row, col);
    for (int i = 0; i < k * k; i++)
        w->pattern[i] =
            (float)fma(1.0 - (double)alpha, (double)w->conv[i], (double)(alpha * w->pattern[i]));
}

void hw_reference(struct wl *wl, const struct hw_sizes *z, const float *frames, size_t frame_pixels,
                  struct hw_point p)
{
    size_t a = (size_t)z->area_side * z->area_side, n = (size_t)z->side * z->side;
    size_t padded = (size_t)z->padded_side * z->padded_side;
    struct work w = {.z = z};
    float **const arrays[] = {&w.pattern, &w.area,        &w.squared, &w.conv,
                              &w.sums,    &w.square_sums, &w.padded,  &w.stripes};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        *arrays[i] = wl_alloc(wl,
                              n > a        ? n > padded ? n : padded
                              : a > padded ? a
                                           : padded,
                              sizeof(float));
    cut(w.pattern, z->template_side, frames, z->frame_rows, p.row, p.col);
    p.track_rows[0] = p.row;
    p.track_cols[0] = p.col;
    for (int f = 1; f < z->frames; f++) {
        const float *frame = frames + (size_t)f * frame_pixels;
        follow(&w, frame, f, &p);
        if (f % z->update_every == 0) {
            p.row = p.track_rows[f];
            p.col = p.track_cols[f];
            renew_template(&w, frame, p.row, p.col);
        }
    }
}
