/* parboil-cutcp: electric potential of a box of water on a lattice, with a cutoff. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { REGION_SIDE = 8, REGION = 512, BIN_DEPTH = 8, BIN_FLOATS = 32, MAX_OFFSETS = 343 };

static const float spacing = 0.5f, bin_length = 4.0f; /* angstroms: a region is as large as a bin */

struct lattice {
    int bins_x, bins_y, first_bin, plane;
    float spacing, cutoff2, inverse_cutoff2;
};

struct offset {
    int x, y, z;
};

struct state {
    int regions[3], around; /* around: rings of bins that the cutoff reaches */
    struct lattice lattice;
    struct offset offsets[MAX_OFFSETS];
    int offset_count;
    struct wl_array *bins, *potential;
};

static void list_offsets(struct state *s, float cutoff)
{
    /* Bins of which some point may be within the cutoff of some point of the region. */
    float reach = cutoff + 1.7320508f * bin_length;
    int c = s->around;
    for (int z = -c; z <= c; z++)
        for (int y = -c; y <= c; y++)
            for (int x = -c; x <= c; x++)
                if ((float)(x * x + y * y + z * z) * bin_length * bin_length < reach * reach)
                    s->offsets[s->offset_count++] = (struct offset){x, y, z};
}

/* Adds an atom to its bin unless that is outside the box or full. */
static void add_atom(struct state *s, const int bins[3], int *counts, const double at[3],
                     float charge)
{
    int b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = (int)(at[i] / bin_length + s->around); /* at > -around * bin_length: never below 0 */
        if (at[i] < -s->around * bin_length || b[i] >= bins[i])
            return;
    }
    int bin = (b[2] * bins[1] + b[1]) * bins[0] + b[0];
    if (counts[bin] == BIN_DEPTH)
        return;
    float *atom = s->bins->f32 + bin * BIN_FLOATS + 4 * counts[bin]++;
    for (int i = 0; i < 3; i++)
        atom[i] = (float)at[i];
    atom[3] = charge;
}

/* Molecules of water, `spread` angstroms apart on average, an oxygen and two hydrogens each. */
static void make_water(struct wl *w, struct state *s, const int bins[3], double spread)
{
    struct rng rng = wl_rng(w, 0);
    int n[3];
    int *counts = wl_alloc(w, s->bins->count / BIN_FLOATS, sizeof *counts);
    for (int i = 0; i < 3; i++)
        n[i] = (int)(bins[i] * bin_length / spread);
    for (int m = 0; m < n[0] * n[1] * n[2]; m++) {
        const int cell[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        double oxygen[3], atom[3];
        for (int i = 0; i < 3; i++)
            oxygen[i] = (cell[i] + 0.25 + 0.5 * rng_unit(&rng)) * spread - s->around * bin_length;
        add_atom(s, bins, counts, oxygen, -0.834f);
        for (int h = 0; h < 2; h++) {
            for (int i = 0; i < 3; i++)
                atom[i] = oxygen[i] + gen_normal(&rng) * 0.55;
            add_atom(s, bins, counts, atom, 0.417f);
        }
    }
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int regions[3];
        float cutoff;
        double spread;
    } sizes[WL_SIZES] = {{{2, 1, 1}, 3, 5.0},
                         {{4, 4, 2}, 4, 3.1},
                         {{10, 10, 1}, 6, 3.1},
                         {{12, 12, 1}, 12, 3.1},
                         {{15, 15, 1}, 6, 3.1}};
    struct state *s = state;
    int bins[3];
    size_t nbins = 1, points = REGION;
    float cutoff = sizes[wl_size(w)].cutoff;
    s->around = (int)ceilf(cutoff / bin_length);
    for (int i = 0; i < 3; i++) {
        s->regions[i] = sizes[wl_size(w)].regions[i];
        bins[i] = s->regions[i] + 2 * s->around;
        nbins *= (size_t)bins[i];
        points *= (size_t)s->regions[i];
    }
    s->lattice = (struct lattice){.bins_x = bins[0], .bins_y = bins[1], .spacing = spacing};
    s->lattice.first_bin = ((s->around * bins[1]) + s->around) * bins[0] + s->around;
    s->lattice.cutoff2 = cutoff * cutoff;
    s->lattice.inverse_cutoff2 = 1.0f / (cutoff * cutoff);
    list_offsets(s, cutoff);
    s->bins = wl_array(w, "bins", WL_INPUT, WL_F32, nbins * BIN_FLOATS);
    s->potential = wl_array(w, "potential", WL_OUTPUT, WL_F32, points);
    wl_judge(s->potential, "rmse");
    make_water(w, s, bins, sizes[wl_size(w)].spread);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    wl_set_symbol(w, "offset_count", &s->offset_count, sizeof s->offset_count);
    wl_set_symbol(w, "offsets", s->offsets, (size_t)s->offset_count * sizeof s->offsets[0]);
    for (s->lattice.plane = 0; s->lattice.plane < s->regions[2]; s->lattice.plane++)
        wl_launch(w, "cutcp", WL_DIM((unsigned)s->regions[0], (unsigned)s->regions[1]),
                  WL_DIM(8, 2, 8), 0, WL_ARGS(&s->bins->dev, &s->potential->dev, &s->lattice));
}

/* The potential of a bin's atoms at (x, y, z), added to `energy`. dy as the kernel steps to it:
 * from the thread's first point, by two spacings each. */
static float add_bin(const struct lattice *l, const float *bin, const float at[3], int steps,
                     float energy)
{
    for (int i = 0; i < BIN_DEPTH && bin[4 * i + 3] != 0.0f; i++) {
        const float *atom = bin + 4 * i;
        float dx = atom[0] - at[0], dy = atom[1] - at[1], dz = atom[2] - at[2];
        for (int p = 0; p < steps; p++)
            dy -= 2.0f * l->spacing;
        float r2 = fmaf(dy, dy, fmaf(dz, dz, dx * dx));
        if (r2 < l->cutoff2) {
            float s = fmaf(-r2, l->inverse_cutoff2, 1.0f);
            energy = fmaf(atom[3] * (1.0f / sqrtf(r2)) * s, s, energy);
        }
    }
    return energy;
}

static float potential_at(const struct state *s, const int region[3], int point)
{
    const struct lattice *l = &s->lattice;
    int px = point % 8, py = point / 8 % 8, pz = point / 64;
    float at[3] = {(float)(8 * region[0] + px) * l->spacing,
                   (float)(8 * region[1] + py % 2) * l->spacing,
                   (float)(8 * region[2] + pz) * l->spacing};
    float energy = 0;
    for (int i = 0; i < s->offset_count; i++) {
        const struct offset *o = &s->offsets[i];
        int y = (region[2] + o->z) * l->bins_y + region[1] + o->y;
        int bin = l->first_bin + y * l->bins_x + region[0] + o->x;
        energy = add_bin(l, s->bins->f32 + bin * BIN_FLOATS, at, py / 2, energy);
    }
    return energy;
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (size_t i = 0; i < s->potential->count; i++) {
        int r = (int)(i / REGION);
        const int region[3] = {r % s->regions[0], r / s->regions[0] % s->regions[1],
                               r / s->regions[0] / s->regions[1]};
        s->potential->expect_f32[i] = potential_at(s, region, (int)(i % REGION));
    }
}

const struct workload workload_parboil_cutcp = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .abs_tol = 1e-4,
    .rel_tol = 1e-5,
    .algorithm = "a block a region of 8x8x8 lattice points, four a thread; bins of up to 8 atoms "
                 "around it through shared memory, offsets of the bins in constant memory; "
                 "reciprocal root on the special function unit",
    .input = "a box of water: three charged atoms a molecule, about 6 in a bin of 4 angstroms",
    .imitates = "Parboil's watbox: a box of water molecules",
    .tolerance = "within 0.0001 + 0.00001 of the value: the reciprocal root is approximate",
};
