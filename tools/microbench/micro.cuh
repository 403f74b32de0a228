// What the microbenchmarks share: rows of results, buffers, times. Each row is "group,name,parameter,value".
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef unsigned long long u64;

extern FILE *rows;
extern int sms;
extern bool is_short; // smaller footprints and fewer repetitions: for a simulator

inline void row(const char *group, const char *name, double parameter, double value)
{
    fprintf(rows, "%s,%s,%.10g,%.6g\n", group, name, parameter, value);
    fflush(rows);
}

template <class T> T *device_array(size_t n)
{
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return p;
}

// Cycles of one warp, by its own clock; `cycles` is written by thread 0 of each block.
inline double mean_of(const u64 *device, int n)
{
    u64 *h = (u64 *)malloc(n * sizeof(u64));
    CHECK(cudaMemcpy(h, device, n * sizeof(u64), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)h[i];
    free(h);
    return sum / n;
}

// Seconds of what `f` starts, once, after one that is not counted where `warm`.
template <class F> double seconds_of(bool warm, F f)
{
    cudaEvent_t from, to;
    float ms;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    if (warm)
        f();
    CHECK(cudaEventRecord(from));
    f();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
    return ms / 1e3;
}

void measure_instructions();
void measure_tensor();
void measure_latency();
void measure_sectors();
void measure_split();
void measure_partitions();
void measure_bandwidth();
void measure_shared();
void measure_constant();
void measure_texture();
void measure_atomics();
void measure_barriers();
void measure_launches();
void measure_flight();
void measure_code();
void measure_turns();
void measure_power();
