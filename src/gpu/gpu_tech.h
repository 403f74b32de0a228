/* Techniques on a machine that is being built. Private to src/gpu. */
#ifndef GPU_GPU_TECH_H
#define GPU_GPU_TECH_H

#include "gpu/gpu_int.h"
#include "tech/techs.h"

struct gpu_tech {
    struct tech_machine machine; /* as techniques know it, as long as they are */
    struct tech_seams seams; /* every policy is bound: to a technique's, or to the null object */
    struct techs *techs;
    struct energy_model energy;  /* with the rows of techniques that are on the machine */
    struct energy_extra *extras; /* these */
};

/* The techniques of gpu.with, bound. NULL and an error that names one. */
struct gpu_tech *gpu_tech_new(struct gpu *g, struct err *err);
/* False and an error: a technique counts energy by what is none of the machine's counters. */
bool gpu_tech_check_energy(const struct gpu_tech *t, const struct stats *st, struct err *err);
void gpu_tech_free(struct gpu_tech *t);

#endif
