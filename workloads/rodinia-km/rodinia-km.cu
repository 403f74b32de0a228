/* K-means in Rodinia's manner: features are turned to one row a feature, so that neighbouring
 * threads read neighbouring floats; the centres are in constant memory; the host moves the centres.
 */
#include "device.h"

#define KM_MAX_CENTRES 512

__constant__ float km_centres[KM_MAX_CENTRES];

extern "C" __global__ void km_invert(const float *by_point, float *by_feature, unsigned points,
                                     unsigned features)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;

    if (p < points)
        for (unsigned f = 0; f < features; f++)
            by_feature[f * points + p] = by_point[p * features + f];
}

/* membership[p]: the nearest centre, the first of equals. */
extern "C" __global__ void km_assign(const float *by_feature, int *membership, unsigned points,
                                     unsigned features, unsigned clusters)
{
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
    float best = 3.402823466e38f;
    int index = -1;

    if (p >= points)
        return;
    for (unsigned c = 0; c < clusters; c++) {
        float sum = 0.0f;
        for (unsigned f = 0; f < features; f++) {
            float d = by_feature[f * points + p] - km_centres[c * features + f];
            sum = __fmaf_rn(d, d, sum);
        }
        if (sum < best) {
            best = sum;
            index = (int)c;
        }
    }
    membership[p] = index;
}
