// assert() in a kernel: true ones do nothing, a false one stops the kernel, says where on standard
// error, and makes every later call fail the same way.
#include "check.h"

#include <cassert>
#include <string>
#include <unistd.h>

__global__ void checked(int *data, int limit)
{
    assert(data[threadIdx.x] < limit);
    data[threadIdx.x]++;
}

int main()
{
    check_name = "assert";
    int *data, host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CUDA(cudaMalloc(&data, sizeof host));
    CUDA(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    checked<<<1, 64>>>(data, 64);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQ(host[63], 64);

    fflush(stderr);
    FILE *file = tmpfile();
    int saved = dup(2);
    CHECK(file && saved >= 0);
    dup2(fileno(file), 2);
    checked<<<1, 64>>>(data, 61); // threads 60 to 63 fail
    cudaError_t e = cudaDeviceSynchronize();
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    EXPECT(cudaErrorAssert, e);
    std::string text;
    lseek(fileno(file), 0, SEEK_SET);
    char buf[4096];
    for (ssize_t n; (n = read(fileno(file), buf, sizeof buf)) > 0;)
        text.append(buf, n);
    for (const char *part : {"assert.cu:11: ", "checked(int *, int)", "block: [0,0,0]",
                             "thread: [6", ",0,0] Assertion `data[threadIdx.x] < limit` failed."})
        if (text.find(part) == std::string::npos)
            check_fail("\"%s\" is not in \"%s\"", part, text.c_str());

    EXPECT(cudaErrorAssert, cudaGetLastError());
    EXPECT(cudaErrorAssert, cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorAssert, cudaFree(data));
    printf("PASS assert\n");
    return 0;
}
