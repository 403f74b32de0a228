/* Forces between particles in boxes. The region: two particles' v and the product of their places
 * in, the exponential of their distance out. All numbers of a particle, v too, are drawn from
 * tenths, as Rodinia does. */
#include "../ax-common/ax.h"

#include <math.h>

enum { PER_BOX = 100, BOXES = 4 };

struct particle {
    float v, x, y, z;
    float charge;
};

struct force {
    float v, x, y, z;
};

static float tenth(struct ax_run *r)
{
    return (float)(1 + ax_random(r) % 10) / 10;
}

static void add_pair(const struct particle *a, const struct particle *b, struct force *f)
{
    const float a2 = 2 * 0.5f * 0.5f, dot = a->x * b->x + a->y * b->y + a->z * b->z;
    const float av = AX_LOAD_F32(0, 0, &a->v, 0), bv = AX_LOAD_F32(0, 0, &b->v, 0);
    float e;
    AX_INPUT_F32(0, 0, dot);
    if (!AX_LOOKUP_F32(0, &e)) {
        e = expf(-a2 * (av + bv - dot));
        AX_UPDATE_F32(0, e);
    }
    const float scale = 2 * e * b->charge;
    f->v += b->charge * e;
    f->x += scale * (a->x - b->x);
    f->y += scale * (a->y - b->y);
    f->z += scale * (a->z - b->z);
}

static void add_box(const struct particle *all, struct force *forces, int home, int other)
{
    for (int i = 0; i < PER_BOX; i++)
        for (int k = 0; k < PER_BOX; k++)
            add_pair(&all[home * PER_BOX + i], &all[other * PER_BOX + k],
                     &forces[home * PER_BOX + i]);
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, false);
    const int side = run.is_full ? BOXES : 1, n = side * side * PER_BOX;
    struct particle *all = malloc((size_t)n * sizeof *all);
    struct force *forces = calloc((size_t)n, sizeof *forces);
    for (int i = 0; i < n; i++) {
        struct particle p;
        p.v = tenth(&run), p.x = tenth(&run), p.y = tenth(&run), p.z = tenth(&run);
        p.charge = tenth(&run);
        all[i] = p;
    }
    ax_roi_begin();
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int v = y - 1; v <= y + 1; v++)
                for (int u = x - 1; u <= x + 1; u++)
                    if (u >= 0 && v >= 0 && u < side && v < side)
                        add_box(all, forces, y * side + x, v * side + u);
    ax_roi_end();
    return ax_end(forces, (size_t)n * sizeof *forces);
}
