/* Groups of equal keys in a sorted index, and the reduce's two passes over them (see
 * mapreduce.cuh). One thread a group. */
#ifndef WORKLOADS_COMMON_MAPREDUCE_REDUCE_CUH
#define WORKLOADS_COMMON_MAPREDUCE_REDUCE_CUH

/* flags[i]: 1 if a group starts at pair i; 0 after the last. */
extern "C" __global__ void mr_group_flag(const struct mr_pair *index, const unsigned char *keys,
                                         unsigned pairs, unsigned *flags)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > pairs)
        return;
    unsigned flag = i == 0;
    if (i > 0 && i < pairs) {
        const struct mr_pair *a = &index[i - 1], *b = &index[i];
        flag = mr_compare(keys + a->key, a->key_bytes, keys + b->key, b->key_bytes) != 0;
    }
    flags[i] = flag;
}

/* number[] holds the prefix sums of the flags, and their total at number[pairs]. starts[] gets the
 * first pair of every group, and the number of pairs after the last. */
extern "C" __global__ void mr_group_starts(const unsigned *number, unsigned pairs, unsigned *starts)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= pairs && (i == pairs || number[i + 1] != number[i]))
        starts[number[i]] = i;
}

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
