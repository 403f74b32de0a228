// The Q matrix of non-Cartesian MRI reconstruction: for each voxel the sums over k-space of the
// magnitude times cosine and sine of the phase. Samples are in constant memory, a chunk a launch, a
// thread a voxel; sine and cosine on the special function unit (Parboil builds it with fast maths).
#include "device.h"

#define CHUNK 1024

struct sample {
    float kx, ky, kz, magnitude;
};
__constant__ struct sample samples[CHUNK];

extern "C" __global__ void mriq_magnitude(const float *real, const float *imaginary,
                                          float *magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        magnitude[i] = __fmaf_rn(imaginary[i], imaginary[i], real[i] * real[i]);
}

WL_FN void add_sample(const struct sample *k, float x, float y, float z, float *qr, float *qi)
{
    float angle = 6.28318531f * __fmaf_rn(k->kz, z, __fmaf_rn(k->ky, y, k->kx * x));
    *qr = __fmaf_rn(k->magnitude, __cosf(angle), *qr);
    *qi = __fmaf_rn(k->magnitude, __sinf(angle), *qi);
}

extern "C" __global__ void mriq_sum(int n, const float *xs, const float *ys, const float *zs,
                                    float *qr, float *qi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    float x = xs[i], y = ys[i], z = zs[i], real = qr[i], imaginary = qi[i];
    if (n % 2)
        add_sample(&samples[k++], x, y, z, &real, &imaginary);
    for (; k < n; k += 2) {
        add_sample(&samples[k], x, y, z, &real, &imaginary);
        add_sample(&samples[k + 1], x, y, z, &real, &imaginary);
    }
    qr[i] = real;
    qi[i] = imaginary;
}
