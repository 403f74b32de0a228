// Templated kernels: several instances, class parameters, functors, structs by value.
#include "check.h"

template <typename T, int WIDTH> struct vec {
    T v[WIDTH];
};

template <typename T, int WIDTH> __global__ void sum_vec(const vec<T, WIDTH> *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T s = 0;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        s += in[i].v[k];
    out[i] = s;
}

template <typename T, int BLOCK> __global__ void block_max(const T *in, T *out, int n)
{
    __shared__ T s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : in[0];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

template <typename F> __global__ void apply(F f, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(i);
}

struct affine {
    char pad; // so that the parameters need alignment
    int a;
    long long b;
    __device__ int operator()(int i) const
    {
        return (int)(a * i + b);
    }
};

struct square {
    __device__ int operator()(int i) const
    {
        return i * i;
    }
};

template <typename T, int WIDTH> static void try_sum()
{
    const int n = 77;
    vec<T, WIDTH> in[n], *d_in;
    T got[n], *d;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < WIDTH; k++)
            in[i].v[k] = (T)(i * (k + 1));
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d, sizeof got));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    sum_vec<T, WIDTH><<<2, 64>>>(d_in, d, n);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(got[i] == (T)(i * WIDTH * (WIDTH + 1) / 2));
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d));
}

template <typename T, int BLOCK> static void try_max()
{
    const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
    T in[n], got[blocks], *d_in, *d;
    for (int i = 0; i < n; i++)
        in[i] = (T)(i * 7919 % 1009);
    CUDA(cudaMalloc(&d_in, sizeof in));
    CUDA(cudaMalloc(&d, sizeof got));
    CUDA(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    block_max<T, BLOCK><<<blocks, BLOCK>>>(d_in, d, n);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) {
        T want = in[b * BLOCK];
        for (int i = b * BLOCK; i < n && i < (b + 1) * BLOCK; i++)
            want = in[i] > want ? in[i] : want;
        if ((b + 1) * BLOCK > n && in[0] > want)
            want = in[0];
        CHECK(got[b] == want);
    }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d));
}

int main()
{
    check_name = "templates";
    try_sum<float, 3>();
    try_sum<double, 2>();
    try_sum<short, 4>();
    try_sum<long long, 5>();
    try_sum<unsigned, 8>();
    try_max<int, 64>();
    try_max<float, 256>();
    try_max<double, 128>();
    try_max<unsigned long long, 512>();

    const int n = 500;
    int *d, got[n];
    CUDA(cudaMalloc(&d, sizeof got));
    apply<<<2, 256>>>(affine{0, 3, 1000000000000ll}, d, n);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], (int)(3 * i + 1000000000000ll));
    apply<<<2, 256>>>(square{}, d, n);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    CHECK_EQ(got[499], 499 * 499);
    CUDA(cudaFree(d));
    return check_pass();
}
