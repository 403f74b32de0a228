// One step of the lattice-Boltzmann method on D3Q19, in Parboil's layout: 20 arrays of cells, one a
// direction and one for what a cell is. A block is a row of cells; a thread reads its cell, lets the
// matter collide (or turns it back, in an obstacle) and scatters it to the neighbours.
#include "device.h"

#define DIRECTIONS 19
#define OBSTACLE   1
#define DRIVEN     2
#define OMEGA      1.95f

struct shape {
    int pitch, ny, cells, first; // cells: of one array; first: cell (0, 0, 0)
};

// `sum` with v added, taken away, or neither, as a direction's component says.
WL_FN float along(float sum, int component, float v)
{
    return component > 0 ? sum + v : component < 0 ? sum - v : sum;
}

WL_FN void collide(float f[DIRECTIONS], bool driven)
{
    float rho = f[0], ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
    for (int i = 1; i < DIRECTIONS; i++)
        rho += f[i];
#define X(i, opposite, dx, dy, dz, part)                                                            \
    ux = along(ux, dx, f[i]);                                                                       \
    uy = along(uy, dy, f[i]);                                                                       \
    uz = along(uz, dz, f[i]);
#include "d3q19.def"
#undef X
    ux /= rho;
    uy /= rho;
    uz /= rho;
    if (driven) {
        ux = 0.005f;
        uy = 0.002f;
        uz = 0.0f;
    }
    float u2 = __fmaf_rn(1.5f, __fmaf_rn(uz, uz, __fmaf_rn(uy, uy, ux * ux)), -1.0f);
    float base = OMEGA * rho;
#define X(i, opposite, dx, dy, dz, part)                                                            \
    {                                                                                               \
        float u = along(along(along(0.0f, dx, ux), dy, uy), dz, uz);                                \
        float even = (1.0f / part) * base * __fmaf_rn(u, __fmaf_rn(4.5f, u, 3.0f), -u2);            \
        f[i] = __fmaf_rn(1.0f - OMEGA, f[i], even);                                                 \
    }
#include "d3q19.def"
#undef X
}

extern "C" __global__ void lbm_step(const float *src, float *dst, struct shape s)
{
    int at = s.first + (blockIdx.y * s.ny + blockIdx.x) * s.pitch + threadIdx.x;
    float f[DIRECTIONS];
    // Pointers that move on from array to array: the original's sizes are constants and cost nothing.
    long long cells = s.cells, row = s.pitch, plane = row * s.ny;
    const float *from = src + at;
    float *to = dst + at;
#pragma unroll
    for (int i = 0; i < DIRECTIONS; i++, from += cells)
        f[i] = *from;
    int flags = __float_as_int(*from);
    if (flags & OBSTACLE) {
        float back[DIRECTIONS];
#define X(i, opposite, dx, dy, dz, part) back[i] = f[opposite];
#include "d3q19.def"
#undef X
#pragma unroll
        for (int i = 0; i < DIRECTIONS; i++)
            f[i] = back[i];
    } else {
        collide(f, flags & DRIVEN);
    }
#define X(i, opposite, dx, dy, dz, part)                                                            \
    to[dx + dy * row + dz * plane] = f[i];                                                          \
    to += cells;
#include "d3q19.def"
#undef X
}
