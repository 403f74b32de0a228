// Euler equations for a compressible gas on an unstructured mesh of tetrahedra, finite volumes, explicit
// Runge-Kutta steps. Variables lie in planes: density, three of momentum, energy. The four neighbours of
// an element are found by index; -1 is the wing, -2 far away.
#include "device.h"

#define VARIABLES  5
#define NEIGHBOURS 4
#define STAGES     3

// What flows through a surface: of each variable, in each direction.
struct flow {
    float v[VARIABLES];
    float through[VARIABLES][3];
    float speed, pressure, sound;
};

__constant__ struct flow far_field;

WL_FN struct flow load(const float *variables, int elements, int i)
{
    const float gamma = 1.4f;
    struct flow f;
    float velocity[3];
#pragma unroll
    for (int k = 0; k < VARIABLES; k++)
        f.v[k] = variables[k * elements + i];
#pragma unroll
    for (int d = 0; d < 3; d++)
        velocity[d] = f.v[1 + d] / f.v[0];
    float squared = __fmaf_rn(velocity[2], velocity[2],
                              __fmaf_rn(velocity[1], velocity[1], velocity[0] * velocity[0]));
    f.speed = __fsqrt_rn(squared);
    f.pressure = (gamma - 1.0f) * __fmaf_rn(-0.5f * f.v[0], squared, f.v[4]);
    f.sound = __fsqrt_rn(gamma * f.pressure / f.v[0]);
    float enthalpy = f.v[4] + f.pressure;
#pragma unroll
    for (int d = 0; d < 3; d++) {
        f.through[0][d] = f.v[1 + d];
        f.through[4][d] = velocity[d] * enthalpy;
        f.through[1 + d][d] = __fmaf_rn(velocity[d], f.v[1 + d], f.pressure);
#pragma unroll
        for (int e = d + 1; e < 3; e++)
            f.through[1 + d][e] = f.through[1 + e][d] = velocity[d] * f.v[1 + e];
    }
    return f;
}

extern "C" __global__ void cfd_start(int elements, float *variables)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int k = 0; k < VARIABLES; k++)
        variables[k * elements + i] = far_field.v[k];
}

extern "C" __global__ void cfd_step_factor(int elements, const float *variables, const float *areas,
                                           float *factors)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    struct flow f = load(variables, elements, i);
    factors[i] = 0.5f / (__fsqrt_rn(areas[i]) * (f.speed + f.sound));
}

// Half of what both sides carry through a face.
WL_FN void carry(const struct flow &a, const struct flow &b, const float normal[3], float *flux)
{
#pragma unroll
    for (int d = 0; d < 3; d++) {
        float half = 0.5f * normal[d];
#pragma unroll
        for (int k = 0; k < VARIABLES; k++)
            flux[k] = __fmaf_rn(half, b.through[k][d] + a.through[k][d], flux[k]);
    }
}

// An artificial viscosity keeps shocks stable.
WL_FN void smooth(const struct flow &a, const struct flow &b, const float normal[3], float *flux)
{
    float squared = __fmaf_rn(normal[2], normal[2],
                              __fmaf_rn(normal[1], normal[1], normal[0] * normal[0]));
    float factor = -__fsqrt_rn(squared) * 0.1f * (a.speed + b.speed + a.sound + b.sound);
#pragma unroll
    for (int k = 0; k < VARIABLES; k++)
        flux[k] = __fmaf_rn(factor, a.v[k] - b.v[k], flux[k]);
}

extern "C" __global__ void cfd_flux(int elements, const int *neighbours, const float *normals,
                                    const float *variables, float *fluxes)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    struct flow mine = load(variables, elements, i);
    float flux[VARIABLES] = {0, 0, 0, 0, 0};
    for (int j = 0; j < NEIGHBOURS; j++) {
        int neighbour = neighbours[j * elements + i];
        float normal[3];
#pragma unroll
        for (int d = 0; d < 3; d++)
            normal[d] = normals[(j + d * NEIGHBOURS) * elements + i];
        if (neighbour >= 0) {
            struct flow theirs = load(variables, elements, neighbour);
            smooth(mine, theirs, normal, flux);
            carry(mine, theirs, normal, flux);
        } else if (neighbour == -1) {
#pragma unroll
            for (int d = 0; d < 3; d++)
                flux[1 + d] = __fmaf_rn(normal[d], mine.pressure, flux[1 + d]);
        } else {
            carry(mine, far_field, normal, flux);
        }
    }
#pragma unroll
    for (int k = 0; k < VARIABLES; k++)
        fluxes[k * elements + i] = flux[k];
}

extern "C" __global__ void cfd_time_step(int stage, int elements, const float *old, float *variables,
                                         const float *factors, const float *fluxes)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    float factor = factors[i] / (float)(STAGES + 1 - stage);
    for (int k = 0; k < VARIABLES; k++)
        variables[k * elements + i] =
            __fmaf_rn(factor, fluxes[k * elements + i], old[k * elements + i]);
}

extern "C" __global__ void cfd_copy(int elements, const float *from, float *to)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int k = 0; k < VARIABLES; k++)
        to[k * elements + i] = from[k * elements + i];
}
