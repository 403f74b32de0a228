/* Suffix tree of a text over A C G T, in the form that the device reads. */
#ifndef WORKLOADS_SUFFIX_TREE_H
#define WORKLOADS_SUFFIX_TREE_H

#include <stdint.h>

struct tree_node {
    int32_t start, end; /* the label of the edge into the node: text[start .. end - 1] */
    int32_t link;       /* the node of the same string without its first letter; else 0 */
    int32_t first;      /* where the node's string occurs first */
    int32_t child[4];   /* 0: none */
};

/* Builds the tree of text[0 .. n-1] by Ukkonen's algorithm into `nodes`, which has room for 2 n
 * + 1. Node 0 is the root; leaves end at n. The last suffixes, those that occur earlier too, have
 * no leaf of their own. Returns the number of nodes. */
int suffix_tree_build(struct tree_node *nodes, const uint8_t *text, int n);

#endif
