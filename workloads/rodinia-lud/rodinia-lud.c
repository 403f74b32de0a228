/* rodinia-lud: LU decomposition of a matrix. */
#include "exact_math.h"
#include "workload.h"

#include <math.h>
#include <string.h>

enum { TILE = 16 };

struct state {
    int size; /* a multiple of TILE */
    struct wl_array *matrix;
};

/* Entries that fall exponentially away from the diagonal, each with an error of up to 1 %. */
static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES] = {64, 208, 512, 1024, 768};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    int n = s->size = sizes[wl_size(w)];
    s->matrix = wl_array(w, "matrix", WL_INOUT, WL_F32, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double entry = 10 * exact_exp(-0.01 * (i < j ? j - i : i - j));
            double error = ((double)rng_below(&rng, 2048) - 1024) / 102400;
            s->matrix->f32[i * n + j] = (float)(i == j ? entry + n / 16.0 : entry * (1 + error));
        }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int offset = 0;
    for (; offset < s->size - TILE; offset += TILE) {
        unsigned rest = (unsigned)(s->size - offset) / TILE - 1;
        wl_launch(w, "lud_diagonal", WL_DIM(1), WL_DIM(TILE), 0,
                  WL_ARGS(&s->matrix->dev, &s->size, &offset));
        wl_launch(w, "lud_perimeter", WL_DIM(rest), WL_DIM(2 * TILE), 0,
                  WL_ARGS(&s->matrix->dev, &s->size, &offset));
        wl_launch(w, "lud_internal", WL_DIM(rest, rest), WL_DIM(TILE, TILE), 0,
                  WL_ARGS(&s->matrix->dev, &s->size, &offset));
    }
    wl_launch(w, "lud_diagonal", WL_DIM(1), WL_DIM(TILE), 0,
              WL_ARGS(&s->matrix->dev, &s->size, &offset));
}

/* Row by row. What whole tiles contribute to an entry is added up a tile at a time and then
 * subtracted; the rest is subtracted product by product. */
static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    int n = s->size;
    float *m = s->matrix->expect_f32;
    (void)w;
    memcpy(m, s->matrix->initial, s->matrix->count * sizeof *m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int last = i < j ? i : j, k = 0;
            float entry = m[i * n + j];
            while (k < last / TILE * TILE) {
                float sum = 0;
                for (int end = k + TILE; k < end; k++)
                    sum = fmaf(m[i * n + k], m[k * n + j], sum);
                entry -= sum;
            }
            for (; k < last; k++)
                entry = fmaf(-m[i * n + k], m[k * n + j], entry);
            m[i * n + j] = i > j ? entry / m[j * n + j] : entry;
        }
}

const struct workload workload_rodinia_lud = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "in place by 16x16 tiles in shared memory: a block of 16 threads factors the "
                 "diagonal, blocks of 32 the row and column, blocks of 256 update the rest",
    .input = "a matrix that falls exponentially from its diagonal, each entry up to 1 % off",
    .imitates = "the output of Rodinia's matrix generator, which has no errors on it",
    .tolerance = "bit-equal: IEEE division and fused multiply-adds in a fixed order",
    .idle = "each launch waits for the one before: one block for the diagonal, a "
            "row of blocks, then the rest, which shrinks",
};
