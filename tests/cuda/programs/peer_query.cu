// Devices and their peers: counts, attributes, properties, access that is or is not there, limits.
#include "check.h"

int main()
{
    check_name = "peer_query";
    int count, current = -1;
    CUDA(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CUDA(cudaGetDevice(&current));
    CHECK_EQ(current, 0);
    for (int d = 0; d < count; d++) {
        CUDA(cudaSetDevice(d));
        cudaDeviceProp prop;
        CUDA(cudaGetDeviceProperties(&prop, d));
        int major, minor, sms, threads, bus;
        CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, d));
        CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, d));
        CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, d));
        CUDA(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, d));
        CUDA(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, d));
        CHECK_EQ(prop.major, major);
        CHECK_EQ(prop.minor, minor);
        CHECK_EQ(prop.multiProcessorCount, sms);
        CHECK_EQ(prop.maxThreadsPerMultiProcessor, threads);
        CHECK_EQ(prop.memoryBusWidth, bus);
        CHECK(prop.name[0] && prop.totalGlobalMem > 0 && prop.l2CacheSize > 0);
        CHECK(prop.maxGridSize[0] == 2147483647 && prop.maxGridSize[1] == 65535);
        CHECK(prop.maxThreadsDim[0] == 1024 && prop.maxThreadsDim[2] == 64);
        CHECK_EQ(prop.totalConstMem, 65536);
        char id[32];
        int back;
        CUDA(cudaDeviceGetPCIBusId(id, sizeof id, d));
        CUDA(cudaDeviceGetByPCIBusId(&back, id));
        CHECK_EQ(back, d);
        int self = -1;
        CUDA(cudaDeviceCanAccessPeer(&self, d, d));
        CHECK_EQ(self, 0);
        EXPECT(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(d, 0));
        cudaGetLastError();
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            int can = -1;
            CUDA(cudaDeviceCanAccessPeer(&can, a, b));
            CHECK(can == 0 || can == 1);
        }
    CUDA(cudaSetDevice(0));

    // A peer copy from a device to itself is a plain copy.
    int host[100], *a, *b;
    for (int i = 0; i < 100; i++)
        host[i] = i ^ 5;
    CUDA(cudaMalloc(&a, sizeof host));
    CUDA(cudaMalloc(&b, sizeof host));
    CUDA(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpyPeer(b, 0, a, 0, sizeof host));
    memset(host, 0, sizeof host);
    CUDA(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        CHECK_EQ(host[i], i ^ 5);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));

    size_t heap;
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap >= 32 << 20);
    int runtime, driver;
    CUDA(cudaRuntimeGetVersion(&runtime));
    CUDA(cudaDriverGetVersion(&driver));
    CHECK(runtime >= 11000 && driver >= runtime / 1000 * 1000);
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    CHECK(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
    return check_pass();
}
