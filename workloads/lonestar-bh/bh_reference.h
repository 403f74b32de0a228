/* Barnes-Hut on the CPU, for lonestar-bh: bodies are inserted one after the other, the rest is
 * recursive. */
#ifndef WORKLOADS_BH_REFERENCE_H
#define WORKLOADS_BH_REFERENCE_H

#include "base/common.h"

static const float bh_theta = 0.5f;        /* a cell's side over its distance, to be taken whole */
static const float bh_softening = 0.0025f; /* added to squared distances */
static const float bh_step = 0.025f;

struct bh_stars {
    uint32_t count;
    float *place[3], *speed[3], *pull[3]; /* x, y, z */
    const float *mass;
    uint32_t *order; /* gets the bodies in the order of the tree */
};

/* A child is -1 (none), a body, or `count` + the number of a cell. */
struct bh_cell {
    float middle[3], half; /* of the side */
    float centre[3], mass;
    int32_t child[8];
};

/* One step of time. cells: room for all cells of the tree. */
void bh_reference_step(struct bh_stars *s, struct bh_cell *cells);

#endif
