/* Launches of one kernel, with blocks of one shape, and what the next of them will take (--sample).
 *
 * Of those with about as many blocks in each direction, the last one that has about as many
 * instructions is what the next is like: data and caches are as it left them. How cycles go with
 * instructions is learned from all that are remembered, late ones above all; as long as little is
 * known, in proportion. How many may pass until one is simulated again follows from the errors of
 * the predictions that were tried: of each, and, since errors of either sign even out in a sum, of
 * their mean. */
#ifndef GPU_ALIKE_H
#define GPU_ALIKE_H

#include "base/vec.h"
#include "gpu/gpu.h"

enum { ALIKE_ERRORS = 8 };

/* A launch that was simulated. */
struct point {
    uint32_t grid[3];
    double inst, cycles;
    struct stats *stats; /* extrapolated */
    size_t kernel;       /* in the machine's list */
    bool is_paced;
    double simulated; /* cycles */
    double error;     /* of its cycles, as far as they are estimated */
};

struct alike {
    VEC(struct point) points; /* in order of time */
    unsigned passed, wait;    /* passed: since the last that was simulated */
    double errors[ALIKE_ERRORS];
    unsigned tried; /* predictions, of which the last ALIKE_ERRORS are kept */
    double squares; /* of the errors of all of them */
};

void alike_init(struct alike *a);
void alike_free(struct alike *a);

/* Enough is known of launches with this grid, and not too many have passed since. */
bool alike_may_pass(const struct alike *a, const uint32_t grid[3]);
/* Not all launches with this grid were guessed: others can stand on them. */
bool alike_is_known(const struct alike *a, const uint32_t grid[3]);
/* The cycles of a launch, and which of those that were simulated it is like. At least one was. */
double alike_predict(const struct alike *a, const uint32_t grid[3], double inst,
                     const struct point **like);
/* One has passed. */
void alike_pass(struct alike *a, bool is_foreseen);
/* One was simulated: takes its statistics. `is_measure`: it says how good predictions are. */
void alike_remember(struct alike *a, const struct point *p, bool is_measure);
void alike_drop(struct alike *a, size_t i);
/* Of predictions, relative. */
double alike_error(const struct alike *a);

#endif
