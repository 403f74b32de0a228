// Function pointers and virtual functions on the device; pointers carried over the host.
#include "check.h"

typedef float (*op_fn)(float, float);

__device__ __noinline__ float op_add(float a, float b)
{
    return a + b;
}
__device__ __noinline__ float op_mul(float a, float b)
{
    return a * b;
}
__device__ __noinline__ float op_sub(float a, float b)
{
    return a - b;
}

__device__ op_fn table[3] = {op_add, op_mul, op_sub};
__device__ op_fn exported = op_sub;

__global__ void by_table(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[i % 3](a[i], b[i]); // threads of a warp go different ways
}

__global__ void by_argument(op_fn fn, float *out)
{
    out[threadIdx.x] = fn((float)threadIdx.x, 100.f);
}

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape()
    {
    }
};
struct square : shape {
    float side;
    __device__ explicit square(float s) : side(s)
    {
    }
    __device__ float area() const override
    {
        return side * side;
    }
};
struct circle : shape {
    float radius;
    __device__ explicit circle(float r) : radius(r)
    {
    }
    __device__ float area() const override
    {
        return 3 * radius * radius;
    }
};

__global__ void virtuals(float *out)
{
    shape *s;
    if (threadIdx.x & 1)
        s = new circle((float)threadIdx.x);
    else
        s = new square((float)threadIdx.x);
    out[threadIdx.x] = s->area();
    delete s;
}

int main()
{
    check_name = "function_pointers";
    const int n = 200;
    float a[n], b[n], got[n], *da, *db, *d;
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = (float)(n - i);
    }
    CUDA(cudaMalloc(&da, sizeof a));
    CUDA(cudaMalloc(&db, sizeof a));
    CUDA(cudaMalloc(&d, sizeof a));
    CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    by_table<<<4, 64>>>(da, db, d, n);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(got[i] == (i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] * b[i] : a[i] - b[i]));

    op_fn fn;
    CUDA(cudaMemcpyFromSymbol(&fn, exported, sizeof fn));
    CHECK(fn != nullptr);
    by_argument<<<1, 32>>>(fn, d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(got[i] == i - 100.f);

    virtuals<<<1, 96>>>(d);
    CUDA(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 96; i++)
        CHECK(got[i] == (i & 1 ? 3.f * i * i : 1.f * i * i));
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(d));
    return check_pass();
}
