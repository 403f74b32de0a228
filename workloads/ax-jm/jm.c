/* Whether pairs of triangles meet, by Moller's test. The region, twice a test that gets so far: a
 * triangle's interval on the line in which both planes meet; 36 bytes in, both ends out. */
#include "../ax-common/ax.h"

#include <math.h>

struct vec {
    float at[3];
};

static struct vec sub(struct vec a, struct vec b)
{
    return (struct vec){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static struct vec cross(struct vec a, struct vec b)
{
    return (struct vec){{a.at[1] * b.at[2] - a.at[2] * b.at[1],
                         a.at[2] * b.at[0] - a.at[0] * b.at[2],
                         a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static float dot(struct vec a, struct vec b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

/* Where an edge from a to b, at distances da and db, meets the plane. */
static float meet(float a, float b, float da, float db)
{
    return a + (b - a) * da / (da - db);
}

static struct ax_floats ends(const float *v, const float *d, float d01, float d02)
{
    int lone = d01 > 0 ? 2 : d02 > 0 ? 1 : 0; /* the corner on its own side */
    if (d01 <= 0 && d02 <= 0 && d[0] == 0)
        lone = d[1] * d[2] > 0 || d[1] != 0 ? 1 : 2;
    const int b = (lone + 1) % 3, c = (lone + 2) % 3;
    const struct ax_floats e = {meet(v[lone], v[b], d[lone], d[b]),
                                meet(v[lone], v[c], d[lone], d[c])};
    return e.a <= e.b ? e : (struct ax_floats){e.b, e.a};
}

static struct ax_floats interval(const float *v, const float *d, float d01, float d02, int axis)
{
    int64_t bits;
    (void)axis; /* an input, as in Table 4.3 */
    AX_INPUT_F32(0, AX_CUT(6), v[0]);
    AX_INPUT_F32(0, AX_CUT(6), v[1]);
    AX_INPUT_F32(0, AX_CUT(6), v[2]);
    AX_INPUT_F32(0, AX_CUT(6), d[0]);
    AX_INPUT_F32(0, AX_CUT(6), d[1]);
    AX_INPUT_F32(0, AX_CUT(6), d[2]);
    AX_INPUT_F32(0, AX_CUT(6), d01);
    AX_INPUT_F32(0, AX_CUT(6), d02);
    AX_INPUT_I32(0, 0, axis);
    if (!AX_LOOKUP_I64(0, &bits)) {
        const struct ax_floats e = ends(v, d, d01, d02);
        bits = ax_bits(&e);
        AX_UPDATE_FLOATS(0, bits);
    }
    return ax_floats_of(bits);
}

/* Distances of a triangle's corners from a plane; whether all are on one side. */
static bool is_beside(const struct vec *t, struct vec normal, float offset, float *d)
{
    for (int k = 0; k < 3; k++) {
        d[k] = dot(normal, t[k]) + offset;
        if (fabsf(d[k]) < 1e-6f)
            d[k] = 0;
    }
    return d[0] * d[1] > 0 && d[0] * d[2] > 0;
}

static bool do_meet(const struct vec *a, const struct vec *b)
{
    float da[3], db[3], va[3], vb[3];
    const struct vec na = cross(sub(a[1], a[0]), sub(a[2], a[0])),
                     nb = cross(sub(b[1], b[0]), sub(b[2], b[0]));
    if (is_beside(b, na, -dot(na, a[0]), db) || is_beside(a, nb, -dot(nb, b[0]), da))
        return false;
    const struct vec line = cross(na, nb);
    int axis = fabsf(line.at[1]) > fabsf(line.at[0]) ? 1 : 0;
    axis = fabsf(line.at[2]) > fabsf(line.at[axis]) ? 2 : axis;
    for (int k = 0; k < 3; k++)
        va[k] = a[k].at[axis], vb[k] = b[k].at[axis];
    const struct ax_floats x = interval(va, da, da[0] * da[1], da[0] * da[2], axis),
                           y = interval(vb, db, db[0] * db[1], db[0] * db[2], axis);
    return x.b >= y.a && y.b >= x.a;
}

int main(int argc, char **argv)
{
    struct ax_run run = ax_begin(argc, argv, true);
    const int n = run.is_full ? 145000 : 9062;
    struct vec *corners = malloc(6 * (size_t)n * sizeof *corners);
    uint8_t *to = malloc((size_t)n);
    for (int i = 0; i < 6 * n; i++)
        for (int k = 0; k < 3; k++)
            corners[i].at[k] = ax_uniform(&run);
    ax_roi_begin();
    for (int i = 0; i < n; i++)
        to[i] = do_meet(corners + 6 * i, corners + 6 * i + 3);
    ax_roi_end();
    return ax_end(to, (size_t)n);
}
