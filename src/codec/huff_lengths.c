/* Package-merge, level by level. */
#include "codec/huff_lengths.h"

#include <stdlib.h>
#include <string.h>

/* One level's list in ascending order: leaves (symbols) merged with packages (pairs of items of the
 * level below). Only whether an item is a leaf must be kept to trace the solution back. */
struct level {
    uint64_t *weight;
    bool *leaf;
    unsigned n;
};

static void merge_level(struct level *to, const struct level *below, const uint64_t *weights,
                        unsigned n)
{
    unsigned packages = below ? below->n / 2 : 0, i = 0, p = 0;
    to->n = n + packages;
    for (unsigned k = 0; k < to->n; k++) {
        uint64_t package = p < packages ? below->weight[2 * p] + below->weight[2 * p + 1] : 0;
        to->leaf[k] = p == packages || (i < n && weights[i] <= package);
        to->weight[k] = to->leaf[k] ? weights[i++] : package;
        p += !to->leaf[k];
    }
}

void huff_lengths(const uint64_t *weights, unsigned n, unsigned max_len, uint8_t *lens)
{
    memset(lens, n == 1, n);
    if (n < 2)
        return;
    assert(max_len < 32 && n <= 1u << max_len);
    struct level levels[32];
    for (unsigned l = 0; l < max_len; l++) {
        levels[l].weight = xmalloc(2 * n * sizeof(uint64_t));
        levels[l].leaf = xmalloc(2 * n * sizeof(bool));
        merge_level(&levels[l], l ? &levels[l - 1] : NULL, weights, n);
    }
    /* The 2n - 2 cheapest items of the top level; each package opens two items one level down. The
     * leaves among the first items of a level are always the lightest symbols. */
    unsigned take = 2 * n - 2;
    for (unsigned l = max_len; l-- > 0;) {
        unsigned leaves = 0;
        for (unsigned k = 0; k < take; k++)
            leaves += levels[l].leaf[k];
        for (unsigned i = 0; i < leaves; i++)
            lens[i]++;
        take = 2 * (take - leaves);
        free(levels[l].weight);
        free(levels[l].leaf);
    }
}
