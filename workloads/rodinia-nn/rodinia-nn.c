/* rodinia-nn: distances of hurricanes to a place, to find the nearest. */
#include "workload.h"

#include <math.h>

enum { BLOCK = 256 };

struct state {
    int records;
    float latitude, longitude;
    struct wl_array *places, *distances;
};

/* Tracks of storms, a record every six hours, in tenths of a degree as the text records have them.
 */
static void fill_places(struct state *s, struct rng *rng)
{
    int latitude = 0, longitude = 0, north = 0, west = 0, left = 0;
    for (int i = 0; i < s->records; i++) {
        if (left-- == 0) {
            left = 12 + (int)rng_below(rng, 50);
            latitude = 70 + (int)rng_below(rng, 200);
            longitude = 200 + (int)rng_below(rng, 700);
            north = 2 + (int)rng_below(rng, 8);
            west = 4 + (int)rng_below(rng, 14);
        }
        s->places->f32[2 * i] = (float)latitude / 10;
        s->places->f32[2 * i + 1] = (float)longitude / 10;
        latitude += north + (int)rng_below(rng, 5) - 2;
        longitude += west + (int)rng_below(rng, 5) - 2;
        west--; /* the westerlies turn it round */
        if (latitude > 700)
            left = 0;
    }
}

static void make(struct wl *w, void *state)
{
    static const int counts[WL_SIZES] = {10691, 171056, 2737000, 10948000, 2737000};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->records = counts[wl_size(w)];
    s->latitude = 30;
    s->longitude = 90;
    s->places = wl_array(w, "places", WL_INPUT, WL_F32, 2 * (size_t)s->records);
    s->distances = wl_array(w, "distances", WL_OUTPUT, WL_F32, (size_t)s->records);
    fill_places(s, &rng);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_launch(
        w, "nn_distances", WL_DIM(wl_blocks((size_t)s->records, BLOCK)), WL_DIM(BLOCK), 0,
        WL_ARGS(&s->places->dev, &s->distances->dev, &s->records, &s->latitude, &s->longitude));
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int i = 0; i < s->records; i++) {
        float north = s->latitude - s->places->f32[2 * i];
        float east = s->longitude - s->places->f32[2 * i + 1];
        s->distances->expect_f32[i] = sqrtf(fmaf(north, north, east * east));
    }
}

const struct workload workload_rodinia_nn = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm = "a thread a record: its distance to one place, all accesses side by side",
    .input = "tracks of storms: latitudes and longitudes in tenths of a degree",
    .imitates = "Rodinia's records of hurricanes (cane4_0.db): latitude and longitude "
                "along tracks",
    .tolerance = "bit-equal: a fused multiply-add and an IEEE square root",
};
