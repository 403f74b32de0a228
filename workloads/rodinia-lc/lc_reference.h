/* What the kernels of rodinia-lc should compute, in plain C. */
#ifndef WORKLOADS_RODINIA_LC_REFERENCE_H
#define WORKLOADS_RODINIA_LC_REFERENCE_H

#include "workload.h"

enum { LC_POINTS = 150, LC_CIRCLES = 7, LC_ELEMENT = 25, LC_TRACK_BLOCK = 320 };

struct lc_tables {
    float sines[LC_POINTS], cosines[LC_POINTS];
    int32_t circle_x[LC_CIRCLES * LC_POINTS], circle_y[LC_CIRCLES * LC_POINTS];
    float element[LC_ELEMENT * LC_ELEMENT];
};

struct lc_detector {
    int rows, cols, margin, circles, points, element_side;
};

struct lc_flow {
    float vx, vy, inverse_epsilon, cutoff;
    int most_rounds;
};

void lc_reference_gicov(const struct lc_detector *d, const struct lc_tables *tables,
                        const float *grad_x, const float *grad_y, float *out);
void lc_reference_dilate(const struct lc_detector *d, const struct lc_tables *tables,
                         const float *gicov, float *out);
/* One cell's window; `flow` holds the image to begin with. */
void lc_reference_track(struct wl *w, const struct lc_flow *f, int rows, int cols,
                        const float *image, float *flow);

#endif
