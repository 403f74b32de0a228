/* Compression by assist warps: lines are encoded and decoded by the SMs, nowhere else ("A Framework
 * for Accelerating Bottlenecks in GPU Execution with Assist Warps", sections 5, 7.5 and 7.6). This
 * folder's caba* files are the memory side; the engine of an SM is behind a seam (codec_engine). */
#ifndef TECH_CABA_CABA_H
#define TECH_CABA_CABA_H

#include "tech/tech.h"

/* A design's variant: at most one of them; a compressed cache or-ed with the factor of its
 * tags. */
enum {
    CABA_FACTOR = 15,
    CABA_L1 = 16,        /* the L1 keeps lines encoded, in a data array of segments */
    CABA_L2 = 32,        /* the L2's data array is one of segments */
    CABA_RAW_L2 = 64,    /* the L2 has a line raw once it was read */
    CABA_DIRECT = 128,   /* the L1 keeps lines encoded, loads cut out what they need */
    CABA_ADAPTIVE = 256, /* a controller chooses algorithms, and switches compression on and off */
};

/* What an engine that stands in for assist warps does. */
enum caba_engine_jobs { ENGINE_ALL, ENGINE_DECODES, ENGINE_ENCODES };
extern const char *const caba_engine_jobs_names[];

struct caba_cfg {
#define ROWS_FILE "tech/caba/caba_cfg.def"
#include "parsim/rows_members.h"
};

bool caba_bind(const struct tech_site *at, struct tech_part *part, struct err *err);

#endif
