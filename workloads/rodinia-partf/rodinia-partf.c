/* rodinia-partf: a particle filter that follows an object through a video. */
#include "f64_math.h"
#include "gen.h"
#include "workload.h"

enum { BLOCK = 128, RADIUS = 5 };

/* As the device code's. */
struct video {
    CUdeviceptr pixels;
    int32_t width, height, frames, ones;
};

struct state {
    struct video video;
    int particles;
    struct wl_array *pixels, *disc, *seeds, *x, *y, *drawn_x, *drawn_y, *place, *likelihood,
        *weights, *cumulated, *sums, *first;
};

/* The pixels within RADIUS of the middle, as pairs of offsets; returns how many. */
static int32_t disc_offsets(int32_t *out)
{
    int32_t n = 0;
    for (int x = 1 - RADIUS; x < RADIUS; x++)
        for (int y = 1 - RADIUS; y < RADIUS; y++)
            if (x * x + y * y < RADIUS * RADIUS) {
                if (out) {
                    out[2 * n] = y;
                    out[2 * n + 1] = x;
                }
                n++;
            }
    return n;
}

/* A bright disc on a darker ground, moving right by 1 and up by 2 a frame, with noise. */
static void fill_video(struct wl *w, const struct state *s)
{
    const struct video *v = &s->video;
    struct rng rng = wl_rng(w, 0);
    for (int x = 0; x < v->width; x++)
        for (int y = 0; y < v->height; y++)
            for (int k = 0; k < v->frames; k++) {
                int dx = x - v->width / 2 - k, dy = y - v->height / 2 + 2 * k;
                int level = dx * dx + dy * dy < RADIUS * RADIUS ? 228 : 100;
                s->pixels->u8[(x * v->height + y) * v->frames + k] =
                    (uint8_t)(level + (int)(5 * gen_normal(&rng)));
            }
}

static struct wl_array *doubles(struct wl *w, const char *name, enum wl_role role, size_t n)
{
    return wl_array(w, name, role, WL_F64, n);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int particles, frames, side;
    } sizes[WL_SIZES] = {
        {64, 3, 32}, {900, 4, 64}, {7168, 3, 128}, {14336, 4, 128}, {7168, 3, 128}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 1);
    int side = sizes[wl_size(w)].side;
    s->particles = sizes[wl_size(w)].particles;
    s->video = (struct video){0, side, side, sizes[wl_size(w)].frames, disc_offsets(NULL)};
    size_t n = (size_t)s->particles, ones = (size_t)s->video.ones;
    s->pixels = wl_array(w, "pixels", WL_INPUT, WL_U8,
                         (size_t)side * (size_t)side * (size_t)s->video.frames);
    s->disc = wl_array(w, "disc", WL_INPUT, WL_I32, 2 * ones);
    s->seeds = wl_array(w, "seeds", WL_INOUT, WL_I32, n);
    s->drawn_x = doubles(w, "drawn_x", WL_INOUT, n);
    s->drawn_y = doubles(w, "drawn_y", WL_INOUT, n);
    s->x = doubles(w, "x", WL_OUTPUT, n);
    s->y = doubles(w, "y", WL_OUTPUT, n);
    s->weights = doubles(w, "weights", WL_OUTPUT, n);
    s->likelihood = doubles(w, "likelihood", WL_OUTPUT, n);
    s->cumulated = doubles(w, "cumulated", WL_OUTPUT, n);
    s->place = wl_array(w, "place", WL_SCRATCH, WL_I32, n * ones);
    s->sums = doubles(w, "sums", WL_SCRATCH, wl_blocks(n, BLOCK));
    s->first = doubles(w, "first", WL_SCRATCH, 1);
    disc_offsets(s->disc->i32);
    fill_video(w, s);
    for (size_t i = 0; i < n; i++) {
        s->seeds->i32[i] = (int32_t)(1 + rng_below(&rng, 1u << 30));
        s->drawn_x->f64[i] = s->video.width / 2;
        s->drawn_y->f64[i] = s->video.height / 2;
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    int blocks = (int)wl_blocks((size_t)s->particles, BLOCK);
    struct wl_dim grid = WL_DIM((unsigned)blocks), block = WL_DIM(BLOCK), one = WL_DIM(1);
    s->video.pixels = s->pixels->dev;
    for (int frame = 1; frame < s->video.frames; frame++) {
        wl_launch(w, "partf_likelihood", grid, block, 0,
                  WL_ARGS(&s->video, &frame, &s->particles, &s->x->dev, &s->y->dev,
                          &s->drawn_x->dev, &s->drawn_y->dev, &s->disc->dev, &s->place->dev,
                          &s->likelihood->dev, &s->weights->dev, &s->seeds->dev, &s->sums->dev));
        wl_launch(w, "partf_sum", one, block, 0, WL_ARGS(&s->sums->dev, &blocks));
        wl_launch(w, "partf_normalize", grid, block, 0,
                  WL_ARGS(&s->weights->dev, &s->particles, &s->sums->dev));
        wl_launch(w, "partf_cumulate", one, block, 0,
                  WL_ARGS(&s->weights->dev, &s->particles, &s->cumulated->dev, &s->seeds->dev,
                          &s->first->dev));
        wl_launch(w, "partf_draw", grid, block, 0,
                  WL_ARGS(&s->x->dev, &s->y->dev, &s->cumulated->dev, &s->first->dev,
                          &s->drawn_x->dev, &s->drawn_y->dev, &s->particles));
    }
}

static double uniform(int32_t *seed)
{
    int32_t number = (int32_t)(1103515245u * (uint32_t)*seed + 12345u);
    *seed = number % 2147483647;
    return fabs(*seed / 2147483647.0);
}

static double normal(int32_t *seed)
{
    double u = uniform(seed), v = uniform(seed);
    return sqrt(-2.0 * f64_log(u)) * f64_cos_turns(v);
}

/* How much brighter than the ground what a particle sees is. */
static double likelihood_of(const struct state *s, double x, double y, int frame)
{
    const struct video *v = &s->video;
    double sum = 0;
    for (int k = 0; k < v->ones; k++) {
        int px = (int)x + s->disc->i32[2 * k + 1], py = (int)y + s->disc->i32[2 * k];
        int at = px * v->height * v->frames + py * v->frames + frame;
        at = at < 0 ? -at : at;
        int level = s->pixels->u8[at < v->width * v->height * v->frames ? at : 0];
        sum += ((level - 100) * (level - 100) - (level - 228) * (level - 228)) / 50.0;
    }
    return sum / v->ones;
}

/* Moves and weighs all particles; returns the sum of their weights, added as the blocks do. */
static double weigh(struct state *s, int frame)
{
    double total = 0;
    for (int first = 0; first < s->particles; first += BLOCK) {
        double sum[BLOCK] = {0};
        for (int i = first; i < first + BLOCK && i < s->particles; i++) {
            int32_t *seed = &s->seeds->expect_i32[i];
            double *x = &s->x->expect_f64[i], *y = &s->y->expect_f64[i];
            *x = s->drawn_x->expect_f64[i] + 1.0 + 5.0 * normal(seed);
            *y = s->drawn_y->expect_f64[i] - 2.0 + 2.0 * normal(seed);
            s->likelihood->expect_f64[i] = likelihood_of(s, *x, *y, frame);
            s->weights->expect_f64[i] = 1.0 / s->particles * f64_exp(s->likelihood->expect_f64[i]);
            sum[i - first] = s->weights->expect_f64[i];
        }
        for (int half = BLOCK / 2; half > 0; half /= 2)
            for (int t = 0; t < half; t++)
                sum[t] += sum[t + half];
        total += sum[0];
    }
    return total;
}

/* Draws the particles anew, by binary search through the running sums. */
static void draw(struct state *s, double total)
{
    double *cumulated = s->cumulated->expect_f64, sum = 0;
    for (int i = 0; i < s->particles; i++) {
        s->weights->expect_f64[i] /= total;
        sum += s->weights->expect_f64[i];
        cumulated[i] = sum;
    }
    double start = 1.0 / s->particles * uniform(&s->seeds->expect_i32[0]);
    for (int i = 0; i < s->particles; i++) {
        double mark = start + i / (double)s->particles;
        int low = 0, high = s->particles - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (cumulated[middle] < mark)
                low = middle + 1;
            else
                high = middle;
        }
        s->drawn_x->expect_f64[i] = s->x->expect_f64[low];
        s->drawn_y->expect_f64[i] = s->y->expect_f64[low];
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->particles;
    (void)w;
    memcpy(s->seeds->expect, s->seeds->initial, n * sizeof(int32_t));
    memcpy(s->drawn_x->expect, s->drawn_x->initial, n * sizeof(double));
    memcpy(s->drawn_y->expect, s->drawn_y->initial, n * sizeof(double));
    for (int frame = 1; frame < s->video.frames; frame++)
        draw(s, weigh(s, frame));
}

const struct workload workload_rodinia_partf = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a thread a particle weighs the 69 pixels it sees (scattered bytes); sums by trees "
        "and by one thread; running sums by one thread; each particle searches through them "
        "from the start",
    .input = "a video of a bright moving disc with noise; the particles' seeds",
    .imitates = "Rodinia's own: a video that it makes itself, a disc that moves, with "
                "noise",
    .tolerance =
        "bit-equal: exponential, logarithm and cosine are fused multiply-adds, sums have a "
        "fixed order",
    .idle = "sums and running sums are one thread's work, and all others wait for "
            "it",
};
