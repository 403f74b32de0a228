// Occupancy answers and function attributes, checked against the limits that the device names.
#include "check.h"

__global__ void plain(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void __launch_bounds__(256) with_shared(int *p)
{
    __shared__ int s[2048];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x];
}

extern __shared__ int dynamic[];
__global__ void with_dynamic(int *p, int n)
{
    dynamic[n - 1] = p[0];
    __syncthreads();
    p[1] = dynamic[n - 1];
}

static size_t four_bytes_a_thread(int threads)
{
    return threads * 4;
}

int main()
{
    check_name = "occupancy";
    cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    CHECK(prop.major >= 5 && prop.multiProcessorCount > 0 && prop.warpSize == 32);
    CHECK_EQ(prop.maxThreadsPerBlock, 1024);

    int blocks;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    CHECK_EQ(blocks, prop.maxThreadsPerMultiProcessor / 1024);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
    CHECK_EQ(blocks, prop.maxBlocksPerMultiProcessor);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_shared, 256, 0));
    CHECK(blocks >= 1 && blocks <= prop.maxThreadsPerMultiProcessor / 256);
    CHECK((size_t)blocks * 8192 <= prop.sharedMemPerMultiprocessor);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_dynamic, 64, 40 << 10));
    CHECK(blocks >= 1 && (size_t)blocks * (40 << 10) <= prop.sharedMemPerMultiprocessor);
    int flagged;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flagged, with_dynamic, 64,
                                                                40 << 10, cudaOccupancyDefault));
    CHECK_EQ(flagged, blocks);

    int grid, block;
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
    CHECK(block >= 128 && block <= 1024 && block % 32 == 0);
    CHECK(grid >= prop.multiProcessorCount && grid % prop.multiProcessorCount == 0);
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, with_dynamic,
                                                        four_bytes_a_thread, 512));
    CHECK(block <= 512);
    size_t room;
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&room, with_dynamic, 1, 128));
    CHECK(room >= 40 << 10);

    cudaFuncAttributes attr;
    CUDA(cudaFuncGetAttributes(&attr, with_shared));
    CHECK_EQ(attr.sharedSizeBytes, 8192);
    CHECK_EQ(attr.maxThreadsPerBlock, 256);
    CHECK(attr.numRegs > 0 && attr.numRegs <= 255);
    CHECK_EQ(attr.localSizeBytes, 0);
    CHECK_EQ(attr.ptxVersion, 75);
    CUDA(cudaFuncGetAttributes(&attr, plain));
    CHECK_EQ(attr.maxThreadsPerBlock, 1024);
    CHECK_EQ(attr.sharedSizeBytes, 0);

    // More dynamic shared memory than the default must be asked for.
    int *p, optin;
    CUDA(cudaMalloc(&p, 2 * sizeof(int)));
    CUDA(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(optin >= 48 << 10);
    int first = 1234, second = 0;
    CUDA(cudaMemcpy(p, &first, sizeof first, cudaMemcpyHostToDevice));
    CUDA(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    CUDA(cudaFuncSetCacheConfig(with_dynamic, cudaFuncCachePreferShared));
    CUDA(cudaFuncGetAttributes(&attr, with_dynamic));
    CHECK_EQ(attr.maxDynamicSharedSizeBytes, optin);
    with_dynamic<<<1, 32, optin>>>(p, optin / 4);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&second, p + 1, sizeof second, cudaMemcpyDeviceToHost));
    CHECK_EQ(second, first);
    CUDA(cudaFree(p));
    return check_pass();
}
