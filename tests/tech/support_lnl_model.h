/* Random kernels with a marked region, as a tree, as PTX, and as a plain model executes them: a
 * lane at a time, by the words of ../shared/spec/lnl.md, 2.5 and 2.6, without splits, scoreboards
 * and fusion. */
#ifndef TESTS_TECH_SUPPORT_LNL_MODEL_H
#define TESTS_TECH_SUPPORT_LNL_MODEL_H

#include "base/rng.h"
#include "tech/lnl/lnl_int.h"

enum {
    MODEL_FLOATS = 8,
    MODEL_INTS = 12,
    MODEL_PREDS = 6,
    MODEL_STORES = 12,
    MODEL_NODES = 400,
    MODEL_WARPS = 4,
    MODEL_STRIDE = 128, /* words from array to array: in, in, out, out, ... */
};

enum model_kind {
    MODEL_FADD,
    MODEL_FSUB,
    MODEL_FSCALE, /* d = a * c */
    MODEL_FBELOW, /* predicate d = a < b */
    MODEL_IBELOW,
    MODEL_ISET,  /* d = number */
    MODEL_IADD,  /* d = a + number */
    MODEL_STORE, /* of a, into output `number` */
    MODEL_BARRIER,
    MODEL_IF,   /* predicate a: `body`, else `other` */
    MODEL_LOOP, /* `body` while predicate a, at least once */
};

struct model_node {
    enum model_kind kind;
    int guard;      /* predicate, or -1 */
    bool is_marked; /* precise by the programmer */
    unsigned d, a, b, number;
    float c;
    uint32_t pc;
    struct model_node *next, *body, *other;
};

struct model_kernel {
    char text[65536];
    size_t len;
    uint32_t pc;
    struct model_node nodes[MODEL_NODES], *region;
    unsigned nnodes, nstores, nlabels;
    unsigned loads; /* 1 or 2 that are checked */
    unsigned below; /* lanes with a smaller number skip the region */
    unsigned shown; /* float that is stored behind the region */
};

void model_make(struct model_kernel *k, uint64_t seed);

/* What the model has counted, over all warps. */
struct model_counts {
    uint64_t approx_regions, precise_regions, approx_inst, precise_inst, lanes_skipped;
};

/* Executes it for `threads` on words as the SM sees them. */
void model_run(const struct model_kernel *k, const struct lnl_marks *marks,
               const struct lnl_cfg *cfg, bool replicates, uint32_t threads, uint32_t *words,
               struct model_counts *counts);

#endif
