/* An ultrasonic image without its speckles. The region: a pixel, its four neighbours and the noise
 * in, the diffusion coefficient out. */
#include "../ax-common/ax.h"

#include <math.h>

static float coefficient(const float *centre, const float *up, const float *down, const float *left,
                         const float *right, float q0)
{
    const float j = AX_LOAD_F32(0, AX_CUT(18), centre, 0), n = AX_LOAD_F32(0, AX_CUT(18), up, 0),
                s = AX_LOAD_F32(0, AX_CUT(18), down, 0), w = AX_LOAD_F32(0, AX_CUT(18), left, 0),
                e = AX_LOAD_F32(0, AX_CUT(18), right, 0);
    float c;
    AX_INPUT_F32(0, AX_CUT(18), q0);
    if (!AX_LOOKUP_F32(0, &c)) {
        const float dn = n - j, ds = s - j, dw = w - j, de = e - j;
        const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j),
                    l = (dn + ds + dw + de) / j;
        const float num = 0.5f * g2 - l * l * (1.0f / 16), den = 1 + 0.25f * l;
        const float q = (num / (den * den) - q0) / (q0 * (1 + q0));
        c = 1 / (1 + q);
        c = c < 0 ? 0 : c > 1 ? 1 : c;
        AX_UPDATE_F32(0, c);
    }
    return c;
}

static float noise(const float *image, int n)
{
    float sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += image[i], squares += image[i] * image[i];
    const float mean = sum / (float)n;
    return (squares / (float)n - mean * mean) / (mean * mean);
}

static void step(float *image, float *c, int rows, int columns)
{
    const float q0 = noise(image, rows * columns), lambda = 0.5f;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            const float *p = image + y * columns + x;
            c[y * columns + x] = coefficient(p, y ? p - columns : p, y < rows - 1 ? p + columns : p,
                                             x ? p - 1 : p, x < columns - 1 ? p + 1 : p, q0);
        }
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            const int i = y * columns + x, down = y < rows - 1 ? i + columns : i,
                      right = x < columns - 1 ? i + 1 : i, up = y ? i - columns : i,
                      left = x ? i - 1 : i;
            const float d = c[i] * (image[up] - image[i]) + c[down] * (image[down] - image[i]) +
                            c[i] * (image[left] - image[i]) + c[right] * (image[right] - image[i]);
            image[i] += 0.25f * lambda * d;
        }
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, false);
    const int rows = run.is_full ? 458 : 115, columns = run.is_full ? 502 : 125, steps = 20,
              n = rows * columns;
    uint8_t *pixels = ax_image(&run, columns, rows);
    float *image = malloc(2 * (size_t)n * sizeof *image), *c = image + n;
    for (int i = 0; i < n; i++)
        image[i] = expf((float)pixels[i] / 255);
    ax_roi_begin();
    for (int k = 0; k < steps; k++)
        step(image, c, rows, columns);
    ax_roi_end();
    return ax_end(image, (size_t)n * sizeof *image);
}
