/* A memory node's table: requests of data caches for parts of lines that the node has not answered,
 * found by SM and line. */
#ifndef TECH_FILTER_FILTER_TABLE_H
#define TECH_FILTER_FILTER_TABLE_H

#include "base/slots.h"
#include "mem/mem_req.h"

struct filter_entry {
    addr_t line;
    const struct mem_req *first; /* that the L2 has */
    struct mem_req *riders;      /* absorbed since, the oldest first, chained by `next` */
    struct mem_req **riders_end;
    uint16_t src;
};

struct filter_table {
    struct filter_entry *entries;
    struct slots slots; /* entries by SM and line */
};

void filter_table_init(struct filter_table *t, uint32_t entries);
void filter_table_free(struct filter_table *t);
static inline uint32_t filter_table_used(const struct filter_table *t)
{
    return slots_used(&t->slots);
}
/* The entry of `line` for node `src`, or NULL. */
struct filter_entry *filter_table_find(const struct filter_table *t, uint16_t src, addr_t line);
/* The entry whose first request `r` is, or NULL. */
struct filter_entry *filter_table_of(const struct filter_table *t, const struct mem_req *r,
                                     addr_t line);
/* A new one for `r`, or NULL: the table is full. */
struct filter_entry *filter_table_add(struct filter_table *t, const struct mem_req *r, addr_t line);
/* `r` waits for the answer to the entry's first request. */
void filter_table_join(struct filter_entry *e, struct mem_req *r);
void filter_table_remove(struct filter_table *t, struct filter_entry *e);

#endif
