/* rodinia-bp: one training step of a network with one hidden layer of 16 units and one output. The
 * large layer (inputs to hidden) is on the GPU, the small one on the host, as in Rodinia. */
#include "exact_math.h"
#include "gen.h"

#include <math.h>

enum { HIDDEN = 16, ROW = HIDDEN + 1, TILE = 16 };

static const float eta = 0.3f, momentum = 0.3f;

struct state {
    uint32_t inputs; /* without the bias; a multiple of 16 */
    struct wl_array *input, *weights, *change, *partial, *delta;
    float to_output[ROW];
};

/* Pixels of a picture, as in Rodinia's face recognition; small random weights. */
static void make(struct wl *w, void *state)
{
    static const uint32_t widths[WL_SIZES] = {32, 128, 512, 1024, 512};
    static const uint32_t heights[WL_SIZES] = {16, 112, 400, 768, 400};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    uint32_t width = widths[wl_size(w)], height = heights[wl_size(w)];
    s->inputs = width * height;
    size_t n = (size_t)(s->inputs + 1) * ROW;
    s->input = wl_array(w, "input", WL_INPUT, WL_F32, s->inputs + 1);
    s->weights = wl_array(w, "weights", WL_INOUT, WL_F32, n);
    s->change = wl_array(w, "change", WL_OUTPUT, WL_F32, n);
    s->partial = wl_array(w, "partial", WL_SCRATCH, WL_F32, s->inputs / TILE * HIDDEN);
    s->delta = wl_array(w, "delta", WL_SCRATCH, WL_F32, ROW);

    uint8_t *image = wl_alloc(w, s->inputs, 1);
    gen_photo(&rng, image, width, height, 1);
    s->input->f32[0] = 1.0f;
    for (uint32_t i = 0; i < s->inputs; i++)
        s->input->f32[i + 1] = (float)image[i] / 255.0f;
    double scale = 1 / sqrt(s->inputs);
    for (size_t i = 0; i < n; i++)
        s->weights->f32[i] = (float)(gen_normal(&rng) * scale);
    for (int h = 0; h < ROW; h++)
        s->to_output[h] = (float)(rng_unit(&rng) - 0.5);
}

static float squash(float x)
{
    return (float)(1 / (1 + exact_exp(-(double)x)));
}

/* From the tiles' sums: what the hidden units get as error. weights: the bias row only. */
static void hidden_deltas(const struct state *s, const float *partial, const float *bias,
                          float delta[ROW])
{
    const float target = 0.1f;
    float hidden[ROW] = {1.0f}, sum = s->to_output[0];

    for (int h = 1; h < ROW; h++) {
        float total = bias[h];
        for (uint32_t block = 0; block < s->inputs / TILE; block++)
            total += partial[block * HIDDEN + (uint32_t)h - 1];
        hidden[h] = squash(total);
        sum += hidden[h] * s->to_output[h];
    }
    float out = squash(sum), error = out * (1 - out) * (target - out);
    delta[0] = 0;
    for (int h = 1; h < ROW; h++)
        delta[h] = hidden[h] * (1 - hidden[h]) * error * s->to_output[h];
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    struct wl_dim grid = WL_DIM(1, s->inputs / TILE), block = WL_DIM(HIDDEN, TILE);
    size_t sums = s->inputs / TILE * HIDDEN;
    float *partial = wl_alloc(w, sums, sizeof *partial), delta[ROW];

    wl_launch(w, wl_variant(w) ? "bp_forward_pow" : "bp_forward", grid, block, 0,
              WL_ARGS(&s->input->dev, &s->weights->dev, &s->partial->dev));
    wl_read(w, s->partial->dev, partial, sums * sizeof *partial);
    hidden_deltas(s, partial, s->weights->f32, delta);
    wl_write(w, s->delta->dev, delta, sizeof delta);
    wl_launch(w, "bp_adjust", grid, block, 0,
              WL_ARGS(&s->delta->dev, &s->input->dev, &s->weights->dev, &s->change->dev));
}

/* Pairs of neighbours, then pairs of pairs: the order in which the kernel adds. */
static float tree_sum(const float *v, int n)
{
    return n == 1 ? v[0] : tree_sum(v, n / 2) + tree_sum(v + n / 2, n / 2);
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    const float *weights = s->weights->initial, *input = s->input->f32;
    float *partial = wl_alloc(w, s->inputs / TILE * HIDDEN, sizeof *partial), delta[ROW];

    for (uint32_t block = 0; block < s->inputs / TILE; block++)
        for (uint32_t h = 0; h < HIDDEN; h++) {
            float product[TILE];
            for (uint32_t i = 0; i < TILE; i++) {
                uint32_t unit = block * TILE + i + 1;
                product[i] = weights[unit * ROW + h + 1] * input[unit];
            }
            partial[block * HIDDEN + h] = tree_sum(product, TILE);
        }
    hidden_deltas(s, partial, weights, delta);
    for (uint32_t unit = 0; unit <= s->inputs; unit++)
        for (uint32_t h = 0; h < ROW; h++) {
            size_t at = (size_t)unit * ROW + h;
            /* There was no change before this step, and column 0 leads to no unit. */
            float step = h ? fmaf(eta * delta[h], input[unit], momentum * 0.0f) : 0.0f;
            s->change->expect_f32[at] = step;
            s->weights->expect_f32[at] = weights[at] + step;
        }
}

const struct workload workload_rodinia_bp = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "forward pass with 16x16 tiles of weights and a tree of additions in shared memory, "
        "then an update of all weights; the output layer is on the host",
    .input = "pixels of a gray photograph as 0..1; normal weights of deviation 1/sqrt(inputs)",
    .imitates = "the pixels of a face, for which the program was written; Rodinia feeds"
                " it uniform numbers",
    .tolerance = "bit-equal: the order of additions is fixed",
    .variant = "pow", /* steps of the additions by powers of two on the special function unit */
};
