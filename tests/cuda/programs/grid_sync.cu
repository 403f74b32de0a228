// Cooperative groups: barriers over the whole grid, tiles, coalesced threads, reductions.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Each round reads what other blocks wrote in the round before.
__global__ void rotate(int *a, int *b, int n, int rounds)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    for (int r = 0; r < rounds; r++) {
        if (i < n)
            b[i] = a[(i + 129) % n] + 1;
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int rank = (int)block.thread_rank();
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    int first = tile.shfl(rank, 0);
    int most = cg::reduce(tile, rank % 5, cg::greater<int>());
    if (tile.thread_rank() == 0) {
        out[tile.meta_group_rank() * 4] = sum;
        out[tile.meta_group_rank() * 4 + 1] = first;
        out[tile.meta_group_rank() * 4 + 2] = most;
    }
    if (rank % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        if (some.thread_rank() == 0)
            atomicAdd(&out[4 * 16], (int)some.size());
    }
    block.sync();
    if (rank == 0)
        out[4 * 16 + 1] = (int)tile.meta_group_size();
}

int main()
{
    check_name = "grid_sync";
    int supported = 0, per_sm = 0, sms = 0;
    CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK_EQ(supported, 1);
    const int threads = 128, blocks = 24, rounds = 10, n = threads * blocks - 5;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, rotate, threads, 0));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(per_sm * sms >= blocks);
    static int host[threads * blocks];
    int *a, *b;
    CUDA(cudaMalloc(&a, n * sizeof(int)));
    CUDA(cudaMalloc(&b, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        host[i] = i * 3;
    CUDA(cudaMemcpy(a, host, n * sizeof(int), cudaMemcpyHostToDevice));
    int nn = n, rr = rounds;
    void *args[] = {&a, &b, &nn, &rr};
    CUDA(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), args, 0, 0));
    CUDA(cudaMemcpy(host, a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK_EQ(host[i], (i + 129 * rounds) % n * 3 + rounds);

    int *out, got[4 * 16 + 2];
    CUDA(cudaMalloc(&out, sizeof got));
    CUDA(cudaMemset(out, 0, sizeof got));
    tiles<<<1, 128>>>(out);
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 16; t++) {
        CHECK_EQ(got[t * 4], t * 64 + 28);
        CHECK_EQ(got[t * 4 + 1], t * 8);
        CHECK_EQ(got[t * 4 + 2], 4);
    }
    CHECK_EQ(got[4 * 16], 43);
    CHECK_EQ(got[4 * 16 + 1], 16);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(out));
    return check_pass();
}
