// Particle filter: follows an object through the frames of a video. Each particle moves at random, is
// weighed by how much what it sees looks like the object, and particles are drawn anew by weight: the
// weights are summed up one after the other, and each particle searches through the sums from the start.
#include "f64_math.h"

#define BLOCK 128

// What the kernels share; x innermost but for the frames: a pixel's frames lie side by side.
struct video {
    const unsigned char *pixels;
    int width, height, frames;
    int ones; // pixels of the object's disc
};

// A linear congruential generator as C libraries have, a seed a particle.
WL_FN double uniform(int *seed)
{
    int number = (int)(1103515245u * (unsigned)*seed + 12345u);
    *seed = number % 2147483647;
    double value = *seed / 2147483647.0;
    return value < 0 ? -value : value;
}

WL_FN double normal(int *seed)
{
    double u = uniform(seed), v = uniform(seed);
    return __dsqrt_rn(-2.0 * f64_log(u)) * f64_cos_turns(v);
}

// Moves the particles, weighs them, and adds up each block's weights by a tree. `place` has a row of
// pixels a particle.
extern "C" __global__ void partf_likelihood(struct video video, int frame, int particles, double *x,
                                            double *y, const double *drawn_x, const double *drawn_y,
                                            const int *disc, int *place, double *likelihood,
                                            double *weights, int *seeds, double *sums)
{
    __shared__ double sum[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sum[t] = 0;
    if (i < particles) {
        int seed = seeds[i], *row = place + i * video.ones;
        int size = video.width * video.height * video.frames;
        x[i] = drawn_x[i] + 1.0 + 5.0 * normal(&seed);
        y[i] = drawn_y[i] - 2.0 + 2.0 * normal(&seed);
        seeds[i] = seed;
        for (int k = 0; k < video.ones; k++) {
            int px = (int)x[i] + disc[2 * k + 1], py = (int)y[i] + disc[2 * k];
            int at = px * video.height * video.frames + py * video.frames + frame;
            at = at < 0 ? -at : at;
            row[k] = at < size ? at : 0;
        }
        double like = 0;
        for (int k = 0; k < video.ones; k++) {
            double dark = video.pixels[row[k]] - 100, bright = video.pixels[row[k]] - 228;
            like += (dark * dark - bright * bright) / 50.0;
        }
        likelihood[i] = like / video.ones;
        weights[i] = 1.0 / particles * f64_exp(likelihood[i]);
        sum[t] = weights[i];
    }
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            sum[t] += sum[t + half];
    }
    if (t == 0)
        sums[blockIdx.x] = sum[0];
}

// One thread adds up the blocks' sums.
extern "C" __global__ void partf_sum(double *sums, int blocks)
{
    double sum = 0;
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (int i = 0; i < blocks; i++)
        sum += sums[i];
    sums[0] = sum;
}

extern "C" __global__ void partf_normalize(double *weights, int particles, const double *sums)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < particles)
        weights[i] /= sums[0];
}

// One thread makes the running sums of the weights and the first of the marks at which to draw.
extern "C" __global__ void partf_cumulate(const double *weights, int particles, double *cumulated,
                                          int *seeds, double *first)
{
    double sum = 0;
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (int i = 0; i < particles; i++) {
        sum += weights[i];
        cumulated[i] = sum;
    }
    *first = 1.0 / particles * uniform(&seeds[0]);
}

// A particle draws the first one whose running sum reaches its mark.
extern "C" __global__ void partf_draw(const double *x, const double *y, const double *cumulated,
                                      const double *first, double *drawn_x, double *drawn_y,
                                      int particles)
{
    int i = blockIdx.x * BLOCK + threadIdx.x, found = 0;
    if (i >= particles)
        return;
    double mark = *first + i / (double)particles;
    while (found < particles - 1 && cumulated[found] < mark)
        found++;
    drawn_x[i] = x[found];
    drawn_y[i] = y[found];
}
