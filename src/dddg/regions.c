/* Candidates of a graph: the largest cones, grouped by the addresses that they have. */
#include "dddg/regions.h"

#include "base/u64map.h"

#include <string.h>

const unsigned dddg_cuts[DDDG_CUTS] = {0, 8, 16};

struct instance {
    struct dddg_roots roots;
    uint32_t signature;
};

/* A cone that may be grown together with one that comes: what it reads, and what it saves. */
struct recent {
    struct dddg_roots roots;
    struct dddg_step step;
    uint32_t inputs[DDDG_INPUTS_MOST];
    size_t ninputs;
};

enum { NEAR = 4096 };

struct finder {
    const struct dddg_graph *g;
    const struct dddg_limits *limits;
    struct dddg_found *found;
    struct dddg_cone cone;
    bool *is_covered;    /* by instruction: it is in a candidate */
    uint32_t *site_seen; /* by site: for which root */
    struct u64map by_signature;
    VEC(struct instance) instances;
    struct recent recent; /* the last cone, not yet kept; no roots: none */
};

static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

/* --- a new region --- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void note_inputs(struct finder *f, struct dddg_region *r, uint32_t size)
{
    uint32_t inputs[DDDG_INPUTS_MOST];
    const size_t n = dddg_cone_inputs(&f->cone, size, inputs, DDDG_INPUTS_MOST);
    for (size_t k = 0; k < n; k++) {
        struct dddg_input in = {.is_register = inputs[k] >= f->g->n};
        dddg_value(f->g, inputs[k], &in.bytes);
        in.at = in.is_register ? inputs[k] - f->g->n : f->g->site[inputs[k]];
        vec_push(&r->inputs, in);
    }
}

/* Sites of the members, and of the branches among them with what only they need: who leaves out the
 * one leaves out the other. */
static void note_sites(const struct finder *f, struct dddg_region *r, uint32_t size)
{
    const struct dddg_graph *g = f->g;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t v = f->cone.members.data[k];
        vec_push(&r->sites, g->site[v]);
        first = v < first ? v : first;
        last = v > last ? v : last;
    }
    for (uint32_t v = first; v < last && last - first < NEAR; v++)
        if (g->traits[v] & DDDG_DECIDES)
            vec_push(&r->sites, g->site[v]);
}

static uint32_t new_region(struct finder *f, const struct dddg_step *step,
                           const struct dddg_roots *roots)
{
    struct dddg_region r = {.weight = step->weight};
    const uint32_t signature = (uint32_t)f->found->regions.len;
    vec_push(&r.paths, signature);
    note_sites(f, &r, step->size);
    qsort(r.sites.data, r.sites.len, sizeof *r.sites.data, by_number);
    size_t n = 0;
    for (size_t k = 0; k < r.sites.len; k++)
        if (!k || r.sites.data[k] != r.sites.data[k - 1])
            r.sites.data[n++] = r.sites.data[k];
    r.sites.len = n;
    for (uint32_t k = 0; k < roots->n; k++)
        vec_push(&r.outputs, f->g->site[roots->at[k]]);
    note_inputs(f, &r, step->size);
    vec_push(&f->found->regions, r);
    return signature;
}

/* Of the set of addresses. */
static uint64_t signature_of(struct finder *f, uint32_t size, const struct dddg_roots *roots)
{
    uint64_t sum = 0;
    const uint32_t mark = roots->at[0] + 1;
    for (uint32_t k = 0; k < roots->n; k++)
        sum += f->g->site[roots->at[k]];
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t site = f->g->site[f->cone.members.data[k]];
        if (f->site_seen[site] != mark)
            sum += mix(site + 1);
        f->site_seen[site] = mark;
    }
    return sum;
}

/* Grows the last cone again, whose members are covered already, and counts it. */
static void keep_recent(struct finder *f)
{
    struct recent *c = &f->recent;
    struct dddg_step step;
    if (!c->roots.n || !dddg_cone_grow(&f->cone, &c->roots, f->limits, &step))
        return;
    const uint64_t key = signature_of(f, step.size, &c->roots);
    const uint64_t *known = u64map_get(&f->by_signature, key);
    const uint32_t at = known ? (uint32_t)*known : new_region(f, &step, &c->roots);
    if (!known)
        u64map_put(&f->by_signature, key, at);
    struct dddg_region *r = &f->found->regions.data[at];
    r->executed++;
    r->sum += step.weight;
    vec_push(&f->instances, ((struct instance){c->roots, at}));
    c->roots.n = 0;
}

/* The cone that was just grown, as the last. */
static void remember(struct finder *f, const struct dddg_roots *roots, const struct dddg_step *step)
{
    f->recent.roots = *roots;
    f->recent.step = *step;
    f->recent.ninputs = dddg_cone_inputs(&f->cone, step->size, f->recent.inputs, DDDG_INPUTS_MOST);
    for (uint32_t k = 0; k < step->size; k++)
        f->is_covered[f->cone.members.data[k]] = true;
}

/* --- several outputs --- */

static unsigned bytes_of(const struct finder *f, const struct dddg_roots *roots)
{
    unsigned bytes = 0;
    for (uint32_t k = 0; k < roots->n; k++)
        bytes += f->g->bytes.data[f->g->site[roots->at[k]]];
    return bytes;
}

/* Whether it is the last one's instruction again: another turn of a loop. */
static bool is_again(const struct finder *f, uint32_t root)
{
    for (uint32_t k = 0; k < f->recent.roots.n; k++)
        if (f->g->site[f->recent.roots.at[k]] == f->g->site[root])
            return true;
    return false;
}

/* Whether the cone just grown reads what the last one reads. */
static bool shares_input(const struct finder *f, uint32_t size)
{
    uint32_t inputs[DDDG_INPUTS_MOST];
    const size_t n = dddg_cone_inputs(&f->cone, size, inputs, DDDG_INPUTS_MOST);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f->recent.ninputs; k++)
            if (inputs[i] == f->recent.inputs[k])
                return true;
    return false;
}

/* Grows both together where that saves more than each for itself. */
static bool join(struct finder *f, uint32_t root, const struct dddg_step *alone)
{
    enum { OUTPUT_BYTES = 8 };
    const struct recent *last = &f->recent;
    struct dddg_roots both = last->roots;
    struct dddg_step step;
    if (!both.n || both.n == DDDG_ROOTS || both.at[both.n - 1] - root > NEAR || is_again(f, root) ||
        !shares_input(f, alone->size))
        return false;
    both.at[both.n++] = root;
    if (bytes_of(f, &both) > OUTPUT_BYTES || !dddg_cone_grow(&f->cone, &both, f->limits, &step))
        return false;
    const uint32_t cost = f->limits->cost + alone->inputs; /* of asking a second time */
    if (step.weight + last->step.inputs + cost <= last->step.weight + alone->weight + step.inputs)
        return false;
    remember(f, &both, &step);
    return true;
}

/* --- all of them --- */

static void look_at(struct finder *f, uint32_t v)
{
    const struct dddg_roots one = {.n = 1, .at = {v}};
    struct dddg_step best;
    const bool is_one = dddg_cone_grow(&f->cone, &one, f->limits, &best) &&
                        best.weight >= f->limits->ci * best.inputs;
    f->found->total += is_one;
    if (!is_one || f->is_covered[v] || join(f, v, &best))
        return;
    keep_recent(f);
    dddg_cone_grow(&f->cone, &one, f->limits, &best);
    remember(f, &one, &best);
}

/* From the end on, so that cones within others are met when those are known. */
static void find_all(struct finder *f)
{
    const struct dddg_graph *g = f->g;
    for (uint32_t v = g->n; v-- > 0;)
        if ((g->traits[v] & DDDG_INSIDE) && !(g->traits[v] & DDDG_DECIDES))
            look_at(f, v);
    keep_recent(f);
}

static void cover(struct finder *f)
{
    uint64_t all = 0, in = 0;
    for (uint32_t v = 0; v < f->g->n; v++) {
        all += f->g->trace->all.data[v].weight;
        in += f->is_covered[v] ? f->g->trace->all.data[v].weight : 0;
    }
    f->found->coverage = all ? (double)in / (double)all : 0;
}

/* --- how often inputs are the same --- */

static uint64_t key_of(const struct finder *f, uint32_t signature, unsigned cut,
                       const uint32_t *inputs, size_t n)
{
    uint64_t key = mix(signature + 1);
    for (size_t k = 0; k < n; k++) {
        unsigned bytes;
        const uint64_t v = dddg_value(f->g, inputs[k], &bytes);
        key = mix(key * 3 + (v & ~((UINT64_C(1) << dddg_cuts[cut]) - 1)));
    }
    return key;
}

static void count_distinct(struct finder *f, struct dddg_region *const *by_signature)
{
    struct u64map seen[DDDG_CUTS] = {0};
    for (size_t i = 0; i < f->instances.len; i++) {
        const struct instance *at = &f->instances.data[i];
        struct dddg_region *r = by_signature[at->signature];
        struct dddg_step best;
        uint32_t inputs[DDDG_INPUTS_MOST];
        if (!r || !dddg_cone_grow(&f->cone, &at->roots, f->limits, &best))
            continue;
        const size_t n = dddg_cone_inputs(&f->cone, best.size, inputs, DDDG_INPUTS_MOST);
        for (unsigned c = 0; c < DDDG_CUTS; c++) {
            const uint64_t key = key_of(f, at->signature, c, inputs, n);
            if (u64map_get(&seen[c], key))
                continue;
            u64map_put(&seen[c], key, 1);
            r->distinct[c]++;
        }
    }
    for (unsigned c = 0; c < DDDG_CUTS; c++)
        u64map_free(&seen[c]);
}

static void count_keys(struct finder *f, size_t signatures)
{
    struct dddg_found *found = f->found;
    struct dddg_region **by_signature = xcalloc(signatures + 1, sizeof *by_signature);
    for (size_t k = 0; k < found->regions.len; k++)
        for (size_t j = 0; j < found->regions.data[k].paths.len; j++)
            by_signature[found->regions.data[k].paths.data[j]] = &found->regions.data[k];
    count_distinct(f, by_signature);
    free(by_signature);
}

struct dddg_found *dddg_find(const struct dddg_graph *g, const struct dddg_limits *limits)
{
    struct dddg_found *found = xcalloc(1, sizeof *found);
    struct finder f = {.g = g,
                       .limits = limits,
                       .found = found,
                       .is_covered = xcalloc((size_t)g->n + 1, sizeof *f.is_covered),
                       .site_seen = xcalloc(g->addresses.len + 1, sizeof *f.site_seen)};
    dddg_cone_init(&f.cone, g);
    find_all(&f);
    cover(&f);
    const size_t signatures = found->regions.len;
    dddg_merge(found, g, limits);
    count_keys(&f, signatures);
    dddg_cone_free(&f.cone);
    u64map_free(&f.by_signature);
    vec_free(&f.instances);
    free(f.is_covered);
    free(f.site_seen);
    return found;
}

void dddg_found_free(struct dddg_found *f)
{
    if (!f)
        return;
    for (size_t k = 0; k < f->regions.len; k++) {
        vec_free(&f->regions.data[k].sites);
        vec_free(&f->regions.data[k].outputs);
        vec_free(&f->regions.data[k].inputs);
        vec_free(&f->regions.data[k].paths);
    }
    vec_free(&f->regions);
    free(f);
}

double dddg_hit_rate(const struct dddg_region *r, unsigned cut)
{
    return r->executed ? 1 - (double)r->distinct[cut] / (double)r->executed : 0;
}

double dddg_saving(const struct dddg_region *r, const struct dddg_limits *limits, unsigned cut)
{
    const double cost = (double)r->inputs.len + limits->cost;
    return (double)r->executed * (dddg_hit_rate(r, cut) * r->weight - cost);
}
