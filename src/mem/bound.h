/* What is bound at the seams of one SM, one slice, one channel and of a machine; made from
 * parsim/seams.def. */
#ifndef MEM_BOUND_H
#define MEM_BOUND_H

#include "mem/breach.h"

/* The null objects: those of an SM's pipeline are in sm/sm_seams.c, the others in seams_null.c. */
#define L1_SEAM(name, type, ...)      extern const struct type type##_null;
#define SM_SEAM(name, type, ...)      extern const struct type type##_null;
#define SLICE_SEAM(name, type, ...)   extern const struct type type##_null;
#define CHANNEL_SEAM(name, type, ...) extern const struct type type##_null;
#define GPU_SEAM(name, type, ...)     extern const struct type type##_null;
#include "parsim/seams.def"

/* Of a cache of the same SM that is not written to and keeps no line encoded. */
struct encoding_cfg encoding_cfg_of_reader(const struct encoding_cfg *data);

struct l1_seams {
#define L1_SEAM(name, type, ...) const struct type *name;
#include "parsim/seams.def"
    struct breach *breach; /* of the SM; NULL: without a machine */
};
extern const struct l1_seams l1_seams_null;

struct sm_seams {
    struct l1_seams l1;
#define SM_SEAM(name, type, ...) const struct type *name;
#include "parsim/seams.def"
};
extern const struct sm_seams sm_seams_null;

struct channel_seams {
#define CHANNEL_SEAM(name, type, ...) const struct type *name;
#include "parsim/seams.def"
    struct breach *breach;
};
extern const struct channel_seams channel_seams_null;

struct slice_seams {
    struct channel_seams channel;
#define SLICE_SEAM(name, type, ...) const struct type *name;
#include "parsim/seams.def"
    struct breach *breach;
};
extern const struct slice_seams slice_seams_null;

struct gpu_seams {
#define GPU_SEAM(name, type, ...) const struct type *name;
#include "parsim/seams.def"
    struct breach *breach;
};

#endif
