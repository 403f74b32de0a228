/* Private to the harness: one run, and the table of workloads. */
#ifndef WORKLOADS_COMMON_WL_INT_H
#define WORKLOADS_COMMON_WL_INT_H

#include "workload.h"

#include <stdio.h>

/* One row of workloads.def. */
struct wl_row {
    const char *name, *origin, *domain, *type, *bound;
    const struct workload *workload;
    const char *ptx; /* ends with a 0 byte */
};
extern const struct wl_row wl_rows[];
extern const size_t wl_nrows;
const struct wl_row *wl_find(const char *name); /* NULL: no such workload */

enum { WL_MAX_ARRAYS = 48 };

struct wl {
    const struct wl_row *row;
    enum wl_size size;
    uint64_t seed;
    const char *variant; /* NULL, or the workload's */
    bool check;          /* outputs get an `expect` */
    bool has_device;     /* context and module are there */
    void *state;
    CUcontext context;
    CUmodule module;
    unsigned launches;
    struct wl_array *arrays[WL_MAX_ARRAYS];
    unsigned narrays;
    struct wl_texture *textures; /* the newest first */
    struct wl_block *blocks;     /* of wl_alloc() */
};

void wl_run_make(struct wl *w);   /* make() */
void wl_run_device(struct wl *w); /* everything that needs a GPU */
void wl_free(struct wl *w);
void wl_free_textures(struct wl *w);
/* Ends the program unless `r` says that all went well. */
void wl_check_cuda(const struct wl *w, CUresult r, const char *what, const char *name);

size_t wl_bytes(const struct wl_array *a);
const char *wl_type_name(enum wl_type type);
const char *wl_role_name(enum wl_role role);
uint64_t wl_hash(uint64_t h, const void *data, size_t bytes);
#define WL_HASH_START 0x9ae16a3b2f90404fu

/* How far the outputs are from what the CPU, or the precise run, computed. */
struct wl_verdict {
    bool ok;
    bool is_judged;            /* against the precise run */
    unsigned njudged, nbeyond; /* outputs that may differ; those beyond a bound */
    double max_abs, max_rel;
    size_t wrong;    /* elements out of tolerance */
    char first[200]; /* the first of them, in words */
    bool is_equal;   /* bit-equal */
};
struct wl_verdict wl_compare(const struct wl *w);
/* Element `i` of `a`, the first that is wrong, against `right`, in words. */
void wl_describe_wrong(struct wl_verdict *v, const struct wl_array *a, size_t i, const void *right,
                       const char *whose);

/* The design on the machine that may change values, or NULL; then outputs are judged instead. */
const char *wl_changes_values(void);
struct wl_verdict wl_judge_all(struct wl *w);
/* All outputs, one behind the other. Ends the program if it cannot. */
void wl_write_outputs(const struct wl *w, const char *path);
const char *wl_size_name(enum wl_size size);

/* The arrays as files DIR/WORKLOAD.ARRAY.KIND.bin: inputs "in", outputs "out", scratch as the run
 * left it "left". Ends the program if it cannot. */
void wl_dump(struct wl *w, const char *dir);

#endif
