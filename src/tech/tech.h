/* What techniques of the tree know of a machine beyond parsim/tech.h. */
#ifndef TECH_TECH_H
#define TECH_TECH_H

#include "mem/bound.h"
#include "mem/interleave.h"
#include "mem/l1.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"
#include "parsim/tech.h"
#include "sm/sm_cfg.h"

/* The bytes behind an address now, or NULL where it is not in device memory (code, parameters,
 * local memory, host memory). */
struct mem_image {
    const void *(*at)(const void *self, addr_t addr, uint32_t bytes);
    uint64_t (*used_bytes)(const void *self); /* allocated now */
    const void *self;
};

struct tech_machine {
    uint32_t sms, slices, channels; /* slices: of all channels */
    const struct conf *conf;
    const struct l1_cfg *l1;
    const struct l2_cfg *l2;
    const struct mem_ctrl_cfg *mc;
    const struct interleave *il;
    double core_mhz, noc_mhz, l2_mhz, dram_mhz;
    uint32_t flit_bytes;   /* of the interconnect */
    double dram_bandwidth; /* bytes a second, all channels */
    addr_t memory_base;    /* device addresses are [memory_base, memory_base + memory_range) */
    uint64_t memory_range, memory_bytes; /* memory_bytes: that the GPU has */
    struct mem_image image;
    struct device *dev;             /* for code that techniques bring */
    const struct sm_cfg *sm;        /* where it runs */
    const struct tech_seams *seams; /* where marks go */
    bool verify;                    /* check that everything that is encoded can be decoded */
};

/* Every seam of a machine: an array of policies each, all bound, at first to null objects. */
struct tech_seams {
#define L1_SEAM(name, type, ...)      struct type *name;
#define SM_SEAM(name, type, ...)      struct type *name;
#define SLICE_SEAM(name, type, ...)   struct type *name;
#define CHANNEL_SEAM(name, type, ...) struct type *name;
#define GPU_SEAM(name, type, ...)     struct type *name;
#include "parsim/seams.def"
    uint32_t n[PER_GPU + 1];                 /* elements of the arrays, by enum tech_per */
    char *owner[SEAMS], *wrapper[SEAMS];     /* design, or NULL */
    struct breach *breaches[PER_GPU + 1];    /* of each SM, slice and channel, and of all */
    const struct probe **marks[PER_GPU + 1]; /* fired at by tech_api.mark: a = tech_mark */
    atomic_bool is_breached;                 /* one of them was noted */
    struct stats *stats;                     /* where a technique adds its own */
    const char *stats_refused;               /* why statistics could not be added, or NULL */
    const struct techs *techs;               /* that are being bound */
    const struct technique *binding;         /* the one of them that is */
};

void tech_seams_init(struct tech_seams *s, const struct tech_machine *m, struct stats *stats);
void tech_seams_free(struct tech_seams *s);
/* What is bound at one SM, slice or channel, or for all. */
struct sm_seams tech_sm_seams(const struct tech_seams *s, uint32_t sm);
struct slice_seams tech_slice_seams(const struct tech_seams *s, uint32_t slice, uint32_t channel);
struct channel_seams tech_channel_seams(const struct tech_seams *s, uint32_t channel);
struct gpu_seams tech_gpu_seams(const struct tech_seams *s);

/* The array of a seam: s->n[per] of its type. */
void *tech_seams_array(const struct tech_seams *s, enum tech_seam seam);

/* As tech_api.take, for a design `name`. A wrapped seam can be wrapped again, but not be taken
 * alone. */
void *tech_take(struct tech_seams *s, enum tech_seam seam, const char *name, enum tech_take how,
                struct err *err);

/* False and an error that names design, seam and element: the first that a policy has done and its
 * seam does not allow. At meeting points. */
bool tech_seams_hold(const struct tech_seams *s, struct err *err);
/* What `design` has bound, looked at. Functions that it has left out become those of the null
 * object where it decides alone; false and an error that names seam and member where it wraps, and
 * of numbers out of bounds. */
bool tech_seams_check(struct tech_seams *s, const char *design, struct err *err);

/* Who is bound where, a line a seam. */
void tech_seams_dump(const struct tech_seams *s, FILE *out);

/* What is known of a seam, for documentation and tests. */
struct seam_row {
    const char *name, *type;
    enum tech_per per;
    const char *decides, *called;
};
extern const struct seam_row seam_rows[SEAMS];

/* The state of a technique that serves others (technique.open). */
void *tech_state(const struct tech_seams *s, const struct technique *t);

/* What plug-ins call. */
extern const struct tech_api tech_api;

#endif
