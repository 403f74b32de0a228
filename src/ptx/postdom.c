/* Lengauer and Tarjan's algorithm (with simple path compression) on the reversed graph. Nothing
 * recurses: a function may have a hundred thousand blocks in a row. */
#include "ptx/postdom.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct postdom {
    const struct ptx_cfg *c;
    const bool *ends;
    bool *goes_on;           /* by block: has an edge to a block that is not in `ends` */
    uint32_t exit;           /* = c->nblocks, the root */
    uint32_t *exits, nexits; /* blocks with an edge to the exit, real or pretended */
    bool *pretended;         /* by block: has a pretended edge to the exit */
    bool *reached;           /* by block: can reach the exit */
    uint32_t *stack;
    uint32_t *cursor; /* by block: next edge to look at */
    uint32_t *parent, *semi, *label, *ancestor, *idom, *vertex, *bucket, *bucket_next;
    uint32_t count; /* vertices numbered so far */
};

static uint32_t *alloc_nodes(const struct postdom *d, uint32_t fill)
{
    uint32_t n = d->exit + 1, *a = xmalloc(n * sizeof *a);
    for (uint32_t i = 0; i < n; i++)
        a[i] = fill;
    return a;
}

static bool is_end(const struct postdom *d, uint32_t b)
{
    return b == d->exit || (d->ends && d->ends[b]);
}

static bool counts(const struct postdom *d, uint32_t from, uint32_t to)
{
    return !d->ends || !d->goes_on[from] || !is_end(d, to);
}

static void find_goes_on(struct postdom *d)
{
    for (uint32_t b = 0; b < d->c->nblocks; b++)
        for (uint32_t i = 0; i < d->c->blocks[b].nsucc; i++)
            d->goes_on[b] |= !is_end(d, d->c->blocks[b].succ[i]);
}

/* Marks everything that can reach `b`. */
static void mark_reaching(struct postdom *d, uint32_t b)
{
    uint32_t sp = 0;
    if (d->reached[b])
        return;
    d->reached[b] = true;
    d->stack[sp++] = b;
    while (sp) {
        uint32_t to = d->stack[--sp];
        const struct ptx_block *blk = &d->c->blocks[to];
        for (uint32_t i = 0; i < blk->npred; i++) {
            uint32_t from = blk->pred[i];
            if (d->reached[from] || !counts(d, from, to))
                continue;
            d->reached[from] = true;
            d->stack[sp++] = from;
        }
    }
}

/* Follows edges from `b`, which cannot reach the exit, to the first block that leads nowhere new:
 * the end of a loop. Everything on the way reaches that block. */
static uint32_t find_loop_end(struct postdom *d, uint32_t b)
{
    for (;;) {
        const struct ptx_block *blk = &d->c->blocks[b];
        d->cursor[b] = 1;
        uint32_t next = NONE;
        for (uint32_t i = 0; i < blk->nsucc && next == NONE; i++)
            if (counts(d, b, blk->succ[i]) && !d->cursor[blk->succ[i]])
                next = blk->succ[i];
        if (next == NONE)
            return b;
        b = next;
    }
}

static void find_exits(struct postdom *d)
{
    uint32_t n = d->c->nblocks;
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 0; i < d->c->blocks[b].nsucc; i++)
            if (d->c->blocks[b].succ[i] == d->exit && counts(d, b, d->exit)) {
                d->exits[d->nexits++] = b;
                mark_reaching(d, b);
                break;
            }
    for (uint32_t b = 0; b < n; b++)
        if (!d->reached[b]) {
            uint32_t end = find_loop_end(d, b);
            d->exits[d->nexits++] = end;
            d->pretended[end] = true;
            mark_reaching(d, end);
        }
}

/* Predecessors in the control flow are successors here. */
static uint32_t next_reverse_succ(struct postdom *d, uint32_t v)
{
    const uint32_t *list = v == d->exit ? d->exits : d->c->blocks[v].pred;
    uint32_t n = v == d->exit ? d->nexits : d->c->blocks[v].npred;
    while (d->cursor[v] < n) {
        uint32_t w = list[d->cursor[v]++];
        if (d->semi[w] == NONE && (v == d->exit || counts(d, w, v)))
            return w;
    }
    return NONE;
}

static void number_vertex(struct postdom *d, uint32_t v, uint32_t parent)
{
    d->parent[v] = parent;
    d->semi[v] = d->count;
    d->label[v] = v;
    d->vertex[d->count++] = v;
}

static void depth_first(struct postdom *d)
{
    uint32_t sp = 0;
    memset(d->cursor, 0, (d->exit + 1) * sizeof *d->cursor);
    number_vertex(d, d->exit, NONE);
    d->stack[sp++] = d->exit;
    while (sp) {
        uint32_t v = d->stack[sp - 1], w = next_reverse_succ(d, v);
        if (w == NONE) {
            sp--;
            continue;
        }
        number_vertex(d, w, v);
        d->stack[sp++] = w;
    }
}

static uint32_t eval(struct postdom *d, uint32_t v)
{
    if (d->ancestor[v] == NONE)
        return v;
    uint32_t sp = 0;
    for (uint32_t u = v; d->ancestor[d->ancestor[u]] != NONE; u = d->ancestor[u])
        d->stack[sp++] = u;
    while (sp) {
        uint32_t u = d->stack[--sp], a = d->ancestor[u];
        if (d->semi[d->label[a]] < d->semi[d->label[u]])
            d->label[u] = d->label[a];
        d->ancestor[u] = d->ancestor[a];
    }
    return d->label[v];
}

static void lower_semi(struct postdom *d, uint32_t w, uint32_t from)
{
    uint32_t s = d->semi[eval(d, from)];
    if (s < d->semi[w])
        d->semi[w] = s;
}

static void empty_bucket(struct postdom *d, uint32_t parent)
{
    for (uint32_t v = d->bucket[parent]; v != NONE; v = d->bucket_next[v]) {
        uint32_t u = eval(d, v);
        d->idom[v] = d->semi[u] < d->semi[v] ? u : parent;
    }
    d->bucket[parent] = NONE;
}

static void dominate(struct postdom *d)
{
    for (uint32_t i = d->count; i-- > 1;) {
        uint32_t w = d->vertex[i];
        const struct ptx_block *b = &d->c->blocks[w];
        for (uint32_t k = 0; k < b->nsucc; k++)
            if (counts(d, w, b->succ[k]))
                lower_semi(d, w, b->succ[k]);
        if (d->pretended[w])
            lower_semi(d, w, d->exit);
        uint32_t s = d->vertex[d->semi[w]];
        d->bucket_next[w] = d->bucket[s];
        d->bucket[s] = w;
        d->ancestor[w] = d->parent[w];
        empty_bucket(d, d->parent[w]);
    }
    for (uint32_t i = 1; i < d->count; i++) {
        uint32_t w = d->vertex[i];
        if (d->idom[w] != d->vertex[d->semi[w]])
            d->idom[w] = d->idom[d->idom[w]];
    }
}

void ptx_postdom_compute(const struct ptx_cfg *c, const bool *ends, uint32_t *ipdom)
{
    struct postdom d = {.c = c, .ends = ends, .exit = c->nblocks};
    uint32_t **arrays[] = {&d.exits,    &d.stack, &d.cursor, &d.parent, &d.semi,       &d.label,
                           &d.ancestor, &d.idom,  &d.vertex, &d.bucket, &d.bucket_next};
    bool **flags[] = {&d.goes_on, &d.pretended, &d.reached};
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        *arrays[i] = alloc_nodes(&d, NONE);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        *flags[i] = xcalloc(d.exit + 1, sizeof(bool));
    memset(d.cursor, 0, (d.exit + 1) * sizeof *d.cursor);
    find_goes_on(&d);
    find_exits(&d);
    depth_first(&d);
    dominate(&d);
    memcpy(ipdom, d.idom, c->nblocks * sizeof *ipdom);
    for (size_t i = 0; i < ARRAY_LEN(arrays); i++)
        free(*arrays[i]);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        free(*flags[i]);
}
