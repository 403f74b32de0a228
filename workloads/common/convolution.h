/* What the SDK's separable convolutions share: a photograph, a filter of 17 taps. */
#ifndef WORKLOADS_COMMON_CONVOLUTION_H
#define WORKLOADS_COMMON_CONVOLUTION_H

#include "workload.h"

enum { CONVOLUTION_RADIUS = 8, CONVOLUTION_TAPS = 2 * CONVOLUTION_RADIUS + 1 };

struct convolution {
    int width, height;
    float filter[CONVOLUTION_TAPS];
    struct wl_array *in, *rows, *out; /* `rows`: what the first pass leaves to the second */
};

/* Declares the arrays and fills photograph and filter. Only in make(). */
void convolution_make(struct wl *w, struct convolution *s, int width, int height);

#endif
