/* Sets, recency, and how entries move between two levels. */
#include "memo/lut.h"

#include <stdlib.h>

void lut_init(struct lut *t, unsigned sets, unsigned ways)
{
    *t = (struct lut){.sets = sets, .ways = ways};
    t->entries = sets ? xcalloc((size_t)sets * ways, sizeof *t->entries) : NULL;
}

void lut_free(struct lut *t)
{
    free(t->entries);
    t->entries = NULL;
}

static struct lut_entry *set_of(const struct lut *t, uint64_t hash)
{
    return &t->entries[(hash & (t->sets - 1)) * t->ways];
}

struct lut_entry *lut_find(const struct lut *t, unsigned id, uint64_t hash)
{
    if (!t->sets)
        return NULL;
    struct lut_entry *set = set_of(t, hash);
    for (unsigned w = 0; w < t->ways; w++)
        if (set[w].used && set[w].hash == hash && set[w].id == id)
            return &set[w];
    return NULL;
}

struct lut_entry *lut_victim(const struct lut *t, uint64_t hash)
{
    struct lut_entry *set = set_of(t, hash), *oldest = set;
    for (unsigned w = 0; w < t->ways && oldest->used; w++)
        if (set[w].used < oldest->used)
            oldest = &set[w];
    return oldest;
}

void lut_touch(struct lut *t, struct lut_entry *e)
{
    e->used = ++t->clock;
}

unsigned lut_drop(struct lut *t, unsigned id)
{
    unsigned n = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->entries[i].used && t->entries[i].id == id) {
            t->entries[i].used = 0;
            n++;
        }
    return n;
}

/* --- two levels --- */

static void write_l1(struct lut_pair *p, const struct lut_entry *e)
{
    if (!p->l1.sets)
        return;
    struct lut_entry *to = lut_find(&p->l1, e->id, e->hash);
    if (!to) {
        to = lut_victim(&p->l1, e->hash);
        p->moves.evict_l1 += to->used != 0;
        struct lut_entry *copy = to->used ? lut_find(&p->l2, to->id, to->hash) : NULL;
        if (copy)
            lut_touch(&p->l2, copy);
    }
    *to = *e;
    lut_touch(&p->l1, to);
}

static void write_l2(struct lut_pair *p, const struct lut_entry *e)
{
    if (!p->l2.sets)
        return;
    struct lut_entry *to = lut_find(&p->l2, e->id, e->hash);
    if (!to) {
        to = lut_victim(&p->l2, e->hash);
        p->moves.evict_l2 += to->used != 0;
        struct lut_entry *copy = to->used ? lut_find(&p->l1, to->id, to->hash) : NULL;
        if (copy) {
            copy->used = 0;
            p->moves.back_invalidated++;
        }
    }
    *to = *e;
    lut_touch(&p->l2, to);
}

enum lut_level lut_pair_find(struct lut_pair *p, unsigned id, uint64_t hash, struct lut_entry *e)
{
    struct lut_entry *found = lut_find(&p->l1, id, hash);
    if (found) {
        lut_touch(&p->l1, found);
        *e = *found;
        return LUT_L1;
    }
    found = lut_find(&p->l2, id, hash);
    if (!found)
        return LUT_NONE;
    lut_touch(&p->l2, found);
    *e = *found;
    write_l1(p, e);
    p->moves.fills += p->l1.sets != 0;
    return LUT_L2;
}

/* The L2 first: who gives way in the L1 then becomes more recent in the L2 than the new one. */
void lut_pair_put(struct lut_pair *p, const struct lut_entry *e)
{
    write_l2(p, e);
    write_l1(p, e);
}

void lut_pair_drop(struct lut_pair *p, unsigned id)
{
    lut_drop(&p->l1, id);
    lut_drop(&p->l2, id);
}
