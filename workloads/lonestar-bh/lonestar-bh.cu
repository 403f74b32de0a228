/* Barnes-Hut n-body in the manner of LonestarGPU, whose tree is built with locks; here level by
 * level, a launch a step, so that no thread waits for another and the tree's shape is always the
 * same.
 *
 * Nodes 0 .. bodies-1 are bodies, those from `bodies` on cells, the first the root. Cells of one
 * level are numbered side by side; which number a cell gets depends on who came first, but no
 * result does. */
#include "device.h"

#define BOX_BLOCK 256

struct bh_tree {
    float *x, *y, *z, *mass; /* of bodies; of cells the middle, later the centre of mass */
    float *open;             /* of cells: closer than the root of this, look at the children */
    int *child;              /* 8 of each cell; -1 is none */
    unsigned *count;         /* bodies in each child */
    int *next;               /* where to go after this node and all below it; -1 ends */
    int *down;               /* of cells: the first child */
    unsigned *start;         /* of cells: the place of its first body in the order of bodies */
    unsigned bodies, max_cells;
};

struct bh_bodies {
    float *x, *y, *z, *vx, *vy, *vz;
    const float *mass;
    float *ax, *ay, *az;
    int *cell; /* the cell in which each is, while the tree grows; -1 once it has its place */
};

/* Puts the bodies into the tree's arrays and the root. box: 6 rows of gridDim.x floats, the least
 * and largest x, y, z of every block. */
extern "C" __global__ void bh_box(struct bh_tree t, struct bh_bodies b, float *box)
{
    __shared__ float low[3][BOX_BLOCK], high[3][BOX_BLOCK];
    unsigned i = threadIdx.x, body = blockIdx.x * BOX_BLOCK + i;
    unsigned at = body < t.bodies ? body : t.bodies - 1;

    low[0][i] = high[0][i] = t.x[at] = b.x[at];
    low[1][i] = high[1][i] = t.y[at] = b.y[at];
    low[2][i] = high[2][i] = t.z[at] = b.z[at];
    t.mass[at] = b.mass[at];
    b.cell[at] = (int)t.bodies;
    for (unsigned half = BOX_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (i < half)
            for (unsigned d = 0; d < 3; d++) {
                low[d][i] = fminf(low[d][i], low[d][i + half]);
                high[d][i] = fmaxf(high[d][i], high[d][i + half]);
            }
    }
    __syncthreads();
    if (i < 3) {
        box[i * gridDim.x + blockIdx.x] = low[i][0];
        box[(3 + i) * gridDim.x + blockIdx.x] = high[i][0];
    }
}

/* Makes the root, around the boxes of all blocks; its half side goes to *radius. One thread. */
extern "C" __global__ void bh_root(struct bh_tree t, const float *box, unsigned boxes,
                                   float *radius, float theta)
{
    float low[3], high[3], side = 0.0f;

    for (unsigned d = 0; d < 3; d++) {
        low[d] = box[d * boxes];
        high[d] = box[(3 + d) * boxes];
        for (unsigned b = 1; b < boxes; b++) {
            low[d] = fminf(low[d], box[d * boxes + b]);
            high[d] = fmaxf(high[d], box[(3 + d) * boxes + b]);
        }
        side = fmaxf(side, high[d] - low[d]);
    }
    unsigned root = t.bodies;
    t.x[root] = (low[0] + high[0]) * 0.5f;
    t.y[root] = (low[1] + high[1]) * 0.5f;
    t.z[root] = (low[2] + high[2]) * 0.5f;
    t.open[0] = side * side / (theta * theta);
    t.next[root] = -1;
    t.start[0] = 0;
    *radius = side * 0.5f;
    for (unsigned k = 0; k < 8; k++)
        t.count[k] = 0;
}

/* Each body that is not placed yet counts itself in its octant of the cell it is in. */
extern "C" __global__ void bh_count(struct bh_tree t, struct bh_bodies b, unsigned *slot_of)
{
    unsigned body = blockIdx.x * blockDim.x + threadIdx.x;

    if (body >= t.bodies || b.cell[body] < 0)
        return;
    unsigned cell = (unsigned)b.cell[body];
    unsigned octant = (t.x[body] > t.x[cell] ? 1u : 0u) + (t.y[body] > t.y[cell] ? 2u : 0u) +
                      (t.z[body] > t.z[cell] ? 4u : 0u);
    unsigned slot = (cell - t.bodies) * 8 + octant;
    slot_of[body] = slot;
    atomicAdd(&t.count[slot], 1u);
}

/* One thread an octant of this level's cells: where two bodies or more are, a new cell. */
extern "C" __global__ void bh_split(struct bh_tree t, unsigned first, unsigned cells,
                                    unsigned *made, const float *root_radius, float scale,
                                    float theta)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, slot = first * 8 + i;

    if (i >= cells * 8)
        return;
    t.child[slot] = -1;
    if (t.count[slot] < 2)
        return;
    unsigned cell = atomicAdd(made, 1u);
    if (cell >= t.max_cells)
        return; /* the host sees it in *made */
    unsigned node = t.bodies + cell, parent = t.bodies + slot / 8;
    float radius = *root_radius * scale, side = radius * 2.0f;
    t.child[slot] = (int)node;
    t.x[node] = t.x[parent] + (slot & 1 ? radius : -radius);
    t.y[node] = t.y[parent] + (slot & 2 ? radius : -radius);
    t.z[node] = t.z[parent] + (slot & 4 ? radius : -radius);
    t.open[cell] = side * side / (theta * theta);
    for (unsigned k = 0; k < 8; k++)
        t.count[cell * 8 + k] = 0;
}

/* A body alone in its octant has its place; the others go down. */
extern "C" __global__ void bh_descend(struct bh_tree t, struct bh_bodies b, const unsigned *slot_of)
{
    unsigned body = blockIdx.x * blockDim.x + threadIdx.x;

    if (body >= t.bodies || b.cell[body] < 0)
        return;
    unsigned slot = slot_of[body];
    if (t.count[slot] == 1) {
        t.child[slot] = (int)body;
        b.cell[body] = -1;
    } else {
        b.cell[body] = t.child[slot];
    }
}

/* Mass and centre of mass of the cells of one level, those below being done. */
extern "C" __global__ void bh_summarise(struct bh_tree t, unsigned first, unsigned cells)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, cell = first + i;
    float mass = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;

    if (i >= cells)
        return;
    for (unsigned k = 0; k < 8; k++) {
        int child = t.child[cell * 8 + k];
        if (child < 0)
            continue;
        float m = t.mass[child];
        mass += m;
        x = __fmaf_rn(t.x[child], m, x);
        y = __fmaf_rn(t.y[child], m, y);
        z = __fmaf_rn(t.z[child], m, z);
    }
    unsigned node = t.bodies + cell;
    t.mass[node] = mass;
    t.x[node] = x / mass;
    t.y[node] = y / mass;
    t.z[node] = z / mass;
}

/* From the root downwards: the links of the traversal, and the bodies in the order of the tree, so
 * that those of a warp are close to each other. */
extern "C" __global__ void bh_link(struct bh_tree t, unsigned first, unsigned cells,
                                   unsigned *order)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, cell = first + i;

    if (i >= cells)
        return;
    int next = t.next[t.bodies + cell];
    unsigned start = t.start[cell];
    for (unsigned k = 0; k < 8; k++) {
        int child = t.child[cell * 8 + k];
        if (child < 0)
            continue;
        if ((unsigned)child < t.bodies)
            order[start] = (unsigned)child;
        else
            t.start[child - t.bodies] = start;
        start += t.count[cell * 8 + k];
    }
    for (int k = 7; k >= 0; k--) {
        int child = t.child[cell * 8 + k];
        if (child < 0)
            continue;
        t.next[child] = next;
        next = child;
    }
    t.down[cell] = next;
}

WL_FN bool all_of_warp(bool value)
{
#ifdef __CUDACC__
    return __all_sync(0xffffffffu, value);
#else
    unsigned all;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.all.pred p, p; selp.u32 %0, 1, 0, p; }"
                 : "=r"(all)
                 : "r"((unsigned)value));
    return all != 0;
#endif
}

/* The lanes of a warp walk together: a cell is taken as a whole only if it is far from all of them.
 * The last warp's lanes beyond the bodies go with the last body. */
extern "C" __global__ void bh_force(struct bh_tree t, struct bh_bodies b, const unsigned *order,
                                    float softening)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned body = order[i < t.bodies ? i : t.bodies - 1];
    float x = t.x[body], y = t.y[body], z = t.z[body];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    int node = t.down[0];

    while (node >= 0) {
        float dx = t.x[node] - x, dy = t.y[node] - y, dz = t.z[node] - z;
        float squared = __fmaf_rn(dz, dz, __fmaf_rn(dy, dy, __fmaf_rn(dx, dx, softening)));
        bool is_cell = (unsigned)node >= t.bodies;
        if (is_cell && !all_of_warp(squared >= t.open[node - t.bodies])) {
            node = t.down[node - t.bodies];
            continue;
        }
        float inverse = 1.0f / __fsqrt_rn(squared);
        float pull = t.mass[node] * inverse * inverse * inverse;
        fx = __fmaf_rn(dx, pull, fx);
        fy = __fmaf_rn(dy, pull, fy);
        fz = __fmaf_rn(dz, pull, fz);
        node = t.next[node];
    }
    if (i < t.bodies) {
        b.ax[body] = fx;
        b.ay[body] = fy;
        b.az[body] = fz;
    }
}

WL_FN void move(float *place, float *speed, float pull, float step)
{
    float v = __fmaf_rn(pull, step, *speed);

    *speed = v;
    *place = __fmaf_rn(v, step, *place);
}

extern "C" __global__ void bh_integrate(struct bh_bodies b, unsigned bodies, float step)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= bodies)
        return;
    move(&b.x[i], &b.vx[i], b.ax[i], step);
    move(&b.y[i], &b.vy[i], b.ay[i], step);
    move(&b.z[i], &b.vz[i], b.az[i], step);
}
