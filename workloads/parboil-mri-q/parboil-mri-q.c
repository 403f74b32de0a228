/* parboil-mri-q: the Q matrix for the reconstruction of an MRI scan from a non-Cartesian
 * trajectory. */
#include "gen.h"
#include "workload.h"

#include <math.h>

enum { CHUNK = 1024, BLOCK = 256, MAGNITUDE_BLOCK = 512 };

struct sample {
    float kx, ky, kz, magnitude;
};

struct state {
    int samples, voxels;
    struct wl_array *kx, *ky, *kz, *real, *imaginary, *magnitude;
    struct wl_array *x, *y, *z, *qr, *qi;
};

/* Spokes through the centre of k-space, 64 samples each, up to 16 cycles a field of view; the
 * signal falls with the distance from the centre. */
static void make_samples(struct state *s, struct rng *rng)
{
    double dx = 0, dy = 0, dz = 0;
    for (int i = 0; i < s->samples; i++) {
        if (i % 64 == 0) {
            double length;
            do {
                dx = gen_normal(rng);
                dy = gen_normal(rng);
                dz = gen_normal(rng);
                length = sqrt(dx * dx + dy * dy + dz * dz);
            } while (length < 0.1);
            dx /= length;
            dy /= length;
            dz /= length;
        }
        double r = (i % 64 - 31.5) / 2, signal = 1 / (1 + r * r);
        s->kx->f32[i] = (float)(r * dx);
        s->ky->f32[i] = (float)(r * dy);
        s->kz->f32[i] = (float)(r * dz);
        s->real->f32[i] = (float)(signal * gen_normal(rng));
        s->imaginary->f32[i] = (float)(signal * gen_normal(rng));
    }
}

/* The voxels of a box, each coordinate in -0.5 .. 0.5. */
static void make_voxels(struct state *s, const int n[3])
{
    for (int i = 0; i < s->voxels; i++) {
        int x = i % n[0], y = i / n[0] % n[1], z = i / n[0] / n[1];
        s->x->f32[i] = (float)x / (float)n[0] - 0.5f;
        s->y->f32[i] = (float)y / (float)n[1] - 0.5f;
        s->z->f32[i] = (float)z / (float)n[2] - 0.5f;
    }
}

static struct wl_array *floats(struct wl *w, const char *name, enum wl_role role, int count)
{
    return wl_array(w, name, role, WL_F32, (size_t)count);
}

static void make(struct wl *w, void *state)
{
    static const struct {
        int box[3], samples;
    } sizes[WL_SIZES] = {{{8, 8, 8}, 81},
                         {{16, 16, 16}, 320},
                         {{64, 32, 32}, 320},
                         {{64, 32, 32}, 1280},
                         {{64, 32, 32}, 320}};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    const int *box = sizes[wl_size(w)].box;
    int n = s->samples = sizes[wl_size(w)].samples;
    int voxels = s->voxels = box[0] * box[1] * box[2]; /* a multiple of BLOCK */
    s->kx = floats(w, "kx", WL_INPUT, n);
    s->ky = floats(w, "ky", WL_INPUT, n);
    s->kz = floats(w, "kz", WL_INPUT, n);
    s->real = floats(w, "phi_real", WL_INPUT, n);
    s->imaginary = floats(w, "phi_imaginary", WL_INPUT, n);
    s->magnitude = floats(w, "phi_magnitude", WL_SCRATCH, n);
    s->x = floats(w, "x", WL_INPUT, voxels);
    s->y = floats(w, "y", WL_INPUT, voxels);
    s->z = floats(w, "z", WL_INPUT, voxels);
    s->qr = floats(w, "q_real", WL_OUTPUT, voxels);
    wl_judge(s->qr, "rmse");
    s->qi = floats(w, "q_imaginary", WL_OUTPUT, voxels);
    wl_judge(s->qi, "rmse");
    make_samples(s, &rng);
    make_voxels(s, box);
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;
    size_t n = (size_t)s->samples;
    float *magnitude = wl_alloc(w, n, sizeof *magnitude);
    struct sample *samples = wl_alloc(w, n, sizeof *samples);
    wl_launch(w, "mriq_magnitude", WL_DIM(wl_blocks(n, MAGNITUDE_BLOCK)), WL_DIM(MAGNITUDE_BLOCK),
              0, WL_ARGS(&s->real->dev, &s->imaginary->dev, &s->magnitude->dev, &s->samples));
    wl_read(w, s->magnitude->dev, magnitude, n * sizeof *magnitude);
    for (size_t i = 0; i < n; i++)
        samples[i] = (struct sample){s->kx->f32[i], s->ky->f32[i], s->kz->f32[i], magnitude[i]};
    for (int first = 0; first < s->samples; first += CHUNK) {
        int count = s->samples - first < CHUNK ? s->samples - first : CHUNK;
        wl_set_symbol(w, "samples", samples + first, (size_t)count * sizeof *samples);
        wl_launch(w, "mriq_sum", WL_DIM((unsigned)s->voxels / BLOCK), WL_DIM(BLOCK), 0,
                  WL_ARGS(&count, &s->x->dev, &s->y->dev, &s->z->dev, &s->qr->dev, &s->qi->dev));
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    (void)w;
    for (int i = 0; i < s->voxels; i++) {
        float real = 0, imaginary = 0;
        for (int k = 0; k < s->samples; k++) {
            float phi_r = s->real->f32[k], phi_i = s->imaginary->f32[k];
            float magnitude = fmaf(phi_i, phi_i, phi_r * phi_r);
            float cycles = fmaf(s->ky->f32[k], s->y->f32[i], s->kx->f32[k] * s->x->f32[i]);
            float angle = 6.28318531f * fmaf(s->kz->f32[k], s->z->f32[i], cycles);
            real = fmaf(magnitude, cosf(angle), real);
            imaginary = fmaf(magnitude, sinf(angle), imaginary);
        }
        s->qr->expect_f32[i] = real;
        s->qi->expect_f32[i] = imaginary;
    }
}

const struct workload workload_parboil_mri_q = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .abs_tol = 1e-3,
    .algorithm =
        "a thread a voxel adds magnitude times cosine and sine of the phase over all samples, "
        "which are in constant memory, 1024 a launch; special function unit",
    .input = "spokes through k-space with a falling signal; the voxels of a box",
    .imitates = "a scanner's k-space trajectory; Parboil's boxes are 32x32x32 and "
                "larger",
    .tolerance = "within 0.001, where values reach 30: sine and cosine are approximate",
};
