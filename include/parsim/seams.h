/* Every seam of a machine (parsim/seams.def), as a technique names it. */
#ifndef PARSIM_SEAMS_H
#define PARSIM_SEAMS_H

#include "parsim/seams_gpu.h"
#include "parsim/seams_mem.h"
#include "parsim/seams_sm.h"

enum tech_seam {
#define L1_SEAM(name, ...)      SEAM_##name,
#define SM_SEAM(name, ...)      SEAM_##name,
#define SLICE_SEAM(name, ...)   SEAM_##name,
#define CHANNEL_SEAM(name, ...) SEAM_##name,
#define GPU_SEAM(name, ...)     SEAM_##name,
#include "parsim/seams.def"
    SEAMS
};

/* How many of a seam there are: one each, or one. */
enum tech_per { PER_SM, PER_SLICE, PER_CHANNEL, PER_GPU };

/* How a technique takes a seam. */
enum tech_take {
    TAKE_ALONE, /* it decides; nobody else may */
    TAKE_WRAP,  /* it keeps what is bound, calls it, and adds to it */
};

#endif
