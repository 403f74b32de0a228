/* Edges of an image by Sobel's gradients. The region: nine grey values in, the gradient out. */
#include "../ax-common/ax.h"

#include <math.h>

static float gradient(const float *p, int w)
{
    const float *up = p - w, *down = p + w;
    const float a = AX_LOAD_F32(0, AX_CUT(16), up, 0), b = AX_LOAD_F32(0, AX_CUT(16), up, 1),
                c = AX_LOAD_F32(0, AX_CUT(16), up, 2), d = AX_LOAD_F32(0, AX_CUT(16), p, 0),
                e = AX_LOAD_F32(0, AX_CUT(16), p, 1), f = AX_LOAD_F32(0, AX_CUT(16), p, 2),
                g = AX_LOAD_F32(0, AX_CUT(16), down, 0), h = AX_LOAD_F32(0, AX_CUT(16), down, 1),
                i = AX_LOAD_F32(0, AX_CUT(16), down, 2);
    float r;
    (void)e;
    if (!AX_LOOKUP_F32(0, &r)) {
        const float sx = c + 2 * f + i - a - 2 * d - g, sy = g + 2 * h + i - a - 2 * b - c;
        r = sqrtf(sx * sx + sy * sy);
        r = r > 1 ? 1 : r;
        AX_UPDATE_F32(0, r);
    }
    return r;
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, false);
    const int side = run.is_full ? 512 : 128, n = side * side;
    const uint8_t *image = ax_image(&run, side, side);
    float *grey = malloc((size_t)n * sizeof *grey), *to = calloc((size_t)n, sizeof *to);
    for (int i = 0; i < n; i++)
        grey[i] = (0.30f * image[i] + 0.59f * (float)(image[i] / 2 + 60) +
                   0.11f * (float)(255 - image[i])) /
                  256;
    ax_roi_begin();
    for (int y = 1; y < side - 1; y++)
        for (int x = 1; x < side - 1; x++)
            to[y * side + x] = gradient(grey + y * side + x - 1, side);
    ax_roi_end();
    return ax_end(to, (size_t)n * sizeof *to);
}
