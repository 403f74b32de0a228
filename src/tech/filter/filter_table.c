/* Entries are found by SM and line. */
#include "tech/filter/filter_table.h"

#include <stdlib.h>

void filter_table_init(struct filter_table *t, uint32_t entries)
{
    slots_init(&t->slots, entries);
    t->entries = xcalloc(entries, sizeof *t->entries);
}

void filter_table_free(struct filter_table *t)
{
    slots_free(&t->slots);
    free(t->entries);
}

static uint64_t key_of(uint16_t src, addr_t line)
{
    return line + src;
}

struct filter_entry *filter_table_find(const struct filter_table *t, uint16_t src, addr_t line)
{
    const struct slots *s = &t->slots;
    for (uint32_t i = slots_first(s, key_of(src, line)), k; (k = slots_at(s, i)) != SLOTS_NONE;
         i = slots_next(s, i))
        if (t->entries[k].line == line && t->entries[k].src == src)
            return &t->entries[k];
    return NULL;
}

struct filter_entry *filter_table_of(const struct filter_table *t, const struct mem_req *r,
                                     addr_t line)
{
    const struct slots *s = &t->slots;
    for (uint32_t i = slots_first(s, key_of(r->src, line)), k; (k = slots_at(s, i)) != SLOTS_NONE;
         i = slots_next(s, i))
        if (t->entries[k].first == r)
            return &t->entries[k];
    return NULL;
}

struct filter_entry *filter_table_add(struct filter_table *t, const struct mem_req *r, addr_t line)
{
    if (!t->slots.nfree)
        return NULL;
    struct filter_entry *e = &t->entries[slots_take(&t->slots, key_of(r->src, line))];
    *e = (struct filter_entry){.line = line, .first = r, .riders_end = &e->riders, .src = r->src};
    return e;
}

void filter_table_join(struct filter_entry *e, struct mem_req *r)
{
    r->next = NULL;
    *e->riders_end = r;
    e->riders_end = &r->next;
}

void filter_table_remove(struct filter_table *t, struct filter_entry *e)
{
    slots_give(&t->slots, key_of(e->src, e->line), (uint32_t)(e - t->entries));
}
