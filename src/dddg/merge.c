/* Regions within others are dropped, those that share half of the smaller are merged. */
#include "dddg/regions.h"

#include <string.h>

enum { OUTPUT_BYTES = 8 };

uint32_t dddg_common(const struct dddg_region *a, const struct dddg_region *b)
{
    uint32_t n = 0;
    for (size_t i = 0, k = 0; i < a->sites.len && k < b->sites.len;) {
        const uint32_t x = a->sites.data[i], y = b->sites.data[k];
        n += x == y;
        i += x <= y;
        k += y <= x;
    }
    return n;
}

static int heavier(const void *a, const void *b)
{
    const struct dddg_region *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    const uint32_t i = x->paths.data[0], k = y->paths.data[0];
    return (i > k) - (i < k);
}

/* --- both together --- */

static bool has_site(const struct dddg_region *r, uint32_t site)
{
    for (size_t k = 0; k < r->sites.len; k++)
        if (r->sites.data[k] == site)
            return true;
    return false;
}

static void unite_sites(struct dddg_region *to, const struct dddg_region *from,
                        struct dddg_region *sum)
{
    for (size_t i = 0, k = 0; i < to->sites.len || k < from->sites.len;) {
        const uint32_t x = i < to->sites.len ? to->sites.data[i] : UINT32_MAX,
                       y = k < from->sites.len ? from->sites.data[k] : UINT32_MAX;
        vec_push(&sum->sites, x < y ? x : y);
        i += x <= y;
        k += y <= x;
    }
}

static void add_inputs(struct dddg_region *sum, const struct dddg_region *from)
{
    for (size_t k = 0; k < from->inputs.len; k++) {
        const struct dddg_input in = from->inputs.data[k];
        bool is_known = !in.is_register && has_site(sum, in.at);
        for (size_t j = 0; j < sum->inputs.len && !is_known; j++)
            is_known = sum->inputs.data[j].is_register == in.is_register &&
                       sum->inputs.data[j].at == in.at;
        if (!is_known)
            vec_push(&sum->inputs, in);
    }
}

static void add_outputs(struct dddg_region *sum, const struct dddg_region *from)
{
    for (size_t k = 0; k < from->outputs.len; k++) {
        bool is_known = false;
        for (size_t j = 0; j < sum->outputs.len && !is_known; j++)
            is_known = sum->outputs.data[j] == from->outputs.data[k];
        if (!is_known)
            vec_push(&sum->outputs, from->outputs.data[k]);
    }
}

static unsigned bytes_of(const struct dddg_graph *g, const struct dddg_region *r)
{
    unsigned bytes = 0;
    for (size_t k = 0; k < r->outputs.len; k++)
        bytes += g->bytes.data[r->outputs.data[k]];
    return bytes;
}

static void forget(struct dddg_region *r)
{
    vec_free(&r->sites);
    vec_free(&r->inputs);
    vec_free(&r->outputs);
    vec_free(&r->paths);
}

/* Another way through the same region. */
static void add_path(struct dddg_region *to, const struct dddg_region *from)
{
    for (size_t k = 0; k < from->paths.len; k++)
        vec_push(&to->paths, from->paths.data[k]);
    to->executed += from->executed;
    to->sum += from->sum;
    to->weight = from->weight > to->weight ? from->weight : to->weight;
}

/* Weights of what both have are counted once. */
static void add_weight(struct dddg_region *sum, const struct dddg_region *from, uint32_t common)
{
    const uint64_t own = from->sites.len - common;
    sum->sum += from->sum * own / from->sites.len;
    sum->weight += (uint32_t)(from->weight * own / from->sites.len);
}

/* `to` becomes both; false: that would have too many inputs or outputs. */
static bool unite(const struct dddg_graph *g, const struct dddg_limits *limits,
                  struct dddg_region *to, struct dddg_region *from, uint32_t common, bool is_path)
{
    struct dddg_region sum = *to;
    memset(&sum.paths, 0, sizeof sum.paths);
    memset(&sum.sites, 0, sizeof sum.sites);
    memset(&sum.inputs, 0, sizeof sum.inputs);
    memset(&sum.outputs, 0, sizeof sum.outputs);
    unite_sites(to, from, &sum);
    add_inputs(&sum, to);
    add_inputs(&sum, from);
    add_outputs(&sum, to);
    add_outputs(&sum, from);
    if (sum.inputs.len > limits->inputs || bytes_of(g, &sum) > OUTPUT_BYTES) {
        forget(&sum);
        return false;
    }
    for (size_t k = 0; k < to->paths.len; k++)
        vec_push(&sum.paths, to->paths.data[k]);
    if (is_path)
        add_path(&sum, from);
    else
        add_weight(&sum, from, common);
    forget(to);
    forget(from);
    *to = sum;
    return true;
}

/* Whether both make the same outputs: one region, on two paths. */
static bool is_variant(const struct dddg_region *a, const struct dddg_region *b)
{
    if (a->outputs.len != b->outputs.len)
        return false;
    for (size_t k = 0; k < a->outputs.len; k++) {
        bool is_there = false;
        for (size_t j = 0; j < b->outputs.len && !is_there; j++)
            is_there = a->outputs.data[k] == b->outputs.data[j];
        if (!is_there)
            return false;
    }
    return true;
}

/* Takes `from` into `to` if it is a part of it, or may be merged. */
static bool take(const struct dddg_graph *g, const struct dddg_limits *limits,
                 struct dddg_region *to, struct dddg_region *from)
{
    const uint32_t common = dddg_common(to, from);
    const size_t smaller = to->sites.len < from->sites.len ? to->sites.len : from->sites.len;
    const bool is_path = is_variant(to, from);
    if (common == from->sites.len) {
        if (is_path)
            add_path(to, from);
        else
            to->sum += from->sum;
        forget(from);
        return true;
    }
    return (is_path || 2 * (size_t)common >= smaller) &&
           unite(g, limits, to, from, common, is_path);
}

static bool pass(struct dddg_found *f, const struct dddg_graph *g, const struct dddg_limits *limits)
{
    size_t kept = 0;
    const size_t before = f->regions.len;
    for (size_t k = 0; k < f->regions.len; k++) {
        struct dddg_region r = f->regions.data[k];
        bool is_taken = false;
        for (size_t j = 0; j < kept && !is_taken; j++)
            is_taken = take(g, limits, &f->regions.data[j], &r);
        if (!is_taken)
            f->regions.data[kept++] = r;
    }
    f->regions.len = kept;
    qsort(f->regions.data, kept, sizeof *f->regions.data, heavier);
    return kept < before;
}

/* What is executed once cannot be found again. */
static void drop_single(struct dddg_found *f)
{
    size_t kept = 0;
    for (size_t k = 0; k < f->regions.len; k++)
        if (f->regions.data[k].executed > 1)
            f->regions.data[kept++] = f->regions.data[k];
        else
            forget(&f->regions.data[k]);
    f->regions.len = kept;
}

void dddg_merge(struct dddg_found *f, const struct dddg_graph *g, const struct dddg_limits *limits)
{
    drop_single(f);
    for (size_t k = 0; k < f->regions.len; k++)
        f->mean_ci += f->regions.data[k].weight / (double)f->regions.data[k].inputs.len;
    f->unique = f->regions.len;
    f->mean_ci /= f->unique ? (double)f->unique : 1;
    if (f->regions.len)
        qsort(f->regions.data, f->regions.len, sizeof *f->regions.data, heavier);
    while (f->regions.len && pass(f, g, limits))
        ;
}
