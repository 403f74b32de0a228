/* A tag array of its own, one sector a line. */
#include "tech/md_cache.h"

void md_cache_init(struct md_cache *m, uint64_t bytes, uint32_t ways, uint32_t line_bytes)
{
    tags_init(&m->tags, (uint32_t)(bytes / (ways * (uint64_t)line_bytes)), ways, TAGS_LRU,
              TAGS_LINEAR);
}

void md_cache_free(struct md_cache *m)
{
    tags_free(&m->tags);
}

struct md_outcome md_cache_access(struct md_cache *m, uint64_t line, bool changes)
{
    struct md_outcome out = {.is_hit = true};
    uint32_t set = tags_set(&m->tags, line), i = tags_find(&m->tags, set, line);
    if (i == TAGS_NONE) {
        out.is_hit = false;
        i = tags_victim(&m->tags, set);
        out.writes_back = tags_in_use(&m->tags, i) && m->tags.lines[i].dirty;
        out.victim = m->tags.tag[i];
        tags_allocate(&m->tags, i, line);
        tags_fill(&m->tags, i, 1);
    }
    tags_touch(&m->tags, i);
    if (changes)
        tags_write(&m->tags, i, 1, 1);
    return out;
}
