/* parboil-spmv: sparse matrix times vector in jagged diagonal storage (JDS). */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { WARP = 32, BLOCK = 192, REACH = 3, LONGEST = 64, WARPS = 12288 };

struct state {
    int side, n, padded, launches, depth;
    int32_t start[LONGEST], warp_length[WARPS];
    struct wl_array *values, *cols, *row_of, *x, *out;
};

struct entry {
    int32_t col;
    float value;
};

/* A row of the matrix, sorted by column. */
struct row {
    int count;
    struct entry entries[LONGEST];
};

/* A number for each pair of nodes, the same from both sides. */
static uint32_t pair_hash(uint64_t seed, int a, int b)
{
    struct rng rng = {seed ^ ((uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a))};
    return (uint32_t)(rng_u64(&rng) >> 48);
}

/* A node of a triangulated plate: tied to its eight neighbours, to farther ones where elements are
 * of a higher order (in patches of the field), so that rows differ in length as a finite-element
 * matrix's. The stiffness falls with distance and follows the field. */
static void make_row(const struct state *s, const int32_t *field, uint64_t seed, int node,
                     struct row *row)
{
    int x0 = node % s->side, y0 = node / s->side, self = 0;
    double sum = 0;
    row->count = 0;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            int x = x0 + dx, y = y0 + dy, other = y * s->side + x, d2 = dx * dx + dy * dy;
            if (x < 0 || x >= s->side || y < 0 || y >= s->side)
                continue;
            bool fine = field[node] + field[other] > 20000 * d2;
            if (d2 > 2 && !(fine && pair_hash(seed, node, other) < 49152))
                continue;
            double stiff = d2 ? (2 + (field[node] + field[other]) / 262144.0) / d2 : 0;
            if (!d2)
                self = row->count;
            row->entries[row->count++] = (struct entry){other, (float)-stiff};
            sum += stiff;
        }
    row->entries[self].value = (float)(sum + 0.01);
}

/* Rows in the order of falling length, equal ones as they come. */
static void sort_rows(struct wl *w, struct state *s, const struct row *rows)
{
    int *place = wl_alloc(w, LONGEST + 1, sizeof *place);
    for (int r = 0; r < s->n; r++)
        place[rows[r].count]++;
    for (int length = LONGEST, before = 0; length >= 0; length--) {
        int count = place[length];
        place[length] = before;
        before += count;
    }
    for (int r = 0; r < s->n; r++)
        s->row_of->i32[place[rows[r].count]++] = r;
}

/* Where the k-th entries begin: after those of all warps that have a (k-1)-th. */
static int place_diagonals(struct state *s, const struct row *rows)
{
    int total = 0;
    s->depth = rows[s->row_of->i32[0]].count;
    for (int t = 0; t < s->n; t += WARP)
        s->warp_length[t / WARP] = rows[s->row_of->i32[t]].count;
    for (int k = 0; k < s->depth; k++) {
        s->start[k] = total;
        for (int t = 0; t < s->n && s->warp_length[t / WARP] > k; t += WARP)
            total += WARP;
    }
    return total;
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int side, launches;
    } sizes[WL_SIZES] = {{24, 2}, {112, 5}, {380, 8}, {600, 15}, {380, 8}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->side = sizes[wl_size(w)].side;
    s->launches = sizes[wl_size(w)].launches;
    s->n = s->side * s->side;
    size_t n = (size_t)s->n;
    int32_t *field = wl_alloc(w, n, sizeof *field);
    gen_fractal(&rng, field, (unsigned)s->side, (unsigned)s->side, 32, 30000);
    uint64_t seed = rng_u64(&rng);
    struct row *rows = wl_alloc(w, n, sizeof *rows);
    for (int r = 0; r < s->n; r++)
        make_row(s, field, seed, r, &rows[r]);
    s->row_of = wl_array(w, "row_of", WL_INPUT, WL_I32, n);
    sort_rows(w, s, rows);
    size_t total = (size_t)place_diagonals(s, rows);
    s->values = wl_array(w, "values", WL_INPUT, WL_F32, total);
    s->cols = wl_array(w, "cols", WL_INPUT, WL_I32, total);
    for (int t = 0; t < s->n; t++) {
        const struct row *row = &rows[s->row_of->i32[t]];
        for (int k = 0; k < row->count; k++) {
            s->values->f32[s->start[k] + t] = row->entries[k].value;
            s->cols->i32[s->start[k] + t] = row->entries[k].col;
        }
    }
    s->x = wl_array(w, "x", WL_INPUT, WL_F32, n);
    for (size_t i = 0; i < n; i++)
        s->x->f32[i] = (float)rng_unit(&rng);
    s->out = wl_array(w, "out", WL_OUTPUT, WL_F32, n);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_set_symbol(w, "diagonal_start", s->start, sizeof s->start);
    wl_set_symbol(w, "warp_length", s->warp_length, sizeof s->warp_length);
    for (int i = 0; i < s->launches; i++) /* the same product each time, as Parboil times it */
        wl_launch(w, "spmv_jds", WL_DIM(wl_blocks((size_t)s->n, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->values->dev, &s->cols->dev, &s->row_of->dev, &s->x->dev, &s->n,
                          &s->out->dev));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int t = 0; t < s->n; t++) {
        float sum = 0;
        for (int k = 0; k < s->warp_length[t / WARP]; k++) {
            int at = s->start[k] + t;
            sum = fmaf(s->values->f32[at], s->x->f32[s->cols->i32[at]], sum);
        }
        s->out->expect_f32[s->row_of->i32[t]] = sum;
    }
}

const struct workload workload_parboil_spmv = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "jagged diagonals, a thread a row, rows sorted by length and padded by warps, starts "
        "and lengths in constant memory, loads two entries ahead",
    .input = "a plate of finite elements: nodes tied to 8 neighbours, in patches to some of 48; a "
             "uniform vector",
    .imitates = "Parboil's bcsstk18 and Dubcova3: stiffness of finite elements",
    .tolerance = "bit-equal: fused multiply-adds in the order of the entries",
};
