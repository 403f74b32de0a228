/* Ukkonen's construction, letter by letter. */
#include "suffix_tree.h"

#include <stdbool.h>

/* Ukkonen's state: the suffixes that are not in the tree yet end at the active point, which is
 * `length` letters below `node`, along the edge that begins with text[edge]. */
struct build {
    struct tree_node *nodes;
    const uint8_t *text;
    int n, count;
    int node, edge, length;
    int pending;  /* suffixes to insert */
    int unlinked; /* the inner node made last in this phase, whose link is not known; 0: none */
};

enum outcome { INSERTED, MOVED, THERE };

static int base_index(uint8_t letter)
{
    return letter >> 1 & 3;
}

static int new_node(struct build *b, int start, int end, int first)
{
    b->nodes[b->count] = (struct tree_node){.start = start, .end = end, .first = first};
    return b->count++;
}

static void set_link(struct build *b, int node)
{
    if (b->unlinked)
        b->nodes[b->unlinked].link = node;
    b->unlinked = node;
}

/* Leaves come in the order of their suffixes, so what is below `child` occurs before the new leaf.
 */
static void split_edge(struct build *b, int child, int at)
{
    struct tree_node *c = &b->nodes[child];
    int middle = new_node(b, c->start, c->start + b->length, c->first);
    b->nodes[b->node].child[base_index(b->text[c->start])] = middle;
    c->start += b->length;
    b->nodes[middle].child[base_index(b->text[c->start])] = child;
    b->nodes[middle].child[base_index(b->text[at])] = new_node(b, at, b->n, at - b->pending + 1);
    set_link(b, middle);
}

/* Inserts the longest pending suffix, which text[at] has just made longer. MOVED: only the active
 * point went down an edge. THERE: it occurs already, and so do the shorter ones. */
static enum outcome insert_suffix(struct build *b, int at)
{
    if (!b->length)
        b->edge = at;
    int32_t *slot = &b->nodes[b->node].child[base_index(b->text[b->edge])];
    int child = *slot;
    if (!child) {
        *slot = new_node(b, at, b->n, at - b->pending + 1);
        set_link(b, b->node);
        return INSERTED;
    }
    int end = b->nodes[child].end > at ? at + 1 : b->nodes[child].end;
    int edge_length = end - b->nodes[child].start;
    if (b->length >= edge_length) {
        b->node = child;
        b->edge += edge_length;
        b->length -= edge_length;
        return MOVED;
    }
    if (b->text[b->nodes[child].start + b->length] == b->text[at]) {
        b->length++;
        set_link(b, b->node);
        return THERE;
    }
    split_edge(b, child, at);
    return INSERTED;
}

static void add_letter(struct build *b, int at)
{
    b->pending++;
    b->unlinked = 0;
    while (b->pending) {
        enum outcome o = insert_suffix(b, at);
        if (o == THERE)
            return;
        if (o == MOVED)
            continue;
        b->pending--;
        if (!b->node && b->length) {
            b->length--;
            b->edge = at - b->pending + 1;
        } else {
            b->node = b->nodes[b->node].link;
        }
    }
}

int suffix_tree_build(struct tree_node *nodes, const uint8_t *text, int n)
{
    struct build b = {.nodes = nodes, .text = text, .n = n};
    new_node(&b, 0, 0, 0);
    for (int at = 0; at < n; at++)
        add_letter(&b, at);
    return b.count;
}
