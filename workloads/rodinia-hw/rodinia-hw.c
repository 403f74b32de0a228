/* rodinia-hw: heart wall, points followed through frames of an ultrasound recording. */
#include "gen.h"
#include "hw_reference.h"

#include <math.h>

enum { BLOCK = 256 };

/* The device's constants: sizes, then arrays. */
struct common {
    struct hw_sizes sizes;
    CUdeviceptr rows, cols, track_rows, track_cols, templates, area, conv, padded, chosen, stripes,
        chosen_stripes, sums, squared, square_sums, template_squares, mask, masked;
};

struct state {
    struct hw_sizes sizes;
    int frame_cols;
    int32_t *first_rows, *first_cols;
    struct wl_array *frames, *rows, *cols, *track_rows, *track_cols;
    struct wl_array *templates, *area, *conv, *padded, *chosen, *stripes, *chosen_stripes, *sums,
        *squared, *square_sums, *template_squares, *mask, *masked;
};

/* What does not change from frame to frame: echoes of the tissue, and the speckle that waves from
 * many grains of it make of them, which moves with it. */
struct tissue {
    int32_t *echo, *speckle;
};

/* A heart in cross section: tissue times speckle, grains of a few pixels, and a bright wall between
 * two ellipses, which contract from frame to frame. Gray levels 1 to 255. */
static void make_frame(const struct state *s, const struct tissue *tissue, struct rng *rng,
                       int number, float *out)
{
    int rows = s->sizes.frame_rows, cols = s->frame_cols, shrink = 100 - number;
    for (int x = 0; x < cols; x++)
        for (int y = 0; y < rows; y++) {
            int dy = (y - rows / 2) * 100 / shrink, dx = (x - cols / 2) * 100 / shrink;
            int from_y = rows / 2 + dy < 0 ? 0 : rows / 2 + dy < rows ? rows / 2 + dy : rows - 1;
            int from_x = cols / 2 + dx < 0 ? 0 : cols / 2 + dx < cols ? cols / 2 + dx : cols - 1;
            int64_t r2 = (int64_t)dy * dy * 4 * 256 / (rows * rows) +
                         (int64_t)dx * dx * 4 * 256 / (cols * cols);
            int from = from_y * cols + from_x;
            int v = 80 + tissue->echo[from] / 1024 + (r2 > 30 && r2 < 90 ? 60 : 0);
            v += v * (tissue->speckle[from] / 512) / 512 + (int)rng_below(rng, 5) - 2;
            out[x * rows + y] = (float)(v < 1 ? 1 : v > 255 ? 255 : v);
        }
}

/* Points along two ellipses, two fifths on the inner one; the directions are by chance. */
static void place_points(struct state *s, struct rng *rng, int margin)
{
    for (int i = 0; i < s->sizes.points; i++) {
        double y = rng_unit(rng) - 0.5, x = rng_unit(rng) - 0.5,
               length = sqrt(x * x + y * y) + 0.01;
        double part = (i * 5 < s->sizes.points * 2 ? 0.35 : 0.55) / length;
        double half_rows = s->sizes.frame_rows / 2.0 - margin,
               half_cols = s->frame_cols / 2.0 - margin;
        s->rows->i32[i] = s->first_rows[i] =
            (int32_t)(s->sizes.frame_rows / 2.0 + y * part * 1.8 * half_rows);
        s->cols->i32[i] = s->first_cols[i] =
            (int32_t)(s->frame_cols / 2.0 + x * part * 1.8 * half_cols);
    }
}

static void make_arrays(struct wl *w, struct state *s, size_t frame_pixels)
{
    const struct hw_sizes *z = &s->sizes;
    size_t points = (size_t)z->points, k = (size_t)z->template_side, a = (size_t)z->area_side;
    size_t n = (size_t)z->side, p = (size_t)z->padded_side, tracks = points * (size_t)z->frames;
    s->frames = wl_array(w, "frames", WL_INPUT, WL_F32, frame_pixels * (size_t)z->frames);
    s->rows = wl_array(w, "rows", WL_INPUT, WL_I32, points);
    s->cols = wl_array(w, "cols", WL_INPUT, WL_I32, points);
    s->track_rows = wl_array(w, "track_rows", WL_OUTPUT, WL_I32, tracks);
    s->track_cols = wl_array(w, "track_cols", WL_OUTPUT, WL_I32, tracks);
    const struct {
        struct wl_array **array;
        const char *name;
        size_t elements;
    } scratch[] = {
        {&s->templates, "templates", k * k},
        {&s->area, "area", a * a},
        {&s->conv, "conv", n * n},
        {&s->padded, "padded", p * p},
        {&s->chosen, "chosen", n * p},
        {&s->stripes, "stripes", n * p},
        {&s->chosen_stripes, "chosen_stripes", n * n},
        {&s->sums, "sums", n * n},
        {&s->squared, "squared", a * a},
        {&s->square_sums, "square_sums", n * n},
        {&s->template_squares, "template_squares", k * k},
        {&s->mask, "mask", n * n},
        {&s->masked, "masked", n * n},
    };
    for (size_t i = 0; i < ARRAY_LEN(scratch); i++)
        *scratch[i].array =
            wl_array(w, scratch[i].name, WL_SCRATCH, WL_F32, points * scratch[i].elements);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int template_half, area_half, mask, points, frames, rows, cols;
    } sizes[WL_SIZES] = {{2, 3, 3, 3, 3, 48, 56},
                         {4, 6, 3, 24, 3, 90, 110},
                         {6, 10, 4, 51, 5, 200, 230},
                         {10, 16, 6, 51, 7, 330, 370},
                         {6, 10, 4, 51, 5, 200, 230}};
    struct state *s = state;
    typeof(&sizes[0]) z = &sizes[wl_size(w)];
    int k = 2 * z->template_half + 1, a = 2 * z->area_half + 1;
    s->sizes = (struct hw_sizes){k,         a,         a + k - 1, a + 2 * k, z->rows,
                                 z->frames, z->points, z->mask,   2,         0.87f};
    s->frame_cols = z->cols;
    size_t pixels = (size_t)z->rows * z->cols;
    make_arrays(w, s, pixels);
    wl_picture(s->frames, (size_t)z->rows, (size_t)z->cols, 1); /* columns are rows here */
    s->first_rows = wl_alloc(w, (size_t)z->points, sizeof *s->first_rows);
    s->first_cols = wl_alloc(w, (size_t)z->points, sizeof *s->first_cols);
    struct rng rng = wl_rng(w, 0);
    place_points(s, &rng, z->area_half + z->template_half + z->frames * z->mask);
    struct tissue tissue = {wl_alloc(w, pixels, sizeof(int32_t)),
                            wl_alloc(w, pixels, sizeof(int32_t))};
    gen_fractal(&rng, tissue.echo, (unsigned)z->cols, (unsigned)z->rows, 16, 45000);
    gen_fractal(&rng, tissue.speckle, (unsigned)z->cols, (unsigned)z->rows, 4, 49152);
    for (int f = 0; f < z->frames; f++)
        make_frame(s, &tissue, &rng, f, s->frames->f32 + (size_t)f * pixels);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    size_t frame_bytes = (size_t)s->sizes.frame_rows * s->frame_cols * sizeof(float);
    struct common c = {
        s->sizes,           s->rows->dev,      s->cols->dev,        s->track_rows->dev,
        s->track_cols->dev, s->templates->dev, s->area->dev,        s->conv->dev,
        s->padded->dev,     s->chosen->dev,    s->stripes->dev,     s->chosen_stripes->dev,
        s->sums->dev,       s->squared->dev,   s->square_sums->dev, s->template_squares->dev,
        s->mask->dev,       s->masked->dev};
    wl_set_symbol(w, "c", &c, sizeof c);
    for (int f = 0; f < s->sizes.frames; f++) {
        CUdeviceptr frame = s->frames->dev + (size_t)f * frame_bytes;
        wl_launch(w, "heartwall", WL_DIM((unsigned)s->sizes.points), WL_DIM(BLOCK), 0,
                  WL_ARGS(&frame, &f));
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    for (int i = 0; i < s->sizes.points; i++) {
        size_t track = (size_t)i * s->sizes.frames;
        hw_reference(w, &s->sizes, s->frames->f32, (size_t)s->sizes.frame_rows * s->frame_cols,
                     (struct hw_point){s->first_rows[i], s->first_cols[i],
                                       s->track_rows->expect_i32 + track,
                                       s->track_cols->expect_i32 + track});
    }
}

const struct workload workload_rodinia_hw = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a launch a frame, a block of 256 threads a point: correlation of a template with the "
        "area around the point by full convolution and cumulative sums, all in global "
        "memory, many barriers, steps of one or a few threads between",
    .input = "frames of a speckled cross section with a bright wall that contracts; points on two "
             "ellipses",
    .imitates = "the ultrasound recording of a mouse's heart: speckle that moves with "
                "the tissue, 51 points",
    .tolerance = "equal: places; IEEE division and root, additions in a fixed order",
    .idle = "51 points, a block each, as in the original",
};
