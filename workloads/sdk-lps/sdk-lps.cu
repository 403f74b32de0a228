// One Jacobi step of the 3D Laplace equation. A block owns a 32x4 column of the grid and marches
// through the planes, three of which (with halo) it keeps in shared memory.
#include "device.h"

#define BX 32
#define BY 4
#define PITCH (BX + 2)
#define PLANE (PITCH * (BY + 2))

struct grid {
    int nx, ny, nz;
};

// Loads this block's part of plane k with its halo. Threads of the first rows fetch the halo's rows,
// a few more its columns; corners are not needed.
WL_FN void load_plane(float *plane, const float *u, struct grid g, int k)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * BX + tx, j = blockIdx.y * BY + ty;
    const float *p = u + (long)k * g.nx * g.ny;
    if (i < g.nx && j < g.ny)
        plane[(ty + 1) * PITCH + tx + 1] = p[j * g.nx + i];
    if (ty == 0 && i < g.nx && j > 0)
        plane[tx + 1] = p[(j - 1) * g.nx + i];
    if (ty == BY - 1 && i < g.nx && j + 1 < g.ny)
        plane[(BY + 1) * PITCH + tx + 1] = p[(j + 1) * g.nx + i];
    if (tx == 0 && j < g.ny && i > 0)
        plane[(ty + 1) * PITCH] = p[j * g.nx + i - 1];
    if (tx == BX - 1 && j < g.ny && i + 1 < g.nx)
        plane[(ty + 1) * PITCH + BX + 1] = p[j * g.nx + i + 1];
}

extern "C" __global__ void laplace3d(const float *u1, float *u2, int nx, int ny, int nz)
{
    __shared__ float planes[3 * PLANE];
    struct grid g = {nx, ny, nz};
    int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
    int at = (threadIdx.y + 1) * PITCH + threadIdx.x + 1;
    bool active = i < nx && j < ny;
    bool side = i == 0 || i == nx - 1 || j == 0 || j == ny - 1;
    load_plane(planes, u1, g, 0);
    float *below = planes + 2 * PLANE, *here = planes, *above = planes + PLANE;
    for (int k = 0; k < nz; k++) {
        if (k + 1 < nz)
            load_plane(above, u1, g, k + 1);
        __syncthreads();
        if (active) {
            float v = here[at];
            if (!side && k > 0 && k < nz - 1)
                v = (here[at - 1] + here[at + 1] + here[at - PITCH] + here[at + PITCH] + below[at] +
                     above[at]) *
                    (1.0f / 6.0f);
            u2[((long)k * ny + j) * nx + i] = v;
        }
        __syncthreads();
        float *oldest = below;
        below = here;
        here = above;
        above = oldest;
    }
}
