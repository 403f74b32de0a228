/* rodinia-nw: Needleman-Wunsch alignment scores of two related proteins. */
#include "gen.h"
#include "workload.h"

enum { BLOCK = 16, PENALTY = 10, KINDS = 20 };

struct state {
    int cols; /* residues + 1 */
    struct wl_array *similarity, *scores;
};

/* Scores in the manner of BLOSUM62: 4 to 11 for the same residue, 1 to 3 within a chemical group,
 * -1 to -4 elsewhere. Symmetric; the same for every seed. */
static int similar(int a, int b)
{
    static const char group[KINDS + 1] = "hpppcpphhbbbhhhppaah"; /* hydrophobic, polar, ... */
    int low = a < b ? a : b, high = a < b ? b : a, mix = (low * 7 + high * 13) % 16;
    if (a == b)
        return 4 + (mix < 9 ? mix % 3 : mix % 8);
    if (group[a] == group[b])
        return 1 + mix % 3;
    return -1 - mix % 4;
}

/* Residues are not equally frequent, as in proteins. */
static uint8_t residue(struct rng *rng)
{
    uint32_t a = rng_below(rng, KINDS), b = rng_below(rng, KINDS);
    return (uint8_t)(rng_below(rng, 2) && b < a ? b : a);
}

/* The second protein is the first after evolution: a fifth of the residues replaced, stretches lost
 * and inserted. */
static void evolve(struct rng *rng, const uint8_t *from, uint8_t *to, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++) {
        uint32_t event = rng_below(rng, 100);
        if (event == 0)
            at += (int)rng_below(rng, 12);
        bool copy = event >= 22 && at < n;
        to[i] = copy ? from[at] : residue(rng);
        at += event != 1;
    }
}

static void make(struct wl *w, void *state)
{
    static const int lengths[WL_SIZES] = {128, 624, 2432, 5120, 3072};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    int n = lengths[wl_size(w)];
    s->cols = n + 1;
    size_t cells = (size_t)s->cols * s->cols;
    s->similarity = wl_array(w, "similarity", WL_INPUT, WL_I32, cells);
    s->scores = wl_array(w, "scores", WL_INOUT, WL_I32, cells);
    uint8_t *a = wl_alloc(w, (size_t)n, 1), *b = wl_alloc(w, (size_t)n, 1);
    for (int i = 0; i < n; i++)
        a[i] = residue(&rng);
    evolve(&rng, a, b, n);
    for (int y = 1; y <= n; y++)
        for (int x = 1; x <= n; x++)
            s->similarity->i32[(size_t)y * s->cols + x] = similar(a[y - 1], b[x - 1]);
    for (int i = 1; i <= n; i++) {
        s->scores->i32[i] = -i * PENALTY;
        s->scores->i32[(size_t)i * s->cols] = -i * PENALTY;
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int penalty = PENALTY, tiles = (s->cols - 1) / BLOCK;
    for (int i = 1; i <= tiles; i++)
        wl_launch(w, "needle_upper", WL_DIM((unsigned)i), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->similarity->dev, &s->scores->dev, &s->cols, &penalty, &i));
    for (int i = tiles - 1; i >= 1; i--)
        wl_launch(w, "needle_lower", WL_DIM((unsigned)i), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->similarity->dev, &s->scores->dev, &s->cols, &penalty, &i, &tiles));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t cols = (size_t)s->cols;
    int32_t *e = s->scores->expect_i32;
    (void)w;
    for (size_t i = 1; i < cols; i++)
        e[i] = e[i * cols] = -(int32_t)i * PENALTY;
    for (size_t y = 1; y < cols; y++)
        for (size_t x = 1; x < cols; x++) {
            int32_t best = e[(y - 1) * cols + x - 1] + s->similarity->i32[y * cols + x];
            int32_t left = e[y * cols + x - 1] - PENALTY, up = e[(y - 1) * cols + x] - PENALTY;
            best = left > best ? left : best;
            e[y * cols + x] = up > best ? up : best;
        }
}

const struct workload workload_rodinia_nw = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "dynamic programming by 16x16 tiles, one launch a diagonal of tiles, 16 threads a "
                 "tile along its diagonals",
    .input = "similarities of two related proteins (a fifth of the residues replaced, insertions "
             "and deletions) under a matrix in the manner of BLOSUM62",
    .imitates = "two related proteins; Rodinia draws both sequences at random",
    .tolerance = "bit-equal: integers",
    .idle = "the first and the last diagonals have fewer tiles than there are SMs",
};
