/* lonestar-sp: survey propagation and decimation on random 3-SAT near the threshold. */
#include "gen.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, FREE = 2 };

static const float converged = 0.01f; /* the largest change of a survey that ends a step */
static const float undecided = 0.01f; /* the largest bias with which decimation ends */
static const float share = 0.98f;     /* of the largest bias: variables beyond it are fixed */

struct state {
    uint32_t variables, clauses;
    uint32_t steps, updates; /* decimations; at most so many updates before each */
    struct wl_array *literals, *first, *occurrences, *values, *satisfied, *eta[2], *bias, *flag;
};

/* As the device code's. */
struct sp_graph {
    CUdeviceptr literals, first, occurrences, values, satisfied;
    uint32_t clauses, variables;
};

/* Three different variables a clause, signs by coin. */
static void random_clauses(struct rng *rng, uint32_t *literals, uint32_t clauses,
                           uint32_t variables)
{
    for (uint32_t c = 0; c < clauses; c++) {
        uint32_t *l = &literals[3 * (size_t)c];
        for (int k = 0; k < 3; k++) {
            bool again;
            do {
                l[k] = 2 * rng_below(rng, variables) + rng_below(rng, 2);
                again = false;
                for (int j = 0; j < k; j++)
                    again |= l[j] / 2 == l[k] / 2;
            } while (again);
        }
    }
}

static void list_occurrences(struct wl *w, struct state *s)
{
    uint32_t edges = 3 * s->clauses, *first = s->first->u32;
    uint32_t *at = wl_alloc(w, s->variables, sizeof *at);

    for (uint32_t e = 0; e < edges; e++)
        first[s->literals->u32[e] / 2 + 1]++;
    for (uint32_t v = 0; v < s->variables; v++) {
        first[v + 1] += first[v];
        at[v] = first[v];
    }
    for (uint32_t e = 0; e < edges; e++)
        s->occurrences->u32[at[s->literals->u32[e] / 2]++] = e;
}

static void make(struct wl *w, void *state)
{
    static const uint32_t variables[WL_SIZES] = {40, 330, 10000, 20000, 20000};
    static const uint32_t steps[WL_SIZES] = {1, 2, 1, 2, 1}, updates[WL_SIZES] = {4, 8, 2, 4, 2};
    struct state *s = state;
    struct rng rng = wl_rng(w, 0);
    s->variables = variables[wl_size(w)];
    s->clauses = s->variables * 21 / 5;
    s->steps = steps[wl_size(w)];
    s->updates = updates[wl_size(w)];
    size_t edges = 3 * (size_t)s->clauses;
    s->literals = wl_array(w, "literals", WL_INPUT, WL_U32, edges);
    s->first = wl_array(w, "first", WL_INPUT, WL_U32, s->variables + 1);
    s->occurrences = wl_array(w, "occurrences", WL_INPUT, WL_U32, edges);
    s->values = wl_array(w, "values", WL_INOUT, WL_U32, s->variables);
    s->satisfied = wl_array(w, "satisfied", WL_OUTPUT, WL_U32, s->clauses);
    s->eta[0] = wl_array(w, "eta", WL_INOUT, WL_F32, edges);
    s->eta[1] = wl_array(w, "eta_odd", WL_SCRATCH, WL_F32, edges);
    s->bias = wl_array(w, "bias", WL_OUTPUT, WL_F32, s->variables);
    s->flag = wl_array(w, "flag", WL_SCRATCH, WL_F32, 1);
    random_clauses(&rng, s->literals->u32, s->clauses, s->variables);
    list_occurrences(w, s);
    for (uint32_t v = 0; v < s->variables; v++)
        s->values->u32[v] = FREE;
    for (size_t e = 0; e < edges; e++)
        s->eta[0]->f32[e] = (float)rng_unit(&rng);
}

/* Launches a kernel over the graph that leaves the largest of something in the flag. */
static float launch_largest(struct wl *w, struct state *s, const char *kernel, uint32_t threads,
                            CUdeviceptr in, CUdeviceptr out)
{
    struct sp_graph g = {s->literals->dev,  s->first->dev, s->occurrences->dev, s->values->dev,
                         s->satisfied->dev, s->clauses,    s->variables};
    float largest = 0;

    wl_write(w, s->flag->dev, &largest, sizeof largest);
    wl_launch(w, kernel, WL_DIM(wl_blocks(threads, BLOCK)), WL_DIM(BLOCK), 0,
              WL_ARGS(&g, &in, &out, &s->flag->dev));
    wl_read(w, s->flag->dev, &largest, sizeof largest);
    return largest;
}

/* Updates in pairs, so that the surveys end where they began. */
static void propagate(struct wl *w, struct state *s)
{
    CUdeviceptr even = s->eta[0]->dev, odd = s->eta[1]->dev;

    for (uint32_t i = 0; i < s->updates; i += 2) {
        launch_largest(w, s, "sp_update", s->clauses, even, odd);
        if (launch_largest(w, s, "sp_update", s->clauses, odd, even) < converged)
            return;
    }
}

static void run(struct wl *w, void *state)
{
    struct state *s = state;

    for (uint32_t step = 0; step < s->steps; step++) {
        propagate(w, s);
        float largest = launch_largest(w, s, "sp_bias", s->variables, s->eta[0]->dev, s->bias->dev);
        if (largest < undecided)
            return;
        float threshold = largest * share;
        wl_launch(w, "sp_decimate", WL_DIM(wl_blocks(s->variables, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->bias->dev, &s->values->dev, &s->variables, &threshold));
        wl_launch(w, "sp_simplify", WL_DIM(wl_blocks(s->clauses, BLOCK)), WL_DIM(BLOCK), 0,
                  WL_ARGS(&s->literals->dev, &s->values->dev, &s->satisfied->dev, &s->clauses));
    }
}

/* Product of 1 - eta over the edges of a variable whose literal is negated or not, but one clause.
 */
static float product(const struct state *s, const float *eta, uint32_t v, uint32_t negated,
                     uint32_t but)
{
    float p = 1;

    for (uint32_t i = s->first->u32[v]; i < s->first->u32[v + 1]; i++) {
        uint32_t e = s->occurrences->u32[i];
        if (e / 3 != but && !s->satisfied->expect_u32[e / 3] && s->literals->u32[e] % 2 == negated)
            p *= 1 - eta[e];
    }
    return p;
}

static float expect_factor(const struct state *s, const float *eta, uint32_t clause,
                           uint32_t literal)
{
    if (s->values->expect_u32[literal / 2] != FREE)
        return 1;
    float same = product(s, eta, literal / 2, literal % 2, clause);
    float opposite = product(s, eta, literal / 2, 1 - literal % 2, clause);
    float against = (1 - opposite) * same, towards = (1 - same) * opposite;
    float sum = against + towards + same * opposite;
    return sum > 0 ? against / sum : 0;
}

static float expect_update(const struct state *s, const float *eta, float *next)
{
    float largest = 0;

    for (uint32_t c = 0; c < s->clauses; c++) {
        float f[3];
        if (s->satisfied->expect_u32[c])
            continue;
        for (uint32_t k = 0; k < 3; k++)
            f[k] = expect_factor(s, eta, c, s->literals->u32[3 * c + k]);
        const float survey[3] = {f[1] * f[2], f[0] * f[2], f[0] * f[1]};
        for (uint32_t k = 0; k < 3; k++) {
            largest = fmaxf(largest, fabsf(survey[k] - eta[3 * c + k]));
            next[3 * c + k] = survey[k];
        }
    }
    return largest;
}

static float expect_bias(struct state *s, const float *eta)
{
    float largest = 0, *bias = s->bias->expect_f32;

    for (uint32_t v = 0; v < s->variables; v++) {
        bias[v] = 0;
        if (s->values->expect_u32[v] != FREE)
            continue;
        float plain = product(s, eta, v, 0, UINT32_MAX),
              negated = product(s, eta, v, 1, UINT32_MAX);
        float one = (1 - plain) * negated, zero = (1 - negated) * plain;
        float sum = one + zero + plain * negated;
        if (sum > 0)
            bias[v] = (one - zero) / sum;
        largest = fmaxf(largest, fabsf(bias[v]));
    }
    return largest;
}

static void expect_fix(struct state *s, float threshold)
{
    uint32_t *values = s->values->expect_u32;

    for (uint32_t v = 0; v < s->variables; v++)
        if (values[v] == FREE && fabsf(s->bias->expect_f32[v]) >= threshold)
            values[v] = s->bias->expect_f32[v] > 0;
    for (uint32_t e = 0; e < 3 * s->clauses; e++) {
        uint32_t literal = s->literals->u32[e];
        if (values[literal / 2] == 1 - literal % 2)
            s->satisfied->expect_u32[e / 3] = 1;
    }
}

static void reference(struct wl *w, void *state)
{
    struct state *s = state;
    float *eta = s->eta[0]->expect_f32, *odd = wl_alloc(w, 3 * (size_t)s->clauses, sizeof *odd);

    memcpy(eta, s->eta[0]->initial, 3 * (size_t)s->clauses * sizeof *eta);
    memcpy(s->values->expect, s->values->initial, s->variables * sizeof(uint32_t));
    for (uint32_t step = 0; step < s->steps; step++) {
        for (uint32_t i = 0; i < s->updates; i += 2) {
            expect_update(s, eta, odd);
            if (expect_update(s, odd, eta) < converged)
                break;
        }
        float largest = expect_bias(s, eta);
        if (largest < undecided)
            return;
        expect_fix(s, largest * share);
    }
}

const struct workload workload_lonestar_sp = {
    .state_bytes = sizeof(struct state),
    .make = make,
    .run = run,
    .reference = reference,
    .algorithm =
        "surveys of all clauses updated at once from the previous ones, one thread a clause, "
        "till they settle; then the variables that lean most are fixed; repeated",
    .input =
        "random 3-SAT with 4.2 clauses a variable, close to the threshold of 4.27; random surveys",
    .imitates = "LonestarGPU's own: random 3-SAT at 4.2 clauses a variable",
    .tolerance = "bit-equal: IEEE division, and the order of products is fixed",
};
