/* Groups of equal keys in a sorted index (see mapreduce.cuh). */
#ifndef WORKLOADS_COMMON_MAPREDUCE_GROUP_CUH
#define WORKLOADS_COMMON_MAPREDUCE_GROUP_CUH

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

#endif
