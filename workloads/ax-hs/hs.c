/* Heat of a chip, step by step. The region: power, temperature, sums of both pairs of neighbours
 * in, the new temperature out. */
#include "../ax-common/ax.h"

static const float ambient = 80, by_capacity = 0.5f, by_rx = 0.2f, by_ry = 0.2f, by_rz = 0.1f;

static float cell(const float *power, const float *t, int up, int down, int left, int right)
{
    const float rows = t[up] + t[down], columns = t[left] + t[right];
    const float p = AX_LOAD_F32(0, AX_CUT(8), power, 0), centre = AX_LOAD_F32(0, AX_CUT(8), t, 0);
    float r;
    AX_INPUT_F32(0, AX_CUT(8), rows);
    AX_INPUT_F32(0, AX_CUT(8), columns);
    if (!AX_LOOKUP_F32(0, &r)) {
        r = centre + by_capacity * (p + (rows - 2 * centre) * by_ry +
                                    (columns - 2 * centre) * by_rx + (ambient - centre) * by_rz);
        AX_UPDATE_F32(0, r);
    }
    return r;
}

static void step(const float *power, const float *from, float *to, int side)
{
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int i = y * side + x;
            to[i] = cell(power + i, from + i, y ? -side : 0, y < side - 1 ? side : 0, x ? -1 : 0,
                         x < side - 1 ? 1 : 0);
        }
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, false);
    const int side = run.is_full ? 512 : 128, steps = 60, n = side * side;
    float *power = malloc(3 * (size_t)n * sizeof *power), *now = power + n, *next = now + n;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) { /* units of a floor plan, each with its power */
            const int unit = y * 8 / side * 8 + x * 8 / side;
            power[y * side + x] = unit * 37 % 11 == 0 ? 0.5f : unit * 37 % 7 * 0.0625f;
            now[y * side + x] = 80 + (float)(unit * 13 % 5) * 0.25f;
        }
    ax_roi_begin();
    for (int k = 0; k < steps; k++) {
        step(power, now, next, side);
        float *t = now;
        now = next, next = t;
    }
    ax_roi_end();
    return ax_end(now, (size_t)n * sizeof *now);
}
