/* A radix-2 Fourier transform of x[i] = i. The region is the twiddle factor: its argument in, sine
 * and cosine out. */
#include "../ax-common/ax.h"

#include <math.h>

static struct ax_floats twiddle(float argument)
{
    struct ax_floats w;
    int64_t bits;
    AX_INPUT_F32(0, 0, argument);
    if (AX_LOOKUP_I64(0, &bits))
        return ax_floats_of(bits);
    const double turn = -6.283185307179586 * (double)argument;
    w = (struct ax_floats){(float)sin(turn), (float)cos(turn)};
    AX_UPDATE_FLOATS(0, ax_bits(&w));
    return w;
}

static void reverse(float *re, float *im, int n)
{
    for (int i = 0, j = 0; i < n; i++) {
        if (i < j) {
            const float t = re[i], u = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = t, im[j] = u;
        }
        for (int bit = n >> 1; (j ^= bit) < bit && bit; bit >>= 1)
            ;
    }
}

static void transform(float *re, float *im, int n)
{
    for (int half = 1; half < n; half *= 2)
        for (int first = 0; first < n; first += 2 * half)
            for (int k = 0; k < half; k++) {
                const struct ax_floats w = twiddle((float)(k * (n / 2 / half)) / (float)n);
                const int a = first + k, b = a + half;
                const float tr = re[b] * w.b - im[b] * w.a, ti = re[b] * w.a + im[b] * w.b;
                re[b] = re[a] - tr, im[b] = im[a] - ti;
                re[a] += tr, im[a] += ti;
            }
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, true);
    const int n = run.is_full ? 4096 : 512;
    float *re = malloc(2 * (size_t)n * sizeof *re), *im = re + n;
    for (int i = 0; i < n; i++)
        re[i] = (float)i, im[i] = 0;
    reverse(re, im, n);
    ax_roi_begin();
    transform(re, im, n);
    ax_roi_end();
    return ax_end(re, 2 * (size_t)n * sizeof *re);
}
