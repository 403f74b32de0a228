// Wrong uses of the API, each with the error that CUDA gives (13.0 on an H200; where its documents
// name two codes, or another one, the GPU decides). A second table holds faults of
// kernels: those leave the process with a broken context, so each runs in a process of its own
// (this program again, with the number of the case as its argument).
#include "check.h"

#include <cassert>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__device__ int variable[4];
__constant__ int constant[4];
static int not_a_symbol;

__global__ void empty()
{
}
__global__ void __launch_bounds__(128) bounded(int *p)
{
    p[threadIdx.x] = 1;
}
extern __shared__ char dynamic[];
__global__ void uses_dynamic(int *p)
{
    p[0] = dynamic[0];
}
static void not_a_kernel()
{
}

// What the cases work on; made anew for none of them: no case may change these.
static int *dev;  // 64 ints
static int *host; // 64 pinned ints
static int pageable[64];
static cudaStream_t stream;
static cudaEvent_t event, recorded, timeless;
static cudaArray_t array; // 8 x 4 floats
static cudaGraph_t graph;
static cudaGraphNode_t node; // an empty node in it

static cudaError_t launch(dim3 grid, dim3 block, size_t shared = 0, const void *fn = (void *)empty)
{
    void *args[] = {&dev};
    return cudaLaunchKernel(fn, grid, block, args, shared, 0);
}

struct misuse {
    const char *what;
    cudaError_t want;
    cudaError_t (*run)();
};

static const misuse memory_cases[] = {
    {"malloc into nothing", cudaErrorInvalidValue, [] { return cudaMalloc((void **)nullptr, 16); }},
    {"malloc of too much", cudaErrorMemoryAllocation,
     [] {
         void *p;
         return cudaMalloc(&p, (size_t)1 << 50);
     }},
    {"malloc of nothing", cudaSuccess,
     [] {
         void *p = dev;
         cudaError_t e = cudaMalloc(&p, 0);
         return p ? cudaErrorUnknown : e;
     }},
    {"free of nothing", cudaSuccess, [] { return cudaFree(nullptr); }},
    {"double free", cudaErrorInvalidValue,
     [] {
         void *p;
         CUDA(cudaMalloc(&p, 4096));
         CUDA(cudaFree(p));
         return cudaFree(p);
     }},
    {"free of a bad pointer", cudaErrorInvalidValue, [] { return cudaFree((void *)0x1234500); }},
    {"free of host memory", cudaErrorInvalidValue, [] { return cudaFree(pageable); }},
    {"free of the middle", cudaErrorInvalidValue, [] { return cudaFree(dev + 1); }},
    {"free host: device memory", cudaErrorInvalidValue, [] { return cudaFreeHost(dev); }},
    {"free host: pageable", cudaErrorInvalidValue, [] { return cudaFreeHost(pageable); }},
    {"free host: nothing", cudaSuccess, [] { return cudaFreeHost(nullptr); }},
    {"double free host", cudaErrorInvalidValue,
     [] {
         void *p;
         CUDA(cudaMallocHost(&p, 4096));
         CUDA(cudaFreeHost(p));
         return cudaFreeHost(p);
     }},
    {"host alloc: bad flags", cudaErrorInvalidValue,
     [] {
         void *p;
         return cudaHostAlloc(&p, 64, 0x1000);
     }},
    {"managed: bad flags", cudaErrorInvalidValue,
     [] {
         void *p;
         return cudaMallocManaged(&p, 64, 77);
     }},
    {"managed: nothing", cudaSuccess,
     [] {
         void *p;
         return cudaMallocManaged(&p, 0);
     }},
    {"pitch into nothing", cudaErrorInvalidValue,
     [] { return cudaMallocPitch((void **)nullptr, (size_t *)nullptr, 4, 4); }},
    {"register nothing", cudaErrorInvalidValue, [] { return cudaHostRegister(nullptr, 64, 0); }},
    {"register no bytes", cudaErrorInvalidValue, [] { return cudaHostRegister(pageable, 0, 0); }},
    {"register twice", cudaErrorHostMemoryAlreadyRegistered,
     [] {
         CUDA(cudaHostRegister(pageable, sizeof pageable, 0));
         cudaError_t e = cudaHostRegister(pageable, sizeof pageable, 0);
         CUDA(cudaHostUnregister(pageable));
         return e;
     }},
    {"unregister what is not", cudaErrorHostMemoryNotRegistered,
     [] { return cudaHostUnregister(pageable); }},
    {"mapped pointer of pageable memory", cudaErrorInvalidValue,
     [] {
         void *p;
         return cudaHostGetDevicePointer(&p, pageable, 0);
     }},
    {"flags of pageable memory", cudaErrorInvalidValue,
     [] {
         unsigned f;
         return cudaHostGetFlags(&f, pageable);
     }},
    {"attributes into nothing", cudaErrorInvalidValue,
     [] { return cudaPointerGetAttributes(nullptr, dev); }},
    {"free async: bad pointer", cudaErrorInvalidValue,
     [] { return cudaFreeAsync((void *)0x1234500, stream); }},
    {"prefetch: plain device memory", cudaErrorInvalidValue,
     [] {
#if CUDART_VERSION >= 13000
         return cudaMemPrefetchAsync(dev, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0);
#else
         return cudaMemPrefetchAsync(dev, 64, 0, 0);
#endif
     }},
};

static const misuse copy_cases[] = {
    {"copy beyond the end, up", cudaErrorInvalidValue,
     [] { return cudaMemcpy(dev, pageable, 1 << 30, cudaMemcpyHostToDevice); }},
    {"copy beyond the end, down", cudaErrorInvalidValue,
     [] {
         static char big[4 << 20];
         return cudaMemcpy(big, dev, sizeof big, cudaMemcpyDeviceToHost);
     }},
    {"copy beyond the end, across", cudaErrorInvalidValue,
     [] { return cudaMemcpy(dev + 32, dev, 1 << 30, cudaMemcpyDeviceToDevice); }},
    {"copy: bad kind", cudaErrorInvalidMemcpyDirection,
     [] { return cudaMemcpy(dev, pageable, 64, (cudaMemcpyKind)99); }},
    {"copy to nothing", cudaErrorInvalidValue,
     [] { return cudaMemcpy(nullptr, pageable, 64, cudaMemcpyHostToDevice); }},
    {"copy from nothing", cudaErrorInvalidValue,
     [] { return cudaMemcpy(dev, nullptr, 64, cudaMemcpyHostToDevice); }},
    {"copy of no bytes", cudaSuccess,
     [] { return cudaMemcpy(dev, pageable, 0, cudaMemcpyHostToDevice); }},
    {"copy up to host memory", cudaErrorInvalidValue,
     [] { return cudaMemcpy(pageable, pageable + 8, 16, cudaMemcpyHostToDevice); }},
    {"copy down from host memory", cudaErrorInvalidValue,
     [] { return cudaMemcpy(pageable, pageable + 8, 16, cudaMemcpyDeviceToHost); }},
    {"copy from freed memory", cudaErrorInvalidValue,
     [] {
         void *p;
         CUDA(cudaMalloc(&p, 8 << 20));
         CUDA(cudaFree(p));
         return cudaMemcpy(pageable, p, 64, cudaMemcpyDeviceToHost);
     }},
    {"async copy: bad kind", cudaErrorInvalidMemcpyDirection,
     [] { return cudaMemcpyAsync(dev, host, 64, (cudaMemcpyKind)-1, stream); }},
    {"set nothing", cudaErrorInvalidValue, [] { return cudaMemset(nullptr, 0, 64); }},
    {"set beyond the end", cudaErrorInvalidValue, [] { return cudaMemset(dev, 0, 1 << 30); }},
    {"set host memory", cudaErrorInvalidValue, [] { return cudaMemset(pageable, 0, 64); }},
    {"2D copy wider than its pitch", cudaErrorInvalidPitchValue,
     [] { return cudaMemcpy2D(dev, 8, pageable, 16, 16, 2, cudaMemcpyHostToDevice); }},
    {"2D copy: bad kind", cudaErrorInvalidMemcpyDirection,
     [] { return cudaMemcpy2D(dev, 8, pageable, 8, 8, 2, (cudaMemcpyKind)7); }},
    {"3D copy of nothing", cudaErrorInvalidValue, [] { return cudaMemcpy3D(nullptr); }},
    {"to symbol: no symbol", cudaErrorInvalidSymbol,
     [] { return cudaMemcpyToSymbol(not_a_symbol, pageable, 4); }},
    {"to symbol: beyond its end", cudaErrorInvalidValue,
     [] { return cudaMemcpyToSymbol(variable, pageable, 20); }},
    {"to symbol: beyond its end with an offset", cudaErrorInvalidValue,
     [] { return cudaMemcpyToSymbol(constant, pageable, 16, 4); }},
    {"to symbol: wrong way", cudaErrorInvalidMemcpyDirection,
     [] { return cudaMemcpyToSymbol(variable, pageable, 4, 0, cudaMemcpyDeviceToHost); }},
    {"from symbol: no symbol", cudaErrorInvalidSymbol,
     [] { return cudaMemcpyFromSymbol(pageable, not_a_symbol, 4); }},
    {"from symbol: wrong way", cudaErrorInvalidMemcpyDirection,
     [] { return cudaMemcpyFromSymbol(pageable, variable, 4, 0, cudaMemcpyHostToDevice); }},
    {"address of no symbol", cudaErrorInvalidSymbol,
     [] {
         void *p;
         return cudaGetSymbolAddress(&p, not_a_symbol);
     }},
    {"size of no symbol", cudaErrorInvalidSymbol,
     [] {
         size_t n;
         return cudaGetSymbolSize(&n, not_a_symbol);
     }},
};

static const misuse launch_cases[] = {
    {"too many threads", cudaErrorInvalidValue, [] { return launch(1, 1025); }},
    {"too many threads in three dimensions", cudaErrorInvalidValue,
     [] { return launch(1, dim3(32, 32, 2)); }},
    {"block too deep", cudaErrorInvalidValue, [] { return launch(1, dim3(1, 1, 65)); }},
    {"no threads", cudaErrorInvalidValue, [] { return launch(1, 0); }},
    {"no blocks", cudaErrorInvalidValue, [] { return launch(0, 32); }},
    {"grid too high", cudaErrorInvalidValue, [] { return launch(dim3(1, 65536), 32); }},
    {"grid too wide", cudaErrorInvalidValue, [] { return launch(0x80000000u, 32); }},
    {"more threads than launch bounds", cudaErrorInvalidValue,
     [] { return launch(1, 129, 0, (void *)bounded); }},
    {"too much shared memory", cudaErrorInvalidValue, [] { return launch(1, 32, 1 << 20); }},
    {"more shared memory than asked for", cudaErrorInvalidValue,
     [] { return launch(1, 32, 49 << 10, (void *)uses_dynamic); }},
    {"no kernel", cudaErrorInvalidResourceHandle,
     [] { return launch(1, 1, 0, (void *)not_a_kernel); }},
    {"kernel at nothing", cudaErrorInvalidDeviceFunction,
     [] { return cudaLaunchKernel((void *)nullptr, 1, 1, nullptr, 0, 0); }},
    {"cooperative: too large", cudaErrorCooperativeLaunchTooLarge,
     [] { return cudaLaunchCooperativeKernel((void *)empty, 1 << 20, 1024, nullptr, 0, 0); }},
    {"the error of <<<>>> stays", cudaErrorInvalidValue,
     [] {
         empty<<<1, 2000>>>();
         if (cudaPeekAtLastError() != cudaErrorInvalidValue)
             return cudaErrorUnknown;
         CUDA(cudaDeviceSynchronize());
         return cudaGetLastError();
     }},
    {"and then goes", cudaSuccess,
     [] {
         empty<<<1, 2000>>>();
         (void)cudaGetLastError();
         return cudaGetLastError();
     }},
    {"attributes of no kernel", cudaErrorInvalidResourceHandle,
     [] {
         cudaFuncAttributes a;
         return cudaFuncGetAttributes(&a, (void *)not_a_kernel);
     }},
    {"attributes into nothing", cudaErrorInvalidValue,
     [] { return cudaFuncGetAttributes(nullptr, (void *)empty); }},
    {"more shared memory than there is", cudaErrorInvalidValue,
     [] {
         return cudaFuncSetAttribute((void *)empty, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     1 << 20);
     }},
    {"an attribute that is none", cudaErrorInvalidValue,
     [] { return cudaFuncSetAttribute((void *)empty, (cudaFuncAttribute)99, 1); }},
    {"occupancy of no kernel", cudaErrorInvalidResourceHandle,
     [] {
         int n;
         return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void *)not_a_kernel, 32, 0);
     }},
    {"occupancy of no threads", cudaErrorInvalidValue,
     [] {
         int n;
         return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, empty, 0, 0);
     }},
};

static const misuse device_cases[] = {
    {"count into nothing", cudaErrorInvalidValue, [] { return cudaGetDeviceCount(nullptr); }},
    {"device 99", cudaErrorInvalidDevice, [] { return cudaSetDevice(99); }},
    {"device -1", cudaErrorInvalidDevice, [] { return cudaSetDevice(-1); }},
    {"properties of device 99", cudaErrorInvalidDevice,
     [] {
         cudaDeviceProp p;
         return cudaGetDeviceProperties(&p, 99);
     }},
    {"properties into nothing", cudaErrorInvalidValue,
     [] { return cudaGetDeviceProperties(nullptr, 0); }},
    {"attribute of device 99", cudaErrorInvalidDevice,
     [] {
         int v;
         return cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99);
     }},
    {"unknown attribute", cudaErrorInvalidValue,
     [] {
         int v;
         return cudaDeviceGetAttribute(&v, (cudaDeviceAttr)5000, 0);
     }},
    {"unknown limit", cudaErrorInvalidValue, [] { return cudaDeviceSetLimit((cudaLimit)99, 1); }},
    {"peer 99", cudaErrorInvalidDevice,
     [] {
         int can;
         return cudaDeviceCanAccessPeer(&can, 0, 99);
     }},
    {"itself as its peer", cudaErrorPeerAccessUnsupported,
     [] { return cudaDeviceEnablePeerAccess(0, 0); }},
    {"stream into nothing", cudaErrorInvalidValue, [] { return cudaStreamCreate(nullptr); }},
    {"stream: bad flags", cudaErrorInvalidValue,
     [] {
         cudaStream_t s;
         return cudaStreamCreateWithFlags(&s, 0x40);
     }},
    {"destroy the null stream", cudaErrorInvalidResourceHandle,
     [] { return cudaStreamDestroy(nullptr); }},
    {"end a capture that is none", cudaErrorIllegalState,
     [] {
         cudaGraph_t g;
         return cudaStreamEndCapture(stream, &g);
     }},
    {"synchronize while capturing", cudaErrorStreamCaptureUnsupported,
     [] {
         cudaGraph_t g;
         CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
         cudaError_t e = cudaStreamSynchronize(stream), f = cudaStreamEndCapture(stream, &g);
         (void)cudaGetLastError();
         return f == cudaErrorStreamCaptureInvalidated ? e : f;
     }},
    {"capture twice", cudaErrorIllegalState,
     [] {
         cudaGraph_t g;
         CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
         cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
         if (cudaStreamEndCapture(stream, &g) == cudaSuccess)
             CUDA(cudaGraphDestroy(g));
         return e;
     }},
    {"capture the null stream", cudaErrorStreamCaptureUnsupported,
     [] { return cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal); }},
    {"host function that is none", cudaErrorInvalidValue,
     [] { return cudaLaunchHostFunc(stream, nullptr, nullptr); }},
    {"event into nothing", cudaErrorInvalidValue, [] { return cudaEventCreate(nullptr); }},
    {"event: bad flags", cudaErrorInvalidValue,
     [] {
         cudaEvent_t e;
         return cudaEventCreateWithFlags(&e, 0x80);
     }},
    {"record no event", cudaErrorInvalidResourceHandle, [] { return cudaEventRecord(nullptr); }},
    {"query no event", cudaErrorInvalidResourceHandle, [] { return cudaEventQuery(nullptr); }},
    {"synchronize no event", cudaErrorInvalidResourceHandle,
     [] { return cudaEventSynchronize(nullptr); }},
    {"destroy no event", cudaErrorInvalidResourceHandle, [] { return cudaEventDestroy(nullptr); }},
    {"wait for no event", cudaErrorInvalidResourceHandle,
     [] { return cudaStreamWaitEvent(stream, nullptr, 0); }},
    {"time of an event never recorded", cudaErrorInvalidResourceHandle,
     [] {
         float ms;
         return cudaEventElapsedTime(&ms, recorded, event);
     }},
    {"time of an event without time", cudaErrorInvalidResourceHandle,
     [] {
         float ms;
         return cudaEventElapsedTime(&ms, recorded, timeless);
     }},
    {"time into nothing", cudaErrorInvalidValue,
     [] { return cudaEventElapsedTime(nullptr, recorded, recorded); }},
};

static const misuse object_cases[] = {
    {"array of three channels", cudaErrorInvalidChannelDescriptor,
     [] {
         cudaArray_t a;
         cudaChannelFormatDesc f = {32, 32, 32, 0, cudaChannelFormatKindFloat};
         return cudaMallocArray(&a, &f, 8, 8);
     }},
    {"array of nothing", cudaErrorInvalidValue,
     [] {
         cudaArray_t a;
         return cudaMallocArray(&a, nullptr, 8, 8);
     }},
    {"free of no array", cudaSuccess, [] { return cudaFreeArray(nullptr); }},
    {"copy beyond an array", cudaErrorInvalidValue,
     [] { return cudaMemcpy2DToArray(array, 0, 0, pageable, 32, 32, 5, cudaMemcpyHostToDevice); }},
    {"copy to no array", cudaErrorInvalidResourceHandle,
     [] {
         return cudaMemcpy2DToArray(nullptr, 0, 0, pageable, 32, 32, 1, cudaMemcpyHostToDevice);
     }},
    {"texture of nothing", cudaErrorInvalidValue,
     [] {
         cudaTextureObject_t t;
         cudaTextureDesc d = {};
         return cudaCreateTextureObject(&t, nullptr, &d, nullptr);
     }},
    {"texture over no array", cudaErrorInvalidResourceHandle,
     [] {
         cudaTextureObject_t t;
         cudaTextureDesc d = {};
         cudaResourceDesc r = {};
         r.resType = cudaResourceTypeArray;
         return cudaCreateTextureObject(&t, &r, &d, nullptr);
     }},
    {"filtering integers", cudaErrorInvalidFilterSetting,
     [] {
         cudaTextureObject_t t;
         cudaArray_t a;
         cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
         CUDA(cudaMallocArray(&a, &f, 8, 8));
         cudaTextureDesc d = {};
         d.filterMode = cudaFilterModeLinear;
         cudaResourceDesc r = {};
         r.resType = cudaResourceTypeArray;
         r.res.array.array = a;
         cudaError_t e = cudaCreateTextureObject(&t, &r, &d, nullptr);
         CUDA(cudaFreeArray(a));
         return e;
     }},
    {"surface over linear memory", cudaErrorInvalidValue,
     [] {
         cudaSurfaceObject_t s;
         cudaResourceDesc r = {};
         r.resType = cudaResourceTypeLinear;
         r.res.linear.devPtr = dev;
         r.res.linear.desc = cudaCreateChannelDesc<int>();
         r.res.linear.sizeInBytes = 64;
         return cudaCreateSurfaceObject(&s, &r);
     }},
    {"graph into nothing", cudaErrorInvalidValue, [] { return cudaGraphCreate(nullptr, 0); }},
    {"instantiate no graph", cudaErrorInvalidValue,
     [] {
         cudaGraphExec_t e;
         return cudaGraphInstantiate(&e, nullptr, 0);
     }},
    {"launch no graph", cudaErrorInvalidValue, [] { return cudaGraphLaunch(nullptr, stream); }},
    {"destroy no graph", cudaErrorInvalidValue, [] { return cudaGraphDestroy(nullptr); }},
    {"a node that waits for itself", cudaErrorInvalidValue,
     [] {
#if CUDART_VERSION >= 13000
         return cudaGraphAddDependencies(graph, &node, &node, nullptr, 1);
#else
         return cudaGraphAddDependencies(graph, &node, &node, 1);
#endif
     }},
    {"a kernel node of no kernel", cudaErrorInvalidResourceHandle,
     [] {
         cudaGraphNode_t n;
         cudaKernelNodeParams p = {};
         p.func = (void *)not_a_kernel;
         p.gridDim = p.blockDim = dim3(1);
         return cudaGraphAddKernelNode(&n, graph, nullptr, 0, &p);
     }},
};

__global__ void store_at(int *p)
{
    *p = 1;
}
__global__ void load_at(const int *p, int *out)
{
    *out = *p;
}
__global__ void trap()
{
    __trap();
}
__global__ void asserts(int x)
{
    assert(x == 0);
}
__global__ void beyond_shared(int *out, int i)
{
    __shared__ int s[4];
    s[threadIdx.x] = 1;
    *out = s[i];
}

struct kernel_fault {
    const char *what;
    cudaError_t want;
    void (*launch)();
};

static const kernel_fault faults[] = {
    {"store to null", cudaErrorIllegalAddress, [] { store_at<<<1, 1>>>(nullptr); }},
    {"load from null", cudaErrorIllegalAddress, [] { load_at<<<1, 1>>>(nullptr, dev); }},
    {"store to nowhere", cudaErrorIllegalAddress, [] { store_at<<<1, 1>>>((int *)0x7000000000); }},
    {"load from far beyond", cudaErrorIllegalAddress,
     [] { load_at<<<1, 1>>>(dev + (1ll << 36), dev); }},
    {"misaligned store", cudaErrorMisalignedAddress,
     [] { store_at<<<1, 1>>>((int *)((char *)dev + 2)); }},
    {"trap", cudaErrorLaunchFailure, [] { trap<<<1, 1>>>(); }},
    {"assert", cudaErrorAssert, [] { asserts<<<1, 1>>>(1); }},
    {"beyond shared memory", cudaErrorIllegalAddress,
     [] { beyond_shared<<<1, 1>>>(dev, 1 << 20); }},
};

static int run_fault(const kernel_fault &f)
{
    CUDA(cudaMalloc(&dev, 64 * sizeof(int)));
    f.launch();
    cudaError_t e = cudaDeviceSynchronize(), later = cudaFree(dev), last = cudaGetLastError();
    // The context is lost: every later call answers the same.
    return e == f.want && later == f.want && last == f.want ? 0 : (int)e % 1000 / 10 + 1;
}

static int spawn_fault(const char *self, size_t i)
{
    std::string number = std::to_string(i);
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        execl("/proc/self/exe", self, number.c_str(), (char *)nullptr);
        _exit(98);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

static int run_table(const misuse *cases, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        cudaError_t got = cases[i].run();
        if (got != cases[i].want) {
            fprintf(stderr, "%s: %s, not %s\n", cases[i].what, cudaGetErrorName(got),
                    cudaGetErrorName(cases[i].want));
            wrong++;
        }
        // A failed call is also the last error; a success leaves none behind.
        cudaError_t last = cudaGetLastError();
        if (last != cudaSuccess && last != got && cases[i].want != cudaSuccess) {
            fprintf(stderr, "%s: the last error is %s\n", cases[i].what, cudaGetErrorName(last));
            wrong++;
        }
    }
    return wrong;
}

template <size_t N> static int run_table(const misuse (&cases)[N])
{
    return run_table(cases, N);
}

int main(int argc, char **argv)
{
    check_name = "api_misuse";
    if (argc > 1)
        return run_fault(faults[atoi(argv[1])]);
    // Before this process has a context: a fork must not inherit one.
    int wrong = 0;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (int rc = spawn_fault(argv[0], i)) {
            fprintf(stderr, "%s: not %s (exit %d)\n", faults[i].what,
                    cudaGetErrorName(faults[i].want), rc);
            wrong++;
        }

    cudaChannelFormatDesc f32 = cudaCreateChannelDesc<float>();
    CUDA(cudaMalloc(&dev, 64 * sizeof(int)));
    CUDA(cudaMallocHost(&host, 64 * sizeof(int)));
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventCreate(&recorded));
    CUDA(cudaEventRecord(recorded));
    CUDA(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming));
    CUDA(cudaEventRecord(timeless));
    CUDA(cudaMallocArray(&array, &f32, 8, 4));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    CUDA(cudaDeviceSynchronize());
    wrong += run_table(memory_cases);
    wrong += run_table(copy_cases);
    wrong += run_table(launch_cases);
    wrong += run_table(device_cases);
    wrong += run_table(object_cases);
    if (wrong)
        check_fail("%d cases", wrong);
    // Nothing of all that broke the context.
    empty<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    return check_pass();
}
