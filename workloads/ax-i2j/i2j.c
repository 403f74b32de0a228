/* Angles of a robot's arm with two joints, from where its hand is. The region: x, y in, both angles
 * out. */
#include "../ax-common/ax.h"

#include <math.h>

static const double l1 = 0.5, l2 = 0.5;

static double clamp(double v)
{
    return v < -1 ? -1 : v > 1 ? 1 : v;
}

static struct ax_floats angles(float x, float y)
{
    const double squares = (double)x * x + (double)y * y;
    const double t2 = acos(clamp((squares - l1 * l1 - l2 * l2) / (2 * l1 * l2)));
    const double t1 =
        asin(clamp(squares > 0 ? (y * (l1 + l2 * cos(t2)) - x * l2 * sin(t2)) / squares : 0));
    return (struct ax_floats){(float)t1, (float)t2};
}

/* A path of the hand: angles that walk, with six decimals. */
static void walk(struct ax_run *r, float *xy, int n)
{
    double a = 0.4, b = 0.7;
    for (int i = 0; i < n; i++) {
        a += ((int)(ax_random(r) % 41) - 20) * 1e-6;
        b += ((int)(ax_random(r) % 41) - 20) * 1e-6;
        xy[2 * i] = (float)(l1 * cos(a) + l2 * cos(a + b));
        xy[2 * i + 1] = (float)(l1 * sin(a) + l2 * sin(a + b));
    }
}

static void invert(const float *xy, struct ax_floats *to, int n)
{
    for (int i = 0; i < n; i++) {
        const float *p = xy + 2 * i;
        const float x = AX_LOAD_F32(0, AX_CUT(8), p, 0), y = AX_LOAD_F32(0, AX_CUT(8), p, 1);
        int64_t bits;
        if (!AX_LOOKUP_I64(0, &bits)) {
            const struct ax_floats t = angles(x, y);
            bits = ax_bits(&t);
            AX_UPDATE_FLOATS(0, bits);
        }
        to[i] = ax_floats_of(bits);
    }
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, true);
    const int n = run.is_full ? 1240000 : 77500;
    float *xy = malloc(2 * (size_t)n * sizeof *xy);
    struct ax_floats *to = malloc((size_t)n * sizeof *to);
    walk(&run, xy, n);
    ax_roi_begin();
    invert(xy, to, n);
    ax_roi_end();
    return ax_end(to, (size_t)n * sizeof *to);
}
