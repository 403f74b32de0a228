// lavaMD: forces between particles in boxes. A block a box: its particles against those of the box and
// of its up to 26 neighbours, box after box through shared memory. Doubles.
#include "f64_math.h"

#define PARTICLES 100 // of a box
#define THREADS   128
#define NEIGHBOURS 26

struct particle {
    double v, x, y, z; // v: the square of its distance from the origin
};

struct neighbour {
    int x, y, z, number;
    long long offset;
};

struct box {
    int x, y, z, number;
    long long offset; // its first particle
    int neighbours, unused;
    struct neighbour neighbour[NEIGHBOURS];
};

WL_FN void attract(const struct particle &a, const struct particle &b, double charge, double a2,
                   struct particle *force)
{
    double dot = __fma_rn(a.z, b.z, __fma_rn(a.y, b.y, a.x * b.x));
    double potential = f64_exp(-(a2 * (a.v + b.v - dot)));
    double strength = 2.0 * potential;
    force->v = __fma_rn(charge, potential, force->v);
    force->x = __fma_rn(charge, strength * (a.x - b.x), force->x);
    force->y = __fma_rn(charge, strength * (a.y - b.y), force->y);
    force->z = __fma_rn(charge, strength * (a.z - b.z), force->z);
}

extern "C" __global__ void lavamd(double alpha, const struct box *boxes,
                                  const struct particle *particles, const double *charges,
                                  struct particle *forces)
{
    __shared__ struct particle home[PARTICLES], other[PARTICLES];
    __shared__ double charge[PARTICLES];
    const struct box *box = &boxes[blockIdx.x];
    int t = threadIdx.x;
    double a2 = 2.0 * alpha * alpha;
    if (t < PARTICLES)
        home[t] = particles[box->offset + t];
    for (int k = 0; k <= box->neighbours; k++) {
        int number = k == 0 ? (int)blockIdx.x : box->neighbour[k - 1].number;
        long long offset = boxes[number].offset;
        if (t < PARTICLES) {
            other[t] = particles[offset + t];
            charge[t] = charges[offset + t];
        }
        __syncthreads();
        if (t < PARTICLES) {
            struct particle force = forces[box->offset + t];
            for (int j = 0; j < PARTICLES; j++)
                attract(home[t], other[j], charge[j], a2, &force);
            forces[box->offset + t] = force;
        }
        __syncthreads();
    }
}
