/* A CUDA program in plain C on the driver API: no toolkit is needed to build or to run it.
 *
 *   cc -I include/cuda docs/examples/host.c -L build/lib -lcuda -o host
 *   build/parsim run -- ./host docs/examples/square.ptx
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                    \
    do {                                               \
        CUresult r_ = (call);                          \
        const char *text_ = "?";                       \
        if (r_ != CUDA_SUCCESS) {                      \
            cuGetErrorString(r_, &text_);              \
            fprintf(stderr, "%s: %s\n", #call, text_); \
            exit(1);                                   \
        }                                              \
    } while (0)

enum { N = 1000 };

int main(int argc, char **argv)
{
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUfunction square;
    CUdeviceptr in, out;
    static int x[N], y[N];
    int n = N;
    char name[100];
    if (argc != 2)
        return fprintf(stderr, "usage: host square.ptx\n"), 2;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&dev, 0));
    CHECK(cuDeviceGetName(name, sizeof name, dev));
    CHECK(cuDevicePrimaryCtxRetain(&ctx, dev));
    CHECK(cuCtxSetCurrent(ctx));
    CHECK(cuModuleLoad(&mod, argv[1]));
    CHECK(cuModuleGetFunction(&square, mod, "square"));
    CHECK(cuMemAlloc(&in, sizeof x));
    CHECK(cuMemAlloc(&out, sizeof y));
    for (int i = 0; i < N; i++)
        x[i] = i;
    CHECK(cuMemcpyHtoD(in, x, sizeof x));
    void *args[] = {&in, &out, &n};
    CHECK(cuLaunchKernel(square, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    CHECK(cuMemcpyDtoH(y, out, sizeof y));
    for (int i = 0; i < N; i++)
        if (y[i] != i * i)
            return printf("wrong at %d\n", i), 1;
    printf("%d squares are right on %s\n", N, name);
    CHECK(cuMemFree(in));
    CHECK(cuMemFree(out));
    return 0;
}
