/* What the kernel of rodinia-hw should compute, in plain C. */
#ifndef WORKLOADS_RODINIA_HW_REFERENCE_H
#define WORKLOADS_RODINIA_HW_REFERENCE_H

#include "workload.h"

struct hw_sizes {
    int template_side, area_side, side, padded_side, frame_rows, frames, points, mask_side,
        update_every;
    float alpha;
};

/* One point: its first place, then its track through all frames. Frames are by columns, one after
 * another, of `frame_pixels` each. */
struct hw_point {
    int row, col;
    int32_t *track_rows, *track_cols;
};
void hw_reference(struct wl *w, const struct hw_sizes *z, const float *frames, size_t frame_pixels,
                  struct hw_point p);

#endif
