/* Cones: what an instruction's value is made of and nobody else needs, grown step by step. */
#ifndef DDDG_CONE_H
#define DDDG_CONE_H

#include "dddg/graph.h"

enum { DDDG_CONE_MOST = 1024, DDDG_ROOTS = 4 };

/* The instructions whose values a cone makes for others. */
struct dddg_roots {
    uint32_t n, at[DDDG_ROOTS];
};

struct dddg_limits {
    unsigned inputs; /* at most */
    double ci;       /* weight an input, at least */
    unsigned cost;   /* of asking the table, beside one for each input */
    bool by_ci; /* of a cone's steps the one with the most weight an input; else the largest gain */
};

#define DDDG_LIMITS_DEFAULT              \
    {                                    \
        .inputs = 16, .ci = 5, .cost = 9 \
    }

/* The best of the steps: `size` members, which are the first. */
struct dddg_step {
    uint32_t size, weight, inputs;
};

/* Working memory, used again for each. */
struct dddg_cone {
    const struct dddg_graph *g;
    VEC(uint32_t) members; /* in the order in which they came */
    VEC(uint32_t) queue;
    uint32_t *stamp, *seen; /* by value: for which root, and by how many members it is read */
    uint32_t now, weight, inputs;
    uint32_t last; /* of the roots: what branches behind it need is not its own */
};

void dddg_cone_init(struct dddg_cone *c, const struct dddg_graph *g);
void dddg_cone_free(struct dddg_cone *c);

/* Whether a value counts as an input where it is read from outside. */
static inline bool dddg_counts(const struct dddg_graph *g, uint32_t value)
{
    return !(g->traits[value] & (DDDG_CONSTANT | DDDG_INVARIANT));
}

/* Grows the cone of its roots to its end; false: no step of it has a gain and few enough inputs.
 * The best is the one that saves most where it is found (its weight without what asking costs), or
 * that has the most weight an input. */
bool dddg_cone_grow(struct dddg_cone *c, const struct dddg_roots *roots,
                    const struct dddg_limits *limits, struct dddg_step *best);
/* The distinct inputs of the first `size` members, in the order in which they are read. */
size_t dddg_cone_inputs(const struct dddg_cone *c, uint32_t size, uint32_t *inputs, size_t most);

#endif
