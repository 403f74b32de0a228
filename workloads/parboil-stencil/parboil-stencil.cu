// One Jacobi step of the 7-point stencil on a 3-D grid. A block of 32x4 threads takes 64x4 columns and
// marches through the planes: the plane itself in shared memory, those above and below in registers.
// Grid borders keep their values.
#include "device.h"

#define TX 32
#define TY 4

struct grid {
    int nx, ny, nz;
    float c0, c1; // weights of the cell itself (taken away) and of its six neighbours
};

struct column {
    int x, y, sx, sy;    // in the grid, in the tile
    bool loads, changes; // in the grid; not at its border
    float below, above;
};

// A cell's neighbour in the plane: from the tile, or, beyond it, from memory.
WL_FN float beside(const float *plane, const float tile[TY][2 * TX], struct column c, int dx, int dy,
                   int nx)
{
    int sx = c.sx + dx, sy = c.sy + dy;
    bool inside = sx >= 0 && sx < 2 * TX && sy >= 0 && sy < TY;
    return inside ? tile[sy][sx] : plane[(c.y + dy) * nx + c.x + dx];
}

WL_FN float advance(const float *plane, const float tile[TY][2 * TX], struct column c, struct grid g)
{
    float sum = c.above + c.below;
    sum += beside(plane, tile, c, 0, 1, g.nx);
    sum += beside(plane, tile, c, 0, -1, g.nx);
    sum += beside(plane, tile, c, 1, 0, g.nx);
    sum += beside(plane, tile, c, -1, 0, g.nx);
    return __fmaf_rn(sum, g.c1, -(tile[c.sy][c.sx] * g.c0));
}

extern "C" __global__ void stencil(const float *src, float *dst, struct grid g)
{
    __shared__ float tile[TY][2 * TX];
    struct column col[2];
    int plane = g.nx * g.ny;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        struct column *c = &col[i];
        c->sx = threadIdx.x + i * TX;
        c->sy = threadIdx.y;
        c->x = blockIdx.x * 2 * TX + c->sx;
        c->y = blockIdx.y * TY + c->sy;
        c->loads = c->x < g.nx && c->y < g.ny;
        c->changes = c->x > 0 && c->y > 0 && c->x < g.nx - 1 && c->y < g.ny - 1;
        c->below = c->above = 0.0f;
        tile[c->sy][c->sx] = 0.0f;
        if (c->loads) {
            c->below = src[c->y * g.nx + c->x];
            tile[c->sy][c->sx] = src[plane + c->y * g.nx + c->x];
        }
    }
    __syncthreads();
    for (int z = 1; z < g.nz - 1; z++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            struct column *c = &col[i];
            int at = z * plane + c->y * g.nx + c->x;
            if (c->loads)
                c->above = src[at + plane];
            if (c->changes)
                dst[at] = advance(src + z * plane, tile, *c, g);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            col[i].below = tile[col[i].sy][col[i].sx];
            tile[col[i].sy][col[i].sx] = col[i].above;
        }
        __syncthreads();
    }
}
