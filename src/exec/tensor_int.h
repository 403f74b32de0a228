/* Private to the matrix instructions: fragments, and arithmetic on whole matrices.
 *
 * A matrix instruction gathers the fragments of 32 lanes into matrices, computes, and scatters the
 * result. The layouts and the arithmetic are those of an H200 (see DEVIATIONS.md for what older
 * GPUs do otherwise). */
#ifndef EXEC_TENSOR_INT_H
#define EXEC_TENSOR_INT_H

#include "base/cpu.h"
#include "exec/warp.h"

enum {
    TENSOR_MAX_ELEMS = 32,   /* of a fragment in one lane */
    TENSOR_MAX_MATRIX = 1024 /* elements of the largest operand: 16 x 64 of 4 bits */
};

struct tensor_shape {
    unsigned m, n, k;
};

enum tensor_role { TENSOR_A, TENSOR_B, TENSOR_C };

/* How a fragment gets into its matrix and out of it. */
enum tensor_way {
    TENSOR_EACH,    /* element by element */
    TENSOR_QUADS,   /* the registers of four lanes are 16 bytes of the matrix */
    TENSOR_PAIRS,   /* words: two registers of four lanes are eight neighbours */
    TENSOR_COLUMNS, /* neighbouring fours of lanes are neighbouring columns: a b, in words */
};

/* Where the elements of a fragment are in their matrix. Element e of lane l is at place
 * lane[l] + elem[e], because every layout is linear in the bits of lane and element number. Bits of
 * .b1 matrices come as words of 32. A fragment of wmma may hold its elements more than once:
 * `regs` counts all registers, `count` the elements without the copies. */
struct tensor_frag {
    uint8_t type; /* enum ptx_type */
    uint8_t bits; /* of one element in a register */
    uint8_t regs, count;
    uint8_t way; /* enum tensor_way */
    uint16_t lane[WARP_LANES], elem[TENSOR_MAX_ELEMS];
};

/* The matrix itself: how far apart places of neighbouring rows and columns are. */
struct tensor_strides {
    unsigned row, col;
};

struct tensor_shape tensor_shape_of(enum ptx_mod mod);
/* The layout of one operand of mma or wmma. False if there is none for the type and shape. */
bool tensor_frag_init(struct tensor_frag *f, enum tensor_role role, enum ptx_type type,
                      struct tensor_shape shape, bool is_wmma, struct tensor_strides strides);
/* mma.m8n8k4 of .f16: four products, each by the eight lanes of a quad pair; the places of product
 * q start at 64 q (a, b: 32 q). */
void tensor_frag_init_quad(struct tensor_frag *f, enum tensor_role role, enum ptx_type type,
                           bool is_row, struct tensor_strides strides);

enum tensor_kind {
    TENSOR_FLOAT,  /* one fused sum per element: f16, bf16, tf32 */
    TENSOR_FP8,    /* two steps of f16, then a plain addition */
    TENSOR_QUAD,   /* m8n8k4 of f16: plain single-precision arithmetic */
    TENSOR_DOUBLE, /* a chain of fma */
    TENSOR_INT,
    TENSOR_BITS, /* popc(a & b), popc(a ^ b) */
};

struct tensor_mma {
    uint8_t kind; /* enum tensor_kind */
    bool satfinite, is_xor;
    struct tensor_shape shape;
    unsigned step_k; /* TENSOR_FLOAT: depth of one fused step */
    struct tensor_frag a, b, c, d;
};

/* A matrix of raw elements, each in the fewest of 1, 2, 4 and 8 bytes that hold it; those of a b
 * that comes by columns are words. */
struct tensor_matrix {
    _Alignas(64) char bytes[4 * TENSOR_MAX_MATRIX];
};
static inline unsigned tensor_per_reg(const struct tensor_frag *f)
{
    return f->bits < 32 ? 32u / f->bits : 1;
}

/* Fills in everything from the types and the shape; the layouts matter to m8n8k4 of .f16 only. */
bool tensor_mma_init(struct tensor_mma *mma, struct tensor_shape shape,
                     const enum ptx_type types[4], bool is_wmma, bool a_row, bool b_row,
                     const char **why);
/* D = A B + C: a[m][k], b[k][n], c and d[m][n]. The elements of b are words, but for TENSOR_QUAD
 * and TENSOR_DOUBLE. */
void tensor_mma_compute(const struct tensor_mma *mma, const void *a, const void *b, const void *c,
                        void *d);

/* Sums of products as the tensor core forms them: all products and c are aligned to the largest
 * exponent among them, cut off below 2^-25 of it, and added exactly. */
struct tensor_dot {
    unsigned m, n, k;     /* n a multiple of 8; k at most 16 */
    unsigned lda;         /* from row to row of a */
    bool is_far;          /* products may be beyond single precision */
    const float *a, *b;   /* [m][lda], [k][n] */
    const int16_t *a_exp; /* [m][lda]: as stored, 1 for subnormals; less the bias */
    const int16_t *b_exp; /* [k][n] */
    const int32_t *c_sig; /* [m][n], 23 fraction bits */
    const int16_t *c_exp; /* [m][n] */
    double *sum;          /* [m][n]: exact */
};
#define TENSOR_ZERO_EXP (-4096) /* of a zero: takes no part in the search for the largest */

/* What is among some elements. */
struct tensor_extent {
    bool is_special; /* an infinity or a NaN */
    int lo, hi;      /* exponents of those that are not 0 */
};

/* A matrix in memory that all lanes say is at one place: where their words begin, and how far the
 * elements of each lane's fragment are from there. */
struct tensor_tile {
    unsigned nregs, copies;    /* registers that differ; how often each is there */
    unsigned per_reg, bytes;   /* parts of a register, and their width */
    bool is_quads;             /* the registers of four lanes are 16 bytes of memory */
    addr_t at;                 /* of lane 0 */
    uint64_t reach;            /* the last part begins so far behind */
    uint64_t lane[WARP_LANES]; /* bytes from the first lane's part to this one's */
    uint64_t part[TENSOR_MAX_ELEMS];
};

struct tensor_ops {
    /* One fragment of all lanes into its matrix. */
    void (*gather)(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                   struct tensor_matrix *matrix);
    /* An accumulator of all lanes of `mask` from its matrix. */
    void (*scatter)(const struct tensor_frag *f, const struct lane_ref *refs, char *const *base,
                    const struct tensor_matrix *matrix, uint32_t mask);
    /* Whether 32 lanes of 4 or 8 bytes are the same. */
    bool (*is_same)(const void *lanes, unsigned bytes);
    /* A full warp's registers of 4 bytes from a tile, or to it. False: it is not all in memory that
     * is known to be good, and nothing was done. */
    bool (*load_tile)(const struct warp *w, const struct xinst *x, const struct tensor_tile *t,
                      const struct lane_ref *refs);
    bool (*store_tile)(const struct warp *w, const struct xinst *x, const struct tensor_tile *t,
                       const struct lane_ref *refs);
};
const struct tensor_ops *tensor_ops_get(void);
#define X(level) extern const struct tensor_ops tensor_ops_##level;
CPU_LEVELS(X)
#undef X

struct tensor_math {
    /* n elements of f16, bf16 or tf32, of `bytes` each, as numbers and exponents. */
    struct tensor_extent (*unpack)(enum ptx_type type, const void *raw, unsigned bytes, unsigned n,
                                   float *value, int16_t *exp);
    /* Accumulators, f16 or f32, in parts; true if an infinity or a NaN is among them. They are
     * single precision inside; a zero has its smallest exponent, and takes part. */
    bool (*unpack_sum)(enum ptx_type type, const void *raw, unsigned n, int32_t *sig, int16_t *exp);
    void (*dot)(const struct tensor_dot *d);
    /* Exact sums to f32, cut off, or to f16, rounded. */
    void (*narrow)(enum ptx_type type, const double *sum, unsigned n, void *d);
    void (*dot_f64)(struct tensor_shape s, const double *a, const double *b, const double *c,
                    double *d);
    /* Integers of 8 and 4 bits: their sums of products are whole numbers below 2^24. */
    void (*unpack_int)(enum ptx_type type, const void *raw, unsigned bytes, unsigned n, float *out);
    void (*dot_int)(struct tensor_shape s, const float *a, const float *b, int32_t *d);
    /* d = sum + c, which goes round, or stops at the ends. */
    void (*add_int)(const int32_t *sum, const int32_t *c, unsigned n, bool stops, int32_t *d);
};
const struct tensor_math *tensor_math_get(void);
#define X(level) extern const struct tensor_math tensor_math_##level;
CPU_LEVELS(X)
#undef X

/* Selection by instruction, one file each. */
bool tensor_select_mma(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                       const char **why);
bool tensor_select_wmma_memory(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                               const char **why);
bool tensor_select_matrix(const struct ptx_inst *inst, struct arena *arena, struct xop *op,
                          const char **why);

/* Registers that operand i of the instruction has. */
static inline unsigned tensor_operand_regs(const struct ptx_inst *inst, const struct xop *op,
                                           unsigned i)
{
    return (i + 1 < inst->nops ? op->first[i + 1] : op->nrefs) - op->first[i];
}

#endif
