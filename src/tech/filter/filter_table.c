/* Entries are found through slots, twice as many, by a hash of SM and line. */
#include "tech/filter/filter_table.h"

#include <stdlib.h>

void filter_table_init(struct filter_table *t, uint32_t entries)
{
    uint32_t slots = 8;
    while (slots < entries * 2)
        slots *= 2;
    *t = (struct filter_table){.nfree = entries, .nentries = entries, .mask = slots - 1};
    t->entries = xcalloc(entries, sizeof *t->entries);
    t->slots = xcalloc(slots, sizeof *t->slots);
    t->free = xcalloc(entries, sizeof *t->free);
    for (uint32_t i = 0; i < entries; i++)
        t->free[i] = entries - 1 - i;
}

void filter_table_free(struct filter_table *t)
{
    free(t->entries);
    free(t->slots);
    free(t->free);
}

static uint32_t home(const struct filter_table *t, uint16_t src, addr_t line)
{
    return (uint32_t)((line + src) * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask;
}

static struct filter_entry *at_slot(const struct filter_table *t, uint32_t i)
{
    return &t->entries[t->slots[i] - 1];
}

struct filter_entry *filter_table_find(const struct filter_table *t, uint16_t src, addr_t line)
{
    for (uint32_t i = home(t, src, line); t->slots[i]; i = (i + 1) & t->mask) {
        struct filter_entry *e = at_slot(t, i);
        if (e->line == line && e->src == src)
            return e;
    }
    return NULL;
}

struct filter_entry *filter_table_of(const struct filter_table *t, const struct mem_req *r,
                                     addr_t line)
{
    for (uint32_t i = home(t, r->src, line); t->slots[i]; i = (i + 1) & t->mask)
        if (at_slot(t, i)->first == r)
            return at_slot(t, i);
    return NULL;
}

struct filter_entry *filter_table_add(struct filter_table *t, const struct mem_req *r, addr_t line)
{
    if (!t->nfree)
        return NULL;
    const uint32_t number = t->free[--t->nfree];
    struct filter_entry *e = &t->entries[number];
    *e = (struct filter_entry){.line = line, .first = r, .riders_end = &e->riders, .src = r->src};
    uint32_t i = home(t, r->src, line);
    while (t->slots[i])
        i = (i + 1) & t->mask;
    t->slots[i] = number + 1;
    return e;
}

void filter_table_join(struct filter_entry *e, struct mem_req *r)
{
    r->next = NULL;
    *e->riders_end = r;
    e->riders_end = &r->next;
}

/* Closes the gap at `i`, so that no search stops early. */
static void slot_remove(struct filter_table *t, uint32_t i)
{
    for (uint32_t j = (i + 1) & t->mask; t->slots[j]; j = (j + 1) & t->mask) {
        const uint32_t h = home(t, at_slot(t, j)->src, at_slot(t, j)->line);
        if (((j - h) & t->mask) >= ((j - i) & t->mask)) {
            t->slots[i] = t->slots[j];
            i = j;
        }
    }
    t->slots[i] = 0;
}

void filter_table_remove(struct filter_table *t, struct filter_entry *e)
{
    const uint32_t number = (uint32_t)(e - t->entries);
    uint32_t i = home(t, e->src, e->line);
    while (t->slots[i] != number + 1)
        i = (i + 1) & t->mask;
    slot_remove(t, i);
    t->free[t->nfree++] = number;
}
