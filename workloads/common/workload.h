/* The contract between a workload's host (workloads/NAME/NAME.c) and the harness.
 *
 * A workload is one `const struct workload workload_SYMBOL` and one row in workloads/workloads.def.
 * The harness calls, in this order: make() declares arrays and fills the inputs; the inputs are
 * copied to the device, everything else there is zeroed; run() launches kernels; the outputs are
 * copied back; finish(), if any, brings them into an order that does not depend on which thread
 * came first; the output bytes are hashed; reference() computes on the CPU, in plain C and from the
 * host inputs alone, what each output should be (its `expect`), and the two are compared.
 *
 * Calls here do not fail from the caller's view: a CUDA error ends the program with a message and
 * exit code 1. All bytes that make() writes must be the same on every machine: integers, and of
 * floating point only + - * / and sqrt; random numbers from wl_rng(). */
#ifndef WORKLOADS_COMMON_WORKLOAD_H
#define WORKLOADS_COMMON_WORKLOAD_H

#include "base/rng.h"

#include <cuda.h>

#define X(symbol, ...) WL_##symbol,
enum wl_size {
#include "../sizes.def"
    WL_SIZES
};
#undef X
enum wl_type { WL_U8, WL_U16, WL_I32, WL_U32, WL_F32, WL_U64, WL_F64 };
enum wl_role { WL_INPUT = 1, WL_OUTPUT = 2, WL_INOUT = 3, WL_SCRATCH = 0 };

struct wl; /* one run */

/* One named array: on the host, on the device, and (outputs) what the CPU says it should be. */
struct wl_array {
    const char *name;
    enum wl_type type;
    enum wl_role role;
    size_t count;
    CUdeviceptr dev;
    union { /* zeroed; NULL for scratch */
        void *data;
        uint8_t *u8;
        uint16_t *u16;
        int32_t *i32;
        uint32_t *u32;
        float *f32;
        uint64_t *u64;
        double *f64;
    };
    union { /* zeroed; NULL unless an output and a check is wanted */
        void *expect;
        uint8_t *expect_u8;
        uint16_t *expect_u16;
        int32_t *expect_i32;
        uint32_t *expect_u32;
        float *expect_f32;
        uint64_t *expect_u64;
        double *expect_f64;
    };
    struct {
        unsigned width, height, channels; /* 0: no picture */
    } picture;
    const char *measure; /* of wl_judge(); NULL: equal bits are demanded */
    void *precise;       /* bytes of the precise run, where it is judged */
    void *initial;       /* in-out: the bytes that make() left, for reference() and dumps */
};

struct workload {
    size_t state_bytes; /* of `state`, zeroed before make() */
    void (*make)(struct wl *w, void *state);
    void (*run)(struct wl *w, void *state);
    void (*finish)(struct wl *w, void *state); /* may be NULL */
    void (*reference)(struct wl *w, void *state);
    /* A float x passes against r if |x - r| <= abs_tol + rel_tol * |r|; integers must be equal (but
     * see byte_tol). Both 0: the floats must be bit-equal. */
    double abs_tol, rel_tol;
    /* By how many levels a byte may differ: pictures made through approximate instructions. */
    unsigned byte_tol;
    /* For docs/workloads.md: one sentence each. `imitates`: what the original is run on, and how
     * our input stands to it. */
    const char *algorithm, *input, *imitates, *tolerance;
    const char *idle; /* NULL, or what leaves SMs of a large machine without blocks at any size */
    const char
        *variant; /* NULL, or what `--variant` may ask for: other device code, same outputs */
};

/* Declares an array of `count` > 0 elements. Only in make(). Names are [a-z0-9_], unique in the
 * workload, and live as long as the run. The pointer stays valid till the end. */
struct wl_array *wl_array(struct wl *w, const char *name, enum wl_role role, enum wl_type type,
                          size_t count);
/* The array begins with a picture, row by row: gray (1 channel), colours (3) or colours and alpha
 * (4, elements or the bytes of a WL_U32). docs/workloads.md shows it. Only in make(). */
void wl_picture(struct wl_array *a, size_t width, size_t height, unsigned channels);
/* Declares how an output is judged on a machine with a design that may change values: "rmse" (of
 * the mean), "rmse_geometric", "squares", "wrong" (elements) or "largest" (error);
 * src/stats/quality.def has what they are. Others must be the same bits on every machine. Only in
 * make(). */
void wl_judge(struct wl_array *a, const char *measure);
/* Sets `symbol` (a __constant__ or __device__ variable of the device code). Only in run(). */
void wl_set_symbol(struct wl *w, const char *symbol, const void *data, size_t bytes);

struct wl_dim {
    unsigned x, y, z;
};
/* WL_DIM(4), WL_DIM(4, 2), WL_DIM(4, 2, 3) */
#define WL_DIM(...) wl_dim_of((const unsigned[3]){__VA_ARGS__})
static inline struct wl_dim wl_dim_of(const unsigned d[3])
{
    return (struct wl_dim){d[0], d[1] ? d[1] : 1, d[2] ? d[2] : 1};
}

/* Launches a kernel; `args` = WL_ARGS(&a->dev, &n): the addresses of the parameters' values. */
void wl_launch(struct wl *w, const char *kernel, struct wl_dim grid, struct wl_dim block,
               unsigned shared_bytes, void **args);
#define WL_ARGS(...) ((void *[]){__VA_ARGS__})

/* Copies between an array's host and device bytes within run(), for loops that end on a flag. Both
 * work on scratch arrays too: `data` of bytes. */
void wl_read(struct wl *w, CUdeviceptr from, void *data, size_t bytes);
void wl_write(struct wl *w, CUdeviceptr to, const void *data, size_t bytes);

/* A picture as kernels see it through the texture path: coordinates in texels, those outside are
 * the nearest inside. Bytes are read as whole numbers or, `is_unit`, as floats 0 to 1. */
struct wl_texels {
    enum wl_type type; /* WL_U8 or WL_F32 */
    unsigned channels, width, height;
    bool is_unit;   /* bytes only */
    bool is_linear; /* interpolates between texels; floats and unit bytes only */
};
struct wl_texture {
    CUtexObject object; /* the kernel's 64-bit parameter */
    CUarray array;      /* NULL: over an array's memory */
    struct wl_texels texels;
    struct wl_texture *next;
};
/* Over the rows of `a`, which must be multiples of 32 bytes. Only in run(), as all of these. */
struct wl_texture *wl_texture_over(struct wl *w, const struct wl_array *a, struct wl_texels texels);
/* Over a CUDA array (the GPU's own order of texels), which wl_texture_load() fills from `from`. */
struct wl_texture *wl_texture_array(struct wl *w, struct wl_texels texels);
void wl_texture_load(struct wl *w, const struct wl_texture *t, const struct wl_array *from);

/* Says what is wrong and ends the program with code 1. */
_Noreturn void wl_die(const struct wl *w, const char *fmt, ...) PRINTF_LIKE(2, 3);

enum wl_size wl_size(const struct wl *w);
/* Whether the run asked for the workload's variant. */
bool wl_variant(const struct wl *w);
/* A stream of random numbers of its own for each `stream`, from the run's seed. */
struct rng wl_rng(const struct wl *w, uint32_t stream);

/* Zeroed memory that the run frees at its end: for what hosts and references need beside arrays. */
void *wl_alloc(struct wl *w, size_t count, size_t bytes);

static inline unsigned wl_blocks(size_t n, unsigned block)
{
    return (unsigned)((n + block - 1) / block);
}

#endif
