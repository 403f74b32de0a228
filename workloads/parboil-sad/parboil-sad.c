/* parboil-sad: sums of absolute differences of an H.264 encoder's full search, all seven block
 * sizes. */
#include "gen.h"
#include "workload.h"

#include <stdlib.h>

enum { POSITIONS_A_THREAD = 18, BLOCKS = 41 }; /* sums a macroblock: 1 + 2 + 2 + 4 + 8 + 8 + 16 */

struct search {
    int mb_width, mb_height, range, positions, padded;
};

struct state {
    struct search search;
    struct wl_array *frame, *reference, *sads;
};

/* Two frames of a video: the second is the first, moved as a whole and again by patches of 16
 * pixels, with a little noise. Pixels are 16 bits wide, as Parboil's. */
static void make_frames(struct wl *w, struct state *s)
{
    struct rng rng = wl_rng(w, 0);
    int width = s->search.mb_width * 16, height = s->search.mb_height * 16;
    uint8_t *image = wl_alloc(w, s->frame->count, 1);
    gen_photo(&rng, image, (unsigned)width, (unsigned)height, 1);
    for (size_t i = 0; i < s->frame->count; i++)
        s->reference->u16[i] = image[i];
    int pan = (int)rng_below(&rng, 5) - 2;
    for (int by = 0; by < s->search.mb_height; by++)
        for (int bx = 0; bx < s->search.mb_width; bx++) {
            int dx = pan + (int)rng_below(&rng, 7) - 3, dy = (int)rng_below(&rng, 5) - 2;
            for (int i = 0; i < 256; i++) {
                int x = bx * 16 + i % 16, y = by * 16 + i / 16;
                int from_x = x + dx < 0 ? 0 : x + dx < width ? x + dx : width - 1;
                int from_y = y + dy < 0 ? 0 : y + dy < height ? y + dy : height - 1;
                int v = image[from_y * width + from_x] + (int)rng_below(&rng, 3) - 1;
                s->frame->u16[y * width + x] = (uint16_t)(v < 0 ? 0 : v);
            }
        }
}

static void make(struct wl *w, void *state)
{
    static const int sizes[WL_SIZES][3] = {
        {2, 1, 4}, {2, 3, 16}, {11, 9, 16}, {22, 18, 16}, {11, 9, 16}};
    struct state *s = state;
    const int *n = sizes[wl_size(w)];
    int side = 2 * n[2] + 1;
    s->search = (struct search){n[0], n[1], n[2], side * side, (side * side + 7) / 8 * 8};
    size_t macroblocks = (size_t)n[0] * n[1];
    s->frame = wl_array(w, "frame", WL_INPUT, WL_U16, macroblocks * 256);
    s->reference = wl_array(w, "reference", WL_INPUT, WL_U16, macroblocks * 256);
    wl_picture(s->frame, 16 * (size_t)n[0], 16 * (size_t)n[1], 1);
    wl_picture(s->reference, 16 * (size_t)n[0], 16 * (size_t)n[1], 1);
    s->sads =
        wl_array(w, "sads", WL_OUTPUT, WL_U16, macroblocks * BLOCKS * (size_t)s->search.padded);
    make_frames(w, s);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    unsigned width = (unsigned)s->search.mb_width, height = (unsigned)s->search.mb_height;
    unsigned threads = wl_blocks((size_t)s->search.positions, POSITIONS_A_THREAD);
    wl_launch(w, "sad_4x4", WL_DIM(width * 4, height * 4), WL_DIM(threads < 32 ? 32 : threads), 0,
              WL_ARGS(&s->frame->dev, &s->reference->dev, &s->sads->dev, &s->search));
    wl_launch(w, "sad_8x8", WL_DIM(width, height), WL_DIM(32, 4), 0,
              WL_ARGS(&s->sads->dev, &s->search));
    wl_launch(w, "sad_16x16", WL_DIM(width, height), WL_DIM(32), 0,
              WL_ARGS(&s->sads->dev, &s->search));
}

static int clamp(int v, int n)
{
    return v < 0 ? 0 : v < n ? v : n - 1;
}

/* The sum of a block of w x h pixels at (x, y) of the frame against the reference moved by (dx,
 * dy). */
static uint16_t sad_of(const struct state *s, int x, int y, int w, int h, int dx, int dy)
{
    int width = s->search.mb_width * 16, height = s->search.mb_height * 16, sum = 0;
    for (int j = y; j < y + h; j++)
        for (int i = x; i < x + w; i++) {
            int from = clamp(j + dy, height) * width + clamp(i + dx, width);
            sum += abs(s->reference->u16[from] - s->frame->u16[j * width + i]);
        }
    return (uint16_t)sum;
}

/* All blocks of one shape, macroblock by macroblock, row by row; `before`: sums of other shapes
 * that each macroblock has in front of them. */
static void reference_shape(struct state *s, int w, int h, int before)
{
    const struct search *r = &s->search;
    int across = 16 / w, count = across * (16 / h), n = r->mb_width * r->mb_height;
    for (int block = 0; block < n * count; block++) {
        int mb = block / count, x = mb % r->mb_width * 16 + block % count % across * w;
        int y = mb / r->mb_width * 16 + block % count / across * h, side = 2 * r->range + 1;
        uint16_t *out = s->sads->expect_u16 + (size_t)(before * n + block) * r->padded;
        for (int p = 0; p < r->positions; p++)
            out[p] = sad_of(s, x, y, w, h, p % side - r->range, p / side - r->range);
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    reference_shape(s, 16, 16, 0);
    reference_shape(s, 16, 8, 1);
    reference_shape(s, 8, 16, 3);
    reference_shape(s, 8, 8, 5);
    reference_shape(s, 8, 4, 9);
    reference_shape(s, 4, 8, 17);
    reference_shape(s, 4, 4, 25);
}

const struct workload workload_parboil_sad = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "a block of 61 threads a 4x4 block against 33x33 positions (9x9 at tiny), 18 a thread, "
        "sums in shared memory; larger blocks' sums from them, two 16-bit sums in a word; "
        "plain loads, clamped, where the original has a texture",
    .input = "two frames: a gray photograph, and the same with patches moved and noise",
    .imitates = "two frames of a video, as Parboil's reference.bin and frame.bin",
    .tolerance = "equal: integers",
};
