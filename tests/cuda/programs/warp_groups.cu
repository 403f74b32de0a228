// Sub-groups of a warp: tiles, partitions by label and by predicate, masks that differ by lane.
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define PATTERN 0x5a3c96f1u

template <int SIZE> __global__ void tiles(unsigned *out)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    unsigned lane = threadIdx.x & 31, r = tile.thread_rank();
    unsigned ballot = tile.ballot((PATTERN >> lane) & 1);
    unsigned sum = r;
    for (int k = SIZE / 2; k > 0; k /= 2)
        sum += tile.shfl_xor(sum, k);
    out[threadIdx.x] = ballot | tile.any(lane == 6) << 16 | tile.all(lane > 9) << 17 | sum << 20;
}

template <int SIZE> static void check_tiles(unsigned *d)
{
    unsigned h[64];
    tiles<SIZE><<<1, 64>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < 64; t++) {
        unsigned lane = t & 31, first = lane / SIZE * SIZE, mask = (1u << SIZE) - 1;
        unsigned any = first <= 6 && 6 < first + SIZE, all = first > 9;
        CHECK_EQ(h[t], ((PATTERN >> first) & mask) | any << 16 | all << 17 |
                           (SIZE * (SIZE - 1) / 2) << 20);
    }
}

// Two words a thread: who is in its group, and which of them say yes.
__global__ void partitions(unsigned *out, int kind)
{
    unsigned lane = threadIdx.x & 31;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    bool p = (PATTERN >> lane) & 1;
    unsigned size, rank, votes;
    if (kind == 0) {
        auto g = cg::labeled_partition(warp, (int)(lane * lane % 5));
        size = g.size(), rank = g.thread_rank(), votes = g.ballot(p);
    } else {
        auto g = cg::binary_partition(warp, p);
        size = g.size(), rank = g.thread_rank(), votes = g.ballot(lane & 1);
    }
    out[2 * threadIdx.x] = size << 8 | rank;
    out[2 * threadIdx.x + 1] = votes;
}

static void check_partitions(unsigned *d, int kind)
{
    unsigned h[64];
    partitions<<<1, 32>>>(d, kind);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned l = 0; l < 32; l++) {
        unsigned size = 0, rank = 0, votes = 0; // a group's ballot counts its members from 0
        for (unsigned k = 0; k < 32; k++) {
            bool pl = (PATTERN >> l) & 1, pk = (PATTERN >> k) & 1;
            if (kind == 0 ? l * l % 5 != k * k % 5 : pl != pk)
                continue;
            rank = k == l ? size : rank;
            votes |= (unsigned)(kind == 0 ? pk : k & 1) << size++;
        }
        CHECK_EQ(h[2 * l], size << 8 | rank);
        CHECK_EQ(h[2 * l + 1], votes);
    }
}

__global__ void masks(unsigned *out)
{
    unsigned lane = threadIdx.x;
    bool p = (PATTERN >> lane) & 1;
    unsigned parity = lane & 1 ? 0xaaaaaaaau : 0x55555555u, half = lane < 16 ? 0xffffu : 0xffff0000u;
    unsigned r;
    if (lane & 1) // the same group on two paths
        r = __ballot_sync(half, p) + 1;
    else
        r = __ballot_sync(half, p);
    out[4 * lane] = __ballot_sync(parity, p);
    out[4 * lane + 1] = r;
    out[4 * lane + 2] = __match_any_sync(half, lane & 3);
    out[4 * lane + 3] = __any_sync(parity, lane == 3) * 2 + __all_sync(parity, lane != 3);
}

static void check_masks(unsigned *d)
{
    unsigned h[128];
    masks<<<1, 32>>>(d);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (unsigned l = 0; l < 32; l++) {
        unsigned odd = l & 1, half = l < 16 ? 0xffffu : 0xffff0000u;
        CHECK_EQ(h[4 * l], PATTERN & (odd ? 0xaaaaaaaau : 0x55555555u));
        CHECK_EQ(h[4 * l + 1], (PATTERN & half) + odd);
        CHECK_EQ(h[4 * l + 2], (0x11111111u << (l & 3)) & half);
        CHECK_EQ(h[4 * l + 3], odd ? 2 : 1);
    }
}

// Lanes that have left, after blocks whose registers were full.
__global__ void shift(const float *in, float *out, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n)
        out[id] = __shfl_down_sync(0xffffffffu, in[id], 4);
}

static void check_left()
{
    const int n = 40 * 32 + 8;
    static float h[41 * 32];
    float *a, *b;
    for (int i = 0; i < 41 * 32; i++)
        h[i] = (float)(1000 + i);
    CUDA(cudaMalloc(&a, sizeof h));
    CUDA(cudaMalloc(&b, sizeof h));
    CUDA(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    for (int k = 0; k < 3; k++) {
        shift<<<41, 32>>>(a, b, 41 * 32);
        shift<<<41, 32>>>(a, b, n);
    }
    CUDA(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        CHECK_EQ(h[n - 8 + i], i < 4 ? 1000 + n - 8 + i + 4 : 0);
}

int main()
{
    check_name = "warp_groups";
    unsigned *d;
    CUDA(cudaMalloc(&d, 4096));
    check_tiles<1>(d);
    check_tiles<2>(d);
    check_tiles<4>(d);
    check_tiles<8>(d);
    check_tiles<16>(d);
    check_partitions(d, 0);
    check_partitions(d, 1);
    check_masks(d);
    check_left();
    return check_pass();
}
