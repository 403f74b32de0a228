// Managed memory: one pointer for both sides, __managed__ variables, linked structures, hints.
#include "check.h"

struct node {
    int value;
    node *next;
};

__managed__ int counter = 5;
__device__ __managed__ double table[16];

__global__ void walk(node *head, long long *sum)
{
    for (node *n = head; n; n = n->next) {
        *sum += n->value;
        n->value = -n->value;
    }
}

__global__ void fill()
{
    table[threadIdx.x] += threadIdx.x * 0.5;
    atomicAdd(&counter, (int)threadIdx.x);
}

int main()
{
    check_name = "managed";
    const int n = 500;
    node *head = nullptr, *nodes[n];
    long long *sum;
    CUDA(cudaMallocManaged(&sum, sizeof *sum, cudaMemAttachGlobal));
    *sum = 0;
    for (int i = 0; i < n; i++) {
        CUDA(cudaMallocManaged(&nodes[i], sizeof(node)));
        nodes[i]->value = i * i;
        nodes[i]->next = head;
        head = nodes[i];
    }
    walk<<<1, 1>>>(head, sum);
    CUDA(cudaDeviceSynchronize());
    long long want = 0;
    for (int i = 0; i < n; i++) {
        want += (long long)i * i;
        CHECK_EQ(nodes[i]->value, -i * i);
    }
    CHECK_EQ(*sum, want);

    cudaPointerAttributes attr;
    CUDA(cudaPointerGetAttributes(&attr, head));
    CHECK_EQ(attr.type, cudaMemoryTypeManaged);
    CHECK(attr.devicePointer == head && attr.hostPointer == head);

    for (int i = 0; i < 16; i++)
        table[i] = i;
    fill<<<1, 16>>>();
    CUDA(cudaDeviceSynchronize());
    CHECK_EQ(counter, 5 + 120);
    for (int i = 0; i < 16; i++)
        CHECK(table[i] == i * 1.5);

    // Copies work on managed pointers whatever direction is named.
    double copy[16] = {};
    CUDA(cudaMemcpy(copy, table, sizeof copy, cudaMemcpyDefault));
    CHECK(copy[15] == 22.5);
    double *big;
    const size_t count = 100000;
    CUDA(cudaMallocManaged(&big, count * sizeof *big));
    for (size_t i = 0; i < count; i++)
        big[i] = (double)i;
#if CUDART_VERSION >= 13000
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    CUDA(cudaMemPrefetchAsync(big, count * sizeof *big, here, 0, 0));
#else
    CUDA(cudaMemPrefetchAsync(big, count * sizeof *big, 0, 0));
#endif
    CUDA(cudaMemset(big, 0, sizeof *big * 10));
    CUDA(cudaDeviceSynchronize());
    CHECK(big[9] == 0 && big[10] == 10 && big[count - 1] == count - 1);
    CUDA(cudaFree(big));
    for (int i = 0; i < n; i++)
        CUDA(cudaFree(nodes[i]));
    CUDA(cudaFree(sum));
    return check_pass();
}
