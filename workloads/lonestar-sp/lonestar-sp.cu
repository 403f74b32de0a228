/* Survey propagation on random 3-SAT. A literal is 2 * variable + 1 if negated; edge 3 * clause + k
 * is its k-th literal. Every clause sends each of its variables a survey (eta): how much it depends
 * on that variable. Surveys are updated all at once from the previous ones, so the result does not
 * depend on the order of threads. */
#include "device.h"

#define SP_FREE 2 /* value of a variable: 0, 1 or free */

struct sp_graph {
    const unsigned *literals;
    const unsigned *first;       /* of each variable in `occurrences`; one more at the end */
    const unsigned *occurrences; /* edges of a variable, by clause */
    const unsigned *values;
    const unsigned *satisfied; /* clauses */
    unsigned clauses, variables;
};

/* Products of (1 - eta) over a variable's clauses but one, by the literal's sign. */
struct products {
    float plain, negated;
};

WL_FN struct products multiply(const struct sp_graph &g, const float *eta, unsigned variable,
                               unsigned but)
{
    struct products p = {1.0f, 1.0f};

    for (unsigned i = g.first[variable], end = g.first[variable + 1]; i < end; i++) {
        unsigned edge = g.occurrences[i];
        if (edge / 3 == but || g.satisfied[edge / 3])
            continue;
        if (g.literals[edge] & 1)
            p.negated *= 1.0f - eta[edge];
        else
            p.plain *= 1.0f - eta[edge];
    }
    return p;
}

/* How likely the variable of this literal is forced not to satisfy the clause, by its other
 * clauses. */
WL_FN float refuses(const struct sp_graph &g, const float *eta, unsigned clause, unsigned literal)
{
    struct products p = multiply(g, eta, literal >> 1, clause);
    float same = literal & 1 ? p.negated : p.plain, opposite = literal & 1 ? p.plain : p.negated;
    float against = (1.0f - opposite) * same, towards = (1.0f - same) * opposite;
    float sum = against + towards + same * opposite;

    return sum > 0.0f ? against / sum : 0.0f;
}

/* One thread a clause. *change: the largest change of a survey, as bits (they are not negative). */
extern "C" __global__ void sp_update(struct sp_graph g, const float *eta, float *next,
                                     unsigned *change)
{
    unsigned clause = blockIdx.x * blockDim.x + threadIdx.x;
    float factor[3], largest = 0.0f;

    if (clause >= g.clauses || g.satisfied[clause])
        return;
    for (unsigned k = 0; k < 3; k++) {
        unsigned literal = g.literals[3 * clause + k];
        factor[k] = 1.0f;
        if (g.values[literal >> 1] == SP_FREE)
            factor[k] = refuses(g, eta, clause, literal);
    }
    for (unsigned k = 0; k < 3; k++) {
        unsigned edge = 3 * clause + k;
        float survey = factor[k == 0 ? 1 : 0] * factor[k == 2 ? 1 : 2];
        largest = fmaxf(largest, fabsf(survey - eta[edge]));
        next[edge] = survey;
    }
    atomicMax(change, (unsigned)__float_as_int(largest));
}

/* One thread a variable: how much it leans to 1 (positive) or to 0. */
extern "C" __global__ void sp_bias(struct sp_graph g, const float *eta, float *bias,
                                   unsigned *largest)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= g.variables)
        return;
    bias[v] = 0.0f;
    if (g.values[v] != SP_FREE)
        return;
    struct products p = multiply(g, eta, v, 0xffffffffu);
    float to_one = (1.0f - p.plain) * p.negated, to_zero = (1.0f - p.negated) * p.plain;
    float sum = to_one + to_zero + p.plain * p.negated;
    if (sum > 0.0f)
        bias[v] = (to_one - to_zero) / sum;
    atomicMax(largest, (unsigned)__float_as_int(fabsf(bias[v])));
}

/* Fixes the variables that lean at least as much as `threshold`. */
extern "C" __global__ void sp_decimate(const float *bias, unsigned *values, unsigned variables,
                                       float threshold)
{
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < variables && values[v] == SP_FREE && fabsf(bias[v]) >= threshold)
        values[v] = bias[v] > 0.0f;
}

extern "C" __global__ void sp_simplify(const unsigned *literals, const unsigned *values,
                                       unsigned *satisfied, unsigned clauses)
{
    unsigned clause = blockIdx.x * blockDim.x + threadIdx.x;

    if (clause >= clauses)
        return;
    for (unsigned k = 0; k < 3; k++) {
        unsigned literal = literals[3 * clause + k], value = values[literal >> 1];
        if (value != SP_FREE && value != (literal & 1))
            satisfied[clause] = 1;
    }
}
