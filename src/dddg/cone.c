/* Growing breadth first: a maker comes in when all who read its value are in. */
#include "dddg/cone.h"

void dddg_cone_init(struct dddg_cone *c, const struct dddg_graph *g)
{
    const size_t values = (size_t)g->n + DDDG_REGS;
    *c = (struct dddg_cone){.g = g,
                            .stamp = xcalloc(values, sizeof *c->stamp),
                            .seen = xcalloc(values, sizeof *c->seen)};
}

void dddg_cone_free(struct dddg_cone *c)
{
    vec_free(&c->members);
    vec_free(&c->queue);
    free(c->stamp);
    free(c->seen);
}

/* Whether nobody outside needs it, branches behind the root included. */
static bool is_own(const struct dddg_cone *c, uint32_t value)
{
    const struct dddg_graph *g = c->g;
    return (g->traits[value] & DDDG_INSIDE) && c->seen[value] == g->consumers[value] &&
           g->last_decided[value] <= c->last;
}

static void take_in(struct dddg_cone *c, uint32_t v)
{
    const struct dddg_graph *g = c->g;
    vec_push(&c->members, v);
    c->weight += g->trace->all.data[v].weight;
    for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
        const uint32_t u = g->operands.data[k];
        if (c->stamp[u] != c->now) {
            c->stamp[u] = c->now;
            c->seen[u] = 0;
            c->inputs += dddg_counts(g, u);
        }
        c->seen[u]++;
        if (is_own(c, u))
            vec_push(&c->queue, u);
    }
}

static bool is_better(const struct dddg_step *a, const struct dddg_step *b,
                      const struct dddg_limits *limits)
{
    const uint64_t left = limits->by_ci ? (uint64_t)a->weight * b->inputs : a->weight + b->inputs,
                   right = limits->by_ci ? (uint64_t)b->weight * a->inputs : b->weight + a->inputs;
    return !b->size || left > right || (left == right && a->weight > b->weight);
}

static void weigh(const struct dddg_cone *c, const struct dddg_limits *limits,
                  struct dddg_step *best)
{
    const struct dddg_step now = {(uint32_t)c->members.len, c->weight, c->inputs};
    const bool is_one = c->inputs && c->inputs <= limits->inputs &&
                        c->weight > c->inputs + limits->cost &&
                        (limits->by_ci || c->weight >= limits->ci * c->inputs);
    if (is_one && is_better(&now, best, limits))
        *best = now;
}

static void start(struct dddg_cone *c, const struct dddg_roots *roots)
{
    c->members.len = c->queue.len = 0;
    c->weight = c->inputs = c->last = 0;
    c->now++;
    for (uint32_t k = 0; k < roots->n; k++)
        c->last = roots->at[k] > c->last ? roots->at[k] : c->last;
    for (uint32_t k = 0; k < roots->n; k++)
        take_in(c, roots->at[k]);
}

bool dddg_cone_grow(struct dddg_cone *c, const struct dddg_roots *roots,
                    const struct dddg_limits *limits, struct dddg_step *best)
{
    *best = (struct dddg_step){0};
    start(c, roots);
    weigh(c, limits, best);
    for (size_t k = 0; k < c->queue.len && c->members.len < DDDG_CONE_MOST; k++) {
        const uint32_t u = c->queue.data[k];
        c->inputs -= dddg_counts(c->g, u);
        take_in(c, u);
        weigh(c, limits, best);
    }
    return best->size > 0;
}

size_t dddg_cone_inputs(const struct dddg_cone *c, uint32_t size, uint32_t *inputs, size_t most)
{
    const struct dddg_graph *g = c->g;
    size_t n = 0;
    for (uint32_t m = 0; m < size; m++)
        for (uint32_t k = g->first[c->members.data[m]]; k < g->first[c->members.data[m] + 1]; k++) {
            const uint32_t u = g->operands.data[k];
            bool is_known = !dddg_counts(g, u);
            for (uint32_t j = 0; j < size && !is_known; j++)
                is_known = c->members.data[j] == u;
            for (size_t j = 0; j < n && !is_known; j++)
                is_known = inputs[j] == u;
            if (!is_known && n < most)
                inputs[n++] = u;
        }
    return n;
}
