/* Map-reduce on a GPU in the manner of Mars: what a job's device code is written with.
 *
 * A job defines, after including this header, `struct mr_job` (its parameters, passed by value) and
 *   template <class Out> WL_FN void mr_map(const struct mr_job &job, unsigned record, Out &out);
 *   WL_FN int mr_compare(const unsigned char *a, unsigned a_bytes, const unsigned char *b,
 *                        unsigned b_bytes);                                  (jobs that sort)
 *   template <class Out> WL_FN void mr_reduce(const struct mr_job &job, const struct mr_group
 * &group, Out &out);                     (jobs that reduce) and then includes mapreduce_map.cuh,
 * mapreduce_sort.cuh, mapreduce_group.cuh, mapreduce_reduce.cuh as needed. A map or reduce runs twice: `out` counts
 * bytes in the first pass; after prefix sums have given every thread its places, `out` writes there
 * in the second. So no locks, and the order of pairs is fixed. */
#ifndef WORKLOADS_COMMON_MAPREDUCE_CUH
#define WORKLOADS_COMMON_MAPREDUCE_CUH

#include "device.h"

/* Keys and values start at multiples of 4 bytes, so that numbers in them are aligned. */
#define MR_ALIGN(bytes) (((bytes) + 3u) & ~3u)
/* key_bytes of entries that fill an index up to a power of two; they sort last. */
#define MR_PADDING 0xffffffffu

/* Where a pair's key and value are: Mars' index directory. Aligned, so that an entry is one access.
 */
struct __attribute__((aligned(16))) mr_pair {
    unsigned key, key_bytes, value, value_bytes;
};

struct mr_counter {
    unsigned key_bytes, value_bytes, pairs;

    __device__ __forceinline__ void emit(const void *, unsigned key_size, const void *,
                                         unsigned value_size)
    {
        key_bytes += MR_ALIGN(key_size);
        value_bytes += MR_ALIGN(value_size);
        pairs++;
    }
};

struct mr_writer {
    unsigned char *keys, *values;
    struct mr_pair *index;
    unsigned key_at, value_at, pair_at;

    __device__ __forceinline__ void emit(const void *key, unsigned key_size, const void *value,
                                         unsigned value_size)
    {
        for (unsigned i = 0; i < key_size; i++)
            keys[key_at + i] = ((const unsigned char *)key)[i];
        for (unsigned i = 0; i < value_size; i++)
            values[value_at + i] = ((const unsigned char *)value)[i];
        struct mr_pair *pair = &index[pair_at++];
        pair->key = key_at;
        pair->key_bytes = key_size;
        pair->value = value_at;
        pair->value_bytes = value_size;
        key_at += MR_ALIGN(key_size);
        value_at += MR_ALIGN(value_size);
    }
};

/* The pairs of one key, in the order in which they were emitted. */
struct mr_group {
    const unsigned char *keys, *values;
    const struct mr_pair *pairs;
    unsigned count;

    __device__ __forceinline__ const unsigned char *key() const
    {
        return keys + pairs[0].key;
    }
    __device__ __forceinline__ unsigned key_bytes() const
    {
        return pairs[0].key_bytes;
    }
    __device__ __forceinline__ const unsigned char *value(unsigned i) const
    {
        return values + pairs[i].value;
    }
};

/* Bytes as unsigned numbers; the shorter of equals first. */
WL_FN int mr_compare_bytes(const unsigned char *a, unsigned a_bytes, const unsigned char *b,
                           unsigned b_bytes)
{
    unsigned shorter = a_bytes < b_bytes ? a_bytes : b_bytes;

    for (unsigned i = 0; i < shorter; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

WL_FN int mr_compare_u32(const unsigned char *a, const unsigned char *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

#endif
