/* One step of k-means on the colours of an image. The region: r, g, b in, the nearest of six
 * centres and its distance out. */
#include "../ax-common/ax.h"

#include <math.h>

enum { CENTRES = 6 };

struct nearest {
    int32_t cluster;
    float distance;
};

static struct nearest find(const float centres[][3], float r, float g, float b)
{
    struct nearest best = {0, 1e9f};
    for (int k = 0; k < CENTRES; k++) {
        const float x = r - centres[k][0], y = g - centres[k][1], z = b - centres[k][2];
        const float d = sqrtf(x * x + y * y + z * z);
        if (d < best.distance)
            best = (struct nearest){k, d};
    }
    return best;
}

static void assign(const float *rgb, const float centres[][3], struct nearest *to, int n)
{
    for (int i = 0; i < n; i++) {
        const float *p = rgb + 3 * i;
        const float r = AX_LOAD_F32(0, AX_CUT(16), p, 0), g = AX_LOAD_F32(0, AX_CUT(16), p, 1),
                    b = AX_LOAD_F32(0, AX_CUT(16), p, 2);
        int64_t bits;
        if (!AX_LOOKUP_I64(0, &bits)) {
            const struct nearest found = find(centres, r, g, b);
            bits = ax_bits(&found);
            AX_UPDATE_I64(0, bits);
        }
        memcpy(&to[i], &bits, sizeof to[i]);
    }
}

/* New centres, and each pixel as its centre. */
static void colour(const float *rgb, const struct nearest *of, float *to, int n)
{
    float sum[CENTRES][3] = {0};
    int count[CENTRES] = {0};
    for (int i = 0; i < n; i++, count[of[i - 1].cluster]++)
        for (int c = 0; c < 3; c++)
            sum[of[i].cluster][c] += rgb[3 * i + c];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            to[3 * i + c] = sum[of[i].cluster][c] / (float)count[of[i].cluster];
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, true);
    const int side = run.is_full ? 512 : 128, n = side * side;
    uint8_t *planes[3] = {ax_image(&run, side, side), ax_image(&run, side, side),
                          ax_image(&run, side, side)};
    float *rgb = malloc(6 * (size_t)n * sizeof *rgb), *out = rgb + 3 * n, centres[CENTRES][3];
    struct nearest *of = malloc((size_t)n * sizeof *of);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            rgb[3 * i + c] = (float)(c == 1 ? 255 - planes[c][i] : planes[c][i]) / 256;
    for (int k = 0; k < CENTRES; k++)
        for (int c = 0; c < 3; c++)
            centres[k][c] = rgb[3 * (int)(ax_random(&run) % (uint32_t)n) + c];
    ax_roi_begin();
    assign(rgb, centres, of, n);
    colour(rgb, of, out, n);
    ax_roi_end();
    return ax_end(out, 3 * (size_t)n * sizeof *out);
}
