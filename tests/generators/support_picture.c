#include "support_picture.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Fourier's transform of a line. */
struct transform {
    unsigned side; /* a power of two */
    double complex *roots, *room;
};

/* In place, n elements `step` apart. */
static void transform(const struct transform *t, double complex *a, unsigned n, unsigned step)
{
    double complex *room = t->room;
    unsigned half = n / 2;
    if (n == 1)
        return;
    transform(t, a, half, 2 * step);
    transform(t, a + step, half, 2 * step);
    for (unsigned k = 0; k < half; k++) {
        double complex even = a[2 * (size_t)k * step];
        double complex odd = t->roots[k * (t->side / n)] * a[(2 * (size_t)k + 1) * step];
        room[k] = even + odd;
        room[k + half] = even - odd;
    }
    for (unsigned k = 0; k < n; k++)
        a[(size_t)k * step] = room[k];
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double window(unsigned i, unsigned n)
{
    return 0.5 - 0.5 * cos(2 * M_PI * (i + 0.5) / n);
}

/* Towards its borders the picture fades out, or their jump would be seen in the spectrum. */
static double complex *spectrum_of(const double *pixels, unsigned side)
{
    size_t n = (size_t)side * side;
    double complex *a = calloc(n, sizeof *a), *roots = calloc(2 * (size_t)side, sizeof *roots);
    struct transform t = {side, roots, roots + side};
    double mean = mean_of(pixels, n);
    for (size_t i = 0; i < n; i++)
        a[i] = (pixels[i] - mean) * window((unsigned)(i % side), side) *
               window((unsigned)(i / side), side);
    for (unsigned k = 0; k < side; k++)
        roots[k] = cexp(-2 * M_PI * I * k / side);
    for (unsigned i = 0; i < side; i++)
        transform(&t, a + (size_t)i * side, side, 1);
    for (unsigned i = 0; i < side; i++)
        transform(&t, a + i, side, side);
    free(roots);
    return a;
}

/* power[f], f < side / 2: the mean over the ring of spatial frequencies around f. */
static void ring_power(const double complex *a, unsigned side, double *power)
{
    double *count = calloc(side, sizeof *count);
    for (size_t i = 0; i < (size_t)side * side; i++) {
        double x = (double)(i % side), y = (double)(i / side);
        x = x < side / 2 ? x : x - side;
        y = y < side / 2 ? y : y - side;
        size_t ring = (size_t)(sqrt(x * x + y * y) + 0.5);
        if (ring < side / 2) {
            power[ring] += creal(a[i] * conj(a[i]));
            count[ring]++;
        }
    }
    for (unsigned f = 0; f < side / 2; f++)
        power[f] /= count[f];
    free(count);
}

double picture_power_slope(const double *pixels, unsigned side)
{
    double *power = calloc(side / 2, sizeof *power);
    double complex *a = spectrum_of(pixels, side);
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    ring_power(a, side, power);
    for (unsigned f = 4; f <= side / 4; f++) { /* every octave counts the same */
        double x = log(f), y = log(power[f]), weight = 1.0 / f;
        n += weight;
        sx += weight * x;
        sy += weight * y;
        sxx += weight * x * x;
        sxy += weight * x * y;
    }
    free(a);
    free(power);
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double picture_kurtosis(const double *pixels, unsigned side)
{
    double second = 0, fourth = 0, n = (double)side * (side - 1);
    for (size_t i = 0; i + 1 < (size_t)side * side; i++) {
        double d = (i + 1) % side ? pixels[i + 1] - pixels[i] : 0;
        second += d * d;
        fourth += d * d * d * d;
    }
    return fourth / n / (second / n * second / n);
}

double picture_flat_share(const double *pixels, unsigned side, double range)
{
    unsigned blocks = side / 8, flat = 0;
    for (unsigned b = 0; b < blocks * blocks; b++) {
        const double *corner = pixels + (size_t)(b / blocks * 8) * side + b % blocks * 8;
        double least = *corner, most = *corner;
        for (unsigned i = 0; i < 64; i++) {
            double v = corner[(size_t)(i / 8) * side + i % 8];
            least = fmin(least, v);
            most = fmax(most, v);
        }
        flat += most - least <= range;
    }
    return (double)flat / (blocks * blocks);
}
