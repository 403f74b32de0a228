/* What a technique is, and what it may know of a machine and plug into.
 *
 * A technique is a folder here, a section of the configuration and one or more rows in techs.def.
 * Its bind() puts policies into seams of the machine that is being built. Every channel (with its
 * L2 slices) and every SM may run on a host thread of its own: a policy's state belongs to one of
 * them. Between them only look() and copied() may reach, which are called when nothing runs. */
#ifndef TECH_TECH_H
#define TECH_TECH_H

#include "mem/interleave.h"
#include "mem/l1.h"
#include "mem/l2.h"
#include "mem/mem_ctrl.h"
#include "mem/seams.h"
#include "sm/sm_seams.h"

/* The bytes behind an address now, or NULL where it is not in device memory (code, parameters,
 * local memory, host memory). */
struct mem_image {
    const void *(*at)(const void *self, addr_t addr, uint32_t bytes);
    uint64_t (*used_bytes)(const void *self); /* allocated now */
    const void *self;
};

struct tech_machine {
    uint32_t sms, slices, channels; /* slices: of all channels */
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
    struct device *dev;      /* for code that techniques bring */
    const struct sm_cfg *sm; /* where it runs */
    bool verify;             /* check that everything that is encoded can be decoded */
};

enum tech_seam {
    TECH_STORAGE,
    TECH_L2_PACKETS,
    TECH_SM_PACKETS,
    TECH_REQUESTS,
    TECH_L1_CAPACITY,
    TECH_L2_CAPACITY,
    TECH_FORMS,
    TECH_CODEC,
    TECH_WARPS,
    TECH_SEAMS
};

struct assist;
struct assist_cfg;

struct tech_seams {
    struct storage_policy *storage;      /* by channel; of its slices too */
    struct packet_policy *l2_packets;    /* by slice */
    struct packet_policy *sm_packets;    /* by SM */
    struct request_policy *requests;     /* by SM */
    struct capacity_policy *l1_capacity; /* by SM */
    struct capacity_policy *l2_capacity; /* by slice */
    struct form_policy *forms;           /* by channel */
    struct codec_engine *codec_engines;  /* by SM */
    struct code_cfg *codes;              /* by SM */
    struct warp_source *warp_sources;    /* by SM */
    const char *owner[TECH_SEAMS];       /* technique, or NULL */
    struct stats *stats;                 /* where a technique adds its own */
    const struct assist_cfg *assist_cfg; /* of assist warps, for who brings some */
    char assist_modules[128]; /* of assist/, that designs add to whatever assist warps there are */
    struct assist *assist;    /* they, or NULL (caba/assist.h) */
};

/* The technique `name` takes a seam. One that is taken is an error, unless it wraps what is there.
 */
bool tech_claim(struct tech_seams *s, enum tech_seam seam, const char *name, bool wraps,
                struct err *err);

/* How far a machine has come, all kernels together. */
struct tech_look {
    uint64_t cycles;      /* of the cores */
    uint64_t thread_inst; /* of the program */
};

struct sm_kernel;

/* What a bound technique leaves; functions may be NULL. */
struct tech_part {
    void *self;
    void (*copied)(void *self, addr_t addr, uint64_t bytes); /* the host has written */
    /* ... by letting the device fill its memory; NULL: the same as copied() */
    void (*filled)(void *self, addr_t addr, uint64_t bytes);
    /* Now and then (gpu.look_cycles). */
    void (*look)(void *self, const struct tech_look *at);
    /* The kernel is about to be launched: before it is asked what registers its threads need more.
     */
    void (*launch)(void *self, const struct sm_kernel *k);
    /* What it has done, in a sentence for the report. */
    void (*describe)(const void *self, char *buf, size_t size);
    /* Writes the files that it was asked for, after the last kernel. */
    bool (*finish)(void *self, struct err *err);
    void (*free)(void *self);
};

struct technique {
    const char *name, *help;
    const char *codec; /* of codec.h; NULL: every block stays as it is */
    int variant;       /* the folder's own */
    size_t cfg;        /* offset of its section in struct tech_cfgs */
    bool (*bind)(const struct technique *t, const struct tech_machine *m, const void *cfg,
                 struct tech_seams *s, struct tech_part *part, struct err *err);
};

#endif
