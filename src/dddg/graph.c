/* From records to operands, consumers and traits. */
#include "dddg/graph.h"

#include "base/u64map.h"

#include <string.h>

/* A value that so many read, and a sixteenth of all that could, is the same for a whole loop. */
enum { INVARIANT_READS = 64, INVARIANT_SHARE = 16 };

enum { NOBODY = UINT32_MAX, GRANULE_BITS = 2 };

struct builder {
    struct dddg_graph *g;
    uint32_t made[DDDG_REGS]; /* the value that each register has */
    struct u64map memory;     /* granule -> the store or leaf that was there last */
    uint32_t *stored;         /* by store: its value */
    VEC(uint32_t) escaped;    /* values on the stack that somebody reads in another form */
};

/* --- memory --- */

static bool is_form_of(const struct dddg_inst *a, const struct dddg_inst *b)
{
    return a->addr == b->addr && a->bytes == b->bytes;
}

/* What was last at all of an access's bytes, in the same form; NOBODY: several, or other bytes. */
static uint32_t last_at(struct builder *b, const struct dddg_inst *i)
{
    uint32_t last = NOBODY;
    const uint64_t from = i->addr >> GRANULE_BITS, to = (i->addr + i->bytes - 1) >> GRANULE_BITS;
    for (uint64_t k = from; k <= to; k++) {
        const uint64_t *at = u64map_get(&b->memory, k);
        if (at && b->g->trace->all.data[*at].kind == DDDG_STORE &&
            (k > from ? *at != last : !is_form_of(&b->g->trace->all.data[*at], i)))
            vec_push(&b->escaped, b->stored[*at]);
        if (!at || (k > from && *at != last))
            return NOBODY;
        last = (uint32_t)*at;
    }
    const struct dddg_inst *l = &b->g->trace->all.data[last];
    const uint64_t mask = i->bytes < 8 ? (UINT64_C(1) << 8 * i->bytes) - 1 : UINT64_MAX;
    /* the value, too: what the trace leaves out may have written */
    return is_form_of(l, i) && !((l->value ^ i->value) & mask) ? last : NOBODY;
}

static void put_at(struct builder *b, const struct dddg_inst *i, uint32_t v)
{
    for (uint64_t k = i->addr >> GRANULE_BITS; k <= (i->addr + i->bytes - 1) >> GRANULE_BITS; k++)
        u64map_put(&b->memory, k, v);
}

/* The value that a load has: one that was stored, one that was loaded before, or its own. */
static uint32_t loaded(struct builder *b, const struct dddg_inst *i, uint32_t v)
{
    const uint32_t last = last_at(b, i);
    if (last != NOBODY) {
        const bool is_store = b->g->trace->all.data[last].kind == DDDG_STORE;
        if (!is_store)
            return last;
        if (i->is_stack)
            return b->stored[last];
    }
    put_at(b, i, v);
    b->g->traits[v] |= DDDG_LEAF;
    return v;
}

/* --- operands --- */

static void add_operand(struct dddg_graph *g, uint32_t v, uint32_t value)
{
    for (size_t k = g->first[v]; k < g->operands.len; k++)
        if (g->operands.data[k] == value)
            return;
    vec_push(&g->operands, value);
}

static void add_inst(struct builder *b, uint32_t v)
{
    struct dddg_graph *g = b->g;
    const struct dddg_inst *i = &g->trace->all.data[v];
    g->first[v] = (uint32_t)g->operands.len;
    uint32_t value = v;
    for (unsigned k = 0; k < i->nreads; k++)
        add_operand(g, v, b->made[i->reads[k]]);
    if (i->kind == DDDG_LOAD) {
        value = loaded(b, i, v);
    } else if (i->kind == DDDG_STORE) { /* who loads it reads it, where that is followed */
        b->stored[v] = b->made[i->data];
        if (!i->is_stack)
            add_operand(g, v, b->stored[v]);
        put_at(b, i, v);
    } else if (i->kind != DDDG_CONTROL) {
        g->traits[v] |= DDDG_INSIDE;
    }
    for (unsigned k = 0; k < i->nwrites; k++)
        b->made[i->writes[k]] = value;
}

/* --- what values are --- */

static void find_constants(struct dddg_graph *g)
{
    g->traits[DDDG_INITIAL(g, g->trace->zero)] |= DDDG_CONSTANT;
    for (uint32_t v = 0; v < g->n; v++) {
        bool is_constant = g->trace->all.data[v].kind != DDDG_LOAD;
        for (uint32_t k = g->first[v]; k < g->first[v + 1] && is_constant; k++)
            is_constant = g->traits[g->operands.data[k]] & DDDG_CONSTANT;
        g->traits[v] |= is_constant ? DDDG_CONSTANT : 0;
    }
}

/* Backwards: who has consumers that are more than branches, and how many. */
static void find_consumers(struct dddg_graph *g)
{
    for (uint32_t v = g->n; v-- > 0;) {
        const unsigned kind = g->trace->all.data[v].kind;
        const bool decides = kind == DDDG_CONTROL || ((g->traits[v] & DDDG_INSIDE) &&
                                                      !g->consumers[v] && g->last_decided[v]);
        const uint32_t when = kind == DDDG_CONTROL ? v : g->last_decided[v];
        if (decides)
            g->traits[v] |= DDDG_DECIDES;
        for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
            const uint32_t u = g->operands.data[k];
            if (!decides)
                g->consumers[u]++;
            else if (when > g->last_decided[u])
                g->last_decided[u] = when;
        }
    }
}

static void find_invariants(struct dddg_graph *g)
{
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t k = g->first[v]; k < g->first[v + 1]; k++) {
            const uint32_t u = g->operands.data[k], reads = g->consumers[u];
            if (reads >= INVARIANT_READS && reads >= g->executed.data[g->site[v]] / INVARIANT_SHARE)
                g->traits[u] |= DDDG_INVARIANT;
        }
}

static void find_sites(struct dddg_graph *g)
{
    struct u64map known = {0};
    for (uint32_t v = 0; v < g->n; v++) {
        const struct dddg_inst *i = &g->trace->all.data[v];
        const uint64_t *at = u64map_get(&known, i->pc);
        const uint32_t site = at ? (uint32_t)*at : (uint32_t)g->addresses.len;
        if (!at) {
            u64map_put(&known, i->pc, site);
            vec_push(&g->addresses, i->pc);
            vec_push(&g->executed, 0);
            vec_push(&g->bytes, 4);
        }
        g->site[v] = site;
        g->executed.data[site]++;
        if (i->bytes > g->bytes.data[site])
            g->bytes.data[site] = i->bytes;
    }
    u64map_free(&known);
}

struct dddg_graph *dddg_graph_new(const struct dddg_trace *t)
{
    struct dddg_graph *g = xcalloc(1, sizeof *g);
    const size_t n = t->all.len, values = n + DDDG_REGS;
    struct builder b = {.g = g, .stored = xcalloc(n + 1, sizeof *b.stored)};
    g->trace = t;
    g->n = (uint32_t)n;
    g->first = xcalloc(n + 1, sizeof *g->first);
    g->consumers = xcalloc(values, sizeof *g->consumers);
    g->last_decided = xcalloc(values, sizeof *g->last_decided);
    g->traits = xcalloc(values, sizeof *g->traits);
    g->site = xcalloc(n + 1, sizeof *g->site);
    for (unsigned r = 0; r < DDDG_REGS; r++) {
        b.made[r] = DDDG_INITIAL(g, r);
        g->traits[b.made[r]] = DDDG_LEAF;
    }
    for (uint32_t v = 0; v < g->n; v++)
        add_inst(&b, v);
    g->first[n] = (uint32_t)g->operands.len;
    find_sites(g);
    find_constants(g);
    find_consumers(g);
    for (size_t k = 0; k < b.escaped.len; k++)
        g->consumers[b.escaped.data[k]]++;
    find_invariants(g);
    vec_free(&b.escaped);
    u64map_free(&b.memory);
    free(b.stored);
    return g;
}

void dddg_graph_free(struct dddg_graph *g)
{
    if (!g)
        return;
    free(g->first);
    free(g->consumers);
    free(g->last_decided);
    free(g->traits);
    free(g->site);
    vec_free(&g->operands);
    vec_free(&g->addresses);
    vec_free(&g->executed);
    vec_free(&g->bytes);
    free(g);
}

uint64_t dddg_value(const struct dddg_graph *g, uint32_t value, unsigned *bytes)
{
    if (value >= g->n) {
        const uint64_t v = g->trace->first[value - g->n];
        *bytes = v >> 32 ? 8 : 4;
        return v;
    }
    *bytes = g->bytes.data[g->site[value]];
    return g->trace->all.data[value].value;
}
