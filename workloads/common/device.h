/* What device code may use: the CUDA names below, for clang without any CUDA toolkit. nvcc has them
 * itself. Both compile without contraction of a*b+c (tools/workloads_ptx, nvcc -fmad=false): where
 * the original's compiler would fuse, write __fmaf_rn(), so that the CPU reference can do the same.
 * A shared variable (not an array) that one thread sets for others is volatile: clang 14 believes
 * that a barrier cannot change it, and reads it before. No shuffles, votes with masks or 64-bit
 * minimum: the target is sm_20, as the papers' machines. */
#ifndef WORKLOADS_COMMON_DEVICE_H
#define WORKLOADS_COMMON_DEVICE_H

#if defined(__clang__) && defined(__CUDA__) && !defined(__CUDACC__)
#include <__clang_cuda_builtin_vars.h>

#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __forceinline__        __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define WL_FN                  static __device__ __forceinline__

/* Exact: correctly rounded on every machine. */
WL_FN float __fmaf_rn(float a, float b, float c)
{
    return __nvvm_fma_rn_f(a, b, c);
}
WL_FN double __fma_rn(double a, double b, double c)
{
    return __nvvm_fma_rn_d(a, b, c);
}
WL_FN float __fsqrt_rn(float a)
{
    return __nvvm_sqrt_rn_f(a);
}
WL_FN double __dsqrt_rn(double a)
{
    return __nvvm_sqrt_rn_d(a);
}
WL_FN float fabsf(float a)
{
    return __nvvm_fabs_f(a);
}
WL_FN float fminf(float a, float b)
{
    return __nvvm_fmin_f(a, b);
}
WL_FN float fmaxf(float a, float b)
{
    return __nvvm_fmax_f(a, b);
}
WL_FN float floorf(float a)
{
    return __nvvm_floor_f(a);
}
WL_FN float __int_as_float(int a)
{
    return __nvvm_bitcast_i2f(a);
}
WL_FN int __float_as_int(float a)
{
    return __nvvm_bitcast_f2i(a);
}
WL_FN double __longlong_as_double(long long a)
{
    return __nvvm_bitcast_ll2d(a);
}
WL_FN long long __double_as_longlong(double a)
{
    return __nvvm_bitcast_d2ll(a);
}
WL_FN int __float2int_rn(float a)
{
    return __nvvm_f2i_rn(a);
}
WL_FN int __float2int_rz(float a)
{
    return __nvvm_f2i_rz(a);
}
WL_FN int min(int a, int b)
{
    return a < b ? a : b;
}
WL_FN int max(int a, int b)
{
    return a > b ? a : b;
}
WL_FN unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
WL_FN unsigned max(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
WL_FN int __popc(unsigned a)
{
    return __builtin_popcount(a);
}
WL_FN int __clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}

/* The special function unit: a few ulp, and not the same bits on every GPU. */
WL_FN float __exp2f_approx(float a)
{
    return __nvvm_ex2_approx_f(a);
}
WL_FN float __expf(float a)
{
    return __nvvm_ex2_approx_f(a * 1.44269504f);
}
WL_FN float __logf(float a)
{
    return __nvvm_lg2_approx_f(a) * 0.693147181f;
}
WL_FN float __sinf(float a)
{
    return __nvvm_sin_approx_f(a);
}
WL_FN float __cosf(float a)
{
    return __nvvm_cos_approx_f(a);
}
WL_FN float rsqrtf(float a)
{
    return __nvvm_rsqrt_approx_f(a);
}
WL_FN float __fdividef(float a, float b)
{
    return __nvvm_div_approx_f(a, b);
}

WL_FN int atomicAdd(int *p, int v)
{
    return __nvvm_atom_add_gen_i(p, v);
}
WL_FN unsigned atomicAdd(unsigned *p, unsigned v)
{
    return __nvvm_atom_add_gen_i((int *)p, v);
}
WL_FN float atomicAdd(float *p, float v)
{
    return __nvvm_atom_add_gen_f(p, v);
}
WL_FN int atomicMin(int *p, int v)
{
    return __nvvm_atom_min_gen_i(p, v);
}
WL_FN unsigned atomicMin(unsigned *p, unsigned v)
{
    return __nvvm_atom_min_gen_ui(p, v);
}
WL_FN int atomicMax(int *p, int v)
{
    return __nvvm_atom_max_gen_i(p, v);
}
WL_FN unsigned atomicMax(unsigned *p, unsigned v)
{
    return __nvvm_atom_max_gen_ui(p, v);
}
WL_FN int atomicOr(int *p, int v)
{
    return __nvvm_atom_or_gen_i(p, v);
}
WL_FN int atomicAnd(int *p, int v)
{
    return __nvvm_atom_and_gen_i(p, v);
}
WL_FN int atomicExch(int *p, int v)
{
    return __nvvm_atom_xchg_gen_i(p, v);
}
WL_FN unsigned atomicExch(unsigned *p, unsigned v)
{
    return __nvvm_atom_xchg_gen_i((int *)p, v);
}
WL_FN int atomicCAS(int *p, int old, int v)
{
    return __nvvm_atom_cas_gen_i(p, old, v);
}
WL_FN unsigned atomicCAS(unsigned *p, unsigned old, unsigned v)
{
    return __nvvm_atom_cas_gen_i((int *)p, old, v);
}
WL_FN unsigned long long atomicCAS(unsigned long long *p, unsigned long long old,
                                   unsigned long long v)
{
    return __nvvm_atom_cas_gen_ll((long long *)p, old, v);
}
WL_FN void __threadfence()
{
    __nvvm_membar_gl();
}
WL_FN void __threadfence_block()
{
    __nvvm_membar_cta();
}

#else
#define WL_FN static __device__ __forceinline__
WL_FN float __exp2f_approx(float a)
{
    return __expf(a * 0.693147181f);
}
#endif

/* Marks (docs/workloads.md): pragmas in the PTX, which machines that do not know them ignore.
 * WL_MARK: at this place. It keeps its order with marks, barriers, loads, stores and texture
 * fetches; arithmetic may move across. WL_MARK_ON: on values, which it ties to the place and whose
 * registers it can name (%0, %1), between what makes them and what uses them: WL_MARK_ON("memo
 * begin IN=%0", "+f"(x)). WL_MARKED_LOAD: to = *from, a load of global memory with a mark before
 * it, on its address only. They must not change the code around them: tools/workloads_ptx compares
 * with WL_UNMARKED. */
#ifdef WL_UNMARKED
#define WL_MARK(text)                  ((void)0)
#define WL_MARK_ON(text, ...)          ((void)0)
#define WL_MARKED_LOAD(text, to, from) ((void)((to) = *(from)))
#else
#define WL_MARK(text)         asm volatile(".pragma \"" text "\";")
#define WL_MARK_ON(text, ...) asm(".pragma \"" text "\";" : __VA_ARGS__)
#if defined(__clang__) && defined(__CUDA__) && !defined(__CUDACC__)
#define WL_MARKED_LOAD(text, to, from)                                        \
    do {                                                                      \
        const __attribute__((address_space(1))) __typeof__(to) *wl_from =     \
            (const __attribute__((address_space(1))) __typeof__(to) *)(from); \
        WL_MARK_ON(text, "+l"(wl_from));                                      \
        (to) = *wl_from;                                                      \
    } while (0)
#else
#define WL_MARKED_LOAD(text, to, from) \
    do {                               \
        WL_MARK(text);                 \
        (to) = *(from);                \
    } while (0)
#endif
#endif

/* Texture fetches, for both compilers: clang 14 has no intrinsics for texture objects on sm_20.
 * They stay where they are written, used or not, so that a mark before one is before it. */
struct wl_texel {
    float x, y, z, w;
};
WL_FN struct wl_texel wl_tex2d_f32x4(unsigned long long texture, float x, float y)
{
    struct wl_texel t;
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(t.x), "=f"(t.y), "=f"(t.z), "=f"(t.w)
                 : "l"(texture), "f"(x), "f"(y));
    return t;
}
WL_FN float wl_tex2d_f32(unsigned long long texture, float x, float y)
{
    return wl_tex2d_f32x4(texture, x, y).x;
}
WL_FN unsigned wl_tex2d_u32(unsigned long long texture, float x, float y)
{
    unsigned t, unused_y, unused_z, unused_w;
    asm volatile("tex.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=r"(t), "=r"(unused_y), "=r"(unused_z), "=r"(unused_w)
                 : "l"(texture), "f"(x), "f"(y));
    return t;
}
#endif
