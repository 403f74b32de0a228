/* rodinia-lc: leukocyte, white blood cells found in a video frame and followed. */
#include "exact_math.h"
#include "gen.h"
#include "lc_reference.h"

#include <math.h>

struct state {
    struct lc_detector detector;
    struct lc_tables tables;
    struct lc_flow flow;
    int radius, cells;
    struct wl_array *grad_x, *grad_y, *gicov, *dilated;
    struct wl_array *starts, *rows_of, *cols_of, *images, *flows;
};

/* Circles of rising radius in steps of 2; the disc of the dilation. */
static void set_tables(struct state *s, int element_radius)
{
    const struct lc_detector *d = &s->detector;
    const double pi = 3.141592653589793;
    for (int i = 0; i < d->points; i++) {
        double angle = 2 * pi * i / d->points;
        s->tables.cosines[i] = (float)exact_cos(angle);
        s->tables.sines[i] = (float)exact_cos(angle - pi / 2);
        for (int k = 0; k < d->circles; k++) {
            int r = (s->radius > 4 ? s->radius - 2 : 1) + 2 * k;
            s->tables.circle_x[k * d->points + i] = (int32_t)(exact_cos(angle) * r);
            s->tables.circle_y[k * d->points + i] = (int32_t)(exact_cos(angle - pi / 2) * r);
        }
    }
    for (int i = 0; i < d->element_side * d->element_side; i++) {
        int y = i / d->element_side - element_radius, x = i % d->element_side - element_radius;
        s->tables.element[i] = x * x + y * y <= element_radius * element_radius;
    }
}

struct cell {
    int row, col;
};

/* A vessel: smooth gray with noise, and cells as discs with a bright rim. Levels of about 0 to 255.
 */
static void make_frame(const struct state *s, struct rng *rng, struct cell *cells, int32_t *frame)
{
    int rows = s->detector.rows, cols = s->detector.cols, m = s->detector.margin;
    gen_fractal(rng, frame, (unsigned)cols, (unsigned)rows, 32, 30000);
    for (int i = 0; i < rows * cols; i++)
        frame[i] = 110 + frame[i] / 4096 + (int32_t)rng_below(rng, 9) - 4;
    for (int c = 0; c < s->cells; c++) {
        cells[c] = (struct cell){m / 2 + (int)rng_below(rng, (uint32_t)(rows - m)),
                                 m / 2 + (int)rng_below(rng, (uint32_t)(cols - m))};
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < cols; x++) {
                int dy = y - cells[c].row, dx = x - cells[c].col, d2 = dy * dy + dx * dx;
                int rim = s->radius * s->radius - d2, width = 2 * s->radius;
                if (rim >= 0)
                    frame[y * cols + x] += rim < width ? 60 : 20;
            }
    }
}

static int clamp(int v, int n)
{
    return v < 0 ? 0 : v < n ? v : n - 1;
}

/* The gradient by central differences, of levels from 0 to 1. */
static void gradient(const struct state *s, const int32_t *frame, int row, int col, float *gx,
                     float *gy)
{
    int rows = s->detector.rows, cols = s->detector.cols;
    const int32_t *up = frame + clamp(row - 1, rows) * cols,
                  *down = frame + clamp(row + 1, rows) * cols, *here = frame + row * cols;
    *gx = (float)(here[clamp(col + 1, cols)] - here[clamp(col - 1, cols)]) / 510.0f;
    *gy = (float)(down[col] - up[col]) / 510.0f;
}

/* The window around a cell, cut off at the frame's border: the gradient's size as 0 .. 1. */
static void fill_window(const struct state *s, const int32_t *frame, struct cell cell, int c,
                        int start)
{
    int rows = s->detector.rows, cols = s->detector.cols, r = s->radius, count = 0;
    int top = clamp(cell.row - 2 * r, rows), bottom = clamp(cell.row + 2 * r, rows);
    int left = clamp(cell.col - 4 * r, cols), right = clamp(cell.col + 4 * r, cols);
    float most = 0, *out = s->images->f32 + start;
    s->starts->i32[c] = start;
    s->rows_of->i32[c] = bottom - top + 1;
    s->cols_of->i32[c] = right - left + 1;
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++, count++) {
            float gx, gy;
            gradient(s, frame, y, x, &gx, &gy);
            out[count] = sqrtf(gx * gx + gy * gy);
            most = out[count] > most ? out[count] : most;
        }
    for (int i = 0; i < count; i++)
        s->flows->f32[start + i] = out[i] = out[i] / most;
}

static void fill(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    int rows = s->detector.rows, cols = s->detector.cols, start = 0;
    int32_t *frame = wl_alloc(w, (size_t)rows * cols, sizeof *frame);
    struct cell *cells = wl_alloc(w, (size_t)s->cells, sizeof *cells);
    make_frame(s, &rng, cells, frame);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++)
            gradient(s, frame, y, x, &s->grad_x->f32[x * rows + y], &s->grad_y->f32[x * rows + y]);
    for (int c = 0; c < s->cells; c++) {
        fill_window(s, frame, cells[c], c, start);
        start += s->rows_of->i32[c] * s->cols_of->i32[c];
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int rows, cols, radius, circles, points, element_radius, cells, rounds;
    } sizes[WL_SIZES] = {{24, 26, 3, 3, 30, 2, 1, 3},
                         {50, 66, 6, 5, 75, 5, 8, 5},
                         {100, 150, 10, 7, 150, 12, 36, 8},
                         {130, 300, 10, 7, 150, 12, 72, 20},
                         {100, 150, 10, 7, 150, 12, 112, 4}};
    struct state *s = state;
    typeof(&sizes[0]) z = &sizes[wl_size(w)];
    s->radius = z->radius;
    s->cells = z->cells;
    s->detector = (struct lc_detector){z->rows,    z->cols,   2 * z->radius + 2,
                                       z->circles, z->points, 2 * z->element_radius + 1};
    s->flow = (struct lc_flow){1, 1, 1e10f, 0.008f, z->rounds};
    size_t n = (size_t)z->rows * z->cols, cells = (size_t)z->cells;
    size_t window = (size_t)(4 * z->radius + 1) * (size_t)(8 * z->radius + 1);
    s->grad_x = wl_array(w, "grad_x", WL_INPUT, WL_F32, n);
    s->grad_y = wl_array(w, "grad_y", WL_INPUT, WL_F32, n);
    s->gicov = wl_array(w, "gicov", WL_OUTPUT, WL_F32, n);
    s->dilated = wl_array(w, "dilated", WL_OUTPUT, WL_F32, n);
    wl_picture(s->grad_x, (size_t)z->rows, (size_t)z->cols, 1); /* columns are rows here */
    wl_picture(s->gicov, (size_t)z->rows, (size_t)z->cols, 1);
    s->starts = wl_array(w, "starts", WL_INPUT, WL_I32, cells);
    s->rows_of = wl_array(w, "rows_of", WL_INPUT, WL_I32, cells);
    s->cols_of = wl_array(w, "cols_of", WL_INPUT, WL_I32, cells);
    s->images = wl_array(w, "images", WL_INPUT, WL_F32, cells * window);
    s->flows = wl_array(w, "flows", WL_INOUT, WL_F32, cells * window);
    set_tables(s, z->element_radius);
    fill(w, s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    const struct lc_detector *d = &s->detector;
    unsigned pixels = (unsigned)(d->rows * d->cols), inner = (unsigned)(d->cols - 2 * d->margin);
    wl_set_symbol(w, "sines", s->tables.sines, sizeof s->tables.sines);
    wl_set_symbol(w, "cosines", s->tables.cosines, sizeof s->tables.cosines);
    wl_set_symbol(w, "circle_x", s->tables.circle_x, sizeof s->tables.circle_x);
    wl_set_symbol(w, "circle_y", s->tables.circle_y, sizeof s->tables.circle_y);
    wl_set_symbol(w, "element", s->tables.element, sizeof s->tables.element);
    wl_launch(w, "lc_gicov", WL_DIM(inner), WL_DIM((unsigned)(d->rows - 2 * d->margin)), 0,
              WL_ARGS(&s->detector, &s->grad_x->dev, &s->grad_y->dev, &s->gicov->dev));
    wl_launch(w, "lc_dilate", WL_DIM(wl_blocks(pixels, 176)), WL_DIM(176), 0,
              WL_ARGS(&s->detector, &s->gicov->dev, &s->dilated->dev));
    wl_launch(w, "lc_track", WL_DIM((unsigned)s->cells), WL_DIM(LC_TRACK_BLOCK), 0,
              WL_ARGS(&s->starts->dev, &s->rows_of->dev, &s->cols_of->dev, &s->images->dev,
                      &s->flows->dev, &s->flow));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const float *initial = s->flows->initial;
    lc_reference_gicov(&s->detector, &s->tables, s->grad_x->f32, s->grad_y->f32,
                       s->gicov->expect_f32);
    lc_reference_dilate(&s->detector, &s->tables, s->gicov->expect_f32, s->dilated->expect_f32);
    for (size_t i = 0; i < s->flows->count; i++)
        s->flows->expect_f32[i] = initial[i];
    for (int c = 0; c < s->cells; c++)
        lc_reference_track(w, &s->flow, s->rows_of->i32[c], s->cols_of->i32[c],
                           s->images->f32 + s->starts->i32[c],
                           s->flows->expect_f32 + s->starts->i32[c]);
}

const struct workload workload_rodinia_lc = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "inverse coefficient of variation of the gradient along circles, a thread a pixel, "
        "tables in constant memory; dilation by a disc; motion gradient vector flow, a block "
        "a cell in shared memory, arc tangents and partly double precision; plain loads "
        "where the original has textures",
    .input = "a smooth, noisy frame with discs that have bright rims; windows around them",
    .imitates = "video microscopy of blood vessels: white blood cells as discs with "
                "bright rims",
    .tolerance = "bit-equal: IEEE division, a polynomial for the arc tangent, additions in a fixed "
                 "order",
    .idle = "a block a cell, and cells settle after different rounds",
};
