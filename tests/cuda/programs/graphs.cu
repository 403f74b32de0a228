// Graphs: captured from streams, built by hand, updated, cloned; with memory, children and
// conditions.
#include "check.h"

__global__ void add(int *data, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += what;
}

__global__ void mul(int *data, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= what;
}

enum { N = 1000 };

static void expect_all(int *dev, int want, int line)
{
    static int host[N];
    CUDA(cudaMemcpy(host, dev, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (host[i] != want)
            check_fail("line %d: [%d] is %d, not %d", line, i, host[i], want);
}

// A fork into a second stream and a join; nothing runs before the launch.
static void captured(int *dev)
{
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreate(&t));
    CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CUDA(cudaMemset(dev, 0, 2 * N * sizeof(int)));

    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<4, 256, 0, s>>>(dev, N, 3);
    CUDA(cudaEventRecord(fork, s));
    CUDA(cudaStreamWaitEvent(t, fork, 0));
    mul<<<4, 256, 0, t>>>(dev, N, 7);
    CUDA(cudaMemsetAsync(dev + N, 0, N * sizeof(int), s));
    CUDA(cudaEventRecord(join, t));
    CUDA(cudaStreamWaitEvent(s, join, 0));
    CUDA(cudaMemcpyAsync(dev + N, dev, N * sizeof(int), cudaMemcpyDeviceToDevice, s));
    cudaStreamCaptureStatus status;
    CUDA(cudaStreamIsCapturing(t, &status));
    CHECK_EQ(status, cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaStreamIsCapturing(s, &status));
    CHECK_EQ(status, cudaStreamCaptureStatusNone);
    expect_all(dev, 0, __LINE__);

    size_t nodes = 0, roots = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CUDA(cudaGraphGetRootNodes(graph, nullptr, &roots));
    CHECK_EQ(nodes, 4);
    CHECK_EQ(roots, 1);

    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    expect_all(dev, (3 * 7 + 3) * 7, __LINE__);
    expect_all(dev + N, (3 * 7 + 3) * 7, __LINE__);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaEventDestroy(fork));
    CUDA(cudaEventDestroy(join));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaStreamDestroy(t));
}

static void CUDART_CB count_call(void *arg)
{
    ++*(int *)arg;
}

static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t after,
                                   void (*fn)(int *, int, int), int *dev, int what)
{
    int n = N;
    void *args[] = {&dev, &n, &what};
    cudaKernelNodeParams p = {};
    p.func = (void *)fn;
    p.gridDim = dim3(4);
    p.blockDim = dim3(256);
    p.kernelParams = args;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, g, after ? &after : nullptr, after ? 1 : 0, &p));
    return node;
}

static void by_hand(int *dev)
{
    static int host[N];
    int calls = 0;
    cudaGraph_t graph;
    cudaGraphNode_t zero, first, second, down, call;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = dev;
    fill.value = 5;
    fill.elementSize = sizeof(int);
    fill.width = N;
    fill.height = 1;
    CUDA(cudaGraphAddMemsetNode(&zero, graph, nullptr, 0, &fill));
    first = kernel_node(graph, zero, add, dev, 4);
    second = kernel_node(graph, nullptr, mul, dev, 10);
#if CUDART_VERSION >= 13000
    CUDA(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
#else
    CUDA(cudaGraphAddDependencies(graph, &first, &second, 1));
#endif
    CUDA(cudaGraphAddMemcpyNode1D(&down, graph, &second, 1, host, dev, sizeof host,
                                  cudaMemcpyDeviceToHost));
    cudaHostNodeParams hp = {count_call, &calls};
    CUDA(cudaGraphAddHostNode(&call, graph, &down, 1, &hp));
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(zero, &type));
    CHECK_EQ(type, cudaGraphNodeTypeMemset);

    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA(cudaGraphUpload(exec, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQ(calls, 1);
    CHECK_EQ(host[0], 90);
    CHECK_EQ(host[N - 1], 90);

    // New parameters for one node of the executable graph, then a whole new version of the graph.
    int n = N, what = -3;
    void *args[] = {&dev, &n, &what};
    cudaKernelNodeParams p = {};
    p.func = (void *)mul;
    p.gridDim = dim3(4);
    p.blockDim = dim3(256);
    p.kernelParams = args;
    CUDA(cudaGraphExecKernelNodeSetParams(exec, second, &p));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQ(host[17], -27);
    cudaGraph_t copy;
    CUDA(cudaGraphClone(&copy, graph));
    cudaGraphNode_t there;
    CUDA(cudaGraphNodeFindInClone(&there, first, copy));
    what = 6;
    p.func = (void *)add;
    CUDA(cudaGraphKernelNodeSetParams(there, &p));
    cudaGraphExecUpdateResultInfo info = {};
    CUDA(cudaGraphExecUpdate(exec, copy, &info));
    CHECK_EQ(info.result, cudaGraphExecUpdateSuccess);
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK_EQ(host[17], 110);
    CHECK_EQ(calls, 3);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(copy));
    CUDA(cudaGraphDestroy(graph));
}

// Memory that lives inside a graph, and a child graph that uses it.
static void memory_and_child()
{
    static int host[N];
    cudaGraph_t graph, child;
    cudaGraphNode_t alloc, zero, inner, down, release;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams ap = {};
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location.type = cudaMemLocationTypeDevice;
    ap.bytesize = N * sizeof(int);
    CUDA(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &ap));
    int *dev = (int *)ap.dptr;
    CHECK(dev != nullptr);
    cudaMemsetParams fill = {};
    fill.dst = dev;
    fill.elementSize = 1;
    fill.width = N * sizeof(int);
    fill.height = 1;
    CUDA(cudaGraphAddMemsetNode(&zero, graph, &alloc, 1, &fill));
    CUDA(cudaGraphCreate(&child, 0));
    kernel_node(child, kernel_node(child, nullptr, add, dev, 2), mul, dev, 21);
    CUDA(cudaGraphAddChildGraphNode(&inner, graph, &zero, 1, child));
    CUDA(cudaGraphAddMemcpyNode1D(&down, graph, &inner, 1, host, dev, sizeof host,
                                  cudaMemcpyDeviceToHost));
    CUDA(cudaGraphAddMemFreeNode(&release, graph, &down, 1, dev));
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        CHECK_EQ(host[i], 42);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(child));
    CUDA(cudaGraphDestroy(graph));
}

// A loop that a kernel ends: add 5 while below 32, then one more graph only if the sum is odd.
__global__ void loop_body(int *p, cudaGraphConditionalHandle again, cudaGraphConditionalHandle odd)
{
    *p += 5;
    cudaGraphSetConditional(again, *p < 32);
    cudaGraphSetConditional(odd, *p & 1);
}

static cudaGraph_t conditional_node(cudaGraph_t graph, cudaGraphNode_t *node, cudaGraphNode_t after,
                                    cudaGraphConditionalHandle handle,
                                    cudaGraphConditionalNodeType type)
{
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = 1;
#if CUDART_VERSION >= 13000
    CUDA(cudaGraphAddNode(node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p));
#else
    CUDA(cudaGraphAddNode(node, graph, after ? &after : nullptr, after ? 1 : 0, &p));
#endif
    return p.conditional.phGraph_out[0];
}

static void conditional(int *dev)
{
    cudaGraph_t graph;
    cudaGraphNode_t loop, branch, body;
    cudaGraphConditionalHandle again, odd;
    CUDA(cudaMemset(dev, 0, N * sizeof(int)));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    CUDA(cudaGraphConditionalHandleCreate(&odd, graph, 0, cudaGraphCondAssignDefault));
    cudaGraph_t inside = conditional_node(graph, &loop, nullptr, again, cudaGraphCondTypeWhile);
    void *args[] = {&dev, &again, &odd};
    cudaKernelNodeParams p = {};
    p.func = (void *)loop_body;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&body, inside, nullptr, 0, &p));
    inside = conditional_node(graph, &branch, loop, odd, cudaGraphCondTypeIf);
    kernel_node(inside, nullptr, mul, dev, 3);
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    int value;
    for (int want : {35 * 3, 110}) { // 0 to 35, odd: times 3; then 105 to 110, even
        CUDA(cudaGraphLaunch(exec, 0));
        CUDA(cudaMemcpy(&value, dev, sizeof value, cudaMemcpyDeviceToHost));
        CHECK_EQ(value, want);
    }
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

int main()
{
    check_name = "graphs";
    int *dev;
    CUDA(cudaMalloc(&dev, 2 * N * sizeof(int)));
    captured(dev);
    by_hand(dev);
    memory_and_child();
    conditional(dev);
    CUDA(cudaFree(dev));
    return check_pass();
}
