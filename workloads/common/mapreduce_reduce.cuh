/* The reduce's two passes over groups of equal keys (see mapreduce.cuh). One thread a group. */
#ifndef WORKLOADS_COMMON_MAPREDUCE_REDUCE_CUH
#define WORKLOADS_COMMON_MAPREDUCE_REDUCE_CUH

#include "mapreduce_group.cuh"

WL_FN struct mr_group mr_group_of(const struct mr_pair *index, const unsigned char *keys,
                                  const unsigned char *values, const unsigned *starts, unsigned i)
{
    struct mr_group group = {keys, values, index + starts[i], starts[i + 1] - starts[i]};
    return group;
}

extern "C" __global__ void mr_reduce_count(struct mr_job job, const struct mr_pair *index,
                                           const unsigned char *keys, const unsigned char *values,
                                           const unsigned *starts, unsigned groups,
                                           unsigned *key_bytes, unsigned *value_bytes,
                                           unsigned *pairs)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > groups)
        return;
    struct mr_counter out = {0, 0, 0};
    if (i < groups)
        mr_reduce(job, mr_group_of(index, keys, values, starts, i), out);
    key_bytes[i] = out.key_bytes;
    value_bytes[i] = out.value_bytes;
    pairs[i] = out.pairs;
}

extern "C" __global__ void mr_reduce_emit(struct mr_job job, const struct mr_pair *index,
                                          const unsigned char *keys, const unsigned char *values,
                                          const unsigned *starts, unsigned groups,
                                          const unsigned *key_at, const unsigned *value_at,
                                          const unsigned *pair_at, unsigned char *out_keys,
                                          unsigned char *out_values, struct mr_pair *out_index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= groups)
        return;
    struct mr_writer out = {out_keys, out_values, out_index, key_at[i], value_at[i], pair_at[i]};
    mr_reduce(job, mr_group_of(index, keys, values, starts, i), out);
}

#endif
