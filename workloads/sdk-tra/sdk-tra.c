/* sdk-tra: transpose of a matrix of floats. */
#include "workload.h"

struct state {
    int width, height;
    struct wl_array *in, *out;
};

static void make(struct wl *w, void *state)
{
    static const int widths[WL_SIZES] = {144, 704, 2688, 5376, 2688};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->width = widths[wl_size(w)];
    s->height = s->width / 16 * 14 + 8; /* not a multiple of the tile */
    size_t n = (size_t)s->width * s->height;
    s->in = wl_array(w, "in", WL_INPUT, WL_F32, n);
    s->out = wl_array(w, "out", WL_OUTPUT, WL_F32, n);
    size_t first = rng_below(&rng, 4096);
    for (size_t i = 0; i < n; i++)
        s->in->f32[i] = (float)(first + i); /* the SDK's program counts from 0 */
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(w, "transpose", WL_DIM(wl_blocks(s->width, 16), wl_blocks(s->height, 16)),
              WL_DIM(16, 16), 0, WL_ARGS(&s->out->dev, &s->in->dev, &s->width, &s->height));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            s->out->expect_f32[(size_t)x * s->height + y] = s->in->f32[(size_t)y * s->width + x];
}

const struct workload workload_sdk_tra = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "one pass through padded 16x16 tiles in shared memory; both sides coalesced",
    .input = "the elements counted through, as floats, from a random number below 4096 (the SDK: "
             "from 0)",
    .imitates = "the SDK's own",
    .tolerance = "bit-equal: nothing is computed",
};
