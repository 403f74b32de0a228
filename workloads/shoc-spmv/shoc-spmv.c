/* shoc-spmv: sparse matrix times vector; compressed rows by thread and by warp, ELLPACK-R. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { LONGEST = 40 }; /* entries of a row */

struct state {
    int n;
    struct wl_array *values, *cols, *rows, *x, *ell_values, *ell_cols, *lengths;
    struct wl_array *scalar, *vector, *ellpack;
};

struct entries {
    float *values;
    int32_t *cols, *rows; /* rows[r + 1] is set as row r ends */
    int count;
};

static void add_entry(struct entries *e, int col, float value)
{
    e->cols[e->count] = col;
    e->values[e->count++] = value;
}

/* A row of heat conduction on a grid `side` wide, five points, conductivities from a smooth field:
 * the structured half. */
static void add_stencil_row(struct entries *e, const int32_t *field, int row, int side, int n)
{
    const int steps[4] = {-side, -1, 1, side};
    double mine = 2.0 + field[row] / 131072.0, sum = 0;
    int at = -1;
    for (int i = 0; i < 4; i++) {
        int col = row + steps[i];
        bool across = (i == 1 && row % side == 0) || (i == 2 && row % side == side - 1);
        if (i == 2) {
            at = e->count;
            add_entry(e, row, 0);
        }
        if (col < 0 || col >= n || across)
            continue;
        double g = (mine + 2.0 + field[col] / 131072.0) / 2;
        add_entry(e, col, (float)-g);
        sum += g;
    }
    e->values[at] = (float)(sum + 0.01);
}

/* A row of a circuit or a web: few neighbours, mostly near, some anywhere, sorted; now and then
 * many of them. The unstructured half. */
static void add_random_row(struct entries *e, struct rng *rng, int row, int n)
{
    int want = 2 + (int)rng_below(rng, 9), col = 0;
    if (rng_below(rng, 16) == 0)
        want = LONGEST - 1;
    bool local = rng_below(rng, 3) != 0;
    for (int left = want; left > 0; left--) {
        int room = n - col - left; /* columns that may be skipped */
        int skip = room / left * 2 < room ? room / left * 2 : room;
        skip = (int)rng_below(rng, (uint32_t)skip + 1);
        if (local)
            skip = left < want ? (int)rng_below(rng, 8) : row - want * 4;
        skip = skip < 0 ? 0 : skip < room ? skip : room;
        add_entry(e, col + skip, (float)(gen_normal(rng) * 0.25));
        col += skip + 1;
    }
}

static void make_matrix(struct wl *w, struct state *s, struct entries *e)
{
    struct rng rng = wl_rng(w, 0);
    int half = s->n / 2, side = 1;
    while (side * side < half)
        side++;
    int32_t *field = wl_alloc(w, (size_t)s->n, sizeof *field);
    gen_fractal(&rng, field, (unsigned)side, (unsigned)(s->n / side), 32, 30000);
    for (int r = 0; r < s->n; r++) {
        if (r < half)
            add_stencil_row(e, field, r, side, half);
        else
            add_random_row(e, &rng, r, s->n);
        e->rows[r + 1] = e->count;
    }
}

static void make_ellpack(struct wl *w, struct state *s, const struct entries *e)
{
    int longest = 0;
    s->lengths = wl_array(w, "lengths", WL_INPUT, WL_I32, (size_t)s->n);
    for (int r = 0; r < s->n; r++) {
        s->lengths->i32[r] = e->rows[r + 1] - e->rows[r];
        longest = s->lengths->i32[r] > longest ? s->lengths->i32[r] : longest;
    }
    size_t n = (size_t)s->n;
    s->ell_values = wl_array(w, "ell_values", WL_INPUT, WL_F32, n * longest);
    s->ell_cols = wl_array(w, "ell_cols", WL_INPUT, WL_I32, n * longest);
    for (size_t r = 0; r < n; r++)
        for (int i = 0; i < s->lengths->i32[r]; i++) {
            s->ell_values->f32[i * n + r] = e->values[e->rows[r] + i];
            s->ell_cols->i32[i * n + r] = e->cols[e->rows[r] + i];
        }
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES] = {540, 11500, 172000, 700000, 172000};
    struct state *s = state;
    struct rng rng = wl_rng(w, 1);
    s->n = sizes[wl_size(w)];
    size_t n = (size_t)s->n;
    struct entries e = {wl_alloc(w, n * LONGEST, sizeof(float)),
                        wl_alloc(w, n * LONGEST, sizeof(int32_t)), NULL, 0};
    s->rows = wl_array(w, "rows", WL_INPUT, WL_I32, n + 1);
    e.rows = s->rows->i32;
    make_matrix(w, s, &e);
    s->values = wl_array(w, "values", WL_INPUT, WL_F32, (size_t)e.count);
    s->cols = wl_array(w, "cols", WL_INPUT, WL_I32, (size_t)e.count);
    for (int i = 0; i < e.count; i++) {
        s->values->f32[i] = e.values[i];
        s->cols->i32[i] = e.cols[i];
    }
    make_ellpack(w, s, &e);
    s->x = wl_array(w, "x", WL_INPUT, WL_F32, n);
    for (size_t i = 0; i < n; i++)
        s->x->f32[i] = (float)(rng_unit(&rng) * 10);
    s->scalar = wl_array(w, "scalar", WL_OUTPUT, WL_F32, n);
    s->vector = wl_array(w, "vector", WL_OUTPUT, WL_F32, n);
    s->ellpack = wl_array(w, "ellpack", WL_OUTPUT, WL_F32, n);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->n;
    wl_launch(
        w, "spmv_csr_scalar", WL_DIM(wl_blocks(n, 128)), WL_DIM(128), 0,
        WL_ARGS(&s->values->dev, &s->x->dev, &s->cols->dev, &s->rows->dev, &s->n, &s->scalar->dev));
    wl_launch(
        w, "spmv_csr_vector", WL_DIM(wl_blocks(n, 4)), WL_DIM(128), 0,
        WL_ARGS(&s->values->dev, &s->x->dev, &s->cols->dev, &s->rows->dev, &s->n, &s->vector->dev));
    wl_launch(w, "spmv_ellpackr", WL_DIM(wl_blocks(n, 128)), WL_DIM(128), 0,
              WL_ARGS(&s->ell_values->dev, &s->x->dev, &s->ell_cols->dev, &s->lengths->dev, &s->n,
                      &s->ellpack->dev));
}

/* The sum in the order of a warp: 32 partial sums, folded in halves. */
static float warp_sum(const struct state *s, int row)
{
    float part[32] = {0};
    int first = s->rows->i32[row], last = s->rows->i32[row + 1];
    for (int i = first; i < last; i++) {
        float *p = &part[(i - first) % 32];
        *p = fmaf(s->values->f32[i], s->x->f32[s->cols->i32[i]], *p);
    }
    for (int half = 16; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int r = 0; r < s->n; r++) {
        float sum = 0;
        for (int i = s->rows->i32[r]; i < s->rows->i32[r + 1]; i++)
            sum = fmaf(s->values->f32[i], s->x->f32[s->cols->i32[i]], sum);
        s->scalar->expect_f32[r] = s->ellpack->expect_f32[r] = sum;
        s->vector->expect_f32[r] = warp_sum(s, r);
    }
}

const struct workload workload_shoc_spmv = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "compressed rows with a thread and with a warp a row, ELLPACK-R with a thread a row",
    .input = "half the rows a five-point stencil with smooth conductivities, half unstructured "
             "(2 to 39 entries, near the diagonal or anywhere); a uniform vector",
    .imitates = "a matrix of a simulation; SHOC draws uniform places at 1 % of a matrix",
    .tolerance = "bit-equal: fused multiply-adds in the order of each kernel",
};
