/* Bitonic sort of an index by its pairs' keys (see mapreduce.cuh). Pairs of one key are ordered by
 * the place of the key, which is the order in which they were emitted: the result is one and only.
 */
#ifndef WORKLOADS_COMMON_MAPREDUCE_SORT_CUH
#define WORKLOADS_COMMON_MAPREDUCE_SORT_CUH

#define MR_SORT_BLOCK 256 /* threads; a block sorts twice as many pairs in shared memory */

WL_FN bool mr_after(const struct mr_pair &a, const struct mr_pair &b, const unsigned char *keys)
{
    if (a.key_bytes == MR_PADDING || b.key_bytes == MR_PADDING)
        return a.key_bytes == MR_PADDING && b.key_bytes != MR_PADDING;
    int order = mr_compare(keys + a.key, a.key_bytes, keys + b.key, b.key_bytes);
    return order ? order > 0 : a.key > b.key;
}

/* One exchange of the network: `place` is where the lower entry is in the whole index. */
WL_FN void mr_exchange(struct mr_pair *low, struct mr_pair *high, unsigned place, unsigned run,
                       const unsigned char *keys)
{
    struct mr_pair a = *low, b = *high;
    bool up = (place & run) == 0;

    if (up ? mr_after(a, b, keys) : mr_after(b, a, keys)) {
        *low = b;
        *high = a;
    }
}

extern "C" __global__ void mr_sort_pad(struct mr_pair *index, unsigned count, unsigned padded)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count && i < padded) {
        index[i].key = index[i].value = index[i].value_bytes = 0;
        index[i].key_bytes = MR_PADDING;
    }
}

/* The exchanges at `distance` within sorted runs of `run` pairs. */
extern "C" __global__ void mr_sort_far(struct mr_pair *index, const unsigned char *keys,
                                       unsigned run, unsigned distance)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned low = (t / distance) * 2 * distance + t % distance;

    mr_exchange(&index[low], &index[low + distance], low, run, keys);
}

/* All exchanges that stay within 512 pairs, of runs first_run to last_run. With fewer pairs, the
 * block has half as many threads as there are pairs. */
extern "C" __global__ void mr_sort_near(struct mr_pair *index, const unsigned char *keys,
                                        unsigned first_run, unsigned last_run)
{
    __shared__ struct mr_pair tile[2 * MR_SORT_BLOCK];
    unsigned t = threadIdx.x, width = blockDim.x, base = blockIdx.x * 2 * width;

    tile[t] = index[base + t];
    tile[t + width] = index[base + t + width];
    for (unsigned run = first_run; run <= last_run; run *= 2)
        for (unsigned distance = run / 2 < width ? run / 2 : width; distance > 0; distance /= 2) {
            unsigned low = (t / distance) * 2 * distance + t % distance;
            __syncthreads();
            mr_exchange(&tile[low], &tile[low + distance], base + low, run, keys);
        }
    __syncthreads();
    index[base + t] = tile[t];
    index[base + t + width] = tile[t + width];
}

#endif
