/* The cache of metadata beside a memory controller: write-back, write-allocate, LRU. Lines are
 * named by number. A miss brings its line at once; who asks for a line that is on its way does not
 * wait for it. */
#ifndef TECH_MD_CACHE_H
#define TECH_MD_CACHE_H

#include "mem/tags.h"

struct md_cache {
    struct tags tags;
};

struct md_outcome {
    bool is_hit;
    bool writes_back; /* the line `victim` had changed */
    uint64_t victim;
};

void md_cache_init(struct md_cache *m, uint64_t bytes, uint32_t ways, uint32_t line_bytes);
void md_cache_free(struct md_cache *m);
struct md_outcome md_cache_access(struct md_cache *m, uint64_t line, bool changes);

#endif
