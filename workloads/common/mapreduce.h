/* The host side of the map-reduce layer (see mapreduce.cuh): declares the arrays of a job and
 * launches its kernels. A phase that would need more room than was declared ends the program. */
#ifndef WORKLOADS_COMMON_MAPREDUCE_H
#define WORKLOADS_COMMON_MAPREDUCE_H

#include "workload.h"

/* As the device code's: an entry of an index. */
struct mr_pair {
    uint32_t key, key_bytes, value, value_bytes;
};

/* Keys and values take multiples of 4 bytes. */
static inline uint32_t mr_aligned(size_t bytes)
{
    return (uint32_t)((bytes + 3) / 4 * 4);
}

struct mr_room {
    size_t pairs, key_bytes, value_bytes;
    enum wl_type key_type, value_type; /* how the bytes are shown */
};

/* Pairs on the device. */
struct mr_pairs {
    struct wl_array *index, *keys, *values;
    uint32_t count;
};

/* Declares NAME_index, NAME_keys, NAME_values. Only in make(). */
struct mr_pairs mr_pairs_declare(struct wl *w, const char *name, enum wl_role role,
                                 struct mr_room room);
/* The same for pairs that will be sorted: the index has room for a power of two. */
struct mr_pairs mr_sorted_declare(struct wl *w, const char *name, enum wl_role role,
                                  struct mr_room room);

/* For input pairs of one size each: as many keys and values as there are, one after the other. */
void mr_fill_index(struct mr_pairs *pairs, uint32_t count, uint32_t key_bytes,
                   uint32_t value_bytes);

/* What the phases work with. */
struct mr {
    size_t items;                                 /* the most records, pairs or groups */
    struct wl_array *key_at, *value_at, *pair_at; /* counts, then places */
    struct wl_array *sums, *starts;               /* of scans; of groups */
};
struct mr mr_declare(struct wl *w, size_t items);

/* job: the device code's struct mr_job, to the byte. */
void mr_map(struct wl *w, struct mr *mr, const void *job, uint32_t records, struct mr_pairs *out);
void mr_sort(struct wl *w, struct mr_pairs *pairs);
/* Finds the groups of equal keys of sorted pairs; returns their number. starts[] gets where each
 * begins, and after the last where that ends. */
uint32_t mr_group(struct wl *w, struct mr *mr, struct mr_pairs *in, CUdeviceptr starts);
/* Groups sorted pairs and reduces each group. */
void mr_reduce(struct wl *w, struct mr *mr, const void *job, struct mr_pairs *in,
               struct mr_pairs *out);

#endif
