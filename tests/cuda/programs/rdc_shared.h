/* What rdc_main.cu and rdc_other.cu know of each other. */
#pragma once
extern __device__ int other_table[4];
extern __device__ int shared_counter;
__device__ int other_function(int x);
__device__ int factorial(int n);
int launch_other(int *d, int n);
