/* The map's two passes and the prefix sum between them (see mapreduce.cuh). One thread a record. */
#ifndef WORKLOADS_COMMON_MAPREDUCE_MAP_CUH
#define WORKLOADS_COMMON_MAPREDUCE_MAP_CUH

#define MR_SCAN_BLOCK 256 /* threads; each block scans twice as many numbers */

/* Also writes a 0 after the last, where the prefix sums will have their totals. */
extern "C" __global__ void mr_map_count(struct mr_job job, unsigned records, unsigned *key_bytes,
                                        unsigned *value_bytes, unsigned *pairs)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > records)
        return;
    struct mr_counter out = {0, 0, 0};
    if (i < records)
        mr_map(job, i, out);
    key_bytes[i] = out.key_bytes;
    value_bytes[i] = out.value_bytes;
    pairs[i] = out.pairs;
}

extern "C" __global__ void mr_map_emit(struct mr_job job, unsigned records, const unsigned *key_at,
                                       const unsigned *value_at, const unsigned *pair_at,
                                       unsigned char *keys, unsigned char *values,
                                       struct mr_pair *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= records)
        return;
    struct mr_writer out = {keys, values, index, key_at[i], value_at[i], pair_at[i]};
    mr_map(job, i, out);
}

/* Exclusive prefix sums of 512 numbers a block, in place; sums[block] gets the block's total. */
extern "C" __global__ void mr_scan(unsigned *numbers, unsigned count, unsigned *sums)
{
    __shared__ unsigned tile[2 * MR_SCAN_BLOCK];
    unsigned t = threadIdx.x, left = blockIdx.x * 2 * MR_SCAN_BLOCK + 2 * t, stride = 1;

    tile[2 * t] = left < count ? numbers[left] : 0;
    tile[2 * t + 1] = left + 1 < count ? numbers[left + 1] : 0;
    for (unsigned active = MR_SCAN_BLOCK; active > 0; active /= 2, stride *= 2) {
        __syncthreads();
        if (t < active)
            tile[stride * (2 * t + 2) - 1] += tile[stride * (2 * t + 1) - 1];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tile[2 * MR_SCAN_BLOCK - 1];
        tile[2 * MR_SCAN_BLOCK - 1] = 0;
    }
    for (unsigned active = 1; active <= MR_SCAN_BLOCK; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < active) {
            unsigned *low = &tile[stride * (2 * t + 1) - 1],
                     *high = &tile[stride * (2 * t + 2) - 1];
            unsigned kept = *low;
            *low = *high;
            *high += kept;
        }
    }
    __syncthreads();
    if (left < count)
        numbers[left] = tile[2 * t];
    if (left + 1 < count)
        numbers[left + 1] = tile[2 * t + 1];
}

/* Adds the scanned block totals. */
extern "C" __global__ void mr_scan_add(unsigned *numbers, unsigned count, const unsigned *sums)
{
    unsigned i = blockIdx.x * 2 * MR_SCAN_BLOCK + threadIdx.x, sum = sums[blockIdx.x];

    if (i < count)
        numbers[i] += sum;
    if (i + MR_SCAN_BLOCK < count)
        numbers[i + MR_SCAN_BLOCK] += sum;
}

#endif
